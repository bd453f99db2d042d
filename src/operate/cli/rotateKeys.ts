import type { JWK } from 'jose'
import type { Keyring } from '../../base/keyring.ts'
import type { Writer } from '../../database/connection/database.ts'
import { lockSchool } from '../../database/tables/schools.ts'
import { addSigningKey, listSigningKeys, retireSigningKey, type SigningKeyRow } from '../../database/tables/signingKeys.ts'

export type KeyState = 'published' | 'signing' | 'retired'

export function keyState({ active_at, retired_at }: Pick<SigningKeyRow, 'active_at' | 'retired_at'>, now = new Date()): KeyState {
  if (retired_at !== null && retired_at <= now) return 'retired'
  return active_at <= now ? 'signing' : 'published'
}

export interface Rotation {
  schoolId: string
  keyring: Keyring
  /** One new private key of each algorithm. */
  made: readonly (JWK & { kid: string })[]
  publishSeconds: number
}

/**
 * Adds the new keys and retires the others from the moment on which the new ones sign. Call it inside a transaction, so that readers see
 * both changes or neither. Returns the kids of the keys that retire.
 */
export async function rotateKeys(writer: Writer, { schoolId, keyring, made, publishSeconds }: Rotation): Promise<string[]> {
  // The engine takes the same lock when it creates the first keys of a school.
  await lockSchool(writer, schoolId)
  const before = await listSigningKeys(writer, schoolId, 0)
  const retired: string[] = []
  for (const jwk of made) {
    const same = before.filter((row) => row.alg === jwk.alg)
    // Without a signing key, no verifier has cached a key set, so the new key can sign immediately.
    const inSeconds = same.some((row) => keyState(row) === 'signing') ? publishSeconds : 0
    for (const { kid } of same) if (await retireSigningKey(writer, { schoolId, kid, retiredInSeconds: inSeconds })) retired.push(kid)
    const privateJwk = keyring.seal('signing keys', JSON.stringify(jwk))
    await addSigningKey(writer, { schoolId, kid: jwk.kid, alg: jwk.alg as string, privateJwk, activeInSeconds: inSeconds })
  }
  return retired
}

export type Retirement = 'retired' | 'unknown' | 'retired before' | 'last of its algorithm'

/** Retires one key now, unless it is the last key of its algorithm. */
export async function retireKey(writer: Writer, { schoolId, kid }: { schoolId: string; kid: string }): Promise<Retirement> {
  await lockSchool(writer, schoolId)
  const rows = await listSigningKeys(writer, schoolId, 24 * 3650)
  const key = rows.find((row) => row.kid === kid)
  if (!key) return 'unknown'
  if (keyState(key) === 'retired') return 'retired before'
  const others = rows.filter((row) => row.alg === key.alg && row.kid !== kid)
  const signsNow = others.some((row) => keyState(row) === 'signing')
  const signsForGood = others.some((row) => row.retired_at === null)
  if (!signsNow || !signsForGood) return 'last of its algorithm'
  await retireSigningKey(writer, { schoolId, kid, retiredInSeconds: 0 })
  return 'retired'
}
