import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { DB } from '../../gen/kysely/tables.ts'
import { audienceOf, type Caller } from '../../policy/caller.ts'
import { enrollmentOf, isEnrolledSql, showsCounts } from '../../store/enrollmentExpressions.ts'
import { isTaughtBy } from './courses.ts'

type Courses = ExpressionBuilder<DB, 'course'>

const personOf = (caller: Caller): string | null => (caller.kind === 'person' ? caller.personId : null)

/** Courses that the caller takes or has taken: also those that the catalogue shows no more. */
export function isEnrolled(course: Courses, caller: Caller): Expression<SqlBool> {
  const personId = personOf(caller)
  return personId === null ? course.lit(false) : isEnrolledSql(personId)
}

/** The caller's own enrolment in a course, or null. */
export function enrollmentIn(course: Courses, caller: Caller): Expression<unknown> {
  const personId = personOf(caller)
  return personId === null ? course.lit(null) : enrollmentOf(personId)
}

/** How many take a course now, as far as the caller may know. */
export function enrollmentsShown(course: Courses, caller: Caller): Expression<unknown> {
  if (audienceOf(caller) === 'staff') return course.ref('course.enrollments_count')
  const isTaught = caller.kind === 'person' ? isTaughtBy(course, caller) : course.lit(false)
  return course
    .case()
    .when(course.or([isTaught, showsCounts('course')]))
    .then(course.ref('course.enrollments_count'))
    .end()
}
