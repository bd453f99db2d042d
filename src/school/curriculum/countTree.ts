import { sql } from 'kysely'
import type { PersonCaller } from '../../base/caller.ts'
import { Problem } from '../../base/problem.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'
import type { Builder, Condition } from '../../database/statements/expressions.ts'
import type { ChangeAction } from '../../database/tables/changeActions.ts'
import { recordChange, recordChanges } from '../../database/tables/changeLog.ts'

export interface CourseKey {
  courseId: string
}

export const maxSections = 200
export const maxLessons = 1000

/**
 * Updates the counts of sections and lessons in the row of a course. `isSeen` says that the change is visible in the tree, which then gets
 * a new version. The course itself gets none. Every change of a curriculum calls this, with the course locked.
 * @throws Problem invalid_state if a published course would lose its last published lesson
 */
export async function countTree(writer: SchoolWriter, { courseId }: CourseKey, { isSeen }: { isSeen: boolean }): Promise<void> {
  const counted = await writer
    .with('earlier', (query) => query.selectFrom('course').select('published_lessons_count').where('id', '=', courseId))
    .updateTable('course')
    .from((inner) =>
      inner
        .selectFrom('lesson')
        .select((lesson) => lessonCounts(lesson))
        .where('lesson.course_id', '=', courseId)
        .as('counted'),
    )
    .set((course) => ({
      tree_version: course('course.tree_version', '+', isSeen ? 1 : 0),
      sections_count: course
        .selectFrom('section')
        .select((section) => section.cast<number>(section.fn.countAll(), 'integer').as('count'))
        .where('section.course_id', '=', courseId),
      lessons_count: course.ref('counted.lessons'),
      published_lessons_count: course.ref('counted.published_lessons'),
      previews_count: course.ref('counted.previews'),
      published_previews_count: course.ref('counted.published_previews'),
      duration_minutes: course.ref('counted.minutes'),
      published_duration_minutes: course.ref('counted.published_minutes'),
    }))
    .where('course.id', '=', courseId)
    .returning((course) => [
      'course.tree_version as version',
      course
        .and([
          course('course.status', '=', 'published'),
          course('course.published_lessons_count', '=', 0),
          course(course.selectFrom('earlier').select('earlier.published_lessons_count'), '>', 0),
        ])
        .as('is_emptied'),
    ])
    .executeTakeFirst()
  if (counted && isSeen) await recordCurriculum(writer, { courseId }, 'updated', counted.version)
  if (counted?.is_emptied) {
    throw new Problem('invalid_state', {
      description:
        'A published course needs at least one published lesson. Unpublish or archive the course first, or publish another lesson.',
      details: [
        { field: 'lessons_count', code: 'last_published_lesson', message: 'This is the last published lesson of a published course.' },
      ],
    })
  }
}

function lessonCounts(lesson: Builder<'lesson'>) {
  const isPublished = lesson('lesson.status', '=', 'published')
  const isPreview = lesson('lesson.is_preview', '=', true)
  const count = (condition: Condition) => lesson.cast<number>(lesson.fn.countAll().filterWhere(condition), 'integer')
  const minutes = (condition: Condition) =>
    sql<number>`coalesce(ceil(${lesson.fn.sum('lesson.duration_seconds').filterWhere(condition)} / 60.0), 0)::integer`
  return [
    count(lesson.lit(true)).as('lessons'),
    count(isPublished).as('published_lessons'),
    count(isPreview).as('previews'),
    count(lesson.and([isPreview, isPublished])).as('published_previews'),
    minutes(lesson.lit(true)).as('minutes'),
    minutes(isPublished).as('published_minutes'),
  ] as const
}

export const recordCurriculum = (writer: SchoolWriter, { courseId }: CourseKey, action: ChangeAction, version: number): Promise<void> =>
  recordChange(writer, { type: 'curriculum', resource_id: courseId, action, version })

/**
 * Locks the course of a section or lesson until the transaction ends. It is locked before its parts, so that concurrent changes of its
 * curriculum cannot deadlock.
 */
export const lockCourseOf =
  (table: 'section' | 'lesson') =>
  async (writer: SchoolWriter, { id }: { id: string }): Promise<void> => {
    await writer
      .selectFrom('course')
      .select('id')
      .where('id', '=', (course) => course.selectFrom(table).select('course_id').where('id', '=', id))
      .forNoKeyUpdate()
      .execute()
  }

export interface CurriculumContext {
  writer: SchoolWriter
  caller: PersonCaller
  now: Date
}

const parentColumns = { section: 'course_id', lesson: 'section_id' } as const

export interface OrderedParts {
  part: keyof typeof parentColumns
  id: string
}

type Context = Pick<CurriculumContext, 'writer' | 'now'>

/** Returns the position after the last one, counted from 0. */
export async function nextPosition({ writer }: Pick<Context, 'writer'>, parts: OrderedParts): Promise<number> {
  const last = await writer
    .selectFrom(parts.part)
    .select((row) => row.fn.max('position').as('position'))
    .where(parentColumns[parts.part], '=', parts.id)
    .executeTakeFirst()
  return (last?.position ?? -1) + 1
}

/** Moves every row after a position by one: down to make room for a new row, up to close the gap of a removed one. */
export async function movePositions(
  { writer, now }: Context,
  parts: OrderedParts,
  { after, by }: { after: number; by: 1 | -1 },
): Promise<void> {
  const moved = await writer
    .updateTable(parts.part)
    .set((row) => ({ position: row('position', '+', by), version: row('version', '+', 1), updated_at: now }))
    .where(parentColumns[parts.part], '=', parts.id)
    .where('position', '>', after)
    .returning(['id', 'version'])
    .execute()
  await recordChanges(writer, { type: parts.part, action: 'updated' }, moved)
}

/** @throws Problem curriculum_full if the course has the maximum number of sections or lessons */
export async function requireRoom(
  { writer }: Pick<Context, 'writer'>,
  { part, courseId, most }: { part: OrderedParts['part']; courseId: string; most: number },
): Promise<void> {
  const { count } = await writer
    .selectFrom(part)
    .select((row) => row.fn.countAll<number | string>().as('count'))
    .where('course_id', '=', courseId)
    .executeTakeFirstOrThrow()
  if (Number(count) >= most) throw new Problem('curriculum_full', { description: `A course can have at most ${most} ${part}s.` })
}
