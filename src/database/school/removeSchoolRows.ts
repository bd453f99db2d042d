import type { Database } from '../connection/database.ts'
import { listSchoolTables } from './schoolTables.ts'

export interface RemovalProgress {
  name: string
  done: number
  of: number
}

/**
 * Deletes every row of a school, its own included, in one transaction. Fails as a whole if the school gets new rows meanwhile.
 * @param onProgress is called after every table
 * @returns how many rows were deleted, by table
 */
export async function removeSchoolRows(
  database: Database,
  schoolId: string,
  onProgress: (progress: RemovalProgress) => void,
): Promise<Record<string, number>> {
  return await database.script(async (script) => {
    const removed: Record<string, number> = {}
    const remove = async (table: string, column: string): Promise<void> => {
      const [row] = await script.query<{ count: string | number }>(
        `WITH gone AS (DELETE FROM "${table}" WHERE "${column}" = $1 RETURNING 1) SELECT count(*) AS count FROM gone`,
        [schoolId],
      )
      if (Number(row?.count) > 0) removed[table] = Number(row?.count)
    }
    // The triggers of other rows delete the references to files, and would hide their number.
    const isFirst = (table: string): number => Number(table === 'file_reference')
    const tables = (await listSchoolTables(script)).toSorted((one, other) => isFirst(other) - isFirst(one))
    for (const [index, table] of tables.entries()) {
      await remove(table, 'school_id')
      onProgress({ name: 'tables', done: index + 1, of: tables.length })
    }
    await remove('school', 'id')
    return removed
  })
}
