import type { RelyingParty } from '../../domain/secondFactors/relyingParty.ts'
import type { Keyring } from '../../lib/keyring.ts'
import { formField } from '../formPage.ts'
import { appQr, sealSetup } from '../secondFactor/appSetup.ts'
import { newPasskeyForm } from '../secondFactor/newPasskey.ts'
import type { StepForm, StepRepeat, StepVisit } from './signInStep.ts'

interface SetUp {
  keyring: Keyring
  account: { id: string; email: string; name: string }
  /** The secret of the authenticator app. */
  secret: string
  /** True if the page offers an authenticator app. */
  hasApp: boolean
  /** undefined if browsers do not offer passkeys at this address. */
  party: RelyingParty | undefined
  error: StepRepeat['error']
}

/** Returns the page with the secret of an authenticator app and the form for its first code, and with the form of a passkey. */
export async function setUpForm(visit: StepVisit, { keyring, account, secret, hasApp, party, error }: SetUp): Promise<StepForm> {
  const { texts, schoolName } = await visit.pageContext()
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
      ...newPasskeyForm(visit.ctx, { party, keyring, texts, schoolName, account, csrf: visit.csrfToken() }),
      ...(hasApp && { heading: texts.text('set_up_factor.passkey'), explanation: texts.text('set_up_factor.passkey_explanation') }),
    },
  }
}

/** Returns the page with the recovery codes. If it is loaded again, it says where new ones are created. */
export async function recoveryCodesForm(visit: StepVisit, { codes = [] }: StepRepeat): Promise<StepForm> {
  const { texts } = await visit.pageContext()
  return {
    title: texts.text('recovery_codes.title'),
    heading: texts.text('recovery_codes.heading'),
    introduction: texts.parts(codes.length > 0 ? 'recovery_codes.introduction' : 'set_up_factor.codes_shown', {}),
    setup: { qr: undefined, codes },
    fields: [],
    submit: texts.text(codes.length > 0 ? 'recovery_codes.done' : 'second_factor.submit'),
  }
}
