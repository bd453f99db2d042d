import { fromPublicId, toPublicId } from '../../lib/ids.ts'
import { Problem, type ProblemDetail } from '../../lib/problem.ts'
import { recordChanges } from '../../store/changeLog.ts'
import type { Sql } from '../../store/sql.ts'
import type { CourseKey } from './countTree.ts'

/** Sections in their order, each with its lessons in theirs. Ids as they are stored. */
export type Order = readonly { id: string; lessonIds: readonly string[] }[]

interface SentOrder {
  sections: readonly { id: string; lesson_ids: readonly string[] }[]
}

/** Ids as the API writes them → as they are stored. */
export function orderFrom({ sections }: SentOrder): Order {
  return sections.map(({ id, lesson_ids }) => ({
    id: fromPublicId('sec', id) as string,
    lessonIds: lesson_ids.map((lessonId) => fromPublicId('les', lessonId) as string),
  }))
}

/**
 * Whether an order names everything that the course holds, once, and nothing else.
 * @throws Problem incomplete_order that lists what is missing, what does not belong to the course and what stands twice
 */
export async function requireCompleteOrder(sql: Sql, { schoolId, courseId }: CourseKey, order: Order): Promise<void> {
  const idsIn = async (table: 'section' | 'lesson'): Promise<Set<string>> => {
    const rows = await sql.query<{ id: string }>(`SELECT id FROM ${table} WHERE school_id = $1 AND course_id = $2`, [schoolId, courseId])
    return new Set(rows.map(({ id }) => id))
  }
  const sections = order.map(({ id }) => id)
  const lessons = order.flatMap(({ lessonIds }) => lessonIds)
  const fieldErrors = [
    ...fieldErrorsOf({ field: 'sections', prefix: 'sec', sent: sections, present: await idsIn('section') }),
    ...fieldErrorsOf({ field: 'sections.lesson_ids', prefix: 'les', sent: lessons, present: await idsIn('lesson') }),
  ]
  if (fieldErrors.length > 0) throw new Problem('incomplete_order', { details: fieldErrors })
}

interface Compared {
  field: string
  prefix: string
  sent: readonly string[]
  present: ReadonlySet<string>
}

const maxNamed = 100

function fieldErrorsOf({ field, prefix, sent, present }: Compared): ProblemDetail[] {
  const named = new Set<string>()
  const twice = sent.filter((id) => named.size === named.add(id).size)
  const fault = (code: string, ids: Iterable<string>, message: string): ProblemDetail[] => {
    const publicIds = [...new Set(ids)].toSorted().map((id) => toPublicId(prefix, id))
    return publicIds.length === 0 ? [] : [{ field, code, message: `${field}: ${message}`, meta: { ids: publicIds.slice(0, maxNamed) } }]
  }
  return [
    ...fault('missing', present.difference(named), 'not all that the course has are named'),
    ...fault('foreign', named.difference(present), 'some are not part of the course'),
    ...fault('duplicate', twice, 'some are named twice'),
  ]
}

/** Gives every section and lesson its place: one statement for each level, which counts the rows that move as changed. Answers whether any did. */
export async function writeOrder(sql: Sql, { schoolId, courseId }: CourseKey, order: Order, now: Date): Promise<boolean> {
  const lessons = order.flatMap(({ id, lessonIds }) => lessonIds.map((lessonId, position) => ({ id: lessonId, section: id, position })))
  const sections = await sql.query<{ id: string; version: number }>(
    `UPDATE section SET position = placed.position, version = section.version + 1, updated_at = $5
       FROM unnest($3::uuid[], $4::int[]) AS placed (id, position)
      WHERE section.school_id = $1 AND section.course_id = $2 AND section.id = placed.id AND section.position <> placed.position
      RETURNING section.id, section.version`,
    [schoolId, courseId, order.map(({ id }) => id), order.map((_, position) => position), now],
  )
  const moved = await sql.query<{ id: string; version: number }>(
    `UPDATE lesson SET section_id = placed.section_id, position = placed.position, version = lesson.version + 1, updated_at = $6
       FROM unnest($3::uuid[], $4::uuid[], $5::int[]) AS placed (id, section_id, position)
      WHERE lesson.school_id = $1 AND lesson.course_id = $2 AND lesson.id = placed.id
        AND (lesson.section_id, lesson.position) IS DISTINCT FROM (placed.section_id, placed.position)
      RETURNING lesson.id, lesson.version`,
    [schoolId, courseId, lessons.map(({ id }) => id), lessons.map(({ section }) => section), lessons.map(({ position }) => position), now],
  )
  await recordChanges(sql, { school_id: schoolId, type: 'section', action: 'updated' }, sections)
  await recordChanges(sql, { school_id: schoolId, type: 'lesson', action: 'updated' }, moved)
  return sections.length + moved.length > 0
}
