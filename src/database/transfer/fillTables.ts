import type { Sql } from '../connection/sql.ts'
import type { TableShape } from './tableShapes.ts'
import { continueSequences, insertLines, setReferences } from './writeRows.ts'

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
