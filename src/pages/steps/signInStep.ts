import type { Context } from 'koa'
import type { School } from '../../base/school.ts'
import type { RegistrationOptions, SignInOptions } from '../../identity/factors/passkeyOptions.ts'
import type { AuthenticationContext } from '../../identity/signIn/authenticationContext.ts'
import type { Csrf } from '../csrf.ts'
import type { FactorSetup } from '../factorSetup.ts'
import type { FormBox } from '../formBox.ts'
import type { FormField, FormLink } from '../formPage.ts'
import type { OpenInteraction } from '../interaction.ts'
import type { PageContext } from '../pageContext.ts'
import type { PasskeyForm } from '../passkeyForm.ts'
import type { Views } from '../templates.ts'
import type { PageMessage, TextKey, TextPart } from '../texts.ts'

/** A prompt of the engine. The account's own sign-in runs the steps of `login`, too. */
export type StepPrompt = 'login' | 'consent'

/**
 * One step of a sign-in or of a consent: a page with a form, and what follows from the submitted form. The steps of a prompt run in the
 * order of the list in signInSteps.ts; the prompt is completed when none of its steps is needed any more.
 */
export interface SignInStep {
  /** Identifies the step in the hidden field `step` of its form, in the query parameter `step` and in the stored progress. */
  name: string
  prompt: StepPrompt
  /** Authentication methods that completing the step proves (RFC 8176); they become the `amr` claim. */
  amr?: readonly string[]
  /** Label of the link with which the pages of other needed steps offer this one instead. */
  choice?: TextKey
  /** Returns true if the person has to complete the step. Completed steps are not asked again. */
  isNeeded(context: StepContext): boolean | Promise<boolean>
  /** Returns the page, or undefined if the account can no longer be used: the sign-in then starts again. */
  page(context: StepContext, repeat: StepRepeat): Promise<StepPage | undefined>
  /** Checks the submitted form. Its CSRF token is valid and the step is needed. */
  answer(context: StepContext, form: URLSearchParams): Promise<StepOutcome>
}

/** An account, and when it signed in (`auth_time`, in seconds since 1970). */
export interface SignedInAccount {
  accountId: string
  signedInAt: number
  email: string
  isNew?: boolean
  /** `pending`: the account has a second factor, which this sign-in has not proved yet. */
  secondFactor: 'none' | 'pending' | 'proved'
}

export interface StepContext {
  ctx: Context
  school: School
  /** The authorization request; undefined on the account's own sign-in. */
  open: OpenInteraction | undefined
  /** The account that an earlier step of this sign-in has identified; for consent, the one that the browser is signed in with. */
  account: { accountId: string; signedInAt: number | undefined; email?: string; secondFactor?: SignedInAccount['secondFactor'] } | undefined
  /** The state that this step returned with its page or with its last outcome. */
  state: unknown
  /** True if the person is signed in already and chose to use another account. */
  isSwitch: boolean
  path: string
  /** Path to which pages outside the sign-in lead back. */
  returnTo: string | undefined
  pageContext(): Promise<PageContext>
  csrfToken(): string
}

/** Why and with which entered values a page is shown again. */
export interface StepRepeat {
  error?: PageMessage | undefined
  values?: Record<string, string>
  /** Recovery codes, which the next page shows once. */
  codes?: readonly string[]
}

/**
 * The page of a step. `state` is kept until the step is completed: in the interaction of an authorization request, in an encrypted
 * cookie of ten minutes (at most 3 kB) on the account's own sign-in. A browser can send an old cookie again, so attempts are counted by
 * rate limits, never in the state.
 */
export type StepPage = { state?: unknown } /** `error` is shown instead of the error of the last outcome. */ & (
  | { form: StepForm; error?: PageMessage | undefined }
  /** A separate view. It submits to the path of its prompt and includes the CSRF token. */
  | { render(views: Views, csrf: string): string }
)

/** A page with one form, which the runner completes: address, token, error, links. */
export interface StepForm {
  title: string
  heading: string
  introduction: TextPart[]
  fields: FormField[]
  hidden?: { name: string; value: string }[]
  boxes?: FormBox[]
  /** Shown above the form: the secret of an authenticator app, or recovery codes. */
  setup?: FactorSetup | undefined
  /** Label of the button; empty if the form has none, because a passkey is the only answer. */
  submit: string
  links?: FormLink[]
  /** Offers to use or to create a passkey, which answers the step with this name. */
  passkey?: StepPasskey | undefined
}

export interface StepPasskey extends Partial<Pick<PasskeyForm, 'name' | 'isAutofill' | 'boxes' | 'heading' | 'explanation'>> {
  step: string
  options: SignInOptions | RegistrationOptions
  label: string
}

export type StepOutcome =
  /** `account` if the step identified it. `result` goes to the engine with the result of the prompt. */
  | {
      kind: 'done'
      account?: SignedInAccount
      /** The methods that this answer proved, in addition to those of the step. */
      amr?: readonly string[]
      acr?: AuthenticationContext
      /** The state of the second factor of the account from now on. */
      secondFactor?: SignedInAccount['secondFactor']
      remember?: boolean
      result?: Record<string, unknown>
    }
  /** The page is shown again. */
  | ({ kind: 'repeat'; status: number; state?: unknown } & StepRepeat)
  /** Ends the authorization request with `access_denied`. */
  | { kind: 'refused'; description: string }
  /** The account can no longer be used. */
  | { kind: 'account gone' }

export interface StepViews {
  views: Views
  csrf: Csrf
}
