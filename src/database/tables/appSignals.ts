import { sql } from 'kysely'
import { firstIdAt } from '../../base/ids.ts'
import type { Reader, SchoolReader, SchoolWriter } from '../connection/database.ts'
import { type Builder, daySeconds, now, secondsAgo } from '../statements/expressions.ts'
import { type AuditEntry, recordAudit } from './audit.ts'
import type { NamedAuditEvent } from './auditEvents.ts'
import { changeConditions } from './changeFilter.ts'
import { pauseClient } from './clients.ts'
import type { SignalKind, SignalRule } from './signals.ts'

/** Something unusual about an app. */
export interface AppSignal {
  client_id: string
  kind: SignalKind
  counted: number
  /** The number above which it is unusual. */
  threshold: number
}

/** Stores a signal, once a day for each kind, and pauses the app as `pauses` says. */
export async function raiseSignal(
  writer: SchoolWriter,
  { client_id, kind, counted, threshold, pauses }: AppSignal & Pick<SignalRule, 'pauses'>,
): Promise<{ isNew: boolean; isPaused: boolean }> {
  const { schoolId: school_id } = writer
  const { is_new: isNew } = await writer
    .insertInto('app_signal')
    .values({ school_id, client_id, kind, counted, threshold, day: today })
    .onConflict((conflict) =>
      conflict
        .columns(['school_id', 'client_id', 'kind', 'day'])
        .doUpdateSet(({ ref }) => ({ counted: sql<number>`greatest(${ref('app_signal.counted')}, ${ref('excluded.counted')})` })),
    )
    .returning(sql<boolean>`xmax = 0`.as('is_new'))
    .executeTakeFirstOrThrow()
  const mayPause = pauses === 'each time' || (pauses === 'once a day' && isNew)
  const isPaused = mayPause && (await pauseClient(writer, client_id, true))
  const pausedByRule: AuditEntry = { school_id, event: 'school.app_paused', client_id, details: { by: 'rule', signal: kind } }
  await recordAudit(writer, [
    ...(isNew ? [{ school_id, event: 'app.unusual' as const, client_id, details: { signal: kind, counted, threshold } }] : []),
    ...(isPaused ? [pausedByRule] : []),
  ])
  return { isNew, isPaused }
}

const hourSeconds = 3600
/** The current day, in UTC. */
export const today = sql<Date>`(now() AT TIME ZONE 'UTC')::date`

/** The signals about objects that an app lost to the school. */
export const lossKinds = ['deletions', 'overwrites'] as const satisfies SignalKind[]

export type LossKind = (typeof lossKinds)[number]

/** Counts the objects that an app deleted and overwrote within the last hour, and since the staff last continued it. */
export async function countLosses(db: SchoolReader, clientId: string): Promise<Record<LossKind, number>> {
  const client = await db.selectFrom('oidc_client').select('continued_at').where('id', '=', clientId).executeTakeFirst()
  const since = Math.max(Date.now() - hourSeconds * 1000, client?.continued_at?.getTime() ?? 0)
  return await db
    .selectFrom('audit_log')
    .select((row) => [lostObjects.deletions(row).as('deletions'), lostObjects.overwrites(row).as('overwrites')])
    .where('client_id', '=', clientId)
    .where('id', '>=', firstIdAt(since))
    .executeTakeFirstOrThrow()
}

export interface ShownSignal extends AppSignal {
  noticed_at: Date
}

/** Returns the signals of these apps of the last `days`, the newest first, except requests to use an app: its state shows them. */
export async function listSignals(db: SchoolReader, clientIds: readonly string[], days: number): Promise<ShownSignal[]> {
  if (clientIds.length === 0) return []
  const rows = await db
    .selectFrom('app_signal')
    .select(['client_id', 'kind', 'noticed_at'])
    .select(({ cast }) => [cast<number>('counted', 'float8').as('counted'), cast<number>('threshold', 'float8').as('threshold')])
    .where('client_id', 'in', clientIds)
    .where('kind', '<>', 'asked')
    .where('day', '>', secondsAgo(daySeconds(days)))
    .orderBy('noticed_at', 'desc')
    .$narrowType<{ kind: SignalKind }>()
    .execute()
  return rows
}

