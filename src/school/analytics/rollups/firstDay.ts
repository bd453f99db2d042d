import type { Day } from '../../../base/days.ts'
import type { Sql } from '../../../database/connection/sql.ts'
import { aliased } from '../../../database/statements/columns.ts'
import { dayOf, has } from './rollup.ts'
import { rollups } from './rollups.ts'

const activity = aliased('person_activity_day')
/** Every table that is counted has the column of the school. */
const row = aliased('enrollment', 'row')

export async function firstDay(
  sql: Sql,
  { schoolId, timeZone, today, now }: { schoolId: string; timeZone: string; today: Day; now: Date },
): Promise<Day> {
  const times = new Map(
    rollups.flatMap(({ events }) => events.map(({ from, at, where }) => [`${from} ${at} ${where}`, { from, at, where }] as const)),
  )
  const parts = [...times.values()].map(
    ({ from, at, where }) =>
      `SELECT min(${at}) AS first FROM ${from} WHERE ${row.school_id} = $1::uuid AND ${has(at)} AND ${at} > $3::timestamptz AND ${at} <= $5::timestamptz${where ? ` AND (${where})` : ''}`,
  )
  const [first] = await sql.query<{ day: Day }>(
    `SELECT least($4::date, ${dayOf('min(first)')}, (SELECT min(${activity.day}) FROM ${activity} WHERE ${activity.school_id} = $1::uuid))::text AS day
       FROM (${parts.join(' UNION ALL ')}) AS firsts`,
    [schoolId, timeZone, '-infinity', today, now],
  )
  return first?.day ?? today
}
