import { type ConsentStepArguments, consentStep } from './consentStep.ts'
import { type PasskeyStepArguments, passkeyStep } from './passkeyStep.ts'
import { type PasswordStepArguments, passwordStep } from './passwordStep.ts'
import { type SecondFactorStepArguments, secondFactorStep } from './secondFactorStep.ts'
import type { SignInStep } from './signInStep.ts'

export type SignInStepArguments = PasswordStepArguments & PasskeyStepArguments & SecondFactorStepArguments & ConsentStepArguments

/** The steps of signing in and consenting, in the order in which they are asked. Add a new step here. */
export const signInSteps = (args: SignInStepArguments): readonly SignInStep[] => [
  passwordStep(args),
  passkeyStep(args),
  secondFactorStep(args),
  consentStep(args),
]