/** Returns the schools with signals that no e-mail has reported, and with no such e-mail in the last day. */
export async function schoolsToNotify(db: Reader): Promise<string[]> {
  const rows = await db
    .selectFrom('app_signal')
    .select('school_id')
    .where('day', '>', secondsAgo(daySeconds(2)))
    .groupBy('school_id')
    .having(({ fn }) => fn.countAll().filterWhere('mailed_at', 'is', null), '>', 0)
    .having(({ or, eb, fn }) => or([eb(fn.max('mailed_at'), 'is', null), eb(fn.max('mailed_at'), '<=', secondsAgo(daySeconds(1)))]))
    .execute()
  return rows.map(({ school_id }) => school_id)
}

/** Marks the signals of a school as reported, and returns those that were not. */
export async function takeUnreported(writer: SchoolWriter): Promise<AppSignal[]> {
  const rows = await writer
    .updateTable('app_signal')
    .set({ mailed_at: now })
    .where('mailed_at', 'is', null)
    .returning(['client_id', 'kind'])
    .returning(({ cast }) => [cast<number>('counted', 'float8').as('counted'), cast<number>('threshold', 'float8').as('threshold')])
    .$narrowType<{ kind: SignalKind }>()
    .execute()
  return rows
}

/** Deletes at most `limit` signals that are older than 90 days, and returns their number. */
export async function sweepSignals(db: Reader, limit: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('app_signal')
    .where(
      ({ refTuple, selectFrom }) =>
        sql<boolean>`${refTuple('school_id', 'client_id', 'kind', 'day')} IN ${selectFrom('app_signal as old')
          .select(['old.school_id', 'old.client_id', 'old.kind', 'old.day'])
          .where('old.day', '<', secondsAgo(daySeconds(90)))
          .limit(limit)}`,
    )
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

export interface AppChanges {
  client_id: string
  /** Requests that changed something. */
  changes: number
  /** Objects that they deleted. */
  deletions: number
}

export interface AppCalls {
  client_id: string
  operation: string
  rows: number
  refused: number
}

/**
 * The number of objects that requests of these entries deleted through the API, and that they overwrote. An entry of a deletion counts at least
 * the objects that it names: those of earlier releases have no count, and an erased person has no row that is gone.
 */
export const lostObjects = {
  deletions: (row: Builder<'audit_log'>) =>
    sql<number>`coalesce(sum(greatest(
      CASE WHEN ${row.ref('audit_log.event')} LIKE '%.deleted' THEN coalesce(jsonb_array_length(${row.ref('audit_log.details')} #> '{resource,ids}'), 1) ELSE 0 END,
      (${row.ref('audit_log.details')} #>> '{losses,deleted}')::int)) FILTER (WHERE ${row.ref('audit_log.details')} ? 'operation' AND ${row.ref('audit_log.event')} <> ${'activity.undone' satisfies NamedAuditEvent}), 0)::int`,
  overwrites: (row: Builder<'audit_log'>) =>
    sql<number>`coalesce(sum((${row.ref('audit_log.details')} #>> '{losses,overwritten}')::int), 0)::int`,
}

/** Counts what apps changed since so many days. */
export async function countAppChanges(reader: SchoolReader, clientIds: readonly string[], days: number): Promise<AppChanges[]> {
  if (clientIds.length === 0) return []
  return await reader
    .selectFrom('audit_log')
    .select((row) => [
      row.ref('client_id').$notNull().as('client_id'),
      row.cast<number>(row.fn.countAll(), 'int4').as('changes'),
      lostObjects.deletions(row).as('deletions'),
    ])
    .where('client_id', 'in', clientIds)
    .where('id', '>=', firstIdAt(Date.now() - daySeconds(days) * 1000))
    .where((row) => row.and(changeConditions({})(row)))
    .groupBy('client_id')
    .execute()
}

/** Counts what apps called since so many days. */
export async function countAppCalls(reader: SchoolReader, clientIds: readonly string[], days: number): Promise<AppCalls[]> {
  if (clientIds.length === 0) return []
  return await reader
    .selectFrom('grant_use')
    .innerJoin('oidc_grant', 'oidc_grant.id', 'grant_use.grant_id')
    .select((row) => [
      'oidc_grant.client_id',
      'grant_use.operation',
      row.cast<number>(row.fn.sum('grant_use.rows'), 'float8').as('rows'),
      row.cast<number>(row.fn.sum('grant_use.refused'), 'float8').as('refused'),
    ])
    .where('oidc_grant.client_id', 'in', clientIds)
    .where('grant_use.day', '>', secondsAgo(daySeconds(days)))
    .groupBy(['oidc_grant.client_id', 'grant_use.operation'])
    .execute()
}
