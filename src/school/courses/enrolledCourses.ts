import type { Expression } from 'kysely'
import { audienceOf, type Caller, type Viewer } from '../../base/caller.ts'
import { type Builder, type Condition, showsCounts } from '../../database/statements/expressions.ts'
import { enrollmentOf, isEnrolledSql } from '../learning/enrollmentExpressions.ts'
import { isTaughtBy } from './visibleCourses.ts'

type Courses = Builder<'course'>

const personOf = (caller: Caller): string | null => (caller.kind === 'person' ? caller.personId : null)

/** Matches courses in which the caller is or was enrolled, also archived ones. */
export function isEnrolled(course: Courses, caller: Caller): Condition {
  const personId = personOf(caller)
  return personId === null ? course.lit(false) : isEnrolledSql(personId)
}

export function enrollmentIn(_course: Courses, caller: Caller): Expression<unknown> | undefined {
  const personId = personOf(caller)
  return personId === null ? undefined : enrollmentOf(personId)
}

export function enrollmentsShown(course: Courses, caller: Viewer): Expression<unknown> {
  if (audienceOf(caller) === 'staff') return course.ref('course.enrollments_count')
  const isTaught = caller.kind === 'person' ? isTaughtBy(course, caller) : course.lit(false)
  return course
    .case()
    .when(course.or([isTaught, showsCounts(caller.schoolId)]))
    .then(course.ref('course.enrollments_count'))
    .end()
}
