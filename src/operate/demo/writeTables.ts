import type { Sql } from '../../database/connection/sql.ts'
import { insertRows } from '../../database/statements/bulkRows.ts'
import type { TableShape } from '../../database/transfer/tableShapes.ts'
import { fillTables } from '../../database/transfer/writeRows.ts'
import type { DemoRow, DemoTable } from './demoTables.ts'
import type { Marks } from './marks.ts'

export interface Written {
  sql: Sql
  shapes: readonly TableShape[]
  marks: Marks
  /** True for columns that keep their default. Tables whose rows name a file are left out with their `file_id`. */
  isLeftOut(name: string): boolean
}

/** The embedded database never returns the memory that its largest statement needed. */
const rowsInOneStatement = 250

/** Adds the rows of tables as an import of a school does. A column that no row has gets its default. */
export async function writeTables({ sql, shapes, marks, isLeftOut }: Written, tables: readonly DemoTable[]): Promise<void> {
  const byName = new Map(tables.map((table) => [table.name, table]))
  const filled = shapes.flatMap((shape) => {
    const table = byName.get(shape.name)
    if (!table || (table.columns.has('file_id') && isLeftOut('file_id'))) return []
    const isWritten = (name: string): boolean => table.columns.has(name) && !isLeftOut(name)
    return [{ ...shape, columns: shape.columns.filter(({ name }) => isWritten(name)), late: shape.late.filter(isWritten) }]
  })
  async function* linesOf(name: string): AsyncGenerator<string[]> {
    const lines = byName.get(name)?.lines ?? []
    for (let start = 0; start < lines.length; start += rowsInOneStatement)
      yield lines.slice(start, start + rowsInOneStatement).map(marks.fill)
  }
  await fillTables({ sql, tables: filled, linesOf, onProgress: () => undefined })
}

const kinds: Readonly<Record<string, string>> = { 'INV-': 'invoice', 'CN-': 'credit_note' }

/** Lets the numbers of orders and documents continue after those of the demo. */
export async function writeCounters({ sql, marks }: Written, school_id: string): Promise<void> {
  const counters = marks.lastNumbers().map(({ prefix, year, last }) => ({ school_id, kind: kinds[prefix], year, last_no: last }))
  await insertRows(
    sql,
    'document_counter',
    counters.filter(({ kind }) => kind !== undefined),
  )
  const ofOrders = counters.filter(({ kind }) => kind === undefined)
  await insertRows(
    sql,
    'order_counter',
    ofOrders.map(({ kind: _kind, ...counter }) => counter),
  )
}

/** The configuration file of a school sets these. */
const ofConfiguration = ['theme', 'mode', 'colors', 'fonts', 'corner_radius', 'created_at', 'updated_at']

/** Adds the pictures, the navigation and the announcement to a row that exists with the colours of the configuration file, or the whole row. */
export async function writeAppearance({ sql, marks, isLeftOut }: Written, { lines }: DemoTable): Promise<void> {
  for (const line of lines) {
    const row: DemoRow = JSON.parse(marks.fill(line))
    const names = Object.keys(row).filter((name) => !isLeftOut(name))
    const written = Object.fromEntries(names.map((name) => [name, row[name]]))
    await insertRows(sql, 'appearance', [written], { key: 'school_id', columns: names.filter((name) => !ofConfiguration.includes(name)) })
  }
}
