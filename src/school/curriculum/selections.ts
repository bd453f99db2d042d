import { type Expression, expressionBuilder, sql } from 'kysely'
import { jsonArrayFrom } from 'kysely/helpers/postgres'
import { audienceOf, type Caller, type PersonCaller } from '../../base/caller.ts'
import type { Builder, Condition } from '../../database/statements/expressions.ts'
import type { DB } from '../../gen/kysely/tables.ts'
import { isEnrolled, isInCatalogue, isOpenToMembers, isTaughtBy, isUnlisted } from '../courses/visibleCourses.ts'

type Lessons = Builder<'lesson'>
type Sections = Builder<'section'>

export const textOf =
  (column: 'content' | 'content_format' | 'content_html') =>
  (lesson: Lessons): Expression<unknown> =>
    lesson.selectFrom('lesson_body').select(`lesson_body.${column}`).whereRef('lesson_body.lesson_id', '=', 'lesson.id')

/** A file of a lesson as it is selected. Eight-byte numbers can be texts. */
export interface LessonFile {
  file_id: string
  filename: string
  content_type: string
  byte_size: number | string
  /** True for an attachment, false for the media of the lesson. */
  is_attached: boolean
}

export function lessonFilesOf(lesson: Lessons): Expression<unknown> {
  return jsonArrayFrom(
    lesson
      .selectFrom('file')
      .select((file) => [
        'file.id as file_id',
        'file.filename',
        'file.content_type',
        'file.bytes as byte_size',
        isAttached(file).as('is_attached'),
      ])
      .where('file.status', '=', 'ready')
      .where((file) => file.or([isAttached(file), file('file.id', '=', sql<string>`(${file.ref('lesson.media')} ->> 'file_id')::uuid`)]))
      .orderBy((file) => file.fn('array_position', ['lesson.attachment_file_ids', 'file.id'])),
  )
}

const isAttached = (file: Builder<'file' | 'lesson'>) => file('file.id', '=', file.fn.any('lesson.attachment_file_ids'))

/** Selects the position of a lesson among those that the caller sees, without hidden drafts. */
export function visiblePosition(lesson: Lessons, caller: Caller): Expression<unknown> {
  if (audienceOf(caller) === 'staff') return lesson.ref('lesson.position')
  const published = lesson
    .selectFrom('lesson as other')
    .select((other) => other.cast<number>(other.fn.countAll(), 'integer').as('place'))
    .whereRef('other.section_id', '=', 'lesson.section_id')
    .where('other.status', '=', 'published')
    .whereRef('other.position', '<', 'lesson.position')
  const isTaught = caller.kind === 'person' ? lessonRules.isTaught(lesson, caller) : lesson.lit(false)
  return lesson.case().when(isTaught).then(lesson.ref('lesson.position')).else(published).end()
}

export function visibleLessonsCount(section: Sections, caller: Caller): Expression<unknown> {
  return section
    .selectFrom('lesson')
    .select((lesson) => lesson.cast<number>(lesson.fn.countAll(), 'integer').as('count'))
    .whereRef('lesson.section_id', '=', 'section.id')
    .where((lesson) => {
      if (audienceOf(caller) === 'staff') return lesson.lit(true)
      const isPublished = lesson('lesson.status', '=', 'published')
      return caller.kind === 'person' ? lesson.or([isPublished, lessonRules.isTaught(lesson, caller)]) : isPublished
    })
}

type Part = 'section' | 'lesson'
type InCourse = Part | 'enrollment' | 'lesson_progress' | 'certificate'
type Courses = Builder<'course'>

export function inCourse(table: InCourse, which: (course: Courses) => Condition): Condition {
  const rows = expressionBuilder<DB, InCourse>()
  return rows.exists(
    rows
      .selectFrom('course')
      .whereRef('course.school_id', '=', `${table}.school_id`)
      .whereRef('course.id', '=', `${table}.course_id`)
      .where(which(expressionBuilder<DB, 'course'>())),
  )
}

/** Returns the visibility of a part of a course: callers who see the course see its shown parts; its lecturers see all of them. */
function rulesOfPart<Table extends Part>(table: Table, isShown: (part: Builder<Table>) => Condition) {
  const shownIn =
    (which: (course: Courses) => Condition) =>
    (part: Builder<Table>): Condition =>
      part.and([isShown(part), inCourse(table, which)])
  const isTaught = (_part: unknown, me: PersonCaller): Condition => inCourse(table, (course) => isTaughtBy(course, me))
  const seenBy = (part: Builder<Table>, me: PersonCaller): Condition =>
    shownIn((course) => course.or([isOpenToMembers(course), isEnrolled(course, me)]))(part)
  return {
    anonymous: shownIn(isInCatalogue),
    /** Parts of an unlisted course, which only callers with its URL can open. */
    unlisted: shownIn(isUnlisted),
    learner: seenBy,
    lecturer: (part: Builder<Table>, me: PersonCaller): Condition => part.or([seenBy(part, me), isTaught(part, me)]),
    isTaught,
  }
}

/** Sections have no state: they are visible with their course. */
export const sectionRules = rulesOfPart('section', (section) => section.lit(true))

/** A draft is visible only to the lecturers of the course and the staff. */
export const lessonRules = rulesOfPart('lesson', (lesson) => lesson('lesson.status', '=', 'published'))
