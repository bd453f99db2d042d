import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose'
import type { Keyring } from '../../base/keyring.ts'
import type { Database } from '../../database/connection/database.ts'
import { lockSchool } from '../../database/tables/schools.ts'
import { addSigningKey, findRetiredKey, listSigningKeys, type SigningKeyRow } from '../../database/tables/signingKeys.ts'

/** RS256 because every client can verify it (OpenID Connect Core section 15.1), ES256 for clients that request it. */
export const signingAlgorithms = ['RS256', 'ES256'] as const
export type SigningAlgorithm = (typeof signingAlgorithms)[number]

export interface SigningKeys {
  /** Private JWKs; the current signing key of each algorithm comes first. */
  jwks: { keys: JWK[] }
  /** Changes when other keys sign or are published. */
  revision: string
}

export interface KeyArguments {
  database: Database
  schoolId: string
  keyring: Keyring
  keepAfterRetirementHours: number
}

/** Returns the current keys of a school. Creates the missing ones, if the job that creates them has not reached the school yet. */
export async function loadSigningKeys(args: KeyArguments): Promise<SigningKeys> {
  const { database, schoolId, keepAfterRetirementHours } = args
  let rows = await listSigningKeys(database.kysely, schoolId, keepAfterRetirementHours)
  if (signingAlgorithms.some((alg) => !rows.some((row) => row.alg === alg))) {
    await makeMissingKeys(args)
    rows = await listSigningKeys(database.kysely, schoolId, keepAfterRetirementHours)
  }
  const ordered = order(rows, new Date())
  const keys = ordered.map((row) => requireKey(args.keyring, row))
  return { jwks: { keys }, revision: revisionOf(ordered) }
}

function openKey(keyring: Keyring, sealed: string): JWK | undefined {
  const opened = keyring.tryOpen('signing keys', sealed)
  return opened === undefined ? undefined : JSON.parse(opened)
}

/** Without one of the published keys the published set would be wrong. */
function requireKey(keyring: Keyring, { kid, private_jwk: sealed }: SigningKeyRow): JWK {
  const key = openKey(keyring, sealed)
  if (!key) throw new Error(`SECRET_KEY: no secret opens the signing key ${kid}. If an old secret was removed too early, add it again.`)
  return key
}

/** Returns a function that finds keys for the hints of clients: those retired at most `days` ago, published or not. */
export function retiredKeyFinder(
  { database, schoolId, keyring }: Omit<KeyArguments, 'keepAfterRetirementHours'>,
  days: number,
): (kid: string) => Promise<JWK | undefined> {
  return async (kid) => {
    const sealed = await findRetiredKey(database.kysely, { schoolId, kid, days })
    return sealed === undefined ? undefined : openKey(keyring, sealed)
  }
}

/** Returns the revision that `loadSigningKeys` would return, without decrypting a key. */
export async function signingKeysRevision({
  database,
  schoolId,
  keepAfterRetirementHours,
}: Omit<KeyArguments, 'keyring'>): Promise<string> {
  return revisionOf(order(await listSigningKeys(database.kysely, schoolId, keepAfterRetirementHours), new Date()))
}

const revisionOf = (rows: SigningKeyRow[]): string => rows.map((row) => row.kid).join(' ')

// The engine signs with the first suitable key: current keys (newest first), then future keys, then retired ones.
function order(rows: SigningKeyRow[], now: Date): SigningKeyRow[] {
  const isRetired = (row: SigningKeyRow): boolean => row.retired_at !== null && row.retired_at <= now
  const rank = (row: SigningKeyRow): number => (isRetired(row) ? 2 : row.active_at <= now ? 0 : 1)
  return [...rows].sort((a, b) => rank(a) - rank(b) || b.active_at.getTime() - a.active_at.getTime() || a.kid.localeCompare(b.kid))
}

/** Returns a new private key as a JWK, with its RFC 7638 thumbprint as `kid`. */
export async function generateSigningKey(alg: SigningAlgorithm): Promise<JWK & { kid: string }> {
  const { privateKey } = await generateKeyPair(alg, { extractable: true, modulusLength: 2048 })
  const jwk = await exportJWK(privateKey)
  return { ...jwk, alg, use: 'sig', kid: await calculateJwkThumbprint(jwk) }
}

/** Creates the keys that a school lacks, so that there is one of each algorithm. */
export async function makeMissingKeys({ database, schoolId, keyring }: Omit<KeyArguments, 'keepAfterRetirementHours'>): Promise<void> {
  // Generated before the lock is taken: an RSA key takes long.
  const made = await Promise.all(signingAlgorithms.map(generateSigningKey))
  await database.transaction(async (writer) => {
    await lockSchool(writer, schoolId)
    const existing = await listSigningKeys(writer, schoolId, 0)
    for (const jwk of made) {
      if (existing.some((row) => row.alg === jwk.alg)) continue
      const privateJwk = keyring.seal('signing keys', JSON.stringify(jwk))
      await addSigningKey(writer, { schoolId, kid: jwk.kid, alg: jwk.alg as string, privateJwk, activeInSeconds: 0 })
    }
  })
}
