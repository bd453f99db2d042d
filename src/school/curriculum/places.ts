import { Problem } from '../../base/problem.ts'
import { recordChanges } from '../../database/tables/changeLog.ts'
import type { CurriculumContext } from './curriculumContext.ts'

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
