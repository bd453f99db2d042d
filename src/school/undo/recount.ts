import type { SchoolWriter } from '../../database/connection/database.ts'
import { recordChanges } from '../../database/tables/changeLog.ts'
import { keepOrder } from '../../database/undo/rows.ts'
import { countTree } from '../curriculum/countTree.ts'
import { recountCourse } from '../learning/countProgress.ts'
import type { TakenBack } from './takeBack.ts'

/** Columns of a lesson or section that the order and the counts of its course follow from. */
const counted: ReadonlySet<string> = new Set(['course_id', 'duration_seconds', 'is_preview', 'position', 'section_id', 'status'])

const isCounted = ({ action, before }: TakenBack): boolean => action !== 'updated' || Object.keys(before).some((name) => counted.has(name))

const isPart = ({ table }: TakenBack): boolean => table === 'section' || table === 'lesson'

/**
 * Closes the gaps in the order of the rows next to those that were taken back, and counts the lessons of their courses.
 * @throws Problem invalid_state if a published course would lose its last published lesson
 */
export async function keepCurriculum(writer: SchoolWriter, taken: readonly TakenBack[]): Promise<void> {
  const rows = taken.filter(isCounted)
  const courses = await coursesOf(writer, rows.filter(isPart))
  for (const table of ['section', 'lesson', 'product_file'] as const) {
    const own = rows.filter((row) => row.table === table)
    const parents = own.length === 0 ? [] : await parentsOf(writer, table, own, courses)
    if (parents.length === 0) continue
    const moved = await keepOrder(writer, table, { parents, first: idsOf(own.filter(({ action }) => action === 'restored')) })
    if (table !== 'product_file') await recordChanges(writer, { type: table, action: 'updated' }, moved)
  }
  for (const courseId of courses) await countTree(writer, { courseId }, { isSeen: false })
}

/** Writes what follows from everything that was taken back: the versions of curricula, and the progress in courses. */
export async function recount(writer: SchoolWriter, rows: readonly TakenBack[], now: Date): Promise<void> {
  const parts = rows.filter(isPart)
  for (const courseId of await coursesOf(writer, parts)) await countTree(writer, { courseId }, { isSeen: true })
  const changed = await coursesOf(
    writer,
    parts.filter((row) => row.table === 'lesson' && isCounted(row)),
  )
  const named = rows.flatMap(({ table, id, before }) => {
    if (table === 'lesson_progress' && 'course_id' in before) return [String(before.course_id)]
    return table === 'course' && id !== undefined && 'completion_threshold_percent' in before ? [id] : []
  })
  for (const courseId of [...new Set([...changed, ...named])].toSorted()) await recountCourse(writer, { courseId, now })
}

const idsOf = (rows: readonly TakenBack[]): string[] => rows.flatMap(({ id }) => (id === undefined ? [] : [id]))

/** The courses of sections and lessons that exist, or that were deleted. */
async function coursesOf(writer: SchoolWriter, parts: readonly TakenBack[]): Promise<string[]> {
  if (parts.length === 0) return []
  const ids = idsOf(parts)
  const [sections, lessons] = [
    await writer
      .selectFrom('section')
      .select('course_id')
      .distinct()
      .where((row) => row('id', '=', row.fn.any(row.val(ids))))
      .execute(),
    await writer
      .selectFrom('lesson')
      .select('course_id')
      .distinct()
      .where((row) => row('id', '=', row.fn.any(row.val(ids))))
      .execute(),
  ]
  const named = parts.flatMap(({ before }) => (typeof before.course_id === 'string' ? [before.course_id] : []))
  return [...new Set([...named, ...sections.map((row) => row.course_id), ...lessons.map((row) => row.course_id)])].toSorted()
}

async function parentsOf(
  writer: SchoolWriter,
  table: 'section' | 'lesson' | 'product_file',
  rows: readonly TakenBack[],
  courses: readonly string[],
): Promise<string[]> {
  if (table === 'section') return [...courses]
  if (table === 'product_file')
    return [...new Set(rows.flatMap((row) => (typeof row.before.product_id === 'string' ? [row.before.product_id] : [])))]
  if (courses.length === 0) return []
  const sections = await writer
    .selectFrom('section')
    .select('id')
    .where((row) => row('course_id', '=', row.fn.any(row.val([...courses]))))
    .execute()
  return sections.map(({ id }) => id)
}
