import { createHash } from 'node:crypto'
import { type Handle, rawSql } from './rawSql.ts'
import { storableJson } from './storableText.ts'

/** An answer that was given under a key, word by word. */
export interface StoredAnswer {
  fingerprint: string
  status: number
  headers: Record<string, string>
  body: string
}

const keptHours = 24

/** The name of a key: whoever asks for something else, or somewhere else, has other keys. */
export const idempotencyId = (parts: readonly string[]): string => createHash('sha256').update(JSON.stringify(parts)).digest('base64url')

/** Takes the key until the transaction ends; false where another transaction is at it. */
export async function lockKey(sql: Handle, schoolId: string, id: string): Promise<boolean> {
  const [row] = await rawSql(sql).query<{ locked: boolean }>('SELECT pg_try_advisory_xact_lock(hashtextextended($1, 7)) AS locked', [
    `${schoolId} ${id}`,
  ])
  return row?.locked ?? false
}

/** What was answered under the key within the last day. */
export async function findAnswer(sql: Handle, schoolId: string, id: string): Promise<StoredAnswer | undefined> {
  const [row] = await rawSql(sql).query<StoredAnswer>(
    'SELECT fingerprint, status, headers, body FROM idempotency_record WHERE school_id = $1 AND id = $2 AND expires_at > now()',
    [schoolId, id],
  )
  return row
}

/** Keeps an answer for a day. The key must be locked. */
export async function storeAnswer(sql: Handle, schoolId: string, id: string, answer: StoredAnswer): Promise<void> {
  await rawSql(sql).query(
    `INSERT INTO idempotency_record (school_id, id, fingerprint, status, headers, body, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, now() + make_interval(hours => $7))
     ON CONFLICT (school_id, id) DO UPDATE
       SET fingerprint = excluded.fingerprint, status = excluded.status, headers = excluded.headers, body = excluded.body,
           created_at = now(), expires_at = excluded.expires_at`,
    [schoolId, id, answer.fingerprint, answer.status, storableJson(answer.headers), answer.body, keptHours],
  )
}

/** Removes up to `limit` answers whose day is over. */
export async function sweepAnswers(sql: Handle, limit: number): Promise<number> {
  const rows = await rawSql(sql).query(
    `DELETE FROM idempotency_record WHERE ctid IN
       (SELECT ctid FROM idempotency_record WHERE expires_at <= now() LIMIT $1 FOR UPDATE SKIP LOCKED) RETURNING id`,
    [limit],
  )
  return rows.length
}

/**
 * Makes kept answers in which one of these texts stands say nothing any more. The key stays taken: what was done once is not done again.
 */
export async function forgetAnswers(sql: Handle, schoolId: string, texts: readonly string[]): Promise<void> {
  await rawSql(sql).query(
    `UPDATE idempotency_record SET status = 404, headers = '{}', body = $3
      WHERE school_id = $1 AND EXISTS (
        SELECT FROM unnest($2::text[]) AS said (part) WHERE strpos(lower(body), lower(said.part)) > 0 OR strpos(headers::text, said.part) > 0)`,
    [schoolId, [...texts], JSON.stringify({ code: 'not_found', description: 'What was answered is not kept any more.', details: [] })],
  )
}
