import type { Day } from '../../lib/days.ts'
import type { Sql } from '../sql.ts'

/** How far a school's figures have been computed. */
export interface AnalyticsState {
  schoolId: string
  timeZone: string
  activityThrough?: Date | undefined
  daysThrough?: Day | undefined
  closedThrough?: Day | undefined
  asOf?: Date | undefined
  lecturersDigest: string
}

/** The state, if there is one, and the zone that the school is in now. */
export async function readState(
  sql: Sql,
  schoolId: string,
): Promise<{ state: AnalyticsState | undefined; timeZone: string; currency: string }> {
  const [row] = await sql.query<{
    zone_now: string
    currency: string
    time_zone: string | null
    activity_through: Date | null
    days_through: Day | null
    closed_through: Day | null
    as_of: Date | null
    lecturers_digest: string
  }>(
    `SELECT school.time_zone AS zone_now, school.currency, state.time_zone, state.activity_through, state.days_through::text,
            state.closed_through::text, state.as_of, state.lecturers_digest
       FROM school LEFT JOIN analytics_state AS state ON state.school_id = school.id WHERE school.id = $1`,
    [schoolId],
  )
  if (!row) throw new Error(`there is no school ${schoolId}`)
  const state =
    row.time_zone === null
      ? undefined
      : {
          schoolId,
          timeZone: row.time_zone,
          activityThrough: row.activity_through ?? undefined,
          daysThrough: row.days_through ?? undefined,
          closedThrough: row.closed_through ?? undefined,
          asOf: row.as_of ?? undefined,
          lecturersDigest: row.lecturers_digest,
        }
  return { state, timeZone: row.zone_now, currency: row.currency }
}

export async function writeState(sql: Sql, state: AnalyticsState): Promise<void> {
  const { schoolId, timeZone, activityThrough, daysThrough, closedThrough, asOf, lecturersDigest } = state
  await sql.query(
    `INSERT INTO analytics_state (school_id, time_zone, activity_through, days_through, closed_through, as_of, lecturers_digest)
     VALUES ($1, $2, $3, $4::date, $5::date, $6, $7)
     ON CONFLICT (school_id) DO UPDATE SET time_zone = excluded.time_zone, activity_through = excluded.activity_through,
       days_through = excluded.days_through, closed_through = excluded.closed_through, as_of = excluded.as_of,
       lecturers_digest = excluded.lecturers_digest`,
    [schoolId, timeZone, activityThrough ?? null, daysThrough ?? null, closedThrough ?? null, asOf ?? null, lecturersDigest],
  )
}

/** Forgets every figure of a school: the next run begins with its first day. */
export async function forgetFigures(sql: Sql, schoolId: string): Promise<void> {
  for (const table of figureTables) await sql.query(`DELETE FROM ${table} WHERE school_id = $1`, [schoolId])
}

const figureTables = [
  'analytics_dirty',
  'person_activity_day',
  'analytics_daily_active',
  'analytics_daily_school',
  'analytics_daily_product',
  'analytics_daily_order',
  'analytics_daily_course',
  'analytics_daily_pace',
  'analytics_daily_plan',
  'analytics_daily_coupon',
  'analytics_daily_event',
  'analytics_lesson',
  'analytics_retention',
  'analytics_state',
]
