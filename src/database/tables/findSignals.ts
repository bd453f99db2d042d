import { type Expression, sql } from 'kysely'
import { firstIdAt } from '../../base/ids.ts'
import type { Reader } from '../connection/database.ts'
import { daySeconds, secondsAgo } from '../statements/expressions.ts'
import { unnest } from '../statements/unnest.ts'
import { type AppSignal, lossKinds, lostObjects, today } from './appSignals.ts'
import type { SignalLimits } from './signals.ts'

/** Something unusual at one of the schools. */
export type FoundSignal = AppSignal & { school_id: string }

/** The operations of the API that the search for unusual apps distinguishes. */
export interface WatchedOperations {
  /** Ids of the operations whose responses are about people. */
  people: readonly string[]
  /** The ids of the operations that change something, each with its permission. */
  writes: readonly { operation: string; scope: string }[]
}

/** Finds what apps of all schools did that is unusual, but for requests to use an app: those are stored when they are made. */
export async function findSignals(db: Reader, operations: WatchedOperations, limits: SignalLimits): Promise<FoundSignal[]> {
  const found = await Promise.all([
    findLosses(db, limits),
    findPeopleRows(db, operations.people, limits),
    findRefused(db, limits),
    findNewPermissions(db, operations.writes, limits),
    findReusedTokens(db, limits),
  ])
  return found.flat()
}

const hourAgo = (): string => firstIdAt(Date.now() - 3_600_000)

const usesOfClients = (db: Pick<Reader, 'selectFrom'>) =>
  db
    .selectFrom('grant_use')
    .innerJoin('oidc_grant', (join) =>
      join.onRef('oidc_grant.school_id', '=', 'grant_use.school_id').onRef('oidc_grant.id', '=', 'grant_use.grant_id'),
    )

/** The clients that called the API within the last hour, at the latest since the day began. */
const activeClients = (db: Pick<Reader, 'selectFrom'>) =>
  usesOfClients(db)
    .where('grant_use.day', '>=', sql<Date>`(now() AT TIME ZONE 'UTC' - interval '1 hour')::date`)
    .select(['grant_use.school_id', 'oidc_grant.client_id'])
    .distinct()

/** The first id of rows that were added after a time; null for null. */
const firstIdAfter = (time: Expression<Date | null>) =>
  sql<string | null>`(lpad(to_hex(floor(extract(epoch FROM ${time}) * 1000)::bigint), 12, '0') || '70008000000000000000')::uuid`

async function findLosses(db: Reader, { rules }: SignalLimits): Promise<FoundSignal[]> {
  const rows = await db
    .selectFrom(activeClients(db).as('active'))
    .innerJoin('oidc_client as c', (join) => join.onRef('c.school_id', '=', 'active.school_id').onRef('c.id', '=', 'active.client_id'))
    .innerJoinLateral(
      (lateral) =>
        lateral
          .selectFrom('audit_log')
          .select((row) => [lostObjects.deletions(row).as('deletions'), lostObjects.overwrites(row).as('overwrites')])
          .whereRef('audit_log.school_id', '=', 'active.school_id')
          .whereRef('audit_log.client_id', '=', 'active.client_id')
          .where('audit_log.id', '>=', ({ ref }) => sql<string>`greatest(${hourAgo()}::uuid, ${firstIdAfter(ref('c.continued_at'))})`)
          .as('counts'),
      (join) => join.onTrue(),
    )
    .select(['active.school_id', 'active.client_id', 'counts.deletions', 'counts.overwrites'])
    .execute()
  return rows.flatMap(({ school_id, client_id, ...counts }) =>
    lossKinds
      .filter((kind) => counts[kind] > rules[kind].threshold)
      .map((kind) => ({ school_id, client_id, kind, counted: counts[kind], threshold: rules[kind].threshold })),
  )
}

