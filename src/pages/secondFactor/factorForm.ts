import type { Keyring } from '../../base/keyring.ts'
import type { School } from '../../base/school.ts'
import { type ChallengeBinding, createChallenge } from '../../identity/factors/challenges.ts'
import type { OwnFactors } from '../../identity/factors/ownFactors.ts'
import { type SignInOptions, signInOptions } from '../../identity/factors/passkeyOptions.ts'
import { relyingParty } from '../../identity/factors/relyingParty.ts'
import { type FormField, formField } from '../formPage.ts'
import type { PageMessage, Texts } from '../texts.ts'

export const codeField = (texts: Texts, { appSince }: Pick<OwnFactors, 'appSince'>, error: PageMessage | undefined): FormField =>
  formField(
    {
      name: 'code',
      type: 'text',
      label: texts.text(appSince ? 'second_factor.code' : 'second_factor.recovery_code'),
      hint: texts.text(appSince ? 'second_factor.code_hint' : 'second_factor.recovery_code_hint'),
      autocomplete: 'one-time-code',
      maxLength: 30,
    },
    { hasFormError: error !== undefined, isInvalid: error !== undefined },
  )

/** Options for one of the account's passkeys; undefined if it has none or if browsers do not offer passkeys at this address. */
export function ownPasskeyOptions(
  keyring: Keyring,
  school: School,
  { binding, factors, isVerified }: { binding: Omit<ChallengeBinding, 'schoolId'>; factors: OwnFactors; isVerified: boolean },
): SignInOptions | undefined {
  const party = relyingParty(school)
  if (!party || factors.passkeys.length === 0) return undefined
  const challenge = createChallenge(keyring, { ...binding, schoolId: school.id })
  return signInOptions(party, { challenge, passkeys: factors.passkeys, isVerified })
}
