import { newId } from '../lib/ids.ts'
import type { Sql } from './sql.ts'

export interface Change {
  school_id: string
  type: string
  resource_id: string
  action: string
  version: number
}

export interface RecordedChange extends Omit<Change, 'school_id'> {
  id: string
  /** Eight bytes, as text. */
  transaction: string
  occurred_at: Date
}

/** Stands behind a change: the next one is read from here on. */
export interface ChangePosition {
  transaction: string
  id: string
}

/** How long changes are kept. */
export const changeDays = 30

const behindAll = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** Notes a change, in the transaction that makes it. */
export async function recordChange(sql: Sql, { school_id, type, resource_id, action, version }: Change): Promise<void> {
  await sql.query(
    `INSERT INTO change_log (school_id, transaction, id, type, resource_id, action, version)
     VALUES ($1, pg_current_xact_id()::text::bigint, $2, $3, $4, $5, $6)`,
    [school_id, newId(), type, resource_id, action, version],
  )
}

/** Notes the same of many rows of one type, in one statement. */
export async function recordChanges(
  sql: Sql,
  { school_id, type, action }: Pick<Change, 'school_id' | 'type' | 'action'>,
  rows: readonly { id: string; version: number }[],
): Promise<void> {
  if (rows.length === 0) return
  await sql.query(
    `INSERT INTO change_log (school_id, transaction, id, type, resource_id, action, version)
     SELECT $1::uuid, pg_current_xact_id()::text::bigint, noted.id, $2::text, noted.resource_id, $3::text, noted.version
       FROM unnest($4::uuid[], $5::uuid[], $6::int[]) AS noted (id, resource_id, version)`,
    [school_id, type, action, rows.map(() => newId()), rows.map(({ id }) => id), rows.map(({ version }) => version)],
  )
}

export interface ChangeQuery {
  types: readonly string[]
  after: ChangePosition | undefined
  limit: number
}

/**
 * Changes in the order of their transactions, from below the oldest one that still runs. What lies there is final, so a slow
 * transaction is read late and never skipped.
 */
export async function readChanges(sql: Sql, schoolId: string, { types, after, limit }: ChangeQuery): Promise<RecordedChange[]> {
  return await sql.query<RecordedChange>(
    `SELECT id, transaction::text AS transaction, type, resource_id, action, version, occurred_at
       FROM change_log
      WHERE school_id = $1 AND (transaction, id) > ($2::bigint, $3::uuid) AND type = ANY ($4::text[])
        AND transaction < pg_snapshot_xmin(pg_current_snapshot())::text::bigint
        AND occurred_at > now() - make_interval(days => $6)
      ORDER BY transaction, id
      LIMIT $5`,
    [schoolId, after?.transaction ?? '0', after?.id ?? behindAll, [...types], limit, changeDays],
  )
}

/** Where the changes end now: whatever is not final yet lies behind it. */
export async function latestPosition(sql: Sql): Promise<ChangePosition> {
  const [row] = await sql.query<{ transaction: string }>(
    'SELECT (pg_snapshot_xmin(pg_current_snapshot())::text::bigint - 1)::text AS transaction',
  )
  return { transaction: row?.transaction ?? '0', id: behindAll }
}

/** Removes up to `limit` changes that are too old to be read. */
export async function sweepChanges(sql: Sql, limit: number): Promise<number> {
  const rows = await sql.query(
    `DELETE FROM change_log WHERE ctid IN
       (SELECT ctid FROM change_log WHERE occurred_at < now() - make_interval(days => $1) LIMIT $2 FOR UPDATE SKIP LOCKED) RETURNING id`,
    [changeDays, limit],
  )
  return rows.length
}
