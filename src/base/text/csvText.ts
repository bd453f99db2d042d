import { stringify } from 'csv-stringify/sync'
import { isObject } from './jsonValue.ts'

export const csvType = 'text/csv; charset=utf-8; header=present'

/** How a CSV file is written: RFC 4180, or as Excel opens it. */
export interface CsvDialect {
  separator: ',' | ';'
  /** Precedes the first line. */
  start: '' | '\ufeff'
}

export const standardCsv: CsvDialect = { separator: ',', start: '' }

/**
 * Returns the dialect in which Excel opens a file by a double click: UTF-8 with a byte order mark, and semicolons where a comma separates
 * the decimals.
 */
export function excelCsv(locale: string): CsvDialect {
  const decimal = new Intl.NumberFormat(locale).formatToParts(1.5).find(({ type }) => type === 'decimal')
  return { separator: decimal?.value === ',' ? ';' : ',', start: '\ufeff' }
}

/** A number with a sign, such as a telephone number: no spreadsheet runs it. */
const signedNumber = /^[+-]\d+(?:\.\d+)?$/

/**
 * Returns lines of a CSV file. A text that a spreadsheet would run as a formula, because it begins with `=`, `+`, `-`, `@`, a tab or a carriage
 * return, gets an apostrophe in front; numbers and telephone numbers do not.
 */
export const csvLines = (records: readonly (readonly unknown[])[], { separator }: CsvDialect = standardCsv): string =>
  stringify(
    [...records].map((cells) => [...cells]),
    {
      delimiter: separator,
      record_delimiter: 'windows',
      escape_formulas: true,
      cast: {
        number: (value) => ({ value: String(value), escape_formulas: false }),
        string: (value) => ({ value, escape_formulas: !signedNumber.test(value) }),
      },
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
