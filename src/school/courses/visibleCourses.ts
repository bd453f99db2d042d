import type { Expression } from 'kysely'
import { jsonArrayFrom } from 'kysely/helpers/postgres'
import { audienceOf, type Caller, type PersonCaller, type Viewer } from '../../base/caller.ts'
import { comparisonForm } from '../../base/text/comparisonForm.ts'
import { elementAt } from '../../base/text/elementAt.ts'
import { type Builder, type Condition, showsCounts } from '../../database/statements/expressions.ts'
import { enrollmentOf, isEnrolledSql } from '../learning/enrollmentExpressions.ts'

type Courses = Builder<'course'>
type Lecturers = Builder<'lecturer'>

export const isInCatalogue = (course: Courses): Condition => course.and({ status: 'published', visibility: 'public' })

/** Matches published courses that only people with their URL can find. */
export const isUnlisted = (course: Courses): Condition => course.and({ status: 'published', visibility: 'unlisted' })

/** Matches the courses that a person of the school finds: the public catalogue and the courses for members. */
export const isOpenToMembers = (course: Courses): Condition =>
  course.and([course('status', '=', 'published'), course('visibility', 'in', ['public', 'members'])])

export function isTaughtBy(course: Courses, { lecturerId }: Pick<PersonCaller, 'lecturerId'>): Condition {
  return lecturerId === null ? course.lit(false) : teaches(course, (lecturer) => lecturer('lecturer.id', '=', lecturerId))
}

export const hasTag = (course: Courses, tags: readonly string[]): Condition =>
  course.or(tags.map((tag) => course(course.val(comparisonForm(tag)), '=', course.fn.any('tag_forms'))))

/** Matches courses of one of these lecturers, if the caller can see the lecturer. */
export function hasLecturer(course: Courses, lecturerIds: readonly string[], caller: Caller): Condition {
  return teaches(course, (lecturer) => lecturer.and([lecturer('lecturer.id', 'in', [...lecturerIds]), isKnownLecturer(lecturer, caller)]))
}

/** Matches courses that cost at most this amount, in the smallest unit of the currency. */
export const costsAtMost = (course: Courses, amounts: readonly number[]): Condition => course('price_amount', '<=', elementAt(amounts, 0))

/** Selects the lecturers of a course in its order: `[{ id, display_name, slug }]`. */
export function lecturersOf(course: Courses, caller: Caller): Expression<unknown> {
  return jsonArrayFrom(
    course
      .selectFrom('course_lecturer')
      .innerJoin('lecturer', 'lecturer.id', 'course_lecturer.lecturer_id')
      .select(['lecturer.id', 'lecturer.display_name', 'lecturer.slug'])
      .whereRef('course_lecturer.course_id', '=', 'course.id')
      .where((lecturer) => isKnownLecturer(lecturer, caller))
      .orderBy('course_lecturer.position')
      .orderBy('lecturer.id'),
  )
}

/** Matches the lecturers whom the caller can see: active ones and themselves; staff see all. */
export function isKnownLecturer(lecturer: Lecturers, caller: Caller): Condition {
  const audience = audienceOf(caller)
  if (audience === 'staff') return lecturer.lit(true)
  const isActive = lecturer('lecturer.status', '=', 'active')
  return caller.kind === 'person' && caller.lecturerId !== null
    ? lecturer.or([isActive, lecturer('lecturer.id', '=', caller.lecturerId)])
    : isActive
}

function teaches(course: Courses, which: (lecturer: Lecturers) => Condition): Condition {
  return course.exists(
    course
      .selectFrom('course_lecturer')
      .innerJoin('lecturer', 'lecturer.id', 'course_lecturer.lecturer_id')
      .whereRef('course_lecturer.course_id', '=', 'course.id')
      .where((lecturer) => which(lecturer)),
  )
}

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
