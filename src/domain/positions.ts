import { fromPublicId } from '../lib/ids.ts'
import { Problem, type ProblemDetail } from '../lib/problem.ts'
import { recordChanges } from '../store/changeLog.ts'
import type { Sql } from '../store/sql.ts'

/** A list that staff put into an order: its table, and the input that names its rows. */
interface OrderedList {
  table: 'course' | 'lecturer' | 'membership_plan'
  idPrefix: string
  field: string
}

/**
 * Puts rows into the order in which they are named, before all others, which follow in the order they had. A row that stays where it is
 * keeps its version.
 * @throws Problem validation_failed for a row that is named twice, invalid_reference for those that the school does not have
 */
export async function setPositions(
  { sql, school, now }: { sql: Sql; school: { id: string }; now: Date },
  { table, idPrefix, field }: OrderedList,
  sent: readonly string[],
): Promise<undefined> {
  const ids = sent.map((id) => fromPublicId(idPrefix, id) as string)
  if (new Set(ids).size < ids.length) {
    throw new Problem('validation_failed', { details: [{ field, code: 'duplicate', message: `${field}: names a row twice` }] })
  }
  // Locked in one order, so that two new orders at once follow each other.
  const rows = await sql.query<{ id: string }>(`SELECT id FROM ${table} WHERE school_id = $1 ORDER BY id FOR NO KEY UPDATE`, [school.id])
  const known = new Set(rows.map(({ id }) => id))
  const unknown = ids.flatMap((id, index): ProblemDetail[] =>
    known.has(id)
      ? []
      : [{ field: `${field}.${index}`, code: 'invalid_reference', message: `${field}.${index}: there is no such row in this school` }],
  )
  if (unknown.length > 0) throw new Problem('invalid_reference', { details: unknown })
  const moved = await sql.query<{ id: string; version: number }>(
    `UPDATE ${table} SET position = placed.position, version = ${table}.version + 1, updated_at = $3
       FROM (SELECT c.id, (row_number() OVER (ORDER BY named.place, c.position, c.id) - 1)::int AS position
               FROM ${table} c LEFT JOIN unnest($2::uuid[]) WITH ORDINALITY AS named (id, place) ON named.id = c.id
              WHERE c.school_id = $1) AS placed
      WHERE ${table}.school_id = $1 AND ${table}.id = placed.id AND ${table}.position <> placed.position
      RETURNING ${table}.id, ${table}.version`,
    [school.id, ids, now],
  )
  await recordChanges(sql, { school_id: school.id, type: table, action: 'updated' }, moved)
  return undefined
}
