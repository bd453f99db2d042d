import type { Context, Middleware } from 'koa'
import { encode } from 'uqr'
import { appUri, newAppSecret, stepOfCode, typedCode } from '../../domain/secondFactors/appSecret.ts'
import { saveApp } from '../../domain/secondFactors/authenticatorApp.ts'
import { ownFactors } from '../../domain/secondFactors/ownFactors.ts'
import { renewRecoveryCodes } from '../../domain/secondFactors/recoveryCodes.ts'
import { accountPaths } from '../../policy/accountPaths.ts'
import { submittedForm } from '../formBody.ts'
import { requireOwnForm } from '../ownForm.ts'
import { seeOther } from '../seeOther.ts'
import type { TextKey, TextValues } from '../texts.ts'
import { showTooMany } from '../tooMany.ts'
import type { AccountArguments } from './accountArguments.ts'
import type { AccountPresenter } from './accountPresenter.ts'
import { confirmedOrAway, setConfirmed } from './confirmation.ts'
import { factorChanged } from './factorChanged.ts'
import { showRecoveryCodes } from './recoveryCodesPage.ts'
import { formSubject, type SignedInPerson } from './signedInPerson.ts'

const lifeSeconds = 900

/** The page on which a person sets up an authenticator app. The secret is stored once its first code is right. */
export function appSetupPages(args: AccountArguments, present: AccountPresenter): { show: Middleware; answer: Middleware } {
  const seal = (accountId: string, secret: string): string =>
    args.keyring.seal('authenticator apps', JSON.stringify({ accountId, secret, until: Date.now() + lifeSeconds * 1000 }))

  /** Returns the secret that this person's page has shown within the last 15 minutes. */
  const open = (accountId: string, sealed: string): string | undefined => {
    try {
      const content: Record<string, unknown> = JSON.parse(args.keyring.open('authenticator apps', sealed.slice(0, 2000)))
      const isOwn = content.accountId === accountId && typeof content.until === 'number' && content.until > Date.now()
      return isOwn && typeof content.secret === 'string' ? content.secret : undefined
    } catch {
      return undefined
    }
  }

  const showForm = async (
    ctx: Context,
    person: SignedInPerson,
    secret: string,
    error?: { key: TextKey; values?: TextValues },
  ): Promise<void> => {
    const { texts, schoolName } = await present.pageContext(ctx)
    const { size, data } = encode(await appUri(secret, { school: schoolName, label: person.who.email }), { border: 4 })
    const path = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join('')
    await present.show(ctx, 'account-factor', {
      title: texts.text('app_setup.title'),
      heading: texts.text('app_setup.heading'),
      introduction: texts.text('app_setup.introduction'),
      qr: {
        ...{ size, path },
        label: texts.text('app_setup.qr'),
        typed: texts.text('app_setup.typed'),
        secret: secret.replaceAll(/(.{4})(?!$)/g, '$1 '),
      },
      codes: [],
      error: error ? texts.text(error.key, error.values) : '',
      csrf: present.csrf.issue(ctx, formSubject(person)),
      form: {
        action: accountPaths.authenticatorApp,
        setup: seal(person.accountId, secret),
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
      const secret = open(person.accountId, form.get('setup') ?? '')
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
      const codes = await args.database.transaction(async (writer) => {
        await saveApp(writer, args.keyring, { ...owner, secret, step })
        const { recoveryCodes } = await ownFactors(writer, owner)
        return recoveryCodes === 0 ? renewRecoveryCodes(writer, args.keyring, owner) : undefined
      })
      await factorChanged(ctx, args, { accountId: person.accountId, change: 'authenticator_app.set_up' })
      setConfirmed(ctx, args.keyring, person, 'second factor')
      if (!codes) return seeOther(ctx, `${accountPaths.security}?done=app_set_up`)
      await showRecoveryCodes(ctx, present, codes)
    },
  }
}
