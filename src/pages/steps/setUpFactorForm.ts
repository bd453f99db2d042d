import type { Keyring } from '../../base/keyring.ts'
import type { RelyingParty } from '../../identity/factors/relyingParty.ts'
import { recoveryCodes } from '../factorSetup.ts'
import { formField } from '../formPage.ts'
import { appQr, sealSetup } from '../secondFactor/appSetup.ts'
import { newPasskeyForm } from '../secondFactor/newPasskey.ts'
import type { StepContext, StepForm, StepRepeat } from './signInStep.ts'

interface SetUp {
  keyring: Keyring
  account: { id: string; email: string; name: string }
  secret: string
  hasApp: boolean
  /** undefined if browsers do not offer passkeys at this address. */
  party: RelyingParty | undefined
  error: StepRepeat['error']
}

export async function setUpForm(context: StepContext, { keyring, account, secret, hasApp, party, error }: SetUp): Promise<StepForm> {
  const { texts, schoolName } = await context.pageContext()
  const isPasskeyError = error?.key === 'add_passkey.failed'
  const shown = { hasFormError: error !== undefined && !isPasskeyError, isInvalid: error !== undefined && !isPasskeyError }
  const app: Pick<StepForm, 'setup' | 'hidden' | 'fields' | 'submit'> = {
    setup: { qr: await appQr(texts, { secret, school: schoolName, label: account.email }), codes: [] },
    hidden: [{ name: 'setup', value: sealSetup(keyring, { accountId: account.id, secret }) }],
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
  const introduction = !party
    ? 'set_up_factor.introduction'
    : hasApp
      ? 'set_up_factor.introduction_either'
      : 'set_up_factor.introduction_passkey'
  const heading = !party ? 'app_setup.heading' : hasApp ? 'set_up_factor.heading' : 'add_passkey.heading'
  return {
    title: texts.text(party ? 'set_up_factor.title' : 'app_setup.title'),
    heading: texts.text(heading),
    introduction: texts.parts(introduction, { school: schoolName }),
    ...(hasApp ? app : { fields: [], submit: '' }),
    passkey: party && {
      step: 'set-up-factor',
      ...newPasskeyForm(context.ctx, { party, keyring, texts, schoolName, account, csrf: context.csrfToken() }),
      ...(hasApp && { heading: texts.text('set_up_factor.passkey'), explanation: texts.text('set_up_factor.passkey_explanation') }),
    },
  }
}

/** Returns the page with the recovery codes. If it is loaded again, it says where new ones are created. */
export async function recoveryCodesForm(context: StepContext, { codes = [] }: StepRepeat): Promise<StepForm> {
  const { texts, schoolName } = await context.pageContext()
  return {
    title: texts.text('recovery_codes.title'),
    heading: texts.text('recovery_codes.heading'),
    introduction: texts.parts(codes.length > 0 ? 'recovery_codes.introduction' : 'set_up_factor.codes_shown', {}),
    setup: recoveryCodes(texts, schoolName, codes),
    fields: [],
    submit: texts.text(codes.length > 0 ? 'recovery_codes.done' : 'second_factor.submit'),
  }
}
