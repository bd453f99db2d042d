import { sql } from 'kysely'
import { uuidOf } from '../base/ids.ts'
import { fieldError, fieldProblem, Problem } from '../base/problem.ts'
import type { SchoolWriter } from '../database/connection/database.ts'
import { unnest } from '../database/statements/unnest.ts'
import { recordChanges } from '../database/tables/changeLog.ts'

/** A list that staff can sort: its table, and the input field that contains the ids. */
interface OrderedList {
  table: 'course' | 'lecturer' | 'membership_plan'
  idPrefix: string
  field: string
}

/**
 * Moves rows to the beginning of their list, in the order of the ids. The other rows follow in their previous order. A row whose position
 * does not change keeps its version.
 * @throws Problem validation_failed for an id that occurs twice, invalid_reference for ids that the school does not have
 */
export async function setPositions(
  { writer, now }: { writer: SchoolWriter; now: Date },
  { table, idPrefix, field }: OrderedList,
  publicIds: readonly string[],
): Promise<undefined> {
  const ids = publicIds.map((id) => uuidOf(idPrefix, id))
  if (new Set(ids).size < ids.length) {
    throw fieldProblem('validation_failed', field, 'duplicate', 'must not contain an id twice')
  }
  // Rows are locked in a constant order, so that simultaneous changes of the order wait for each other without a deadlock.
  const rows = await writer.selectFrom(table).select('id').orderBy('id').forNoKeyUpdate().execute()
  const known = new Set(rows.map(({ id }) => id))
  const unknown = ids.flatMap((id, index) =>
    known.has(id) ? [] : [fieldError(`${field}.${index}`, 'invalid_reference', 'the school has no row with this id')],
  )
  if (unknown.length > 0) throw new Problem('invalid_reference', { details: unknown })
  const moved = await writer
    .updateTable(table)
    .from((query) =>
      query
        .selectFrom(table)
        .leftJoin(
          unnest('named', { named_id: { type: 'uuid', values: ids }, rank: { type: 'int', values: ids.map((_id, index) => index) } }),
          'named.named_id',
          'id',
        )
        .select((row) => {
          const rank = sql<number>`row_number() OVER (ORDER BY ${row.ref('named.rank')}, ${row.ref('position')}, ${row.ref('id')})`
          return ['id as placed_id', sql<number>`(${rank} - 1)::int`.as('place')]
        })
        .as('placed'),
    )
    .set((row) => ({ position: row.ref('placed.place'), version: row('version', '+', 1), updated_at: now }))
    .whereRef('id', '=', 'placed.placed_id')
    .whereRef('position', '<>', 'placed.place')
    .returning(['id', 'version'])
    .execute()
  await recordChanges(writer, { type: table, action: 'updated' }, moved)
  return undefined
}
