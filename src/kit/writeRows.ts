import type { Writer } from '../store/database.ts'
import { type SeenRow, type Sight, schoolColumn, tables } from './sight.ts'

/** Adds a row to the school. */
export async function insertRow(writer: Writer, { resource, schoolId }: Sight, columns: Record<string, unknown>): Promise<void> {
  await tables(writer)
    .insertInto(resource.table as 'any_table')
    .values({ ...columns, school_id: schoolId } as never)
    .execute()
}

/** Writes columns and counts the version, in one statement that is void where the row has another version by now. */
export async function updateVersion(
  writer: Writer,
  sight: Sight,
  { id, version }: Pick<SeenRow, 'id' | 'version'>,
  columns: Record<string, unknown>,
): Promise<boolean> {
  const { table, versionColumn } = sight.resource
  const { numUpdatedRows } = await tables(writer)
    .updateTable(table as 'any_table')
    .set({ ...columns, [versionColumn]: version + 1 } as never)
    .where(schoolColumn(sight), '=', sight.schoolId)
    .where('id', '=', id)
    .where(versionColumn, '=', version)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

/** Removes a row. */
export async function deleteRow(writer: Writer, sight: Sight, { id }: Pick<SeenRow, 'id'>): Promise<void> {
  await tables(writer)
    .deleteFrom(sight.resource.table as 'any_table')
    .where(schoolColumn(sight), '=', sight.schoolId)
    .where('id', '=', id)
    .execute()
}
