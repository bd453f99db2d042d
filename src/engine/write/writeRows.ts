import type { SchoolWriter } from '../../database/connection/database.ts'
import type { SeenRow } from '../declare/expressions.ts'
import { type QueryScope, tableOf, tables } from '../declare/queryScope.ts'
import { named } from '../read/selectRows.ts'

export async function insertRow(
  writer: SchoolWriter,
  { resource }: QueryScope,
  columns: Record<string, unknown> & { id: string },
): Promise<void> {
  await tables(writer).insertInto(tableOf(resource)).values(columns).execute()
}

/**
 * Writes columns of a row that the transaction has locked, and returns its new version. The stored version is raised, not the one that
 * was read: effects earlier in the same transaction may have raised it already.
 */
export async function updateVersion(
  writer: SchoolWriter,
  queryScope: QueryScope,
  id: SeenRow['id'],
  columns: Record<string, unknown>,
): Promise<number> {
  const { versionColumn } = queryScope.resource
  const { version } = await tables(writer)
    .updateTable(tableOf(queryScope.resource))
    .set(columns)
    .set((row) => ({ [versionColumn]: row(versionColumn, '+', 1) }))
    .where('id', '=', id)
    .returning((row) => named(row.ref(versionColumn), 'version'))
    .executeTakeFirstOrThrow()
  return Number(version)
}

export async function deleteRow(writer: SchoolWriter, queryScope: QueryScope, { id }: Pick<SeenRow, 'id'>): Promise<void> {
  await tables(writer).deleteFrom(tableOf(queryScope.resource)).where('id', '=', id).execute()
}
