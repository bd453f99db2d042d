import { type Expression, type SqlBool, sql } from 'kysely'
import { hasCoursePlanSql } from './accessExpressions.ts'

/** The state of a row of `enrollment` as of now: one past its time has ended, also before a job has noted it. */
const statusNowSql = `CASE WHEN "enrollment"."status" IN ('active', 'completed') AND "enrollment"."expires_at" <= now()
  THEN 'expired' ELSE "enrollment"."status" END`

/** When the lesson opens within the enrolment: not before that begins, and not before its drip. */
const opensAtSql = `greatest("enrollment"."starts_at", CASE "lesson"."drip" ->> 'mode'
  WHEN 'days_after_enrollment' THEN "enrollment"."starts_at" + make_interval(days => ("lesson"."drip" ->> 'days')::int)
  WHEN 'date' THEN ("lesson"."drip" ->> 'at')::timestamptz END)`

const ofEnrollment = { schoolId: '"enrollment"."school_id"', personId: '"enrollment"."person_id"', courseId: '"enrollment"."course_id"' }

/** The reason why a lesson is locked for an enrolment, or `open`. A plan that has ended gives no access, whatever the row says. */
const lockOfEnrollmentSql = `CASE
  WHEN "enrollment"."status" IN ('suspended', 'canceled') THEN 'not_enrolled'
  WHEN EXISTS (SELECT 1 FROM "person" WHERE "person"."school_id" = "enrollment"."school_id" AND "person"."id" = "enrollment"."person_id"
                  AND "person"."student_status" IN ('suspended', 'erased')) THEN 'not_enrolled'
  WHEN ${statusNowSql} = 'expired' THEN 'expired'
  WHEN "enrollment"."source" = 'plan' AND NOT ${hasCoursePlanSql(ofEnrollment)} THEN 'expired'
  WHEN ${opensAtSql} > now() THEN 'drip'
  ELSE 'open' END`

const mineIn = (part: 'lesson' | 'course', personId: string) =>
  sql`"enrollment"."school_id" = ${sql.raw(`"${part}"."school_id"`)} AND "enrollment"."course_id" = ${sql.raw(
    part === 'course' ? '"course"."id"' : '"lesson"."course_id"',
  )} AND "enrollment"."person_id" = ${personId}`

/** Rows of `enrollment` that are in one of these states now. */
export function hasCurrentStatus(statuses: readonly string[]): Expression<SqlBool> {
  // Enrolments that have expired are still stored with another state: an index finds both.
  const stored = [...new Set(statuses.flatMap((status) => (status === 'expired' ? ['expired', 'active', 'completed'] : [status])))]
  return sql<SqlBool>`("enrollment"."status" IN (${sql.join(stored)}) AND ${sql.raw(statusNowSql)} IN (${sql.join([...statuses])}))`
}

/** Why a row of `lesson` is closed to the person, by their enrolment: null where it is open, `not_enrolled` where there is none. */
export const lockByEnrollment = (personId: string): Expression<string | null> =>
  sql<
    string | null
  >`nullif(coalesce((SELECT ${sql.raw(lockOfEnrollmentSql)} FROM "enrollment" WHERE ${mineIn('lesson', personId)}), 'not_enrolled'), 'open')`

/** When a row of `lesson` opens to the person, where time alone keeps it closed. */
export const opensByEnrollment = (personId: string): Expression<Date | null> =>
  sql<Date | null>`(SELECT ${sql.raw(opensAtSql)} FROM "enrollment"
     WHERE ${mineIn('lesson', personId)} AND ${sql.raw(lockOfEnrollmentSql)} = 'drip')`

/** When the person completed a row of `lesson`. */
export const lessonCompletedAt = (personId: string): Expression<Date | null> =>
  sql<Date | null>`(SELECT "lesson_progress"."completed_at" FROM "lesson_progress" JOIN "enrollment"
       ON "enrollment"."school_id" = "lesson_progress"."school_id" AND "enrollment"."id" = "lesson_progress"."enrollment_id"
     WHERE ${mineIn('lesson', personId)} AND "lesson_progress"."lesson_id" = "lesson"."id")`

/** True if the person is or was enrolled in a row of `course` that is not a draft. */
export const isEnrolledSql = (personId: string): Expression<SqlBool> =>
  sql<SqlBool>`("course"."status" IN ('published', 'archived') AND EXISTS (SELECT 1 FROM "enrollment"
     WHERE ${mineIn('course', personId)} AND "enrollment"."status" <> 'canceled'))`

/** The person's own enrolment in a row of `course`, as JSON. */
export const enrollmentOf = (personId: string): Expression<unknown> =>
  sql`(SELECT jsonb_build_object('id', "enrollment"."id", 'status', ${sql.raw(statusNowSql)},
         'progress_percent', "enrollment"."progress_percent", 'expires_at', "enrollment"."expires_at")
       FROM "enrollment" WHERE ${mineIn('course', personId)})`

/** The reason why the `lesson` of the same query is locked for the `enrollment`, or `open`. */
export const lockOfEnrollment = sql.raw<'open' | 'not_enrolled' | 'expired' | 'drip'>(lockOfEnrollmentSql)
export const opensAtOfEnrollment = sql.raw<Date | null>(opensAtSql)

/** True if the school of a row shows counts to everybody. */
export const showsCounts = (table: string): Expression<SqlBool> =>
  sql<SqlBool>`NOT EXISTS (SELECT 1 FROM "school" WHERE "school"."id" = ${sql.ref(`${table}.school_id`)}
    AND "school"."settings" @> '{"show_counts": false}'::jsonb)`
