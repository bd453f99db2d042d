import type { Context } from 'koa'
import { accountPaths } from '../../base/accountPaths.ts'
import { ownFactors } from '../../identity/factors/ownFactors.ts'
import { formField } from '../formPage.ts'
import { passkeyForm } from '../passkeyForm.ts'
import { plainText } from '../plainText.ts'
import { attemptFactor } from '../secondFactor/attemptFactor.ts'
import { codeField, ownPasskeyOptions } from '../secondFactor/factorForm.ts'
import { seeOther } from '../seeOther.ts'
import type { PageMessage } from '../texts.ts'
import { showTooMany } from '../tooMany.ts'
import { isConfirmed, needsSecondFactor, setConfirmed } from './confirmation.ts'
import type { OwnPage, OwnRequest, PageAccess } from './ownPage.ts'
import { ownPasswordAttempt, type PasswordAttempt } from './ownPasswordAttempt.ts'
import { returnTo } from './returnTo.ts'
import { ownerOf } from './securityPages.ts'
import { formSubject, signedInOrAway, tokenRequired } from './signedInPerson.ts'

const targetOf = (ctx: Context): string =>
  returnTo(ctx.state.form?.get('return_to') ?? ctx.query.return_to, ctx.state.school) ?? accountPaths.apps

const open: PageAccess['open'] = (ctx, services) => signedInOrAway(ctx, services, targetOf(ctx))

/** The page on which a person proves who they are before a sensitive change. */
export const confirmPage: OwnPage<never> = {
  path: accountPaths.confirm,
  access: { open, own: tokenRequired(open) },
  async show(request) {
    const { ctx, services, person } = request
    if (isConfirmed(ctx, services, person)) return seeOther(ctx, targetOf(ctx))
    await showForm(request)
  },
  forms: { '': { run: confirm } },
}

async function confirm(request: OwnRequest): Promise<string | undefined> {
  const { ctx, services, person, sent } = request
  const isStrong = needsSecondFactor(ctx, services, person)
  const attempt = isStrong ? await ownFactorAttempt(request) : await ownPasswordAttempt(request, sent.get('password') ?? '')
  if (attempt.outcome === 'right') {
    setConfirmed(ctx, services.keyring, person, isStrong ? 'second factor' : 'password')
    return targetOf(ctx)
  }
  if (attempt.outcome === 'limited') {
    const minutes = showTooMany(ctx, attempt.retryAfterSeconds)
    await showForm(request, { key: 'sign_in.too_many', values: { minutes } })
    return undefined
  }
  const isUnusable = attempt.outcome === 'unusable'
  ctx.status = isUnusable ? 409 : 400
  await showForm(request, { key: isUnusable ? 'second_factor.unusable' : isStrong ? 'second_factor.failed' : 'confirm.failed' })
  return undefined
}

async function showForm(request: OwnRequest, error?: PageMessage): Promise<void> {
  const { ctx, services, school, person, accountId } = request
  const { present, keyring } = services
  const { texts } = await request.pageContext()
  const hidden = [{ name: 'return_to', value: targetOf(ctx) }]
  const factors = needsSecondFactor(ctx, services, person) ? await ownFactors(request.reader, ownerOf(request)) : undefined
  const browser = present.csrf.issue(ctx, formSubject(person))
  const binding = { purpose: 'confirmation', accountId, browser } as const
  const options = factors && ownPasskeyOptions(keyring, school, { binding, factors, isVerified: true })
  await present.form(ctx, {
    title: texts.text('confirm.title'),
    heading: texts.text('confirm.heading'),
    introduction: texts.parts(factors ? 'confirm.introduction_factor' : 'confirm.introduction', {}),
    action: accountPaths.confirm,
    subject: formSubject(person),
    hidden,
    passkey:
      options &&
      passkeyForm(texts, present.views.passkeyScript, {
        action: accountPaths.confirm,
        hidden,
        options,
        label: texts.text('second_factor.passkey'),
      }),
    error: error ? texts.text(error.key, error.values) : '',
    fields: factors
      ? [codeField(texts, factors, error)]
      : [
          formField({
            name: 'email',
            type: 'email',
            label: texts.text('sign_in.email'),
            value: plainText(person.who.email, 254),
            autocomplete: 'username',
            isReadOnly: true,
          }),
          formField(
            {
              name: 'password',
              type: 'password',
              label: texts.text('sign_in.password'),
              autocomplete: 'current-password',
              maxLength: 1024,
            },
            { hasFormError: error !== undefined, isInvalid: error?.key === 'confirm.failed' },
          ),
        ],
    submit: texts.text('confirm.submit'),
    links: [{ href: accountPaths.apps, label: texts.text('confirm.cancel') }],
  })
}

/** Checks the second factor of a person who is signed in. A passkey must have verified the person, since it is the only proof. */
async function ownFactorAttempt({ ctx, services, accountId, sent, audit }: OwnRequest): Promise<PasswordAttempt | { outcome: 'unusable' }> {
  const attempt = await attemptFactor(ctx, services, { accountId, purpose: 'confirmation', form: sent, isVerified: true })
  if (attempt.outcome === 'limited' || attempt.outcome === 'unusable') return attempt
  if (attempt.outcome === 'proved') return { outcome: 'right' }
  await audit('confirmation.failed')
  return { outcome: 'wrong' }
}
