import type { PageServices } from '../pagesArguments.ts'
import { consentStep } from './consentStep.ts'
import { passkeyStep } from './passkeyStep.ts'
import { passwordStep } from './passwordStep.ts'
import { secondFactorStep } from './secondFactorStep.ts'
import { setUpFactorStep } from './setUpFactorStep.ts'
import type { SignInStep } from './signInStep.ts'

/** The steps of signing in and consenting, in the order in which they are asked. Add a new step here. */
export const signInSteps = (services: PageServices): readonly SignInStep[] => [
  passwordStep(services),
  passkeyStep(services),
  secondFactorStep(services),
  setUpFactorStep(services),
  consentStep(services),
]
