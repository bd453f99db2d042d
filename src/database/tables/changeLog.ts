import { type Expression, type SqlBool, sql } from 'kysely'
import { newEntryId } from '../../base/ids.ts'
import type { Reader, SchoolReader, Stored } from '../connection/database.ts'
import { daySeconds, secondsAgo } from '../statements/expressions.ts'
import { actorOf } from './actors.ts'
import type { ChangeAction } from './changeActions.ts'

export interface Change extends Stored<'change_log', 'type' | 'resource_id' | 'version'> {
  action: ChangeAction
}

/** The place of a change in the feed. The next page begins after it. */
export interface ChangePosition {
  /** The run of the database server that wrote it. Eight bytes, as text. */
  epoch: string
  /** Eight bytes, as text. Comparable within one epoch only. */
  transaction: string
  id: string
}

export interface RecordedChange extends Omit<Change, 'action'>, ChangePosition {
  /** As it was stored: earlier releases used other names. */
  action: string
  occurred_at: Date
  /** Null if an earlier release wrote it. */
  actor_kind: string | null
  client_id: string | null
}

export const changeDays = 30

const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
const lastTransaction = '9223372036854775807'

/** Before the first change. */
export const firstPosition: ChangePosition = { epoch: '0', transaction: '0', id: lastId }

/** The epoch of the current run of the database server; null until it has written a change. */
const ownEpoch = (db: Reader) =>
  db.selectFrom('change_epoch').select('number').where('database_started_at', '=', sql<Date>`pg_postmaster_start_time()`)

const writtenEpoch = (db: Reader) => sql<string>`coalesce(${ownEpoch(db)}, current_change_epoch())`

const ownTransaction = sql<string>`pg_current_xact_id()::text::bigint`

/** The oldest transaction that still runs: all before it are final. */
const oldestRunning = sql<string>`pg_snapshot_xmin(pg_current_snapshot())::text::bigint`

/**
 * Adds the epoch of this run of the database server where it is missing. Call it outside a transaction when the service starts:
 * otherwise the first change adds it, and other writers wait for the transaction of that change.
 */
export async function beginChangeEpoch(db: Reader): Promise<void> {
  await sql`SELECT current_change_epoch()`.execute(db)
}

export async function recordChange(db: SchoolReader, { type, resource_id, action, version }: Change): Promise<void> {
  await recordChanges(db, { type, action }, [{ id: resource_id, version }])
}

export async function recordChanges(
  db: SchoolReader,
  { type, action }: Pick<Change, 'type' | 'action'>,
  rows: readonly { id: string; version: number }[],
): Promise<void> {
  if (rows.length === 0) return
  const { kind, clientId } = actorOf(db)
  await db
    .insertInto('change_log')
    .columns(['school_id', 'epoch', 'transaction', 'id', 'type', 'resource_id', 'action', 'version', 'actor_kind', 'client_id'])
    .expression(
      db
        .selectFrom(changedRows(rows))
        .select(({ ref, val }) => [
          sql<string>`${val(db.schoolId)}::uuid`.as('school_id'),
          writtenEpoch(db).as('epoch'),
          ownTransaction.as('transaction'),
          ref('changed.id').as('id'),
          sql<string>`${val(type)}::text`.as('type'),
          ref('changed.resource_id').as('resource_id'),
          sql<string>`${val(action)}::text`.as('action'),
          ref('changed.version').as('version'),
          sql<string>`${val(kind)}::text`.as('actor_kind'),
          sql<string | null>`${val(clientId ?? null)}::text`.as('client_id'),
        ]),
    )
    .execute()
}

/** The rows as a table, so that the statement has the same text for any number of them. */
function changedRows(rows: readonly { id: string; version: number }[]) {
  const [ids, resourceIds, versions] = [rows.map(() => newEntryId()), rows.map(({ id }) => id), rows.map(({ version }) => version)]
  return sql<{
    id: string
    resource_id: string
    version: number
  }>`unnest(${ids}::uuid[], ${resourceIds}::uuid[], ${versions}::int[])`.as<'changed'>(sql`changed (id, resource_id, version)`)
}

export interface ChangeCount {
  type: string
  action: string
  /** The number of rows. */
  count: number
  /** The number of entries, which can be several for a row. */
  entries: number
  /** The number of webhooks about them. */
  webhooks: number
}

/** Returns what the current transaction has recorded so far. */
export async function changesOfTransaction(db: Reader): Promise<ChangeCount[]> {
  return await db
    .selectFrom('change_log')
    .select(['type', 'action'])
    .select(({ fn, cast }) => [
      cast<number>(fn.count('resource_id').distinct(), 'integer').as('count'),
      cast<number>(fn.countAll(), 'integer').as('entries'),
    ])
    .select(({ fn, cast, ref, selectFrom }) => {
      const endpoints = selectFrom('webhook_endpoint')
        .select((one) => one.fn.countAll().as('count'))
        .whereRef('webhook_endpoint.school_id', '=', 'change_log.school_id')
        .where('is_active', '=', true)
        .where((one) => sql<SqlBool>`${ref('change_log.type')} = ANY (${one.ref('webhook_endpoint.types')})`)
      return cast<number>(sql`${fn.countAll()} * (${endpoints})`, 'integer').as('webhooks')
    })
    .where('transaction', '=', ownTransaction)
    .where('epoch', '=', writtenEpoch(db))
    .groupBy(['school_id', 'type', 'action'])
    .orderBy('type')
    .orderBy('action')
    .execute()
}