async function findPeopleRows(db: Reader, operations: readonly string[], { rules, usualRows }: SignalLimits): Promise<FoundSignal[]> {
  const rows = await db
    .with('daily', (one) =>
      usesOfClients(one)
        .innerJoin(activeClients(db).as('active'), (join) =>
          join.onRef('active.school_id', '=', 'grant_use.school_id').onRef('active.client_id', '=', 'oidc_grant.client_id'),
        )
        .select(['grant_use.school_id', 'oidc_grant.client_id', 'grant_use.day'])
        .select(({ fn, cast }) => cast<number>(fn.sum('grant_use.rows'), 'float8').as('rows'))
        .where('grant_use.day', '>=', secondsAgo(daySeconds(usualRows.days + 1)))
        .where(({ eb, fn, val }) => eb('grant_use.operation', '=', fn.any(val([...operations]))))
        .groupBy(['grant_use.school_id', 'oidc_grant.client_id', 'grant_use.day']),
    )
    .with('usual', (one) =>
      one
        .selectFrom('daily')
        .select(['school_id', 'client_id'])
        .select(sql<number>`coalesce(percentile_cont(0.5) WITHIN GROUP (ORDER BY rows) FILTER (WHERE day < ${today}), 0)`.as('median'))
        .select(sql<number>`coalesce(max(rows) FILTER (WHERE day = ${today}), 0)`.as('counted'))
        .groupBy(['school_id', 'client_id']),
    )
    .selectFrom('usual')
    .select(['school_id', 'client_id', 'counted'])
    .select(sql<number>`greatest(${rules.people_rows.threshold}::int, ${usualRows.times}::int * median)`.as('threshold'))
    .where(sql<boolean>`counted > greatest(${rules.people_rows.threshold}::int, ${usualRows.times}::int * median)`)
    .execute()
  return rows.map((row) => ({ ...row, threshold: Math.ceil(row.threshold), kind: 'people_rows' }))
}

async function findRefused(db: Reader, { rules }: SignalLimits): Promise<FoundSignal[]> {
  const { threshold } = rules.refused
  const rows = await usesOfClients(db)
    .select(['grant_use.school_id', 'oidc_grant.client_id'])
    .select(({ fn, cast }) => cast<number>(fn.sum('refused_in_hour'), 'float8').as('counted'))
    .where('grant_use.day', '=', today)
    .where('grant_use.hour', '=', sql<number>`extract(hour FROM now() AT TIME ZONE 'UTC')::int`)
    .groupBy(['grant_use.school_id', 'oidc_grant.client_id'])
    .having(({ fn }) => fn.sum('refused_in_hour'), '>', threshold)
    .execute()
  return rows.map((row) => ({ ...row, kind: 'refused', threshold }))
}

async function findNewPermissions(
  db: Reader,
  writes: WatchedOperations['writes'],
  { rules, quietDays }: SignalLimits,
): Promise<FoundSignal[]> {
  const { threshold } = rules.new_permission
  const write = unnest('write', {
    operation: { type: 'text', values: writes.map(({ operation }) => operation) },
    scope: { type: 'text', values: writes.map(({ scope }) => scope) },
  })
  const rows = await db
    .with('used', (one) =>
      one
        .selectFrom('grant_use')
        .innerJoin(write, 'write.operation', 'grant_use.operation')
        .innerJoin('oidc_grant', (join) =>
          join.onRef('oidc_grant.school_id', '=', 'grant_use.school_id').onRef('oidc_grant.id', '=', 'grant_use.grant_id'),
        )
        .innerJoin('oidc_client', (join) =>
          join.onRef('oidc_client.school_id', '=', 'grant_use.school_id').onRef('oidc_client.id', '=', 'oidc_grant.client_id'),
        )
        .select(['grant_use.school_id', 'oidc_grant.client_id', 'write.scope'])
        .select(({ fn }) => fn.min('grant_use.day').as('first_day'))
        .where('grant_use.day', '>=', sql<Date>`${today} - ${quietDays}::int`)
        .where('grant_use.calls', '>', sql<string>`0`)
        .where('oidc_client.created_at', '<', secondsAgo(daySeconds(quietDays)))
        .groupBy(['grant_use.school_id', 'oidc_grant.client_id', 'write.scope']),
    )
    .selectFrom('used')
    .select(['school_id', 'client_id'])
    .select(({ fn, cast }) => cast<number>(fn.countAll(), 'int4').as('counted'))
    .where('first_day', '=', today)
    .groupBy(['school_id', 'client_id'])
    .execute()
  return rows.map((row) => ({ ...row, kind: 'new_permission', threshold }))
}

async function findReusedTokens(db: Reader, { rules }: SignalLimits): Promise<FoundSignal[]> {
  const { threshold } = rules.reused_token
  const rows = await db
    .selectFrom('school')
    .innerJoin('audit_log', 'audit_log.school_id', 'school.id')
    .innerJoin('oidc_client', (join) =>
      join.onRef('oidc_client.school_id', '=', 'audit_log.school_id').onRef('oidc_client.id', '=', 'audit_log.client_id'),
    )
    .select(['audit_log.school_id', 'oidc_client.id as client_id'])
    .select(({ fn, cast }) => cast<number>(fn.countAll(), 'int4').as('counted'))
    .where('audit_log.event', 'in', ['refresh_token.reused', 'code.replayed'])
    .where('audit_log.id', '>=', hourAgo())
    .groupBy(['audit_log.school_id', 'oidc_client.id'])
    .execute()
  return rows.map((row) => ({ ...row, kind: 'reused_token', threshold }))
}
