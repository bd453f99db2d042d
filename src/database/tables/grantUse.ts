import { sql } from 'kysely'
import type { Log } from '../../base/log/log.ts'
import type { Database, Reader, SchoolReader } from '../connection/database.ts'
import { daySeconds, secondsAgo } from '../statements/expressions.ts'
import { unnest } from '../statements/unnest.ts'

/** One call of an operation of the API with a token of a grant. */
export interface GrantCall {
  schoolId: string
  grantId: string
  operation: string
  /** Rows in the response; undefined if the call was answered with an error of the client. */
  rows: number | undefined
}

/** Counts the calls of apps in memory, and adds the counts to the database in batches. */
export interface GrantUses {
  count(call: GrantCall): void
  /** Adds what was counted to the database. After an outage the counts stay in memory for the next attempt. */
  flush(): Promise<void>
  start(): void
  /** Adds the last counts. */
  stop(): Promise<void>
  /** Counters in memory. */
  readonly size: number
}

interface Counter extends Omit<GrantCall, 'rows'> {
  calls: number
  rows: number
  refused: number
  /** The last call, in milliseconds of the epoch. */
  at: number
}

const flushSeconds = 10
/** Different combinations of grant and operation in memory. Above half of them they are flushed early; calls above it are not counted. */
export const maxCounters = 20_000

/** Counts are of the process: those of at most the last `flushSeconds` are lost if it is killed. */
export function createGrantUses({ database, log }: { database: Pick<Database, 'kysely'>; log: Log }): GrantUses {
  let counters = new Map<string, Counter>()
  let timer: NodeJS.Timeout | undefined
  let flushing: Promise<void> | undefined

  const add = (key: string, added: Counter): void => {
    const counter = counters.get(key)
    if (!counter) {
      if (counters.size < maxCounters) counters.set(key, added)
      return
    }
    counter.calls += added.calls
    counter.rows += added.rows
    counter.refused += added.refused
    counter.at = Math.max(counter.at, added.at)
  }

  const store = async (): Promise<void> => {
    if (counters.size === 0) return
    const taken = counters
    counters = new Map()
    try {
      await addUses(database.kysely, [...taken.values()])
    } catch (error) {
      for (const [key, counter] of taken) add(key, counter)
      log.warn({ err: error }, 'use of grants not stored, trying again')
    }
  }
  /** One after the other: a second flush waits for the first. */
  const flush = (): Promise<void> => {
    const following = (flushing ?? Promise.resolve()).then(store).finally(() => {
      if (flushing === following) flushing = undefined
    })
    flushing = following
    return following
  }

  return {
    get size() {
      return counters.size
    },
    count({ schoolId, grantId, operation, rows }) {
      const isRefused = rows === undefined
      add(`${schoolId} ${grantId} ${operation}`, {
        ...{ schoolId, grantId, operation, at: Date.now() },
        ...{ calls: isRefused ? 0 : 1, rows: rows ?? 0, refused: isRefused ? 1 : 0 },
      })
      if (counters.size > maxCounters / 2 && !flushing) void flush()
    },
    flush,
    start() {
      timer ??= setInterval(flush, flushSeconds * 1000).unref()
    },
    async stop() {
      clearInterval(timer)
      await flush()
    },
  }
}

