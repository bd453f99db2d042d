import { recordChanges } from '../../store/changeLog.ts'
import type { SchoolWriter } from '../../store/database.ts'
import { keepOrder } from '../../store/undo/rows.ts'
import { countTree } from '../curriculum/countTree.ts'
import { recountCourse } from '../learning/countProgress.ts'
import type { TakenBack } from './takeBack.ts'

/** Writes what follows from rows that were taken back: the order of the rows next to them, the counts of courses, and the progress in these. */
export async function recount(writer: SchoolWriter, rows: readonly TakenBack[], now: Date): Promise<void> {
  const parts = rows.filter(({ table }) => table === 'section' || table === 'lesson')
  const courses = await coursesOf(writer, parts)
  for (const table of ['section', 'lesson', 'product_file'] as const) {
    const restored = idsOf(rows.filter((row) => row.table === table && row.action === 'restored'))
    const parents = await parentsOf(writer, table, rows, courses)
    if (parents.length === 0) continue
    const moved = await keepOrder(writer, table, { parents, first: restored })
    if (table !== 'product_file') await recordChanges(writer, { school_id: writer.schoolId, type: table, action: 'updated' }, moved)
  }
  for (const courseId of courses) {
    await countTree(writer, { schoolId: writer.schoolId, courseId }, { isSeen: true })
  }
  const learned = rows.flatMap(({ table, before }) =>
    table === 'lesson_progress' && 'course_id' in before ? [String(before.course_id)] : [],
  )
  for (const courseId of [...new Set([...courses, ...learned])].toSorted()) {
    await recountCourse(writer, { schoolId: writer.schoolId, courseId, now })
  }
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
    return [
      ...new Set(rows.flatMap((row) => (row.table === table && typeof row.before.product_id === 'string' ? [row.before.product_id] : []))),
    ]
  if (courses.length === 0) return []
  const sections = await writer
    .selectFrom('section')
    .select('id')
    .where((row) => row('course_id', '=', row.fn.any(row.val([...courses]))))
    .execute()
  return sections.map(({ id }) => id)
}
