import { findSignedInAccount } from '../../identity/accounts/signedInAccount.ts'
import { newAppSecret, stepOfCode, typedCode } from '../../identity/factors/appSecret.ts'
import { setUpFirstApp, setUpFirstPasskey } from '../../identity/factors/authenticatorApp.ts'
import { hasFactor, ownFactors } from '../../identity/factors/ownFactors.ts'
import { relyingParty } from '../../identity/factors/relyingParty.ts'
import { contexts } from '../../identity/signIn/authenticationContext.ts'
import { methods } from '../../identity/signIn/authenticationMethods.ts'
import { factorChanged } from '../account/factorChanged.ts'
import type { PageServices } from '../pagesArguments.ts'
import { openSetup } from '../secondFactor/appSetup.ts'
import { readNewPasskey } from '../secondFactor/newPasskey.ts'
import { showTooMany } from '../tooMany.ts'
import { needsPasskey } from './secondFactorStep.ts'
import { recoveryCodesForm, setUpForm } from './setUpFactorForm.ts'
import type { SignInStep, StepContext, StepOutcome } from './signInStep.ts'

/** Stored once a factor is set up: its recovery codes are shown, and the sign-in goes on after them. */
interface State {
  accountId: string
  by: 'app' | 'passkey'
}

/** Leads a person whose role needs a second factor, and who has none, to setting one up, after the password. */
export function setUpFactorStep(args: PageServices): SignInStep {
  const { databaseOf, keyring, secondFactors } = args
  const stateOf = ({ state, account }: StepContext): State | undefined => {
    const found = state as State | undefined
    return found?.accountId === account?.accountId ? found : undefined
  }

  const addPasskey = async ({ ctx, school }: StepContext, accountId: string, form: URLSearchParams): Promise<StepOutcome> => {
    const passkey = await readNewPasskey(ctx, args, { accountId, form })
    if (!passkey) return { kind: 'repeat', status: 400, error: { key: 'add_passkey.failed' } }
    const codes = await setUpFirstPasskey(databaseOf(school.id), keyring, { schoolId: school.id, accountId, ...passkey })
    if (!codes) return { kind: 'account gone' }
    await factorChanged(ctx, args, { accountId, change: 'passkey.added', details: { name: passkey.name } })
    return { kind: 'repeat', status: 200, state: { accountId, by: 'passkey' } satisfies State, codes }
  }

  const addApp = async ({ ctx, school }: StepContext, accountId: string, form: URLSearchParams): Promise<StepOutcome> => {
    const owner = { schoolId: school.id, accountId }
    const sealed = form.get('setup') ?? ''
    const secret = openSetup(keyring, { accountId, sealed })
    if (!secret) return { kind: 'repeat', status: 400, error: { key: 'app_setup.failed' } }
    const values = { setup: sealed }
    const attempt = await args.limits.signIn.beginCode(owner)
    if (!attempt.isAllowed) {
      const minutes = showTooMany(ctx, attempt.retryAfterSeconds)
      return { kind: 'repeat', status: 429, error: { key: 'sign_in.too_many', values: { minutes } }, values }
    }
    // The person knows the secret, so a wrong code is a typing error and not a guess.
    await attempt.abandoned()
    const step = await stepOfCode(secret, typedCode(form.get('code') ?? ''))
    if (step === undefined) return { kind: 'repeat', status: 400, error: { key: 'app_setup.failed' }, values }
    const codes = await setUpFirstApp(databaseOf(owner.schoolId), keyring, { ...owner, secret, step })
    if (!codes) return { kind: 'account gone' }
    await factorChanged(ctx, args, { accountId, change: 'authenticator_app.set_up' })
    return { kind: 'repeat', status: 200, state: { accountId, by: 'app' } satisfies State, codes }
  }

  return {
    name: 'set-up-factor',
    prompt: 'login',
    isNeeded: async ({ account, school }) =>
      account?.secondFactor === 'none' && (await secondFactors.isRequired(school, account.accountId)),
    async page(context, repeat) {
      const { account, school } = context
      if (!account) return undefined
      const { accountId } = account
      const hasOne = hasFactor(await ownFactors(databaseOf(school.id).kysely, { schoolId: school.id, accountId }))
      if (stateOf(context)) return hasOne ? { form: await recoveryCodesForm(context, repeat) } : undefined
      // It was set up in another browser since the password: this sign-in has to prove it.
      const who = hasOne ? undefined : await findSignedInAccount(databaseOf(school.id), accountId)
      if (!who) return undefined
      const secret = openSetup(keyring, { accountId, sealed: repeat.values?.setup ?? '' }) ?? (await newAppSecret())
      const party = relyingParty(school)
      // A code cannot reach the context that the app asks for.
      const hasApp = !party || !needsPasskey(context)
      const own = { id: accountId, email: who.email, name: who.name }
      return { form: await setUpForm(context, { keyring, account: own, secret, hasApp, party, error: repeat.error }) }
    },
    async answer(context, form) {
      const { ctx, account, school } = context
      if (!account) return { kind: 'account gone' }
      const { accountId } = account
      ctx.state.accountId = accountId
      const state = stateOf(context)
      if (!state) return form.get('passkey') ? addPasskey(context, accountId, form) : addApp(context, accountId, form)
      if (!hasFactor(await ownFactors(databaseOf(school.id).kysely, { schoolId: school.id, accountId }))) return { kind: 'account gone' }
      // A registration without attestation has no signature, so nothing is proved until the passkey is used.
      if (state.by === 'passkey') return { kind: 'done', secondFactor: 'pending' }
      return { kind: 'done', amr: methods.code, acr: contexts.multiFactor }
    },
  }
}
