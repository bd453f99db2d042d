import type { Expression } from 'kysely'
import { audienceOf, type Caller, type Viewer } from '../../policy/caller.ts'
import { enrollmentOf, isEnrolledSql } from '../../store/enrollmentExpressions.ts'
import { type Builder, type Condition, showsCounts } from '../../store/expressions.ts'
import { isTaughtBy } from './courses.ts'

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
