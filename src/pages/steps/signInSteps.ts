import { type ConsentStepArguments, consentStep } from './consentStep.ts'
import { type PasskeyStepArguments, passkeyStep } from './passkeyStep.ts'
import { type PasswordStepArguments, passwordStep } from './passwordStep.ts'
import { secondFactorStep } from './secondFactorStep.ts'
import { type SetUpFactorStepArguments, setUpFactorStep } from './setUpFactorStep.ts'
import type { SignInStep } from './signInStep.ts'

export type SignInStepArguments = PasswordStepArguments & PasskeyStepArguments & SetUpFactorStepArguments & ConsentStepArguments

/** The steps of signing in and consenting, in the order in which they are asked. Add a new step here. */
export const signInSteps = (args: SignInStepArguments): readonly SignInStep[] => [
  passwordStep(args),
  passkeyStep(args),
  secondFactorStep(args),
  setUpFactorStep(args),
  consentStep(args),
]
