import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { DB } from '../../gen/kysely/tables.ts'
import { audienceOf, type Caller, type PersonCaller } from '../../policy/caller.ts'

type Courses = ExpressionBuilder<DB, 'course'>
type Lecturers = ExpressionBuilder<DB, 'lecturer'>
type Condition = Expression<SqlBool>

/** What anyone finds in the catalogue. */
export const isInCatalogue = (course: Courses): Condition => course.and({ status: 'published', visibility: 'public' })

/** Published for who knows its address. */
export const isUnlisted = (course: Courses): Condition => course.and({ status: 'published', visibility: 'unlisted' })

/** What a person of the school finds: the catalogue, and what is for members. */
export const isOpenToMembers = (course: Courses): Condition =>
  course.and([course('status', '=', 'published'), course('visibility', 'in', ['public', 'members'])])

/** Courses that the person teaches, in every state. */
export function isTaughtBy(course: Courses, { lecturerId }: Pick<PersonCaller, 'lecturerId'>): Condition {
  return lecturerId === null ? course.lit(false) : teaches(course, (lecturer) => lecturer('lecturer.id', '=', lecturerId))
}

/** Courses that carry one of the tags. */
export const hasTag = (course: Courses, tags: readonly string[]): Condition =>
  course.or(tags.map((tag) => course(course.val(tag), '=', course.fn.any('tags'))))

/** Courses of one of these lecturers, as far as the caller may know who teaches. */
export function hasLecturer(course: Courses, lecturerIds: readonly string[], caller: Caller): Condition {
  return teaches(course, (lecturer) => lecturer.and([lecturer('lecturer.id', 'in', [...lecturerIds]), isKnownLecturer(lecturer, caller)]))
}

/** Courses for sale at up to this amount, in the smallest unit. */
export const costsAtMost = (course: Courses, [amount]: readonly number[]): Condition => course('price_amount', '<=', amount as number)

/** Who teaches a course, in the course's order: `[{ id, display_name, slug }]`. */
export function lecturersOf(course: Courses, caller: Caller): Expression<unknown> {
  return course
    .selectFrom((inner) =>
      inner
        .selectFrom('course_lecturer')
        .innerJoin('lecturer', (join) =>
          join.onRef('lecturer.school_id', '=', 'course_lecturer.school_id').onRef('lecturer.id', '=', 'course_lecturer.lecturer_id'),
        )
        .select(['lecturer.id', 'lecturer.display_name', 'lecturer.slug'])
        .whereRef('course_lecturer.school_id', '=', 'course.school_id')
        .whereRef('course_lecturer.course_id', '=', 'course.id')
        .where((lecturer) => isKnownLecturer(lecturer, caller))
        .orderBy('course_lecturer.position')
        .orderBy('lecturer.id')
        .as('listed'),
    )
    .select((listed) => listed.fn.jsonAgg('listed').as('lecturers'))
}

/** Lecturers whom the caller may see: the active ones and oneself; staff see all. */
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
      .innerJoin('lecturer', (join) =>
        join.onRef('lecturer.school_id', '=', 'course_lecturer.school_id').onRef('lecturer.id', '=', 'course_lecturer.lecturer_id'),
      )
      .select('lecturer.id')
      .whereRef('course_lecturer.school_id', '=', 'course.school_id')
      .whereRef('course_lecturer.course_id', '=', 'course.id')
      .where((lecturer) => which(lecturer)),
  )
}
