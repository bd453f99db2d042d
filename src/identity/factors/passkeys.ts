import { newId } from '../../base/ids.ts'
import type { Keyring } from '../../base/keyring.ts'
import { lazily } from '../../base/process/lazily.ts'
import { parseJson } from '../../base/text/parseJson.ts'
import type { SchoolDatabase, SchoolReader, SchoolWriter } from '../../database/connection/database.ts'
import { now } from '../../database/statements/expressions.ts'
import { type ChallengeBinding, challengeExpiry, spendChallenge } from './challenges.ts'
import type { FactorOwner } from './ownFactors.ts'
import { algorithms, userHandleOf } from './passkeyOptions.ts'
import type { RelyingParty } from './relyingParty.ts'

const maxPasskeys = 20

export interface Ceremony {
  database: SchoolDatabase
  keyring: Keyring
  party: RelyingParty
  binding: ChallengeBinding
}

export interface NewPasskey {
  credentialId: string
  publicKey: string
  counter: number
  isSynced: boolean
  transports: string[]
}

export interface ProvedPasskey extends FactorOwner {
  passkeyId: string
  isSynced: boolean
  /** True if the authenticator has verified the person, by a PIN or a fingerprint. */
  isVerified: boolean
}

/** Why an answer was rejected. `counter` means that the key may have been copied. */
export type PasskeyRejection = { rejected: 'unknown' | 'invalid' | 'replayed' | 'counter'; accountId?: string }

const library = lazily(() => import('@simplewebauthn/server'))

/** Checks the answer to a registration. Returns undefined if it is invalid or its challenge was used before. */
export async function verifyRegistration(
  { database, keyring, party, binding }: Ceremony,
  { transports, response, ...answer }: PasskeyResponse,
): Promise<NewPasskey | undefined> {
  const { verifyRegistrationResponse } = await library()
  const challenge = watchedChallenge(keyring, binding)
  const { verified, registrationInfo: info } = await verifyRegistrationResponse({
    response: { ...answer, response: { clientDataJSON: response.clientDataJSON, attestationObject: response.attestationObject ?? '' } },
    expectedChallenge: challenge.isExpected,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    requireUserVerification: true,
    supportedAlgorithmIDs: algorithms,
  }).catch(() => ({ verified: false as const, registrationInfo: undefined }))
  if (!verified || !info || !(await challenge.spend(database.kysely))) return undefined
  return {
    credentialId: info.credential.id,
    publicKey: Buffer.from(info.credential.publicKey).toString('base64url'),
    counter: info.credential.counter,
    isSynced: info.credentialDeviceType === 'multiDevice',
    transports,
  }
}

/** Stores a passkey. Returns its id; undefined if the account has too many, or if the credential is registered already. */
export async function savePasskey(
  writer: SchoolWriter,
  { schoolId, accountId, name, ...passkey }: FactorOwner & NewPasskey & { name: string },
): Promise<string | undefined> {
  const own = await writer.selectFrom('passkey').select('id').where('account_id', '=', accountId).execute()
  if (own.length >= maxPasskeys) return undefined
  const row = await writer
    .insertInto('passkey')
    .values({
      school_id: schoolId,
      id: newId(),
      account_id: accountId,
      credential_id: passkey.credentialId,
      public_key: passkey.publicKey,
      counter: passkey.counter,
      transports: passkey.transports,
      is_synced: passkey.isSynced,
      name,
    })
    .onConflict((conflict) => conflict.columns(['school_id', 'credential_id']).doNothing())
    .returning('id')
    .executeTakeFirst()
  return row?.id
}

/**
 * Checks the answer to a sign-in, and stores the use: of several requests with one answer, one succeeds. `isVerified` demands that the
 * authenticator has verified the person, by a PIN or a fingerprint. With `accountId` in the binding, only its passkeys are accepted.
 */
