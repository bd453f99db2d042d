import { accountPaths } from '../../base/accountPaths.ts'
import { newAppSecret, stepOfCode, typedCode } from '../../identity/factors/appSecret.ts'
import { setUpApp } from '../../identity/factors/authenticatorApp.ts'
import { appQr, openSetup, sealSetup } from '../secondFactor/appSetup.ts'
import type { PageMessage } from '../texts.ts'
import { showTooMany } from '../tooMany.ts'
import { confirmedOrAway, setConfirmed } from './confirmation.ts'
import { withConfirmation } from './factorAccess.ts'
import { factorChanged } from './factorChanged.ts'
import type { OwnPage, OwnRequest } from './ownPage.ts'
import { showRecoveryCodes } from './recoveryCodesPage.ts'
import { ownerOf } from './securityPages.ts'
import { shellOf } from './showOwnPage.ts'

/** The page on which a person sets up an authenticator app. The secret is stored once its first code is right. */
export const appSetupPage: OwnPage<never> = {
  path: accountPaths.authenticatorApp,
  access: withConfirmation({
    open: (ctx, services) => confirmedOrAway(ctx, services, accountPaths.authenticatorApp),
    confirmedAt: accountPaths.authenticatorApp,
  }),
  show: async (request) => showForm(request, await newAppSecret()),
  forms: { '': { run: setUp } },
}

async function setUp(request: OwnRequest): Promise<string | undefined> {
  const { ctx, services, accountId, sent } = request
  const { keyring, limits } = services
  const secret = openSetup(keyring, { accountId, sealed: sent.get('setup') ?? '' })
  // An old page: begin again with a new secret.
  if (!secret) return accountPaths.authenticatorApp
  const attempt = await limits.signIn.beginCode(ownerOf(request))
  if (!attempt.isAllowed) {
    const minutes = showTooMany(ctx, attempt.retryAfterSeconds)
    await showForm(request, secret, { key: 'sign_in.too_many', values: { minutes } })
    return undefined
  }
  // The person knows the secret, so a wrong code is a typing error and not a guess.
  await attempt.abandoned()
  const step = await stepOfCode(secret, typedCode(sent.get('code') ?? ''))
  if (step === undefined) {
    ctx.status = 400
    await showForm(request, secret, { key: 'app_setup.failed' })
    return undefined
  }
  const codes = await setUpApp(request.database, keyring, { ...ownerOf(request), secret, step })
  await factorChanged(ctx, services, { accountId: request.accountId, change: 'authenticator_app.set_up' })
  setConfirmed(ctx, keyring, request.person, 'second factor')
  if (!codes) return `${accountPaths.security}?done=app_set_up`
  await showRecoveryCodes(request, codes)
  return undefined
}

async function showForm(request: OwnRequest, secret: string, error?: PageMessage): Promise<void> {
  const { ctx, services, accountId, person } = request
  const { texts, schoolName } = await request.pageContext()
  await services.present.show(ctx, 'account-factor', {
    title: texts.text('app_setup.title'),
    ...(await shellOf(request, { section: accountPaths.security, heading: texts.text('app_setup.heading') })),
    introduction: texts.text('app_setup.introduction'),
    setup: { qr: await appQr(texts, { secret, school: schoolName, label: person.who.email }), codes: [] },
    error: error ? texts.text(error.key, error.values) : '',
    form: {
      action: accountPaths.authenticatorApp,
      setup: sealSetup(services.keyring, { accountId, secret }),
      label: texts.text('second_factor.code'),
      hint: texts.text('app_setup.code_hint'),
      submit: texts.text('app_setup.submit'),
    },
    passkey: undefined,
    links: [{ href: accountPaths.security, label: texts.text('app_setup.cancel') }],
    again: accountPaths.authenticatorApp,
  })
}
