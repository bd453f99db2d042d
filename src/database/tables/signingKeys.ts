import { type Expression, sql } from 'kysely'
import type { Reader, Stored } from '../connection/database.ts'
import { type Builder, isAmong, isAmongTexts, now, secondsAgo, secondsFromNow } from '../statements/expressions.ts'

export type SigningKeyRow = Stored<'signing_key', 'kid' | 'alg' | 'private_jwk' | 'created_at' | 'active_at' | 'retired_at'>

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

/** Returns a sealed key that was retired at most `days` ago, whether it is still published or not. */
export async function findRetiredKey(
  db: Reader,
  { schoolId, kid, days }: { schoolId: string; kid: string; days: number },
): Promise<string | undefined> {
  const row = await db
    .selectFrom('signing_key')
    .select('private_jwk')
    .where('school_id', '=', schoolId)
    .where('kid', '=', kid)
    .where('retired_at', '>', secondsAgo(days * 86_400))
    .executeTakeFirst()
  return row?.private_jwk
}

const isPublished = (keepHours: number) => (key: Builder<'signing_key'>) =>
  key.or([key('signing_key.retired_at', 'is', null), key('signing_key.retired_at', '>', secondsAgo(keepHours * 3600))])

/** Returns the age in seconds of the oldest key that signs now, over these schools; 0 if there is none. */
export async function oldestKeySeconds(db: Reader, schoolIds: readonly string[]): Promise<number> {
  const row = await db
    .selectFrom((from) =>
      from
        .selectFrom('signing_key')
        .select(({ fn }) => fn.max('signing_key.active_at').as('since'))
        .where(({ ref }) => isAmong(ref('signing_key.school_id'), schoolIds))
        .where('retired_at', 'is', null)
        .where('active_at', '<=', now)
        .groupBy(['school_id', 'alg'])
        .as('current'),
    )
    .select(sql<number>`coalesce(extract(epoch FROM now() - min(since)), 0)::float8`.as('seconds'))
    .executeTakeFirst()
  return row?.seconds ?? 0
}

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

const publishedOf = (db: Reader, slugs: readonly string[], keepHours: number) =>
  db
    .selectFrom('signing_key')
    .innerJoin('school', 'school.id', 'signing_key.school_id')
    .where(({ ref }) => isAmongTexts(ref('school.slug'), slugs))
    .where(isPublished(keepHours))

export function listPublishedKeys(db: Reader, slugs: readonly string[], keepHours: number): Promise<PublishedKey[]> {
  return publishedOf(db, slugs, keepHours)
    .select(['signing_key.school_id', 'school.slug', 'signing_key.kid'])
    .select(({ ref }) => fingerprintOf(ref('signing_key.private_jwk')).as('fingerprint'))
    .orderBy('school.slug')
    .orderBy('signing_key.kid')
    .execute()
}

/** Returns a text that changes with any published key of these schools. */
export async function fingerprintPublishedKeys(db: Reader, slugs: readonly string[], keepHours: number): Promise<string> {
  const row = await publishedOf(db, slugs, keepHours)
    .select(({ fn, ref }) =>
      // A sum does not depend on the order of the rows.
      fn.sum<string>(sql`hashtextextended(${ref('signing_key.kid')} || ${ref('signing_key.private_jwk')}, 0)::numeric`).as('sum'),
    )
    .executeTakeFirst()
  return String(row?.sum)
}

const fingerprintOf = (sealed: Expression<string>) => sql<string>`md5(${sealed})`

export function listSealedKeys(
  db: Reader,
  schoolIds: readonly string[],
): Promise<{ school_id: string; kid: string; private_jwk: string; fingerprint: string }[]> {
  return db
    .selectFrom('signing_key')
    .select(['school_id', 'kid', 'private_jwk'])
    .select(({ ref }) => fingerprintOf(ref('private_jwk')).as('fingerprint'))
    .where(({ ref }) => isAmong(ref('school_id'), schoolIds))
    .execute()
}

/** Returns which of these schools lack a key of one of the algorithms. A retired key counts as long as it is published. */
export async function listSchoolsWithoutKeys(
  db: Reader,
  { schoolIds, algorithms, keepHours }: { schoolIds: readonly string[]; algorithms: readonly string[]; keepHours: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom('school')
    .select('id')
    .where(({ ref }) => isAmong(ref('id'), schoolIds))
    .where((school) =>
      school(
        school
          .selectFrom('signing_key')
          .select(({ fn }) => fn.count<string>('signing_key.alg').distinct().as('count'))
          .whereRef('signing_key.school_id', '=', 'school.id')
          .where(({ ref }) => isAmongTexts(ref('signing_key.alg'), algorithms))
          .where(isPublished(keepHours)),
        '<',
        String(algorithms.length),
      ),
    )
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}
