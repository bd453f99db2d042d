import { isObject } from '../../../base/text/jsonValue.ts'
import { type Listed, printList, printOne } from '../table.ts'
import type { Terminal } from '../terminal.ts'

type Row = Readonly<Record<string, unknown>>

/** Fields that a table shows first. Others follow in the order of the row. */
const telling = [
  ...['id', 'number', 'slug', 'code', 'email', 'title', 'name', 'status', 'kind', 'role', 'total', 'price', 'amount'],
  ...['buyer', 'author', 'student', 'member', 'subject', 'placed_at', 'created_at'],
]

const maxColumns = 7

export function printRows(terminal: Terminal, rows: readonly Row[], { json, fields }: { json: boolean; fields: string | undefined }): void {
  if (json) {
    terminal.out(`${JSON.stringify(rows, undefined, 2)}\n`)
    return
  }
  const columns = fields === undefined ? columnsOf(rows) : fields.split(',')
  const cells = rows.map((row) => Object.fromEntries(columns.map((name) => [name, cellOf(valueAt(row, name)) ?? null])))
  printList(terminal, cells, { json, columns, empty: 'no rows' })
}

export function printObject(terminal: Terminal, body: Row, { json }: { json: boolean }): void {
  if (json) terminal.out(`${JSON.stringify(body, undefined, 2)}\n`)
  else if (Object.keys(body).length === 0) terminal.out('done\n')
  else printOne(terminal, Object.fromEntries(Object.entries(body).map(([name, value]) => [name, lineOf(value)])), { json })
}

/** Returns the columns of a table: fields with a short value in one of the rows. */
function columnsOf(rows: readonly Row[]): string[] {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const shown = names.filter((name) => name !== 'object' && rows.some((row) => (cellOf(row[name]) ?? null) !== null))
  const place = (name: string): number => (telling.includes(name) ? telling.indexOf(name) : telling.length)
  return shown.toSorted((first, second) => place(first) - place(second)).slice(0, maxColumns)
}

const valueAt = (row: Row, name: string): unknown =>
  name.split('.').reduce<unknown>((value, member) => (isObject(value) ? value[member] : undefined), row)

/** Returns a value as one cell; undefined for objects that have no short form. */
function cellOf(value: unknown): Listed[string] | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
  if (Array.isArray(value)) return value.every((one) => typeof one === 'string') ? value : undefined
  if (!isObject(value)) return undefined
  const { amount, currency, email, title, name, id } = value
  if (typeof amount === 'number') return `${amount} ${String(currency)}`
  const short = email ?? title ?? name ?? id
  return typeof short === 'string' ? short : undefined
}

const lineOf = (value: unknown): Listed[string] =>
  isObject(value) && !('amount' in value) ? JSON.stringify(value) : (cellOf(value) ?? JSON.stringify(value))
