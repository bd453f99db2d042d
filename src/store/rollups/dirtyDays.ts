import type { Sql } from '../sql.ts'
import { dayOf, has } from './rollup.ts'
import { rollups } from './rollups.ts'

/** Notes that the days of these times have to be computed again. Days that have not been computed yet are no matter. */
export async function markDays(sql: Sql, schoolId: string, times: readonly Date[]): Promise<void> {
  if (times.length === 0) return
  await sql.query(
    `INSERT INTO analytics_dirty (school_id, day)
     SELECT DISTINCT $1::uuid, (happened.at AT TIME ZONE school.time_zone)::date
       FROM unnest($2::timestamptz[]) AS happened (at), school WHERE school.id = $1::uuid
     ON CONFLICT DO NOTHING`,
    [schoolId, times],
  )
}

/**
 * Notes the days before `today` on which something happened to rows that changed since: a late completion, a refund of an old order.
 * Nobody who writes such a row has to think of it. A time that is taken away leaves no trace: the night looks at every day.
 */
export async function markChangedDays(
  sql: Sql,
  { schoolId, timeZone, since, today, now }: { schoolId: string; timeZone: string; since: Date; today: string; now: Date },
): Promise<void> {
  const parts = new Set(
    rollups.flatMap(({ happenings }) =>
      happenings.map(
        ({ from, at, where, changedAt = 'row.updated_at' }) =>
          `SELECT ${dayOf(at)} AS day FROM ${from}
            WHERE row.school_id = $1::uuid AND ${has(changedAt)} AND ${changedAt} >= $3::timestamptz AND ${has(at)} AND ${at} <= $5::timestamptz${where ? ` AND (${where})` : ''}`,
      ),
    ),
  )
  await sql.query(
    `INSERT INTO analytics_dirty (school_id, day)
     SELECT DISTINCT $1::uuid, day FROM (${[...parts].join(' UNION ALL ')}) AS changed
      WHERE day < $4::date
     ON CONFLICT DO NOTHING`,
    [schoolId, timeZone, since, today, now],
  )
}

/** The same for the days in whose windows these days lie. */
export async function markWindows(
  sql: Sql,
  { schoolId, days, windowDays, before }: { schoolId: string; days: readonly string[]; windowDays: number; before: string },
): Promise<void> {
  if (days.length === 0) return
  await sql.query(
    `INSERT INTO analytics_dirty (school_id, day)
     SELECT DISTINCT $1::uuid, (changed.day + distance) FROM unnest($2::date[]) AS changed (day), generate_series(0, $3::int - 1) AS distance
      WHERE changed.day + distance < $4::date
     ON CONFLICT DO NOTHING`,
    [schoolId, days, windowDays, before],
  )
}

/** Marked days, oldest first. */
export async function dirtyDays(sql: Sql, schoolId: string): Promise<string[]> {
  const rows = await sql.query<{ day: string }>('SELECT day::text FROM analytics_dirty WHERE school_id = $1 ORDER BY analytics_dirty.day', [
    schoolId,
  ])
  return rows.map(({ day }) => day)
}
