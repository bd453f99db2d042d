import { type Handle, rawSql } from './rawSql.ts'

export interface SigningKeyRow {
  kid: string
  alg: string
  /** Sealed private JWK. */
  private_jwk: string
  created_at: Date
  active_at: Date
  retired_at: Date | null
}

/** Keys of a school that are still published: all but those retired longer than `keepHours` ago. */
export function listSigningKeys(sql: Handle, schoolId: string, keepHours: number): Promise<SigningKeyRow[]> {
  return rawSql(sql).query<SigningKeyRow>(
    `SELECT kid, alg, private_jwk, created_at, active_at, retired_at FROM signing_key
      WHERE school_id = $1 AND (retired_at IS NULL OR retired_at > now() - make_interval(hours => $2))
      ORDER BY active_at DESC, created_at DESC, kid`,
    [schoolId, keepHours],
    'signing_keys_list',
  )
}

/** Adds a key that signs from `activeInSeconds` on. */
export async function addSigningKey(
  sql: Handle,
  key: { schoolId: string; kid: string; alg: string; privateJwk: string; activeInSeconds: number },
): Promise<void> {
  await rawSql(sql).query(
    `INSERT INTO signing_key (school_id, kid, alg, private_jwk, active_at) VALUES ($1, $2, $3, $4, now() + make_interval(secs => $5))`,
    [key.schoolId, key.kid, key.alg, key.privateJwk, key.activeInSeconds],
  )
}

/** Marks a key as signing no more from `retiredInSeconds` on. False where the school has no such key, or it retires by then anyway. */
export async function retireSigningKey(sql: Handle, key: { schoolId: string; kid: string; retiredInSeconds: number }): Promise<boolean> {
  const rows = await rawSql(sql).query(
    `UPDATE signing_key SET retired_at = now() + make_interval(secs => $3)
      WHERE school_id = $1 AND kid = $2 AND (retired_at IS NULL OR retired_at > now() + make_interval(secs => $3)) RETURNING kid`,
    [key.schoolId, key.kid, key.retiredInSeconds],
  )
  return rows.length === 1
}

/** A published key of a school. The fingerprint changes with the sealed key. */
export interface PublishedKey {
  school_id: string
  slug: string
  kid: string
  fingerprint: string
}

/** The published keys of these schools. */
export function listPublishedKeys(sql: Handle, slugs: readonly string[], keepHours: number): Promise<PublishedKey[]> {
  return rawSql(sql).query<PublishedKey>(
    `SELECT k.school_id, s.slug, k.kid, md5(k.private_jwk) AS fingerprint FROM signing_key k JOIN school s ON s.id = k.school_id
      WHERE s.slug = ANY ($1) AND (k.retired_at IS NULL OR k.retired_at > now() - make_interval(hours => $2))
      ORDER BY s.slug, k.kid`,
    [slugs, keepHours],
    'signing_keys_published',
  )
}

/** The sealed private key, or undefined if it was removed. */
export async function findSealedKey(sql: Handle, schoolId: string, kid: string): Promise<string | undefined> {
  const rows = await rawSql(sql).query<{ private_jwk: string }>('SELECT private_jwk FROM signing_key WHERE school_id = $1 AND kid = $2', [
    schoolId,
    kid,
  ])
  return rows[0]?.private_jwk
}
