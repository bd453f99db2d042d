import type { Context } from 'koa'
import type { OpenInteraction } from '../interaction.ts'
import type { PageContext } from '../pageContext.ts'
import type { StepPrompt } from './signInStep.ts'
import type { StepProgress } from './stepProgress.ts'

/** Where steps run: on the pages of an authorization request, or on the account's own sign-in. */
export interface SignInHost {
  ctx: Context
  open: OpenInteraction | undefined
  path: string
  actions: Record<StepPrompt, string>
  /** Parameters that links back to the page, and its form, carry. */
  query: Record<string, string | undefined>
  returnTo: string | undefined
  /** True if the steps of `login` run although the engine asks for consent: the person chose another account. */
  isSwitch: boolean
  /** Subject of the CSRF token of a form. The route checks the token before the runner sees the form. */
  csrfSubject: string
  /** Origin that the form of the page may lead to by redirects (CSP `form-action`). */
  formTarget: string | undefined
  cancelPath: string | undefined
  pageContext(): Promise<PageContext>
  loadProgress(prompt: StepPrompt): Promise<StepProgress | undefined>
  saveProgress(prompt: StepPrompt, progress: StepProgress): Promise<void>
  finish(prompt: StepPrompt, progress: StepProgress): Promise<void>
  /** Ends the authorization request with `access_denied`. */
  refuse(description: string): Promise<void>
}
