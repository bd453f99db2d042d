import type { Context } from 'koa'
import type { Keyring } from '../../base/keyring.ts'
import { browserName } from '../../base/text/browserName.ts'
import type { DatabaseOf } from '../../database/connection/database.ts'
import { createChallenge } from '../../identity/factors/challenges.ts'
import { type OwnPasskey, passkeyName } from '../../identity/factors/ownFactors.ts'
import { type RegistrationOptions, registrationOptions } from '../../identity/factors/passkeyOptions.ts'
import { type NewPasskey, parsePasskeyResponse, verifyRegistration } from '../../identity/factors/passkeys.ts'
import { type RelyingParty, relyingParty } from '../../identity/factors/relyingParty.ts'
import type { PasskeyForm } from '../passkeyForm.ts'
import type { Texts } from '../texts.ts'

interface NewPasskeyPage {
  party: RelyingParty
  keyring: Keyring
  texts: Texts
  schoolName: string
  account: { id: string; email: string; name: string }
  csrf: string
  passkeys?: readonly Pick<OwnPasskey, 'credentialId' | 'transports'>[]
}

export function newPasskeyForm(
  ctx: Context,
  { party, keyring, texts, schoolName, account, csrf, passkeys = [] }: NewPasskeyPage,
): { options: RegistrationOptions; label: string; name: NonNullable<PasskeyForm['name']> } {
  const binding = { schoolId: ctx.state.school.id, purpose: 'registration', accountId: account.id, browser: csrf } as const
  return {
    options: registrationOptions(party, { challenge: createChallenge(keyring, binding), account, schoolName, passkeys }),
    label: texts.text('add_passkey.submit'),
    name: {
      label: texts.text('security.passkey_name'),
      hint: texts.text('add_passkey.name_hint'),
      value: passkeyName(browserName(ctx.get('User-Agent')).system ?? '') ?? '',
      maxLength: 60,
    },
  }
}

/** Returns the passkey of a submitted form with its name; undefined if the browser's answer or the name is invalid. Uses up the challenge. */
export async function readNewPasskey(
  ctx: Context,
  { databaseOf, keyring }: { databaseOf: DatabaseOf; keyring: Keyring },
  { accountId, form }: { accountId: string; form: URLSearchParams },
): Promise<(NewPasskey & { name: string }) | undefined> {
  const { school } = ctx.state
  const party = relyingParty(school)
  const name = passkeyName(form.get('name') ?? '')
  const response = parsePasskeyResponse(form.get('passkey'))
  if (!party || !name || !response) return undefined
  const binding = { schoolId: school.id, purpose: 'registration', accountId, browser: form.get('csrf') ?? '' } as const
  const passkey = await verifyRegistration({ database: databaseOf(school.id), keyring, party, binding }, response)
  return passkey && { ...passkey, name }
}
