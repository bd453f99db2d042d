import { hash, type Keyring, randomToken } from '../../base/keyring.ts'
import type { SchoolReader } from '../../database/connection/database.ts'

/** Time to answer a challenge: people have to find their phone or their security key. */
const lifeSeconds = 600

/** The purpose of a challenge. An answer to a challenge is valid for its purpose only. */
export type ChallengePurpose = 'registration' | 'sign-in' | 'second factor' | 'confirmation'

/** The values that a challenge is bound to. `browser` is a value that only the browser of the page has. */
export interface ChallengeBinding {
  schoolId: string
  purpose: ChallengePurpose
  /** The account that has to answer. Absent for a sign-in, because the person is not known yet. */
  accountId?: string | undefined
  browser: string
}

/**
 * Creates a WebAuthn challenge. It is not stored: it consists of a random value, its expiry and an HMAC over both and what it is bound to.
 * Base64url.
 */
export function createChallenge(keyring: Keyring, binding: ChallengeBinding): string {
  const expires = Math.floor(keyring.now() / 1000) + lifeSeconds
  const body = `${randomToken(128)}.${expires.toString(36)}`
  return Buffer.from(`${body}.${keyring.sign('passkey challenges', signed(body, binding))}`).toString('base64url')
}

/** Returns the expiry of a challenge that was created with this binding; undefined for any other text, and after its expiry. */
export function challengeExpiry(keyring: Keyring, challenge: string, binding: ChallengeBinding): Date | undefined {
  const [nonce = '', expires = '', signature = ''] = Buffer.from(challenge, 'base64url').toString().split('.')
  const expiry = new Date(Number.parseInt(expires, 36) * 1000)
  if (!keyring.verify('passkey challenges', signed(`${nonce}.${expires}`, binding), signature)) return undefined
  return expiry.getTime() > keyring.now() ? expiry : undefined
}

/** Marks a challenge as used. Returns false if it was used before. */
export async function spendChallenge(database: SchoolReader, challenge: string, expires: Date): Promise<boolean> {
  const spent = await database
    .insertInto('used_challenge')
    .values({ school_id: database.schoolId, id: hash(challenge), expires_at: expires })
    .onConflict((conflict) => conflict.columns(['school_id', 'id']).doNothing())
    .returning('id')
    .executeTakeFirst()
  return spent !== undefined
}

const signed = (body: string, { schoolId, purpose, accountId, browser }: ChallengeBinding): string =>
  JSON.stringify([body, schoolId, purpose, accountId ?? null, browser])
