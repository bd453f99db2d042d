import { newAppSecret, stepOfCode, typedCode } from '../../domain/secondFactors/appSecret.ts'
import { hasFactor, ownFactors } from '../../domain/secondFactors/ownFactors.ts'
import { setUpFirstApp } from '../../domain/secondFactors/setUpApp.ts'
import { contexts } from '../../policy/authenticationContext.ts'
import { methods } from '../../policy/authenticationMethods.ts'
import type { SecondFactorRules } from '../../policy/secondStep.ts'
import { factorChanged } from '../account/factorChanged.ts'
import { formField } from '../formPage.ts'
import { appQr, openSetup, sealSetup } from '../secondFactor/appSetup.ts'
import { showTooMany } from '../tooMany.ts'
import type { SecondFactorStepArguments } from './secondFactorStep.ts'
import type { SignInStep, StepForm, StepPage, StepRepeat, StepVisit } from './signInStep.ts'

export interface SetUpFactorStepArguments extends SecondFactorStepArguments {
  secondFactors: Pick<SecondFactorRules, 'isRequired'>
}

/** Stored once the app is set up: its recovery codes are shown, and the sign-in goes on after them. */
interface State {
  accountId: string
}

/** Leads a person whose role needs a second factor, and who has none, to setting up an authenticator app, after the password. */
export function setUpFactorStep(args: SetUpFactorStepArguments): SignInStep {
  const { database, keyring, secondFactors } = args
  const isSetUp = ({ state, account }: StepVisit): boolean => (state as State | undefined)?.accountId === account?.accountId

  return {
    name: 'set-up-factor',
    prompt: 'login',
    isNeeded: async ({ account, school }) =>
      account?.secondFactor === 'none' && (await secondFactors.isRequired(school, account.accountId)),
    async page(visit, repeat) {
      const { account, school } = visit
      if (!account) return undefined
      const hasOne = hasFactor(await ownFactors(database.kysely, { schoolId: school.id, accountId: account.accountId }))
      if (isSetUp(visit)) return hasOne ? codesPage(visit, repeat) : undefined
      // It was set up in another browser since the password: this sign-in has to prove it.
      if (hasOne) return undefined
      const secret = openSetup(keyring, { accountId: account.accountId, sealed: repeat.values?.setup ?? '' }) ?? (await newAppSecret())
      return setUpPage(visit, {
        ...account,
        secret,
        error: repeat.error,
        setup: sealSetup(keyring, { accountId: account.accountId, secret }),
      })
    },
    async answer(visit, form) {
      const { ctx, account, school } = visit
      if (!account) return { kind: 'account gone' }
      const { accountId } = account
      ctx.state.accountId = accountId
      const owner = { schoolId: school.id, accountId }
      if (isSetUp(visit)) {
        const isLeft = hasFactor(await ownFactors(database.kysely, owner))
        return isLeft ? { kind: 'done', amr: methods.code, acr: contexts.multiFactor } : { kind: 'account gone' }
      }
      const sealed = form.get('setup') ?? ''
      const secret = openSetup(keyring, { accountId, sealed })
      if (!secret) return { kind: 'repeat', status: 400, error: { key: 'app_setup.failed' } }
      const values = { setup: sealed }
      const attempt = await args.limits.beginCode(owner)
      if (!attempt.isAllowed) {
        const minutes = showTooMany(ctx, attempt.retryAfterSeconds)
        return { kind: 'repeat', status: 429, error: { key: 'sign_in.too_many', values: { minutes } }, values }
      }
      // The person knows the secret, so a wrong code is a typing error and not a guess.
      await attempt.abandoned()
      const step = await stepOfCode(secret, typedCode(form.get('code') ?? ''))
      if (step === undefined) return { kind: 'repeat', status: 400, error: { key: 'app_setup.failed' }, values }
      const codes = await setUpFirstApp(database, keyring, { ...owner, secret, step })
      if (!codes) return { kind: 'account gone' }
      await factorChanged(ctx, args, { accountId, change: 'authenticator_app.set_up' })
      return { kind: 'repeat', status: 200, state: { accountId } satisfies State, codes }
    },
  }
}

/** The page with the secret, and the form for its first code. */
async function setUpPage(
  visit: StepVisit,
  { email = '', secret, setup, error }: { email?: string; secret: string; setup: string; error: StepRepeat['error'] },
): Promise<StepPage> {
  const { texts, schoolName } = await visit.pageContext()
  const shown = { hasFormError: error !== undefined, isInvalid: error !== undefined }
  const form: StepForm = {
    title: texts.text('app_setup.title'),
    heading: texts.text('app_setup.heading'),
    introduction: texts.parts('set_up_factor.introduction', { school: schoolName }),
    setup: { qr: await appQr(texts, { secret, school: schoolName, label: email }), codes: [] },
    hidden: [{ name: 'setup', value: setup }],
    fields: [
      formField(
        {
          ...{ name: 'code', type: 'text', autocomplete: 'one-time-code', maxLength: 30 },
          label: texts.text('second_factor.code'),
          hint: texts.text('app_setup.code_hint'),
        },
        shown,
      ),
    ],
    submit: texts.text('app_setup.submit'),
  }
  return { form }
}

/** The page with the recovery codes. If it is loaded again, it says where new ones are created. */
async function codesPage(visit: StepVisit, { codes = [] }: StepRepeat): Promise<StepPage> {
  const { texts } = await visit.pageContext()
  const form: StepForm = {
    title: texts.text('recovery_codes.title'),
    heading: texts.text('recovery_codes.heading'),
    introduction: texts.parts(codes.length > 0 ? 'recovery_codes.introduction' : 'set_up_factor.codes_shown', {}),
    setup: { qr: undefined, codes },
    fields: [],
    submit: texts.text(codes.length > 0 ? 'recovery_codes.done' : 'second_factor.submit'),
  }
  return { form }
}
