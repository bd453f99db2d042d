import type { Sql } from '../connection/sql.ts'

type Row = Readonly<Record<string, unknown>>

interface Replaced {
  key: string
  columns: readonly string[]
}

/** The embedded database never returns the memory that its largest statement needed. */
const rowsInOneStatement = 250

/**
 * Adds rows to a table, many with one statement. A row whose key is there already stays as it is.
 * @param rows all with the same columns: dates, lists and objects as they are, no JSON in a text
 * @param replaced the columns that a row whose key is there already gets nevertheless
 */
export async function insertRows(sql: Sql, table: string, rows: readonly Row[], replaced?: Replaced): Promise<void> {
  const [first] = rows
  if (!first) return
  const columns = Object.keys(first)
    .map((name) => `"${name}"`)
    .join(', ')
  const sets = replaced?.columns.map((name) => `"${name}" = excluded."${name}"`).join(', ')
  const conflict = replaced ? `("${replaced.key}") DO UPDATE SET ${sets}` : 'DO NOTHING'
  const statement = `INSERT INTO "${table}" (${columns}) SELECT ${columns} FROM jsonb_populate_recordset(NULL::"${table}", $1::jsonb)
     ON CONFLICT ${conflict}`
  for (let start = 0; start < rows.length; start += rowsInOneStatement) {
    await sql.query(statement, [JSON.stringify(rows.slice(start, start + rowsInOneStatement))])
  }
}

/** Removes the time limits of this transaction. */
export async function withoutLimits(sql: Sql): Promise<void> {
  await sql.query('SET LOCAL lock_timeout = 0')
  await sql.query('SET LOCAL statement_timeout = 0')
}

/** Runs work of this transaction without triggers and checks of foreign keys. The caller writes consistent rows. */
export async function withoutChecks(sql: Sql, work: () => Promise<void>): Promise<void> {
  await sql.query("SET LOCAL session_replication_role = 'replica'")
  await work()
  await sql.query("SET LOCAL session_replication_role = 'origin'")
}