/** Adds counts of today, and the time of the last use to each grant. Grants that are gone are left out. */
async function addUses(db: Reader, counters: readonly Counter[]): Promise<void> {
  const counted = unnest('counted', {
    school_id: { type: 'uuid', values: counters.map(({ schoolId }) => schoolId) },
    grant_id: { type: 'text', values: counters.map(({ grantId }) => grantId) },
    operation: { type: 'text', values: counters.map(({ operation }) => operation) },
    calls: { type: 'bigint', values: counters.map(({ calls }) => calls) },
    rows: { type: 'bigint', values: counters.map(({ rows }) => rows) },
    refused: { type: 'bigint', values: counters.map(({ refused }) => refused) },
    at: { type: 'bigint', values: counters.map(({ at }) => at) },
  })
  await db
    .with('counted', (one) => one.selectFrom(counted).selectAll())
    // Locked in the order of their keys, so that the flushes of two processes do not wait for each other.
    .with('locked', (one) =>
      one
        .selectFrom('oidc_grant')
        .select(['oidc_grant.school_id', 'oidc_grant.id'])
        .where(
          ({ refTuple, selectFrom }) =>
            sql<boolean>`${refTuple('oidc_grant.school_id', 'oidc_grant.id')} IN ${selectFrom('counted').select(['counted.school_id', 'counted.grant_id'])}`,
        )
        .orderBy('oidc_grant.school_id')
        .orderBy('oidc_grant.id')
        .forNoKeyUpdate(),
    )
    .with('used', (one) =>
      one
        .updateTable('oidc_grant')
        .from('locked')
        .set(({ ref, selectFrom }) => ({
          last_used_at: sql<Date>`greatest(${ref('oidc_grant.last_used_at')}, ${selectFrom('counted')
            .select(({ fn }) => sql<Date>`to_timestamp(${fn.max('counted.at')} / 1000.0)`.as('at'))
            .whereRef('counted.school_id', '=', 'locked.school_id')
            .whereRef('counted.grant_id', '=', 'locked.id')})`,
        }))
        .whereRef('oidc_grant.school_id', '=', 'locked.school_id')
        .whereRef('oidc_grant.id', '=', 'locked.id')
        .returning('oidc_grant.id'),
    )
    .insertInto('grant_use')
    .columns(['school_id', 'grant_id', 'day', 'operation', 'calls', 'rows', 'refused', 'hour', 'refused_in_hour'])
    .expression((one) =>
      one
        .selectFrom('counted')
        .innerJoin('locked', (join) => join.onRef('locked.school_id', '=', 'counted.school_id').onRef('locked.id', '=', 'counted.grant_id'))
        .select(['counted.school_id', 'counted.grant_id', today.as('day'), 'counted.operation'])
        .select(['counted.calls', 'counted.rows', 'counted.refused', thisHour.as('hour'), 'counted.refused as refused_in_hour'])
        .orderBy('counted.school_id')
        .orderBy('counted.grant_id')
        .orderBy('counted.operation'),
    )
    .onConflict((conflict) =>
      conflict.columns(['school_id', 'grant_id', 'day', 'operation']).doUpdateSet(({ ref }) => ({
        calls: sql<number>`${ref('grant_use.calls')} + ${ref('excluded.calls')}`,
        rows: sql<number>`${ref('grant_use.rows')} + ${ref('excluded.rows')}`,
        refused: sql<number>`${ref('grant_use.refused')} + ${ref('excluded.refused')}`,
        hour: ref('excluded.hour'),
        refused_in_hour: sql<number>`${ref('excluded.refused_in_hour')}
          + CASE WHEN ${ref('grant_use.hour')} = ${ref('excluded.hour')} THEN ${ref('grant_use.refused_in_hour')} ELSE 0 END`,
      })),
    )
    .execute()
}

const today = sql<Date>`(now() AT TIME ZONE 'UTC')::date`

const thisHour = sql<number>`extract(hour FROM now() AT TIME ZONE 'UTC')::int`

/** How long counts are kept, in days. */
const useDays = 90

/** Deletes at most `limit` counts that are older than `useDays`, and returns their number. */
export async function sweepGrantUse(db: Reader, limit: number): Promise<number> {
  const { numDeletedRows } = await db
    .with('old', (one) =>
      one
        .selectFrom('grant_use')
        .select(['school_id', 'grant_id', 'day', 'operation'])
        .where('day', '<', secondsAgo(daySeconds(useDays)))
        .orderBy('day')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .deleteFrom('grant_use')
    .using('old')
    .whereRef('grant_use.school_id', '=', 'old.school_id')
    .whereRef('grant_use.grant_id', '=', 'old.grant_id')
    .whereRef('grant_use.day', '=', 'old.day')
    .whereRef('grant_use.operation', '=', 'old.operation')
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

/** Counts of one operation on one day. */
export interface UseOfDay {
  /** In UTC: `2026-03-01`. */
  day: string
  operation: string
  calls: number
  rows: number
  refused: number
}

/** Returns the counts of a grant, or of all grants to a client, the newest day first. */
export async function listUses(db: SchoolReader, of: { grantId: string } | { clientId: string }): Promise<UseOfDay[]> {
  const rows = await db
    .selectFrom('grant_use')
    .select(({ ref, fn }) => [
      sql<string>`${ref('day')}::text`.as('day'),
      'operation',
      fn.sum<string>('calls').as('calls'),
      fn.sum<string>('rows').as('rows'),
      fn.sum<string>('refused').as('refused'),
    ])
    .where((row) =>
      'grantId' in of
        ? row('grant_id', '=', of.grantId)
        : row('grant_id', 'in', row.selectFrom('oidc_grant').select('id').where('client_id', '=', of.clientId)),
    )
    .where('day', '>=', secondsAgo(daySeconds(useDays)))
    .groupBy(['day', 'operation'])
    .orderBy('day', 'desc')
    .orderBy('operation')
    .execute()
  return rows.map(({ day, operation, ...sums }) => ({
    ...{ day, operation },
    ...{ calls: Number(sums.calls), rows: Number(sums.rows), refused: Number(sums.refused) },
  }))
}
