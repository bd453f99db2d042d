import { type Expression, expressionBuilder } from 'kysely'
import { jsonArrayFrom } from 'kysely/helpers/postgres'
import { audienceOf, type Caller } from '../../base/caller.ts'
import type { SchoolReader, Stored } from '../../database/connection/database.ts'
import type { Builder, Condition } from '../../database/statements/expressions.ts'
import type { DB } from '../../gen/kysely/tables.ts'
import { isTaughtBy } from '../courses/visibleCourses.ts'
import { lessonCompletedAt, lockByEnrollment, opensByEnrollment } from '../learning/enrollmentExpressions.ts'
import type { Drip } from './lessonRules.ts'
import { inCourse, lessonRules } from './selections.ts'

type Courses = Builder<'course'>

interface SelectedLesson extends Stored<'lesson', 'id' | 'title' | 'is_preview' | 'position' | 'duration_seconds' | 'external_id'> {
  kind: 'video' | 'text' | 'audio' | 'file' | 'quiz' | 'assignment' | 'live' | 'embed'
  status: 'draft' | 'published'
  drip: Drip
  lock_reason: LockReason | null
}

interface SelectedSection extends Stored<'section', 'id' | 'title' | 'summary' | 'position' | 'external_id'> {
  lessons: readonly SelectedLesson[]
}

/**
 * Selects the sections of a course with the outlines of their lessons, in order, within the query of the course. The content of the
 * lessons is not included.
 */
export function sectionsOf(course: Courses, caller: Caller): Expression<unknown> {
  return jsonArrayFrom(
    course
      .selectFrom('section')
      .select(['section.id', 'section.title', 'section.summary', 'section.position', 'section.external_id'])
      .select((section) =>
        jsonArrayFrom(
          section
            .selectFrom('lesson')
            .select(['lesson.id', 'lesson.title', 'lesson.kind', 'lesson.status', 'lesson.is_preview', 'lesson.position'])
            .select(['lesson.duration_seconds', 'lesson.drip', 'lesson.external_id'])
            .select((lesson) => lesson.cast<string>(lockReasonOf(expressionBuilder<DB, 'lesson'>(), caller), 'text').as('lock_reason'))
            .whereRef('lesson.section_id', '=', 'section.id')
            .where((lesson) => lesson.or([lesson('lesson.status', '=', 'published'), seesDrafts(course, caller)]))
            .orderBy('lesson.position'),
        ).as('lessons'),
      )
      .whereRef('section.course_id', '=', 'course.id')
      .orderBy('section.position'),
  )
}

/** Matches courses whose drafts the caller sees, together with the counts that include them. */
function seesDrafts(course: Courses, caller: Caller): Condition {
  const audience = audienceOf(caller)
  if (audience === 'staff') return course.lit(true)
  return caller.kind === 'person' && audience === 'lecturer' ? isTaughtBy(course, caller) : course.lit(false)
}

/** Completes the result of `sectionsOf`. Positions count the listed lessons: a hidden draft leaves no gap. */
export function treeFrom(sections: readonly SelectedSection[] | null) {
  return (sections ?? []).map((section) => ({
    ...section,
    object: 'section' as const,
    lessons_count: section.lessons.length,
    lessons: section.lessons.map((lesson, position) => ({
      ...lesson,
      object: 'lesson' as const,
      section_id: section.id,
      position,
      locked: lesson.lock_reason !== null,
    })),
  }))
}

interface TreeContext {
  database: SchoolReader
  caller: Caller
}

export async function readTree({ database, caller }: TreeContext, { id }: { id: string }): Promise<Record<string, unknown>> {
  const row = await database
    .selectFrom('course')
    .select('tree_version')
    .select((course) => course.cast<SelectedSection[] | null>(sectionsOf(course, caller), 'json').as('sections'))
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return { course_id: id, version: row.tree_version, sections: treeFrom(row.sections) }
}

type Lessons = Builder<'lesson'>

type LockReason = 'not_enrolled' | 'drip' | 'expired'

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
