import { Problem } from '../../lib/problem.ts'
import { recordChanges } from '../../store/changeLog.ts'
import type { CurriculumContext } from './curriculumContext.ts'

/** What has an order, and the column that names what it stands in. */
const columns = { section: 'course_id', lesson: 'section_id' } as const

/** The parts of one whole: sections of a course, lessons of a section. */
export interface Whole {
  part: keyof typeof columns
  id: string
}

type InOrder = Pick<CurriculumContext, 'writer' | 'sql' | 'school' | 'now'>

/** The place behind the last one, counted from 0. */
export async function nextPosition({ writer, school }: Pick<InOrder, 'writer' | 'school'>, whole: Whole): Promise<number> {
  const { table, column } = partsOf(whole)
  const last = await writer
    .selectFrom(table)
    .select((row) => row.fn.max('position').as('position'))
    .where('school_id', '=', school.id)
    .where(column, '=', whole.id)
    .executeTakeFirst()
  return (last?.position ?? -1) + 1
}

/** Moves everything behind a place one place on: back for one that comes in, forth over the gap of one that went. */
export async function movePositions(
  { writer, sql, school, now }: InOrder,
  whole: Whole,
  { behind, by }: { behind: number; by: 1 | -1 },
): Promise<void> {
  const { table, column } = partsOf(whole)
  const moved = await writer
    .updateTable(table)
    .set((row) => ({ position: row('position', '+', by), version: row('version', '+', 1), updated_at: now }))
    .where('school_id', '=', school.id)
    .where(column, '=', whole.id)
    .where('position', '>', behind)
    .returning(['id', 'version'])
    .execute()
  await recordChanges(sql, { school_id: school.id, type: whole.part, action: 'updated' }, moved)
}

/** @throws Problem curriculum_full where the course has as many of them as it takes */
export async function requireRoom(
  { writer, school }: Pick<InOrder, 'writer' | 'school'>,
  { part, courseId, most }: { part: Whole['part']; courseId: string; most: number },
): Promise<void> {
  const { count } = await writer
    .selectFrom(part as 'lesson')
    .select((row) => row.fn.countAll<number | string>().as('count'))
    .where('school_id', '=', school.id)
    .where('course_id', '=', courseId)
    .executeTakeFirstOrThrow()
  if (Number(count) >= most) throw new Problem('curriculum_full', { description: `A course holds at most ${most} ${part}s.` })
}

// The columns that are named here are the same in both tables.
const partsOf = ({ part }: Whole) => ({ table: part as 'lesson', column: columns[part] as 'section_id' })
