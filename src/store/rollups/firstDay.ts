import type { Day } from '../../lib/days.ts'
import type { Sql } from '../sql.ts'
import { dayOf, has } from './rollup.ts'
import { rollups } from './rollups.ts'

/** The first day on which anything happened in a school; today where nothing ever did. */
export async function firstDay(
  sql: Sql,
  { schoolId, timeZone, today, now }: { schoolId: string; timeZone: string; today: Day; now: Date },
): Promise<Day> {
  const times = new Map(
    rollups.flatMap(({ happenings }) => happenings.map(({ from, at, where }) => [`${from} ${at} ${where}`, { from, at, where }] as const)),
  )
  const parts = [...times.values()].map(
    ({ from, at, where }) =>
      `SELECT min(${at}) AS first FROM ${from} WHERE row.school_id = $1::uuid AND ${has(at)} AND ${at} > $3::timestamptz AND ${at} <= $5::timestamptz${where ? ` AND (${where})` : ''}`,
  )
  const [row] = await sql.query<{ day: Day }>(
    `SELECT least($4::date, ${dayOf('min(first)')}, (SELECT min(day) FROM person_activity_day WHERE school_id = $1::uuid))::text AS day
       FROM (${parts.join(' UNION ALL ')}) AS firsts`,
    [schoolId, timeZone, '-infinity', today, now],
  )
  return row?.day ?? today
}