export async function usePasskey(
  { database, keyring, party, binding }: Ceremony,
  { transports: _, response, ...answer }: PasskeyResponse,
  { isVerified }: { isVerified: boolean },
): Promise<ProvedPasskey | PasskeyRejection> {
  const row = await findByCredential(database.kysely, answer.id)
  if (!row || (binding.accountId !== undefined && row.account_id !== binding.accountId)) return { rejected: 'unknown' }
  const rejected = (reason: PasskeyRejection['rejected']): PasskeyRejection => ({ rejected: reason, accountId: row.account_id })
  const { userHandle } = response
  // Without a list of credentials the authenticator must name the account (Web Authentication Level 3 section 7.2 step 6).
  if (userHandle === undefined ? binding.accountId === undefined : userHandle !== userHandleOf(row.account_id)) return rejected('invalid')

  const { verifyAuthenticationResponse } = await library()
  const challenge = watchedChallenge(keyring, binding)
  const { verified, authenticationInfo: info } = await verifyAuthenticationResponse({
    response: {
      ...answer,
      response: { ...response, authenticatorData: response.authenticatorData ?? '', signature: response.signature ?? '' },
    },
    expectedChallenge: challenge.isExpected,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    requireUserVerification: isVerified,
    // The counter is compared below, where two requests at the same time cannot both pass.
    credential: { id: answer.id, publicKey: new Uint8Array(Buffer.from(row.public_key, 'base64url')), counter: 0 },
  }).catch(() => ({ verified: false as const, authenticationInfo: undefined }))
  if (!verified || !info) return rejected('invalid')
  if (!(await challenge.spend(database.kysely))) return rejected('replayed')
  const counter = info.newCounter
  const { numUpdatedRows } = await database.kysely
    .updateTable('passkey')
    .set({ counter, last_used_at: now })
    .where('id', '=', row.id)
    .where((passkey) => passkey.or([passkey('counter', '<', counter), ...(counter === 0 ? [passkey('counter', '=', 0)] : [])]))
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) return rejected('counter')
  return {
    schoolId: database.schoolId,
    accountId: row.account_id,
    passkeyId: row.id,
    isSynced: row.is_synced,
    isVerified: info.userVerified,
  }
}

const findByCredential = (database: SchoolReader, credentialId: string) =>
  database
    .selectFrom('passkey')
    .select(['id', 'account_id', 'public_key', 'is_synced'])
    .where('credential_id', '=', credentialId)
    .executeTakeFirst()

/** Remembers the challenge that the library found in an answer, so that it can be marked as used once everything else is right. */
function watchedChallenge(keyring: Keyring, binding: ChallengeBinding) {
  let found: { challenge: string; expires: Date } | undefined
  return {
    isExpected(challenge: string): boolean {
      const expires = challengeExpiry(keyring, challenge, binding)
      found = expires && { challenge, expires }
      return found !== undefined
    },
    spend: async (database: SchoolReader): Promise<boolean> =>
      found !== undefined && (await spendChallenge(database, found.challenge, found.expires)),
  }
}

/** The answer of `navigator.credentials.create` or `get`, as `toJSON()` returns it. Its texts are base64url and not verified. */
export interface PasskeyResponse {
  id: string
  rawId: string
  type: 'public-key'
  clientExtensionResults: Record<string, never>
  response: { clientDataJSON: string } & { [Member in 'authenticatorData' | 'signature' | 'userHandle' | 'attestationObject']?: string }
  transports: string[]
}

/** The longest accepted answer. An RSA credential without attestation takes about 2,000 characters. */
const maxCharacters = 8000
const longestText = 6000
const knownTransports = new Set(['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'])
const optional = ['authenticatorData', 'signature', 'userHandle', 'attestationObject'] as const

/** Returns the answer that a form contains with the members that are known; undefined if it is too long or malformed. */
export function parsePasskeyResponse(text: string | null): PasskeyResponse | undefined {
  if (!text || text.length > maxCharacters) return undefined
  const parsed = parseObject(text)
  const response = parsed && objectOf(parsed.response)
  const clientDataJSON = response?.clientDataJSON
  if (!parsed || !response || !isBase64url(clientDataJSON)) return undefined
  if (parsed.type !== 'public-key' || !isBase64url(parsed.id) || parsed.rawId !== parsed.id) return undefined
  const transports = Array.isArray(response.transports) ? response.transports : []
  return {
    id: parsed.id,
    rawId: parsed.id,
    type: 'public-key',
    clientExtensionResults: {},
    response: {
      clientDataJSON,
      ...Object.fromEntries(optional.flatMap((name) => (isBase64url(response[name]) ? [[name, response[name]]] : []))),
    },
    transports: [...knownTransports].filter((name) => transports.includes(name)),
  }
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    return objectOf(parseJson(text))
  } catch {
    return undefined
  }
}

const objectOf = (value: unknown): Record<string, unknown> | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined

const isBase64url = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= longestText && /^[\w-]+$/.test(value)
