import type { Sql } from '../connection/sql.ts'
import { emptyingOrder, listReferences } from '../transfer/tableShapes.ts'

/**
 * Every table whose rows belong to a school, in an order in which they can be emptied: a table comes before those that it refers to. Search
 * documents are the first, because triggers delete them with their rows.
 */
export async function listSchoolTables(sql: Sql): Promise<string[]> {
  const tables = emptyingOrder(await tablesWith(sql, 'school_id'), await listReferences(sql))
  return tables.toSorted((one, other) => Number(other === 'search_document') - Number(one === 'search_document'))
}

/** Returns the keys of the files of a school, or of all schools. */
export async function listStorageKeys(sql: Sql, schoolId?: string): Promise<string[]> {
  const keys = new Set<string>()
  for (const table of await tablesWith(sql, 'school_id', 'storage_key')) {
    const rows = await sql.query<{ storage_key: string }>(
      `SELECT storage_key FROM "${table}" WHERE ($1::uuid IS NULL OR school_id = $1) AND storage_key IS NOT NULL`,
      [schoolId ?? null],
    )
    for (const { storage_key: key } of rows) keys.add(key)
  }
  return [...keys]
}

export async function countSchoolRows(sql: Sql, schoolId: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const table of await listSchoolTables(sql)) {
    const [row] = await sql.query<{ count: string | number }>(`SELECT count(*) AS count FROM "${table}" WHERE school_id = $1`, [schoolId])
    if (Number(row?.count) > 0) counts[table] = Number(row?.count)
  }
  return counts
}

async function tablesWith(sql: Sql, ...columns: string[]): Promise<string[]> {
  const rows = await sql.query<{ name: string }>(
    `SELECT t.relname AS name FROM pg_class t JOIN pg_attribute a ON a.attrelid = t.oid AND NOT a.attisdropped
      WHERE t.relkind IN ('r', 'p') AND NOT t.relispartition AND t.relnamespace = current_schema()::regnamespace AND a.attname = ANY ($1)
      GROUP BY t.relname HAVING count(*) = $2 ORDER BY t.relname`,
    [columns, columns.length],
  )
  return rows.map(({ name }) => name)
}
