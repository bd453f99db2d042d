import type { Writer } from '../../store/database.ts'
import { type QueryScope, type SeenRow, schoolColumn, tables } from '../declare/queryScope.ts'
import { named } from '../read/selectRows.ts'

/** Adds a row to the school. */
export async function insertRow(writer: Writer, { resource, schoolId }: QueryScope, columns: Record<string, unknown>): Promise<void> {
  await tables(writer)
    .insertInto(resource.table as 'any_table')
    .values({ ...columns, school_id: schoolId } as never)
    .execute()
}

/**
 * Writes columns of a row that the transaction has locked, and returns its new version. The stored version is raised, not the one that
 * was read: effects earlier in the same transaction may have raised it already.
 */
export async function updateVersion(
  writer: Writer,
  queryScope: QueryScope,
  id: SeenRow['id'],
  columns: Record<string, unknown>,
): Promise<number> {
  const { table, versionColumn } = queryScope.resource
  const { version } = await tables(writer)
    .updateTable(table as 'any_table')
    .set({ ...columns } as never)
    .set((row) => ({ [versionColumn]: row(versionColumn, '+', 1) }) as never)
    .where(schoolColumn(queryScope), '=', queryScope.schoolId)
    .where('id', '=', id)
    .returning((row) => named(row.ref(versionColumn), 'version'))
    .executeTakeFirstOrThrow()
  return Number(version)
}

/** Removes a row. */
export async function deleteRow(writer: Writer, queryScope: QueryScope, { id }: Pick<SeenRow, 'id'>): Promise<void> {
  await tables(writer)
    .deleteFrom(queryScope.resource.table as 'any_table')
    .where(schoolColumn(queryScope), '=', queryScope.schoolId)
    .where('id', '=', id)
    .execute()
}
