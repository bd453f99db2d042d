import type { Sql } from '../connection/sql.ts'
import type { TableShape } from './tableShapes.ts'

const list = (columns: readonly string[]): string => columns.map((name) => `"${name}"`).join(', ')
const records = ({ name }: TableShape): string => `jsonb_populate_recordset(NULL::"${name}", $1::jsonb)`
const asArray = (lines: readonly string[]): string => `[${lines.join(',')}]`

/** Adds rows from lines of JSON. Late references are left empty: set them with `setReferences` when every table has its rows. */
export async function insertLines(sql: Sql, table: TableShape, lines: readonly string[]): Promise<void> {
  const columns = list(table.columns.map(({ name }) => name).filter((name) => !table.late.includes(name)))
  // Triggers that derive columns of other rows leave these as they are copied.
  await sql.query("SELECT set_config('schoolgate.copies_rows', 'on', true)")
  await sql.query(`INSERT INTO "${table.name}" (${columns}) SELECT ${columns} FROM ${records(table)}`, [asArray(lines)])
}

/** Sets the late references of rows that were added without them. */
export async function setReferences(sql: Sql, table: TableShape, lines: readonly string[]): Promise<void> {
  const sets = table.late.map((name) => `"${name}" = line."${name}"`).join(', ')
  const same = table.key.map(({ name }) => `t."${name}" = line."${name}"`).join(' AND ')
  await sql.query(`UPDATE "${table.name}" t SET ${sets} FROM ${records(table)} line WHERE ${same}`, [asArray(lines)])
}

/** Lets the sequences of numbered columns continue after the largest number that a table has. */
export async function continueSequences(sql: Sql): Promise<void> {
  const numbered = await sql.query<{ relation: string; name: string; sequence: string }>(
    `SELECT c.relname AS relation, a.attname AS name, pg_get_serial_sequence(quote_ident(c.relname), a.attname) AS sequence
       FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace
        AND pg_get_serial_sequence(quote_ident(c.relname), a.attname) IS NOT NULL`,
  )
  for (const { relation, name, sequence } of numbered)
    await sql.query(
      `SELECT setval($1::regclass, newest) FROM (SELECT max("${name}") AS newest FROM "${relation}") AS rows
        WHERE newest > (SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM ${sequence})`,
      [sequence],
    )
}

export interface Filling {
  sql: Sql
  /** In the order of `describeTables`. */
  tables: readonly TableShape[]
  /** Returns the rows of a table as lines of JSON, in parts. It is called again for tables with late references. */
  linesOf(table: string): AsyncIterable<readonly string[]>
  onProgress(progress: { name: string; done: number; of: number }): void
}

/** Adds all rows of tables, in the transaction of the handle. Returns their number. */
export async function fillTables({ sql, tables, linesOf, onProgress }: Filling): Promise<number> {
  let rows = 0
  for (const [index, table] of tables.entries()) {
    for await (const lines of linesOf(table.name)) {
      await insertLines(sql, table, lines)
      rows += lines.length
    }
    onProgress({ name: 'tables', done: index + 1, of: tables.length })
  }
  for (const table of tables.filter(({ late }) => late.length > 0))
    for await (const lines of linesOf(table.name)) await setReferences(sql, table, lines)
  await continueSequences(sql)
  return rows
}
