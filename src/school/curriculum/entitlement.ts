import type { Expression } from 'kysely'
import { audienceOf, type Caller } from '../../base/caller.ts'
import type { Builder, Condition } from '../../database/statements/expressions.ts'
import { lessonCompletedAt, lockByEnrollment, opensByEnrollment } from '../learning/enrollmentExpressions.ts'
import { inCourse, lessonRules } from './coursePart.ts'

type Lessons = Builder<'lesson'>

export type LockReason = 'not_enrolled' | 'drip' | 'expired'

/**
 * Selects the reason why the content of a lesson is locked for the caller, null if it is open. This is the only rule for access to
 * content. Staff can read all lessons, lecturers those of the courses that they teach, everybody the previews of published courses, and
 * students the lessons that their enrolment opens at this time.
 */
export function lockReasonOf(lesson: Lessons, caller: Caller): Expression<LockReason | null> {
  const open = lesson.val(null).$castTo<LockReason | null>()
  if (audienceOf(caller) === 'staff') return lesson.cast<LockReason | null>(open, 'text')
  const personId = caller.kind === 'person' ? caller.personId : null
  return lesson
    .case()
    .when(isOpenPreview(lesson))
    .then(open)
    .when(caller.kind === 'person' ? lessonRules.isTaught(lesson, caller) : lesson.lit(false))
    .then(open)
    .else(lesson.cast<LockReason | null>(personId ? lockByEnrollment(personId) : lesson.val('not_enrolled'), 'text'))
    .end()
}

export const mayReadBody = (lesson: Lessons, caller: Caller): Condition => lesson(lockReasonOf(lesson, caller), 'is', null)

/** Selects the time at which a lesson opens to the caller; null if it is open already or is locked for another reason. */
export function unlocksAtOf(lesson: Lessons, caller: Caller): Expression<Date | null> {
  const personId = learnerIn(caller)
  if (personId === null) return lesson.val(null).$castTo<Date | null>()
  return lesson
    .case()
    .when(lesson.cast<string | null>(lockReasonOf(lesson, caller), 'text'), '=', 'drip')
    .then(opensByEnrollment(personId))
    .end()
}

export function completedAtOf(lesson: Lessons, caller: Caller): Expression<Date | null> {
  return caller.kind === 'person' && caller.personId !== null ? lessonCompletedAt(caller.personId) : lesson.val(null).$castTo<Date | null>()
}

const learnerIn = (caller: Caller): string | null => (caller.kind === 'person' && audienceOf(caller) !== 'staff' ? caller.personId : null)

/** Matches previews that everybody can read. A draft, or a lesson of a draft course, is not a preview yet. */
export function isOpenPreview(lesson: Lessons): Condition {
  return lesson.and([
    lesson('lesson.is_preview', '=', true),
    lesson('lesson.status', '=', 'published'),
    inCourse('lesson', (course) => course('course.status', '=', 'published')),
  ])
}
