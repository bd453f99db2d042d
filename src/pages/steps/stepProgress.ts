import { type AuthenticationContext, strongest } from '../../identity/signIn/authenticationContext.ts'
import type { SignedInAccount, SignInStep, StepOutcome } from './signInStep.ts'

/** How far a browser has come with the steps of one prompt. It is stored between requests, so it contains JSON values only. */
export interface StepProgress {
  account?: SignedInAccount
  completed: string[]
  /** Authentication methods that the completed steps proved (RFC 8176). */
  amr: string[]
  /** The strongest authentication context that they reached. */
  acr?: AuthenticationContext | undefined
  /** True if the person wants to stay signed in after the browser is closed. */
  remember: boolean
  states: Record<string, unknown>
  result: Record<string, unknown>
}

export const newProgress = (): StepProgress => ({ completed: [], amr: [], remember: false, states: {}, result: {} })

export const withState = (progress: StepProgress, { name }: SignInStep, state: unknown): StepProgress => ({
  ...progress,
  states: { ...progress.states, [name]: state },
})

export function withCompleted(
  { states, ...progress }: StepProgress,
  { name, amr = [] }: SignInStep,
  { account: found, amr: proved = [], acr, secondFactor, remember = false, result }: StepOutcome & { kind: 'done' },
): StepProgress {
  const { [name]: _, ...others } = states
  const account = found ?? progress.account
  return {
    ...progress,
    ...(account && { account: secondFactor ? { ...account, secondFactor } : account }),
    completed: [...progress.completed, name],
    amr: [...new Set([...progress.amr, ...amr, ...proved])],
    acr: strongest(progress.acr, acr),
    remember: progress.remember || remember,
    states: others,
    result: { ...progress.result, ...result },
  }
}
