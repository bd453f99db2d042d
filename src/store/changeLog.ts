import { newId } from '../lib/ids.ts'
import type { ChangeAction } from './changeActions.ts'
import { type Handle, rawSql } from './rawSql.ts'

export interface Change {
  school_id: string
  type: string
  resource_id: string
  action: ChangeAction
  version: number
}

/** The place of a change in the feed. The next page begins after it. */
export interface ChangePosition {
  /** The run of the database server that wrote it. Eight bytes, as text. */
  epoch: string
  /** Eight bytes, as text. Comparable within one epoch only. */
  transaction: string
  id: string
}

export interface RecordedChange extends Omit<Change, 'school_id' | 'action'>, ChangePosition {
  /** As it was stored: earlier releases used other names. */
  action: string
  occurred_at: Date
}

/** How long changes are kept. */
export const changeDays = 30

const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
const lastTransaction = '9223372036854775807'

/** Before the first change. */
export const firstPosition: ChangePosition = { epoch: '0', transaction: '0', id: lastId }

/** The epoch of the current run of the database server; null until it has written a change. */
const ownEpoch = '(SELECT number FROM change_epoch WHERE database_started_at = pg_postmaster_start_time())'

/** The same for a writer, who adds it. */
const writtenEpoch = `coalesce(${ownEpoch}, current_change_epoch())`

/**
 * Adds the epoch of this run of the database server where it is missing. Call it outside a transaction when the service starts:
 * otherwise the first change adds it, and other writers wait for the transaction of that change.
 */
export async function beginChangeEpoch(sql: Handle): Promise<void> {
  await rawSql(sql).query('SELECT current_change_epoch()')
}

/** Notes a change, in the transaction that makes it. */
export async function recordChange(sql: Handle, { school_id, type, resource_id, action, version }: Change): Promise<void> {
  await rawSql(sql).query(
    `INSERT INTO change_log (school_id, epoch, transaction, id, type, resource_id, action, version)
     VALUES ($1, ${writtenEpoch}, pg_current_xact_id()::text::bigint, $2, $3, $4, $5, $6)`,
    [school_id, newId(), type, resource_id, action, version],
  )
}

/** Notes the same of many rows of one type, in one statement. */
export async function recordChanges(
  sql: Handle,
  { school_id, type, action }: Pick<Change, 'school_id' | 'type' | 'action'>,
  rows: readonly { id: string; version: number }[],
): Promise<void> {
  if (rows.length === 0) return
  await rawSql(sql).query(
    `INSERT INTO change_log (school_id, epoch, transaction, id, type, resource_id, action, version)
     SELECT $1::uuid, ${writtenEpoch}, pg_current_xact_id()::text::bigint, noted.id, $2::text, noted.resource_id, $3::text, noted.version
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
 * Returns changes in the order of their epochs and, within the current epoch, up to the oldest transaction that still runs. These
 * are final, so the changes of a slow transaction are returned late and never skipped. Earlier epochs are complete: their
 * transactions ended with the database server that ran them, and their ids mean nothing to this one.
 */
export async function readChanges(sql: Handle, schoolId: string, { types, after, limit }: ChangeQuery): Promise<RecordedChange[]> {
  const { epoch, transaction, id } = after ?? firstPosition
  return await rawSql(sql).query<RecordedChange>(
    `SELECT id, epoch::text AS epoch, transaction::text AS transaction, type, resource_id, action, version, occurred_at
       FROM change_log
      WHERE school_id = $1 AND (epoch, transaction, id) > ($2::bigint, $3::bigint, $4::uuid) AND type = ANY ($5::text[])
        AND (epoch IS DISTINCT FROM ${ownEpoch} OR transaction < pg_snapshot_xmin(pg_current_snapshot())::text::bigint)
        AND occurred_at > now() - make_interval(days => $7)
      ORDER BY epoch, transaction, id
      LIMIT $6`,
    [schoolId, epoch, transaction, id, [...types], limit, changeDays],
  )
}

/** The current end of the changes: every change that is not final yet comes after it. */
export async function latestPosition(sql: Handle): Promise<ChangePosition> {
  const [row] = await rawSql(sql).query<{ own: string | null; newest: string | null; transaction: string }>(
    `SELECT ${ownEpoch}::text AS own, (SELECT max(number) FROM change_epoch)::text AS newest,
            (pg_snapshot_xmin(pg_current_snapshot())::text::bigint - 1)::text AS transaction`,
  )
  if (!row) return firstPosition
  return row.own === null
    ? { epoch: row.newest ?? '0', transaction: lastTransaction, id: lastId }
    : { epoch: row.own, transaction: row.transaction, id: lastId }
}

/** True for a position that this database has not reached: it comes from a database that was set back since. */
export async function isUnreached(sql: Handle, { epoch, transaction }: ChangePosition): Promise<boolean> {
  const [row] = await rawSql(sql).query<{ isUnreached: boolean }>(
    `SELECT coalesce((own.epoch, pg_snapshot_xmax(pg_current_snapshot())::text::bigint) <= ($1::bigint, $2::bigint), false) AS "isUnreached"
       FROM (SELECT ${ownEpoch} AS epoch) AS own`,
    [epoch, transaction],
  )
  return row?.isUnreached ?? false
}

/** Removes up to `limit` changes that are too old to be read. */
export async function sweepChanges(sql: Handle, limit: number): Promise<number> {
  const rows = await rawSql(sql).query(
    `DELETE FROM change_log WHERE ctid IN
       (SELECT ctid FROM change_log WHERE occurred_at < now() - make_interval(days => $1) LIMIT $2 FOR UPDATE SKIP LOCKED) RETURNING id`,
    [changeDays, limit],
  )
  return rows.length
}
