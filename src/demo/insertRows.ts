import type { Sql } from '../store/sql.ts'

type Row = Readonly<Record<string, unknown>>

/**
 * Adds rows to a table in one statement, however many there are. A row whose key is there already stays as it is.
 * @param rows all with the same columns: dates, lists and objects as they are, no JSON in a text
 * @param key the columns of the key, where the table has a constraint that is checked later
 */
export async function insertRows(sql: Sql, table: string, rows: readonly Row[], key?: string): Promise<void> {
  const [first] = rows
  if (!first) return
  const columns = Object.keys(first)
    .map((name) => `"${name}"`)
    .join(', ')
  await sql.query(
    `INSERT INTO "${table}" (${columns}) SELECT ${columns} FROM jsonb_populate_recordset(NULL::"${table}", $1::jsonb)
     ON CONFLICT ${key ? `(${key}) ` : ''}DO NOTHING`,
    [JSON.stringify(rows)],
  )
}
