import { type Expression, expressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { DB } from '../../gen/kysely/tables.ts'
import { hasCoursePlan } from '../memberships/accessExpressions.ts'

const { ref } = expressionBuilder<DB, 'enrollment' | 'lesson' | 'course' | 'lesson_progress' | 'person'>()
const status = ref('enrollment.status')

/** The current status of a row of `enrollment`: one past its end has expired, even before a job has recorded that. */
const currentStatus = sql<string>`CASE WHEN ${status} IN ('active', 'completed') AND ${ref('enrollment.expires_at')} <= now()
  THEN 'expired' ELSE ${status} END`

/** When the `lesson` opens to the person with the `enrollment`: not before the enrolment starts, and not before its drip. */
export const opensAtOfEnrollment: RawBuilder<Date | null> = sql`greatest(${ref('enrollment.starts_at')}, CASE ${ref('lesson.drip')} ->> 'mode'
  WHEN 'days_after_enrollment' THEN ${ref('enrollment.starts_at')} + make_interval(days => (${ref('lesson.drip')} ->> 'days')::int)
  WHEN 'date' THEN (${ref('lesson.drip')} ->> 'at')::timestamptz END)`

const isPersonSuspended = sql<boolean>`EXISTS (SELECT 1 FROM "person"
  WHERE ${ref('person.school_id')} = ${ref('enrollment.school_id')} AND ${ref('person.id')} = ${ref('enrollment.person_id')}
    AND ${ref('person.student_status')} IN ('suspended', 'erased'))`

const isOpenedByPlan = hasCoursePlan(expressionBuilder<DB, never>(), {
  schoolId: ref('enrollment.school_id'),
  personId: ref('enrollment.person_id'),
  courseId: ref('enrollment.course_id'),
})

/**
 * Why the `lesson` is closed to the person with the `enrollment`, or `open`. A plan that has ended gives no access, whatever the enrolment
 * says. `not_enrolled` invites to enrol, so a suspended enrolment, and that of a suspended person, is `expired`: it gives no access now.
 */
export const lockOfEnrollment: RawBuilder<'open' | 'not_enrolled' | 'expired' | 'drip'> = sql`CASE
  WHEN ${status} = 'canceled' THEN 'not_enrolled'
  WHEN ${currentStatus} IN ('expired', 'suspended') OR ${isPersonSuspended} THEN 'expired'
  WHEN ${ref('enrollment.source')} = 'plan' AND NOT ${isOpenedByPlan} THEN 'expired'
  WHEN ${opensAtOfEnrollment} > now() THEN 'drip'
  ELSE 'open' END`

const isOwnInCourse = (personId: string) =>
  sql<SqlBool>`${ref('enrollment.school_id')} = ${ref('course.school_id')} AND ${ref('enrollment.course_id')} = ${ref('course.id')}
    AND ${ref('enrollment.person_id')} = ${personId}`

const isOwnOfLesson = (personId: string) =>
  sql<SqlBool>`${ref('enrollment.school_id')} = ${ref('lesson.school_id')} AND ${ref('enrollment.course_id')} = ${ref('lesson.course_id')}
    AND ${ref('enrollment.person_id')} = ${personId}`

export function hasCurrentStatus(statuses: readonly string[]): Expression<SqlBool> {
  // An expired enrolment may still be stored with another status. The stored status is a condition as well, because an index finds it.
  const stored = [...new Set(statuses.flatMap((one) => (one === 'expired' ? ['expired', 'active', 'completed'] : [one])))]
  return sql<SqlBool>`(${status} IN (${sql.join(stored)}) AND ${currentStatus} IN (${sql.join([...statuses])}))`
}

/** Selects why a row of `lesson` is closed to the person: null if it is open, `not_enrolled` without an enrolment. */
export const lockByEnrollment = (personId: string): Expression<string | null> =>
  sql<
    string | null
  >`nullif(coalesce((SELECT ${lockOfEnrollment} FROM "enrollment" WHERE ${isOwnOfLesson(personId)}), 'not_enrolled'), 'open')`

/** Selects when a row of `lesson` opens to the person, if only its drip keeps it closed. */
export const opensByEnrollment = (personId: string): Expression<Date | null> =>
  sql<Date | null>`(SELECT ${opensAtOfEnrollment} FROM "enrollment"
     WHERE ${isOwnOfLesson(personId)} AND ${lockOfEnrollment} = 'drip')`

export const lessonCompletedAt = (personId: string): Expression<Date | null> =>
  sql<Date | null>`(SELECT ${ref('lesson_progress.completed_at')} FROM "lesson_progress" JOIN "enrollment"
       ON ${ref('enrollment.school_id')} = ${ref('lesson_progress.school_id')} AND ${ref('enrollment.id')} = ${ref('lesson_progress.enrollment_id')}
     WHERE ${isOwnOfLesson(personId)} AND ${ref('lesson_progress.lesson_id')} = ${ref('lesson.id')})`

/** Matches rows of `course` that are not drafts and in which the person is or was enrolled. */
export const isEnrolledSql = (personId: string): Expression<SqlBool> =>
  sql<SqlBool>`(${ref('course.status')} IN ('published', 'archived') AND EXISTS (SELECT 1 FROM "enrollment"
     WHERE ${isOwnInCourse(personId)} AND ${status} <> 'canceled'))`

export const enrollmentOf = (personId: string): Expression<unknown> =>
  sql`(SELECT jsonb_build_object('id', ${ref('enrollment.id')}, 'status', ${currentStatus},
         'progress_percent', ${ref('enrollment.progress_percent')}, 'expires_at', ${ref('enrollment.expires_at')})
       FROM "enrollment" WHERE ${isOwnInCourse(personId)})`
