import type { Reader } from '../src/database/connection/database.ts'
import { inSchool } from '../src/database/school/inSchool.ts'
import { type QueryScope, tables } from '../src/engine/declare/queryScope.ts'
import { positionOf, reversed, type Sort, sortColumns, sortExpression } from '../src/engine/declare/sorts.ts'
import { type CursorSigner, formatCursor, unseal } from '../src/engine/read/cursor.ts'
import { isVisible } from '../src/engine/read/selectRows.ts'

/** Returns the total number of rows in the caller's list. */
export async function countAll(database: Reader, queryScope: QueryScope): Promise<number> {
  const row = await tables(inSchool(database, queryScope.schoolId))
    .selectFrom(queryScope.resource.table as 'any_table')
    .select((rows) => rows.fn.countAll<string>().as('count'))
    .where((rows) => isVisible(queryScope, rows))
    .executeTakeFirstOrThrow()
  return Number(row.count)
}

/**
 * Returns a cursor after a number of rows of a list, built from one of the list's cursors and the row at that position. To find that row, the
 * rows before it are read, or those after it if they are fewer; this is not part of the measurement.
 */
export async function cursorBehind(
  database: Reader,
  {
    queryScope,
    sort,
    signer,
    cursor,
    place,
    rows: count,
  }: { queryScope: QueryScope; sort: Sort; signer: CursorSigner; cursor: string; place: number; rows: number },
): Promise<string> {
  const isFromEnd = place > count / 2
  const order = isFromEnd ? reversed(sort) : sort
  let query = tables(inSchool(database, queryScope.schoolId))
    .selectFrom(queryScope.resource.table as 'any_table')
    .select(['id', ...(sort.column === 'id' ? [] : [sort.column as 'id'])])
    .where((rows) => isVisible(queryScope, rows))
    .offset(Math.max(0, isFromEnd ? count - place : place - 1))
    .limit(1)
  for (const column of sortColumns(order)) {
    query = query.orderBy((rows) => sortExpression(rows, order, column), order.isDescending ? 'desc' : 'asc')
  }
  const row = await query.executeTakeFirstOrThrow()
  const [fingerprint] = unseal(signer, cursor) as [string]
  return formatCursor(signer, fingerprint, { ...positionOf(row as { id: string }, sort), isBackward: false })
}
