import { stringify } from 'csv-stringify/sync'
import { isObject } from '../../lib/jsonValue.ts'

export const csvType = 'text/csv; charset=utf-8; header=present'

/** Returns the lines of a CSV file (RFC 4180). Cells that a spreadsheet would run as formulas are escaped; numbers are not. */
export const csvLines = (records: readonly (readonly unknown[])[]): string =>
  stringify(
    [...records].map((cells) => [...cells]),
    {
      record_delimiter: 'windows',
      escape_formulas: true,
      cast: { number: (value) => ({ value: String(value), escape_formulas: false }) },
    },
  )

/** Returns the cells of one row. The column `price.amount` is a member of an object. */
export const csvCells = (columns: readonly string[], row: Record<string, unknown>): unknown[] =>
  columns.map((column) => cellOf(valueAt(row, column)))

function valueAt(row: Record<string, unknown>, column: string): unknown {
  const [name = '', inner] = column.split('.')
  const value = row[name]
  return inner === undefined ? value : isObject(value) ? value[inner] : null
}

function cellOf(value: unknown): string | number | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'number') return value
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
