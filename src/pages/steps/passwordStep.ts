import type { Context } from 'koa'
import { accountPaths } from '../../base/accountPaths.ts'
import { normaliseEmail } from '../../base/text/emailAddress.ts'
import { withQuery } from '../../base/text/withQuery.ts'
import { signIn } from '../../identity/accounts/signIn.ts'
import { auditEntry } from '../auditEntry.ts'
import { submittedForm } from '../formBody.ts'
import { formField } from '../formPage.ts'
import { languageParameter } from '../language.ts'
import { linkLanguageOf, type PageContext } from '../pageContext.ts'
import type { PageServices } from '../pagesArguments.ts'
import { plainText } from '../plainText.ts'
import { signInDetails } from '../signInDetails.ts'
import type { PageMessage, TextKey } from '../texts.ts'
import { showTooMany } from '../tooMany.ts'
import { passkeyAutofill } from './passkeyStep.ts'
import type { SignInStep, StepContext, StepForm } from './signInStep.ts'
import { isStaying, staySignedInBox } from './staySignedIn.ts'

export function passwordStep(args: PageServices): SignInStep {
  return {
    name: 'password',
    prompt: 'login',
    amr: ['pwd'],
    choice: 'passkey_sign_in.password',
    isNeeded: ({ account }) => account === undefined,
    async page(context, { error = anotherExpected(context.open), values }) {
      const email = values?.email ?? context.open?.interaction.params.login_hint
      const stay = { days: args.oauth().lifetimes.session_days, isTicked: values?.remember !== undefined }
      const offered = passkeyAutofill(args, context)
      const form = passwordForm(context, await context.pageContext(), { email, error, stay, isWithPasskey: offered !== undefined })
      return { form: { ...form, passkey: offered && { ...offered, label: '', isAutofill: true } }, error }
    },
    async answer({ ctx, open }, form) {
      const attempt = await attemptSignIn(ctx, args, open?.clientId)
      const remember = isStaying(form)
      if (attempt.outcome === 'signed in') {
        const { email } = attempt
        const { hasSecondFactor, ...account } = attempt.account
        return { kind: 'done', account: { ...account, email, secondFactor: hasSecondFactor ? 'pending' : 'none' }, remember }
      }
      const values = { email: attempt.email, ...(remember && { remember: 'yes' }) }
      if (attempt.outcome === 'failed') return { kind: 'repeat', status: 400, error: { key: 'sign_in.failed' }, values }
      const minutes = showTooMany(ctx, attempt.retryAfterSeconds)
      return { kind: 'repeat', status: 429, error: { key: 'sign_in.too_many', values: { minutes } }, values }
    },
  }
}

export function passwordForm(
  {
    ctx,
    open,
    isSwitch,
    returnTo,
  }: Pick<StepContext, 'ctx' | 'isSwitch' | 'returnTo'> & { open: Pick<NonNullable<StepContext['open']>, 'clientName'> | undefined },
  pageContext: PageContext,
  {
    email,
    error,
    stay,
    isWithPasskey = false,
  }: { email: unknown; error: PageMessage | undefined; stay: { days: number; isTicked: boolean }; isWithPasskey?: boolean },
): StepForm {
  const { texts, schoolName, isOpenToSignUp } = pageContext
  const isInvalid = error?.key === 'sign_in.failed'
  const shown = { hasFormError: error !== undefined, isInvalid }
  const link = (path: string, label: TextKey) => ({
    href: withQuery(path, { return_to: returnTo, [languageParameter]: linkLanguageOf(ctx, pageContext) }),
    label: texts.text(label),
  })
  return {
    title: texts.text(isInvalid ? 'sign_in.failed_title' : 'sign_in.title'),
    heading: texts.text(isSwitch ? 'sign_in.heading_switch' : 'sign_in.heading', { school: schoolName }),
    introduction: introductionOf(texts, schoolName, open, returnTo),
    fields: [
      formField(
        {
          name: 'email',
          type: 'email',
          label: texts.text('sign_in.email'),
          value: plainText(email, 254),
          autocomplete: isWithPasskey ? 'username webauthn' : 'username',
        },
        shown,
      ),
      formField(
        { name: 'password', type: 'password', label: texts.text('sign_in.password'), autocomplete: 'current-password', maxLength: 1024 },
        shown,
      ),
    ],
    boxes: [staySignedInBox(texts, stay)],
    submit: texts.text('sign_in.submit'),
    links: [
      link(accountPaths.forgottenPassword, 'account_links.forgotten'),
      ...(isOpenToSignUp() ? [link(accountPaths.signUp, 'account_links.sign_up')] : []),
    ],
  }
}

function introductionOf(
  texts: PageContext['texts'],
  school: string,
  open: { clientName: string } | undefined,
  returnTo = '',
): StepForm['introduction'] {
  if (!open) return texts.parts(reasons.find(([path]) => path.test(returnTo))?.[1] ?? 'account_sign_in.introduction', {})
  return open.clientName
    ? texts.parts('sign_in.introduction', { app: open.clientName, school })
    : texts.parts('sign_in.introduction_nameless', { school })
}

/** The reasons for a sign-in, by the page that it leads back to. */
const reasons = [
  [/^\/(?:account\/)?courses\//, 'account_sign_in.course'],
  [/^\/(?:account\/)?events\//, 'account_sign_in.event'],
  [/^\/posts\//, 'account_sign_in.post'],
  [/^\/plans/, 'account_sign_in.plan'],
  [/^\/account\/school/, 'account_sign_in.school'],
] as const satisfies readonly (readonly [RegExp, TextKey])[]

/** The error of a sign-in with another account than the one that the app named with `id_token_hint`. */
function anotherExpected(open: StepContext['open']): PageMessage | undefined {
  const isAnother = open?.accountId !== undefined && open.interaction.prompt.reasons.includes('id_token_hint')
  return isAnother ? { key: 'sign_in.another_expected' } : undefined
}

/** How an attempt ended. `email` is the entered address, for the form that is shown again; after a sign-in, that of the account. */
type SignInAttempt =
  | { outcome: 'limited'; email: string; retryAfterSeconds: number }
  | { outcome: 'failed'; email: string }
  | { outcome: 'signed in'; email: string; account: NonNullable<Awaited<ReturnType<typeof signIn>>> }

/**
 * Checks the e-mail address and the password of the submitted form. Every failure looks the same. The address is normalised once, so
 * that the limits, the known browsers and the account are all found by the same text.
 */
async function attemptSignIn(ctx: Context, args: PageServices, clientId?: string): Promise<SignInAttempt> {
  const { school, address } = ctx.state
  const form = submittedForm(ctx)
  const typed = form.get('email') ?? ''
  const email = normaliseEmail(typed)
  const client = clientId === undefined ? {} : { client_id: clientId }

  const browser = email === undefined ? undefined : await args.knownBrowsers.find(ctx, email)
  const attempt = await args.limits.signIn.attempt({ schoolId: school.id, email, address, browser }, (turn) =>
    signIn(args.databaseOf(school.id).kysely, email, form.get('password') ?? '', turn, (accountId, signedInAt) =>
      args.counted(auditEntry(ctx, 'sign_in.succeeded', { account_id: accountId, ...client, details: signInDetails(ctx, signedInAt) })),
    ),
  )
  if (attempt.outcome === 'limited') return { ...attempt, email: typed }
  if (attempt.outcome === 'failed' || email === undefined) {
    await args.audit(auditEntry(ctx, 'sign_in.failed', client))
    return { outcome: 'failed', email: typed }
  }
  const account = attempt.result
  ctx.state.accountId = account.accountId
  return { outcome: 'signed in', email, account }
}