/** Returns the ids of the rows of a type that the current transaction has changed so far, at most `limit`. */
export async function rowsChangedInTransaction(db: Reader, type: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('change_log')
    .select('resource_id')
    .distinct()
    .where('transaction', '=', ownTransaction)
    .where('epoch', '=', writtenEpoch(db))
    .where('type', '=', type)
    .orderBy('resource_id')
    .limit(limit)
    .execute()
  return rows.map(({ resource_id }) => resource_id)
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
export async function readChanges(db: Reader, schoolId: string, { types, after, limit }: ChangeQuery): Promise<RecordedChange[]> {
  const { epoch, transaction, id } = after ?? firstPosition
  return await db
    .selectFrom('change_log')
    .select(['id', 'type', 'resource_id', 'action', 'version', 'occurred_at', 'actor_kind', 'client_id'])
    .select(({ cast }) => [cast<string>('epoch', 'text').as('epoch'), cast<string>('transaction', 'text').as('transaction')])
    .where('school_id', '=', schoolId)
    .where(({ refTuple }) => isAfter(refTuple('epoch', 'transaction', 'id'), sql`(${epoch}::bigint, ${transaction}::bigint, ${id}::uuid)`))
    .where(({ ref }) => sql<SqlBool>`${ref('type')} = ANY (${[...types]}::text[])`)
    .where((change) => change.or([change('epoch', 'is distinct from', ownEpoch(db)), change('transaction', '<', oldestRunning)]))
    .where('occurred_at', '>', secondsAgo(daySeconds(changeDays)))
    .orderBy('change_log.epoch')
    .orderBy('change_log.transaction')
    .orderBy('change_log.id')
    .limit(limit)
    .execute()
}

const isAfter = (position: Expression<unknown>, other: Expression<unknown>) => sql<SqlBool>`${position} > ${other}`

/** Returns the current end of the changes: every change that is not final yet comes after it. */
export async function latestPosition(db: Reader): Promise<ChangePosition> {
  const row = await db
    .selectNoFrom((no) => [
      no.cast<string | null>(ownEpoch(db), 'text').as('own'),
      no
        .cast<string | null>(
          no.selectFrom('change_epoch').select(({ fn }) => fn.max('number').as('number')),
          'text',
        )
        .as('newest'),
      sql<string>`(${oldestRunning} - 1)::text`.as('transaction'),
    ])
    .executeTakeFirst()
  if (!row) return firstPosition
  return row.own === null
    ? { epoch: row.newest ?? '0', transaction: lastTransaction, id: lastId }
    : { epoch: row.own, transaction: row.transaction, id: lastId }
}

/** Returns true for a position that this database has not reached: it comes from a database that was restored from a backup since. */
export async function isUnreached(db: Reader, { epoch, transaction }: ChangePosition): Promise<boolean> {
  const reached = sql`(${ownEpoch(db)}, pg_snapshot_xmax(pg_current_snapshot())::text::bigint)`
  const { is_unreached } = await db
    .selectNoFrom(sql<boolean>`coalesce(${reached} <= (${epoch}::bigint, ${transaction}::bigint), false)`.as('is_unreached'))
    .executeTakeFirstOrThrow()
  return is_unreached
}

export async function sweepChanges(db: Reader, limit: number): Promise<number> {
  const { numDeletedRows } = await db
    .with('old', (one) =>
      one
        .selectFrom('change_log')
        .select(['school_id', 'epoch', 'transaction', 'id'])
        .where('occurred_at', '<', secondsAgo(daySeconds(changeDays)))
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .deleteFrom('change_log')
    .using('old')
    .whereRef('change_log.school_id', '=', 'old.school_id')
    .whereRef('change_log.epoch', '=', 'old.epoch')
    .whereRef('change_log.transaction', '=', 'old.transaction')
    .whereRef('change_log.id', '=', 'old.id')
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

export type ChangedPerson = Stored<'person', 'id' | 'version' | 'is_student' | 'is_member'>

/** The columns for `returning`. */
export const changedPerson = ['person.id', 'person.version', 'person.is_student', 'person.is_member'] as const

/** Records a change of people under each of their facets: a student and a member may be one row with one version. */
export async function recordPersonChanges(
  db: SchoolReader,
  people: readonly ChangedPerson[],
  { student = 'updated', member = 'updated' }: { student?: ChangeAction; member?: ChangeAction } = {},
): Promise<void> {
  const students = people.filter((person) => person.is_student)
  const members = people.filter((person) => person.is_member)
  await recordChanges(db, { type: 'student', action: student }, students)
  await recordChanges(db, { type: 'member', action: member }, members)
}
