import type { Sql } from '../../../database/connection/sql.ts'
import { aliased, columns } from '../../../database/statements/columns.ts'
import { dayOf, has } from './rollup.ts'
import { rollups } from './rollups.ts'

const dirty = aliased('analytics_dirty')
const school = aliased('school')
/** Every table that is counted has the column of the school. */
const row = aliased('enrollment', 'row')
const insertDirty = `INSERT INTO ${dirty} (${columns('analytics_dirty', ['school_id', 'day'])})`

/** Marks the days of these times for another computation. Days that have not been computed yet need no mark. */
export async function markDays(sql: Sql, schoolId: string, times: readonly Date[]): Promise<void> {
  if (times.length === 0) return
  await sql.query(
    `${insertDirty}
     SELECT DISTINCT $1::uuid, (happened.at AT TIME ZONE ${school.time_zone})::date
       FROM unnest($2::timestamptz[]) AS happened (at), ${school} WHERE ${school.id} = $1::uuid
     ON CONFLICT DO NOTHING`,
    [schoolId, times],
  )
}

/**
 * Marks the days before `today` on which something happened to rows that changed since: a late completion, a refund of an old order.
 * Code that writes such a row need not mark the day. A time that is removed is not found here: the nightly run computes every day.
 */
export async function markChangedDays(
  sql: Sql,
  { schoolId, timeZone, since, today, now }: { schoolId: string; timeZone: string; since: Date; today: string; now: Date },
): Promise<void> {
  const parts = new Set(
    rollups.flatMap(({ events }) =>
      events.map(
        ({ from, at, where, changedAt = row.updated_at }) =>
          `SELECT ${dayOf(at)} AS day FROM ${from}
            WHERE ${row.school_id} = $1::uuid AND ${has(changedAt)} AND ${changedAt} >= $3::timestamptz AND ${has(at)} AND ${at} <= $5::timestamptz${where ? ` AND (${where})` : ''}`,
      ),
    ),
  )
  await sql.query(
    `${insertDirty}
     SELECT DISTINCT $1::uuid, day FROM (${[...parts].join(' UNION ALL ')}) AS changed
      WHERE day < $4::date
     ON CONFLICT DO NOTHING`,
    [schoolId, timeZone, since, today, now],
  )
}

/** Marks the days whose windows contain these days. */
export async function markWindows(
  sql: Sql,
  { schoolId, days, windowDays, before }: { schoolId: string; days: readonly string[]; windowDays: number; before: string },
): Promise<void> {
  if (days.length === 0) return
  await sql.query(
    `${insertDirty}
     SELECT DISTINCT $1::uuid, (changed.day + distance) FROM unnest($2::date[]) AS changed (day), generate_series(0, $3::int - 1) AS distance
      WHERE changed.day + distance < $4::date
     ON CONFLICT DO NOTHING`,
    [schoolId, days, windowDays, before],
  )
}

export async function dirtyDays(sql: Sql, schoolId: string): Promise<string[]> {
  const rows = await sql.query<{ day: string }>(
    `SELECT ${dirty.day}::text FROM ${dirty} WHERE ${dirty.school_id} = $1 ORDER BY ${dirty.day}`,
    [schoolId],
  )
  return rows.map(({ day }) => day)
}

/** Marks every day from one to another, both included. */
export async function markSpan(sql: Sql, schoolId: string, { first, last }: { first: string; last: string }): Promise<void> {
  await sql.query(
    `${insertDirty}
     SELECT $1::uuid, day::date FROM generate_series($2::date, $3::date, interval '1 day') AS day
     ON CONFLICT DO NOTHING`,
    [schoolId, first, last],
  )
}

/** Removes the marks of these days, both included. */
export async function unmarkDays(sql: Sql, schoolId: string, { first, last }: { first: string; last: string }): Promise<void> {
  await sql.query(`DELETE FROM ${dirty} WHERE ${dirty.school_id} = $1 AND ${dirty.day} BETWEEN $2::date AND $3::date`, [
    schoolId,
    first,
    last,
  ])
}
