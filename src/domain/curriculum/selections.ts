import type { Expression, ExpressionBuilder } from 'kysely'
import type { DB } from '../../gen/kysely/tables.ts'
import { audienceOf, type Caller } from '../../policy/caller.ts'
import { lessonRules } from './coursePart.ts'

type Lessons = ExpressionBuilder<DB, 'lesson'>
type Sections = ExpressionBuilder<DB, 'section'>

/** One column of a lesson's text. */
export const textOf =
  (column: 'content' | 'content_format' | 'content_html') =>
  (lesson: Lessons): Expression<unknown> =>
    lesson
      .selectFrom('lesson_body')
      .select(`lesson_body.${column}`)
      .whereRef('lesson_body.school_id', '=', 'lesson.school_id')
      .whereRef('lesson_body.lesson_id', '=', 'lesson.id')

/** A file of a lesson, as it is read. Eight-byte numbers may arrive as text. */
export interface LessonFile {
  file_id: string
  filename: string
  content_type: string
  byte_size: number | string
  /** It is to be taken along; otherwise it is what the lesson plays. */
  is_attached: boolean
}

/** What a lesson plays, and the files to take along in their order. */
export function lessonFilesOf(lesson: Lessons): Expression<unknown> {
  return lesson
    .selectFrom((inner) =>
      inner
        .selectFrom('file')
        .select((file) => [
          'file.id as file_id',
          'file.filename',
          'file.content_type',
          'file.bytes as byte_size',
          isAttached(file).as('is_attached'),
        ])
        .whereRef('file.school_id', '=', 'lesson.school_id')
        .where('file.status', '=', 'ready')
        .where((file) =>
          file.or([
            isAttached(file),
            file('file.id', '=', file.cast<string>(file.ref('lesson.media', '->>').key('file_id' as never), 'uuid')),
          ]),
        )
        .orderBy((file) => file.fn('array_position', ['lesson.attachment_file_ids', 'file.id']))
        .as('attached'),
    )
    .select((attached) => attached.fn.jsonAgg('attached').as('attachments'))
}

const isAttached = (file: ExpressionBuilder<DB, 'file' | 'lesson'>) => file('file.id', '=', file.fn.any('lesson.attachment_file_ids'))

/** The place of a lesson among those that the caller sees: drafts are not counted for who does not see them. */
export function visiblePosition(lesson: Lessons, caller: Caller): Expression<unknown> {
  if (audienceOf(caller) === 'staff') return lesson.ref('lesson.position')
  const published = lesson
    .selectFrom('lesson as other')
    .select((other) => other.cast<number>(other.fn.countAll(), 'integer').as('place'))
    .whereRef('other.school_id', '=', 'lesson.school_id')
    .whereRef('other.section_id', '=', 'lesson.section_id')
    .where('other.status', '=', 'published')
    .whereRef('other.position', '<', 'lesson.position')
  const isTaught = caller.kind === 'person' ? lessonRules.isTaught(lesson, caller) : lesson.lit(false)
  return lesson.case().when(isTaught).then(lesson.ref('lesson.position')).else(published).end()
}

/** How many lessons of a section the caller sees. */
export function visibleLessonsCount(section: Sections, caller: Caller): Expression<unknown> {
  return section
    .selectFrom('lesson')
    .select((lesson) => lesson.cast<number>(lesson.fn.countAll(), 'integer').as('count'))
    .whereRef('lesson.school_id', '=', 'section.school_id')
    .whereRef('lesson.section_id', '=', 'section.id')
    .where((lesson) => {
      if (audienceOf(caller) === 'staff') return lesson.lit(true)
      const rows = lesson as unknown as Lessons
      const isPublished = rows('lesson.status', '=', 'published')
      return caller.kind === 'person' ? rows.or([isPublished, lessonRules.isTaught(rows, caller)]) : isPublished
    })
}
