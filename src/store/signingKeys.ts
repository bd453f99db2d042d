import { sql } from 'kysely'
import type { Reader } from './database.ts'
import { type Builder, secondsAgo, secondsFromNow } from './expressions.ts'

export interface SigningKeyRow {
  kid: string
  alg: string
  /** Sealed private JWK. */
  private_jwk: string
  created_at: Date
  active_at: Date
  retired_at: Date | null
}

/** Returns the keys of a school that are still published: all but those retired longer than `keepHours` ago. */
export function listSigningKeys(db: Reader, schoolId: string, keepHours: number): Promise<SigningKeyRow[]> {
  return db
    .selectFrom('signing_key')
    .select(['kid', 'alg', 'private_jwk', 'created_at', 'active_at', 'retired_at'])
    .where('school_id', '=', schoolId)
    .where(isPublished(keepHours))
    .orderBy('active_at', 'desc')
    .orderBy('created_at', 'desc')
    .orderBy('kid')
    .execute()
}

const isPublished = (keepHours: number) => (key: Builder<'signing_key'>) =>
  key.or([key('signing_key.retired_at', 'is', null), key('signing_key.retired_at', '>', secondsAgo(keepHours * 3600))])

/** Adds a key that signs from `activeInSeconds` on. */
export async function addSigningKey(
  db: Reader,
  key: { schoolId: string; kid: string; alg: string; privateJwk: string; activeInSeconds: number },
): Promise<void> {
  await db
    .insertInto('signing_key')
    .values({
      school_id: key.schoolId,
      kid: key.kid,
      alg: key.alg,
      private_jwk: key.privateJwk,
      active_at: secondsFromNow(key.activeInSeconds),
    })
    .execute()
}

/** Retires a key in `retiredInSeconds`. Returns false if the school has no such key, or if it retires by then anyway. */
export async function retireSigningKey(db: Reader, key: { schoolId: string; kid: string; retiredInSeconds: number }): Promise<boolean> {
  const retiredAt = secondsFromNow(key.retiredInSeconds)
  const { numUpdatedRows } = await db
    .updateTable('signing_key')
    .set({ retired_at: retiredAt })
    .where('school_id', '=', key.schoolId)
    .where('kid', '=', key.kid)
    .where((row) => row.or([row('retired_at', 'is', null), row('retired_at', '>', retiredAt)]))
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

/** A published key of a school. The fingerprint changes with the sealed key. */
export interface PublishedKey {
  school_id: string
  slug: string
  kid: string
  fingerprint: string
}

/** Returns the published keys of these schools. */
export function listPublishedKeys(db: Reader, slugs: readonly string[], keepHours: number): Promise<PublishedKey[]> {
  if (slugs.length === 0) return Promise.resolve([])
  return db
    .selectFrom('signing_key')
    .innerJoin('school', 'school.id', 'signing_key.school_id')
    .select(['signing_key.school_id', 'school.slug', 'signing_key.kid'])
    .select(({ ref }) => sql<string>`md5(${ref('signing_key.private_jwk')})`.as('fingerprint'))
    .where('school.slug', 'in', slugs)
    .where(isPublished(keepHours))
    .orderBy('school.slug')
    .orderBy('signing_key.kid')
    .execute()
}

/** Returns the sealed private key, or undefined if it was removed. */
export async function findSealedKey(db: Reader, schoolId: string, kid: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('signing_key')
    .select('private_jwk')
    .where('school_id', '=', schoolId)
    .where('kid', '=', kid)
    .executeTakeFirst()
  return row?.private_jwk
}
