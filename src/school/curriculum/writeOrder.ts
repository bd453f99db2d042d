import { toPublicId, uuidOf } from '../../base/ids.ts'
import { fieldError, Problem, type ProblemDetail } from '../../base/problem.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'
import { unnested } from '../../database/statements/expressions.ts'
import { recordChanges } from '../../database/tables/changeLog.ts'
import type { CourseKey } from './countTree.ts'

/** The sections in their order, each with its lessons in order. Ids as they are stored. */
export type Order = readonly { id: string; lessonIds: readonly string[] }[]

interface SentOrder {
  sections: readonly { id: string; lesson_ids: readonly string[] }[]
}

/** Converts the ids of the API to stored ids. */
export function orderFrom({ sections }: SentOrder): Order {
  return sections.map(({ id, lesson_ids }) => ({
    id: uuidOf('sec', id),
    lessonIds: lesson_ids.map((lessonId) => uuidOf('les', lessonId)),
  }))
}

/**
 * Checks that an order contains each section and lesson of the course once, and nothing else.
 * @throws Problem incomplete_order with the missing ids, the ids of other courses and the duplicates
 */
export async function requireCompleteOrder(writer: SchoolWriter, { courseId }: CourseKey, order: Order): Promise<void> {
  const idsIn = async (table: 'section' | 'lesson'): Promise<Set<string>> => {
    const rows = await writer.selectFrom(table).select('id').where('course_id', '=', courseId).execute()
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
  const errorFor = (code: string, ids: Iterable<string>, message: string): ProblemDetail[] => {
    const publicIds = [...new Set(ids)].toSorted().map((id) => toPublicId(prefix, id))
    return publicIds.length === 0 ? [] : [{ ...fieldError(field, code, message), meta: { ids: publicIds.slice(0, maxNamed) } }]
  }
  return [
    ...errorFor('missing', present.difference(named), 'must contain every one of the course. Add the missing ids.'),
    ...errorFor('foreign', named.difference(present), 'must contain only those of the course. Remove the other ids.'),
    ...errorFor('duplicate', twice, 'must contain each id once. Remove the duplicates.'),
  ]
}

/**
 * Writes the positions of the sections and lessons of a course: one statement for each level, in which only the moved rows get a new
 * version. Returns false if no row moves.
 */
export async function writeOrder(writer: SchoolWriter, { courseId }: CourseKey, order: Order, now: Date): Promise<boolean> {
  const placedSections = order.map(({ id }, position) => ({ id, position }))
  const placedLessons = order.flatMap(({ id, lessonIds }) =>
    lessonIds.map((lessonId, position) => ({ id: lessonId, section_id: id, position })),
  )
  const sections = await writer
    .updateTable('section')
    .from(unnested('placed', { id: 'uuid', position: 'int4' }, placedSections))
    .set((row) => ({ position: row.ref('placed.position'), version: row('section.version', '+', 1), updated_at: now }))
    .where('section.course_id', '=', courseId)
    .whereRef('section.id', '=', 'placed.id')
    .whereRef('section.position', '<>', 'placed.position')
    .returning(['section.id', 'section.version'])
    .execute()
  const lessons = await writer
    .updateTable('lesson')
    .from(unnested('placed', { id: 'uuid', section_id: 'uuid', position: 'int4' }, placedLessons))
    .set((row) => ({
      section_id: row.ref('placed.section_id'),
      position: row.ref('placed.position'),
      version: row('lesson.version', '+', 1),
      updated_at: now,
    }))
    .where('lesson.course_id', '=', courseId)
    .whereRef('lesson.id', '=', 'placed.id')
    .where((row) =>
      row.or([row('lesson.section_id', '<>', row.ref('placed.section_id')), row('lesson.position', '<>', row.ref('placed.position'))]),
    )
    .returning(['lesson.id', 'lesson.version'])
    .execute()
  await recordChanges(writer, { type: 'section', action: 'updated' }, sections)
  await recordChanges(writer, { type: 'lesson', action: 'updated' }, lessons)
  return sections.length + lessons.length > 0
}
