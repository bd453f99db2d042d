import type { Day } from '../../../base/days.ts'
import type { Reader } from '../../../database/connection/database.ts'

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

export async function readState(
  db: Reader,
  schoolId: string,
): Promise<{ state: AnalyticsState | undefined; timeZone: string; currency: string }> {
  const row = await db
    .selectFrom('school')
    .leftJoin('analytics_state', 'analytics_state.school_id', 'school.id')
    .select(({ cast }) => [
      'school.time_zone as zone_now',
      'school.currency',
      'analytics_state.time_zone',
      'analytics_state.activity_through',
      cast<Day | null>('analytics_state.days_through', 'text').as('days_through'),
      cast<Day | null>('analytics_state.closed_through', 'text').as('closed_through'),
      'analytics_state.as_of',
      'analytics_state.lecturers_digest',
    ])
    .where('school.id', '=', schoolId)
    .executeTakeFirst()
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
          lecturersDigest: row.lecturers_digest ?? '',
        }
  return { state, timeZone: row.zone_now, currency: row.currency }
}

export async function writeState(db: Reader, state: AnalyticsState): Promise<void> {
  const { schoolId, timeZone, activityThrough, daysThrough, closedThrough, asOf, lecturersDigest } = state
  await db
    .insertInto('analytics_state')
    .values({
      school_id: schoolId,
      time_zone: timeZone,
      activity_through: activityThrough ?? null,
      days_through: daysThrough ?? null,
      closed_through: closedThrough ?? null,
      as_of: asOf ?? null,
      lecturers_digest: lecturersDigest,
    })
    .onConflict((conflict) =>
      conflict.column('school_id').doUpdateSet(({ ref }) => ({
        time_zone: ref('excluded.time_zone'),
        activity_through: ref('excluded.activity_through'),
        days_through: ref('excluded.days_through'),
        closed_through: ref('excluded.closed_through'),
        as_of: ref('excluded.as_of'),
        lecturers_digest: ref('excluded.lecturers_digest'),
      })),
    )
    .execute()
}

/** Deletes every figure of a school: the next run begins with its first day. */
export async function forgetFigures(db: Reader, schoolId: string): Promise<void> {
  for (const table of figureTables) await db.deleteFrom(table).where('school_id', '=', schoolId).execute()
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
  'analytics_daily_tax',
  'analytics_daily_event',
  'analytics_lesson',
  'analytics_retention',
  'analytics_state',
] as const
