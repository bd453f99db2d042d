import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { DB } from '../../gen/kysely/tables.ts'
import { audienceOf, type Caller } from '../../policy/caller.ts'
import { lessonCompletedAt, lockByEnrollment, opensByEnrollment } from '../../store/enrollmentExpressions.ts'
import { inCourse, lessonRules } from './coursePart.ts'

type Lessons = ExpressionBuilder<DB, 'lesson'>

/** Why what a lesson teaches is closed to somebody who sees that the lesson is there. */
export type LockReason = 'not_enrolled' | 'drip' | 'expired'

/**
 * The one rule of who may read what a lesson teaches: null where it is open to the caller, else the reason why it is not.
 * Open are all lessons to the school's staff, those of their own courses to lecturers, to everybody the previews of
 * published courses, and to who is enrolled what their enrolment opens by now.
 */
export function lockReasonOf(lesson: Lessons, caller: Caller): Expression<LockReason | null> {
  const open = lesson.val(null).$castTo<LockReason | null>()
  if (audienceOf(caller) === 'staff') return lesson.cast<LockReason | null>(open, 'text')
  const isPerson = caller.kind === 'person' && caller.personId !== null
  return lesson
    .case()
    .when(isOpenPreview(lesson))
    .then(open)
    .when(caller.kind === 'person' ? lessonRules.isTaught(lesson, caller) : lesson.lit(false))
    .then(open)
    .else(lesson.cast<LockReason | null>(isPerson ? lockByEnrollment(caller.personId as string) : lesson.val('not_enrolled'), 'text'))
    .end()
}

/** Whether the caller may read what the lesson teaches. */
export const mayReadBody = (lesson: Lessons, caller: Caller): Expression<SqlBool> => lesson(lockReasonOf(lesson, caller), 'is', null)

/** When time alone opens a lesson to the caller; null where it is open, or no time opens it. */
export function unlocksAtOf(lesson: Lessons, caller: Caller): Expression<Date | null> {
  const personId = learnerIn(caller)
  if (personId === null) return lesson.val(null).$castTo<Date | null>()
  return lesson
    .case()
    .when(lesson.cast<string | null>(lockReasonOf(lesson, caller), 'text'), '=', 'drip')
    .then(opensByEnrollment(personId))
    .end()
}

/** When the caller completed a lesson. */
export function completedAtOf(lesson: Lessons, caller: Caller): Expression<Date | null> {
  return caller.kind === 'person' && caller.personId !== null ? lessonCompletedAt(caller.personId) : lesson.val(null).$castTo<Date | null>()
}

const learnerIn = (caller: Caller): string | null => (caller.kind === 'person' && audienceOf(caller) !== 'staff' ? caller.personId : null)

/** A lesson that the school shows to everybody who sees the course. A draft, or a lesson of a draft, is no preview yet. */
export function isOpenPreview(lesson: Lessons): Expression<SqlBool> {
  return lesson.and([
    lesson('lesson.is_preview', '=', true),
    lesson('lesson.status', '=', 'published'),
    inCourse('lesson', (course) => course('course.status', '=', 'published')),
  ])
}
