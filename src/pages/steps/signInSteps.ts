import type { AttemptArguments } from './attemptSignIn.ts'
import { type ConsentStepArguments, consentStep } from './consentStep.ts'
import { passwordStep } from './passwordStep.ts'
import type { SignInStep } from './signInStep.ts'

export type SignInStepArguments = AttemptArguments & ConsentStepArguments

/** The steps of signing in and consenting, in the order in which they are asked. Add a new step here. */
export const signInSteps = (args: SignInStepArguments): readonly SignInStep[] => [passwordStep(args), consentStep(args)]
