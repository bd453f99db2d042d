import type { Context, Middleware } from 'koa'
import { accountPaths } from '../../base/accountPaths.ts'
import { ownFactors } from '../../identity/factors/ownFactors.ts'
import { auditEntry } from '../auditEntry.ts'
import { submittedForm } from '../formBody.ts'
import { formField } from '../formPage.ts'
import { requireOwnForm } from '../ownForm.ts'
import { passkeyForm } from '../passkeyForm.ts'
import { plainText } from '../plainText.ts'
import { attemptFactor } from '../secondFactor/attemptFactor.ts'
import { codeField, ownPasskeyOptions } from '../secondFactor/factorForm.ts'
import { seeOther } from '../seeOther.ts'
import type { PageMessage } from '../texts.ts'
import { showTooMany } from '../tooMany.ts'
import type { AccountArguments } from './accountArguments.ts'
import type { AccountPresenter } from './accountPresenter.ts'
import { isConfirmed, needsSecondFactor, setConfirmed } from './confirmation.ts'
import { ownPasswordAttempt, type PasswordAttempt } from './ownPasswordAttempt.ts'
import { returnTo } from './returnTo.ts'
import { formSubject, type SignedInPerson, signedInOrAway } from './signedInPerson.ts'

export interface ConfirmPages {
  show: Middleware
  answer: Middleware
}

export function confirmPages(args: AccountArguments, present: AccountPresenter): ConfirmPages {
  const targetOf = (ctx: Context, value: unknown): string => returnTo(value, ctx.state.school) ?? accountPaths.apps

  const showForm = async (ctx: Context, person: SignedInPerson, target: string, error?: PageMessage): Promise<void> => {
    const { texts } = await present.pageContext(ctx)
    const hidden = [{ name: 'return_to', value: target }]
    const factors = needsSecondFactor(ctx, args, person)
      ? await ownFactors(args.databaseOf(ctx.state.school.id).kysely, { schoolId: ctx.state.school.id, accountId: person.accountId })
      : undefined
    const browser = present.csrf.issue(ctx, formSubject(person))
    const binding = { purpose: 'confirmation', accountId: person.accountId, browser } as const
    const options = factors && ownPasskeyOptions(args.keyring, ctx.state.school, { binding, factors, isVerified: true })
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

  return {
    async show(ctx) {
      const target = targetOf(ctx, ctx.query.return_to)
      const person = await signedInOrAway(ctx, args, target)
      if (!person) return
      if (isConfirmed(ctx, args, person)) return seeOther(ctx, target)
      await showForm(ctx, person, target)
    },
    async answer(ctx) {
      const form = submittedForm(ctx)
      const target = targetOf(ctx, form.get('return_to'))
      const person = await signedInOrAway(ctx, args, target)
      if (!person) return
      requireOwnForm(ctx, present.csrf, { subject: formSubject(person), kind: 'foreign_account_form' })
      const isStrong = needsSecondFactor(ctx, args, person)
      const attempt = isStrong
        ? await ownFactorAttempt(ctx, args, person)
        : await ownPasswordAttempt(ctx, args, person, form.get('password') ?? '')
      if (attempt.outcome === 'right') {
        setConfirmed(ctx, args.keyring, person, isStrong ? 'second factor' : 'password')
        return seeOther(ctx, target)
      }
      if (attempt.outcome === 'limited') {
        const minutes = showTooMany(ctx, attempt.retryAfterSeconds)
        return showForm(ctx, person, target, { key: 'sign_in.too_many', values: { minutes } })
      }
      const isUnusable = attempt.outcome === 'unusable'
      ctx.status = isUnusable ? 409 : 400
      await showForm(ctx, person, target, {
        key: isUnusable ? 'second_factor.unusable' : isStrong ? 'second_factor.failed' : 'confirm.failed',
      })
    },
  }
}

/** Checks the second factor of a person who is signed in. A passkey must have verified the person, since it is the only proof. */
async function ownFactorAttempt(
  ctx: Context,
  { databaseOf, keyring, limits, audit, notify }: AccountArguments,
  { accountId }: SignedInPerson,
): Promise<PasswordAttempt | { outcome: 'unusable' }> {
  const args = { databaseOf, keyring, audit, notify, limits: limits.signIn }
  const attempt = await attemptFactor(ctx, args, { accountId, purpose: 'confirmation', form: submittedForm(ctx), isVerified: true })
  if (attempt.outcome === 'limited' || attempt.outcome === 'unusable') return attempt
  if (attempt.outcome === 'proved') return { outcome: 'right' }
  await audit(auditEntry(ctx, 'confirmation.failed', { account_id: accountId }))
  return { outcome: 'wrong' }
}
