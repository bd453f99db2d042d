import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Reader, Stored } from '../connection/database.ts'
import { withoutSchool } from '../school/inSchool.ts'
import { now, secondsFromNow } from '../statements/expressions.ts'
import { storableJson } from '../statements/storableText.ts'

/** An answer that was given under a key, word by word. */
export interface StoredResponse extends Stored<'idempotency_record', 'fingerprint' | 'status' | 'body'> {
  headers: Record<string, string>
}

const keptHours = 24

/** Returns the name of a key: it depends on the caller and on the operation. */
export const idempotencyId = (parts: readonly string[]): string => createHash('sha256').update(JSON.stringify(parts)).digest('base64url')

const lockNumber = (schoolId: string, id: string) => sql`hashtextextended(${`${schoolId} ${id}`}, 7)`

/** Locks the key until the transaction ends. Returns false if another transaction holds it. */
export async function lockKey(db: Reader, schoolId: string, id: string): Promise<boolean> {
  const { rows } = await sql<{
    locked: boolean
  }>`SELECT pg_try_advisory_xact_lock(${lockNumber(schoolId, id)}) AS locked`.execute(withoutSchool(db))
  return rows[0]?.locked ?? false
}

/** Locks the key until the transaction ends, as soon as no other transaction holds it. */
export async function waitForKey(db: Reader, schoolId: string, id: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(${lockNumber(schoolId, id)})`.execute(withoutSchool(db))
}

/** Returns the response that was stored under the key within the last day. */
export async function findStoredResponse(db: Reader, schoolId: string, id: string): Promise<StoredResponse | undefined> {
  return await db
    .selectFrom('idempotency_record')
    .select(['fingerprint', 'status', 'headers', 'body'])
    .where('school_id', '=', schoolId)
    .where('id', '=', id)
    .where('expires_at', '>', now)
    .$narrowType<{ headers: StoredResponse['headers'] }>()
    .executeTakeFirst()
}

/** Stores a response for a day. The key must be locked. */
export async function storeResponse(db: Reader, schoolId: string, id: string, response: StoredResponse): Promise<void> {
  await db
    .insertInto('idempotency_record')
    .values({
      school_id: schoolId,
      id,
      fingerprint: response.fingerprint,
      status: response.status,
      headers: storableJson(response.headers),
      body: response.body,
      expires_at: secondsFromNow(keptHours * 3600),
    })
    .onConflict((conflict) =>
      conflict.columns(['school_id', 'id']).doUpdateSet(({ ref }) => ({
        fingerprint: ref('excluded.fingerprint'),
        status: ref('excluded.status'),
        headers: ref('excluded.headers'),
        body: ref('excluded.body'),
        created_at: now,
        expires_at: ref('excluded.expires_at'),
      })),
    )
    .execute()
}

export async function sweepStoredResponses(db: Reader, limit: number): Promise<number> {
  const { numDeletedRows } = await db
    .with('old', (one) =>
      one.selectFrom('idempotency_record').select(['school_id', 'id']).where('expires_at', '<=', now).limit(limit).forUpdate().skipLocked(),
    )
    .deleteFrom('idempotency_record')
    .using('old')
    .whereRef('idempotency_record.school_id', '=', 'old.school_id')
    .whereRef('idempotency_record.id', '=', 'old.id')
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

/** Erases stored responses that contain one of these texts. The key stays taken, so that the request is not repeated. */
export async function forgetStoredResponses(db: Reader, schoolId: string, texts: readonly string[]): Promise<void> {
  await db
    .updateTable('idempotency_record')
    .set({
      status: 404,
      headers: '{}',
      body: JSON.stringify({ code: 'not_found', description: 'This response is no longer stored.', details: [] }),
    })
    .where('school_id', '=', schoolId)
    .where(({ ref }) => {
      const parts = sql`unnest(${[...texts]}::text[]) AS said (part)`
      const isFound = sql`strpos(lower(${ref('body')}), lower(said.part)) > 0 OR strpos(${ref('headers')}::text, said.part) > 0`
      return sql<boolean>`EXISTS (SELECT FROM ${parts} WHERE ${isFound})`
    })
    .execute()
}
