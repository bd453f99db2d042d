import { CsvError, parse } from 'csv-parse/sync'
import { z } from 'zod'
import { Problem } from '../../base/problem.ts'
import type { Values } from '../declare/expressions.ts'
import { isArray, isObjectSchema, isRecord, membersOf, unwrapped } from '../declare/views.ts'

/** How a bulk operation reads CSV: the columns that its items take. */
export interface CsvRules {
  members: Readonly<Record<string, z.ZodType>>
  options: Values
}

const most = { rows: 100, columns: 200, recordBytes: 262_144 } as const

/**
 * Returns the items of a CSV file in the form in which lists are exported: a header, then a row for each item. Separators are commas,
 * semicolons or tabs. Cells that were escaped against formulas are unescaped. An empty cell is null if the member can be null, and is otherwise
 * left out.
 * @throws Problem invalid_request that names the row or the columns, payload_too_large
 */
export function csvItems(text: string, { members }: CsvRules, exported: readonly string[]): Values[] {
  const [header = [], ...records] = recordsIn(text)
  const columns = header.map((name) => name.trim())
  requireColumns(columns, members, exported)
  if (records.length === 0) throw invalid('The CSV file has no row below the header.')
  if (records.length > most.rows) {
    throw new Problem('payload_too_large', {
      description: `The CSV file has more than ${most.rows} rows, the maximum. Divide it, with the header in each part.`,
    })
  }
  return records.map((cells) => itemOf(columns, cells, members))
}

function recordsIn(text: string): string[][] {
  const [header = ''] = text.trimStart().split(/\r\n|\r|\n/, 1)
  const delimiter = [';', '\t'].find((one) => header.includes(one) && !header.includes(',')) ?? ','
  const columns = header.split(delimiter).length
  if (columns > most.columns) throw invalid(`The CSV file has ${columns} columns, and at most ${most.columns} are possible.`)
  try {
    // The header, the rows that are possible, and the one that shows that there are more.
    return parse(text, { bom: true, delimiter, skip_empty_lines: true, max_record_size: most.recordBytes, to: most.rows + 2 })
  } catch (cause) {
    throw invalid(`The CSV file cannot be read: ${reasonOf(cause)}.`, cause)
  }
}

/** Returns the error of a file in words. The messages of the parser contain cells. */
function reasonOf(error: unknown): string {
  if (!(error instanceof CsvError)) return 'it is not CSV'
  const { code, lines } = error
  const where = lines === undefined ? '' : `line ${lines} `
  switch (code) {
    case 'CSV_RECORD_INCONSISTENT_FIELDS_LENGTH':
    case 'CSV_RECORD_INCONSISTENT_COLUMNS':
      return `${where}has another number of cells than the header. Put cells with a separator in double quotes`
    case 'CSV_QUOTE_NOT_CLOSED':
      return 'a cell begins with a double quote and does not end with one. Write a double quote in a cell twice'
    case 'CSV_MAX_RECORD_SIZE':
      return `${where}is longer than ${most.recordBytes} bytes`
    default:
      return `${where}has a double quote in a cell without quotes. Put the cell in quotes, and write each quote in it twice`
  }
}

/** `exported`: the columns of an exported file, of which only members are read. */
function requireColumns(columns: readonly string[], members: CsvRules['members'], exported: readonly string[]): void {
  const twice = columns.find((name, index) => columns.indexOf(name) !== index)
  if (twice !== undefined) throw invalid(`The CSV file has the column '${twice.slice(0, 60)}' twice. Remove one of them.`)
  const known = new Set(exported)
  const unknown = columns.filter((name) => !known.has(name) && memberOf(name, members) === undefined)
  if (unknown.length > 0) {
    const names = unknown.slice(0, 10).map((name) => `'${name.slice(0, 60)}'`)
    throw invalid(
      `There is no column ${names.join(', ')}. The first row names the columns. Columns that are read: ${Object.keys(members).join(', ')}. Columns of an exported file that are ignored: ${exported.filter((name) => memberOf(name, members) === undefined).join(', ')}.`,
    )
  }
  if (!columns.some((name) => memberOf(name, members)))
    throw invalid(`The CSV file has no column that is read: ${Object.keys(members).join(', ')}.`)
}

interface Member {
  name: string
  /** The member inside, for a column such as `price.amount`. */
  inner: string | undefined
  schema: z.ZodType
}

/** Returns the member that a column has. Undefined for read-only columns. */
function memberOf(column: string, members: CsvRules['members']): Member | undefined {
  const [name = '', ...rest] = column.split('.')
  const schema = Object.hasOwn(members, name) ? members[name] : undefined
  if (!schema) return undefined
  if (rest.length === 0) return { name, inner: undefined, schema }
  const inner = rest.join('.')
  const outer = unwrapped(schema)
  if (isRecord(outer)) return { name, inner, schema: outer.valueType }
  const found = isObjectSchema(outer) && Object.hasOwn(outer.shape, inner) ? membersOf(outer)[inner] : undefined
  return found && !found.meta()?.readOnly ? { name, inner, schema: found } : undefined
}

function itemOf(columns: readonly string[], cells: readonly string[], members: CsvRules['members']): Values {
  const item: Record<string, unknown> = {}
  const inside = new Map<string, Record<string, unknown>>()
  for (const [index, column] of columns.entries()) {
    const member = memberOf(column, members)
    const value = member && cellValue(cells[index] ?? '', member.schema)
    if (!member || value === undefined) continue
    if (member.inner === undefined) item[member.name] = value
    else inside.set(member.name, { ...inside.get(member.name), [member.inner]: value })
  }
  for (const [name, inner] of inside) {
    const present = Object.entries(inner).filter(([, value]) => value !== null)
    // An object without any value is null, or an empty record.
    if (present.length > 0) item[name] = Object.fromEntries(present)
    else if (takesNull(members[name] ?? z.never())) item[name] = null
  }
  return item
}

// csv-stringify puts an apostrophe before these characters.
const escaped = /^'(?=[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20])/

const takesNull = (schema: z.ZodType): boolean => schema.safeParse(null).success

function cellValue(cell: string, schema: z.ZodType): unknown {
  if (cell === '') return takesNull(schema) ? null : undefined
  const text = cell.replace(escaped, '')
  const inner = unwrapped(schema)
  if (inner instanceof z.ZodNumber) return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text
  if (inner instanceof z.ZodBoolean) return { true: true, false: false }[text.toLowerCase()] ?? text
  if (isArray(inner) || isRecord(inner) || isObjectSchema(inner)) return parsed(text)
  return text
}

/** Returns a list or an object, which files contain as JSON. Other text is rejected as a value of the member. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const invalid = (description: string, cause?: unknown): Problem => new Problem('invalid_request', { description, cause })
