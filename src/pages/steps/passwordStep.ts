import { accountPaths, withQuery } from '../../policy/accountPaths.ts'
import { formField } from '../formPage.ts'
import { languageParameter } from '../language.ts'
import { linkLanguageOf, type PageContext } from '../pageContext.ts'
import { plainText } from '../plainText.ts'
import type { PageMessage, TextKey } from '../texts.ts'
import { showTooMany } from '../tooMany.ts'
import { type AttemptArguments, attemptSignIn } from './attemptSignIn.ts'
import { type PasskeyStepArguments, passkeyAutofill } from './passkeyStep.ts'
import type { SignInStep, StepForm, StepVisit } from './signInStep.ts'
import { isStaying, staySignedInBox } from './staySignedIn.ts'

export type PasswordStepArguments = AttemptArguments & PasskeyStepArguments

/** Identifies the account by its e-mail address and password. */
export function passwordStep(args: PasswordStepArguments): SignInStep {
  return {
    name: 'password',
    prompt: 'login',
    amr: ['pwd'],
    choice: 'passkey_sign_in.password',
    isNeeded: ({ account }) => account === undefined,
    async page(visit, { error = anotherExpected(visit.open), values }) {
      const email = values?.email ?? visit.open?.interaction.params.login_hint
      const stay = { days: args.stayDays(), isTicked: values?.remember !== undefined }
      const offered = passkeyAutofill(args, visit)
      const form = passwordForm(visit, await visit.pageContext(), { email, error, stay, isWithPasskey: offered !== undefined })
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

/** Builds the form. Pure. */
export function passwordForm(
  {
    ctx,
    open,
    isSwitch,
    returnTo,
  }: Pick<StepVisit, 'ctx' | 'isSwitch' | 'returnTo'> & { open: Pick<NonNullable<StepVisit['open']>, 'clientName'> | undefined },
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
    introduction: introductionOf(texts, schoolName, open),
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

function introductionOf(texts: PageContext['texts'], school: string, open: { clientName: string } | undefined): StepForm['introduction'] {
  if (!open) return texts.parts('account_sign_in.introduction', {})
  return open.clientName
    ? texts.parts('sign_in.introduction', { app: open.clientName, school })
    : texts.parts('sign_in.introduction_nameless', { school })
}

/** The error of a sign-in with another account than the one that the app named with `id_token_hint`. */
function anotherExpected(open: StepVisit['open']): PageMessage | undefined {
  const isAnother = open?.accountId !== undefined && open.interaction.prompt.reasons.includes('id_token_hint')
  return isAnother ? { key: 'sign_in.another_expected' } : undefined
}
