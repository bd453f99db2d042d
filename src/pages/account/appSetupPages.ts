import type { Context, Middleware } from 'koa'
import { accountPaths } from '../../base/accountPaths.ts'
import { newAppSecret, stepOfCode, typedCode } from '../../identity/factors/appSecret.ts'
import { setUpApp } from '../../identity/factors/authenticatorApp.ts'
import { submittedForm } from '../formBody.ts'
import { requireOwnForm } from '../ownForm.ts'
import { appQr, openSetup, sealSetup } from '../secondFactor/appSetup.ts'
import { seeOther } from '../seeOther.ts'
import type { TextKey, TextValues } from '../texts.ts'
import { showTooMany } from '../tooMany.ts'
import type { AccountArguments } from './accountArguments.ts'
import type { AccountPresenter } from './accountPresenter.ts'
import { confirmedOrAway, setConfirmed } from './confirmation.ts'
import { factorChanged } from './factorChanged.ts'
import type { OwnPages } from './ownPage.ts'
import { showRecoveryCodes } from './recoveryCodesPage.ts'
import { formSubject, type SignedInPerson } from './signedInPerson.ts'

/** The page on which a person sets up an authenticator app. The secret is stored once its first code is right. */
export function appSetupPages(
  args: AccountArguments,
  present: AccountPresenter,
  pages: OwnPages,
): { show: Middleware; answer: Middleware } {
  const showForm = async (
    ctx: Context,
    person: SignedInPerson,
    secret: string,
    error?: { key: TextKey; values?: TextValues },
  ): Promise<void> => {
    const { texts, schoolName } = await present.pageContext(ctx)
    const heading = texts.text('app_setup.heading')
    await present.show(ctx, 'account-factor', {
      title: texts.text('app_setup.title'),
      ...(await pages.shell(ctx, person, { path: accountPaths.security, heading })),
      introduction: texts.text('app_setup.introduction'),
      setup: { qr: await appQr(texts, { secret, school: schoolName, label: person.who.email }), codes: [] },
      error: error ? texts.text(error.key, error.values) : '',
      form: {
        action: accountPaths.authenticatorApp,
        setup: sealSetup(args.keyring, { accountId: person.accountId, secret }),
        label: texts.text('second_factor.code'),
        hint: texts.text('app_setup.code_hint'),
        submit: texts.text('app_setup.submit'),
      },
      passkey: undefined,
      links: [{ href: accountPaths.security, label: texts.text('app_setup.cancel') }],
      again: accountPaths.authenticatorApp,
    })
  }

  return {
    async show(ctx) {
      const person = await confirmedOrAway(ctx, args, accountPaths.authenticatorApp)
      if (!person) return
      await showForm(ctx, person, await newAppSecret())
    },
    async answer(ctx) {
      const { school } = ctx.state
      const form = submittedForm(ctx)
      const person = await confirmedOrAway(ctx, args, accountPaths.authenticatorApp)
      if (!person) return
      requireOwnForm(ctx, present.csrf, { subject: formSubject(person), kind: 'foreign_account_form' })
      const owner = { schoolId: school.id, accountId: person.accountId }
      const secret = openSetup(args.keyring, { accountId: person.accountId, sealed: form.get('setup') ?? '' })
      // An old page: begin again with a new secret.
      if (!secret) return seeOther(ctx, accountPaths.authenticatorApp)
      const attempt = await args.limits.signIn.beginCode(owner)
      if (!attempt.isAllowed) {
        const minutes = showTooMany(ctx, attempt.retryAfterSeconds)
        return showForm(ctx, person, secret, { key: 'sign_in.too_many', values: { minutes } })
      }
      // The person knows the secret, so a wrong code is a typing error and not a guess.
      await attempt.abandoned()
      const step = await stepOfCode(secret, typedCode(form.get('code') ?? ''))
      if (step === undefined) {
        ctx.status = 400
        return showForm(ctx, person, secret, { key: 'app_setup.failed' })
      }
      const codes = await setUpApp(args.databaseOf(owner.schoolId), args.keyring, { ...owner, secret, step })
      await factorChanged(ctx, args, { accountId: person.accountId, change: 'authenticator_app.set_up' })
      setConfirmed(ctx, args.keyring, person, 'second factor')
      if (!codes) return seeOther(ctx, `${accountPaths.security}?done=app_set_up`)
      await showRecoveryCodes(ctx, { present, pages }, { person, codes })
    },
  }
}
