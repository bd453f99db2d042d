import { CsvError, parse } from 'csv-parse/sync'
import { z } from 'zod'
import { Problem } from '../../base/problem.ts'
import { comparisonForm } from '../../base/text/comparisonForm.ts'
import { nearest } from '../../base/text/nearest.ts'
import type { Values } from '../declare/expressions.ts'
import { isArray, isObjectSchema, isRecord, membersOf, unwrapped } from '../declare/views.ts'
import { maxItems } from './bulk.ts'

/** How a bulk operation reads CSV: the columns that its items take. */
export interface CsvRules {
  members: Readonly<Record<string, z.ZodType>>
  options: Values
}

/** The content of a CSV file, and what was ignored. */
export interface CsvFile {
  items: Values[]
  /** The row of each item, as spreadsheets number them: the header is row 1. */
  rows: number[]
  ignored: { ignored_columns: string[]; empty_rows: number }
}

interface Reading {
  /** The columns of an exported file, of which only members are read. */
  exported: readonly string[]
  /** True if an empty cell makes a value null. */
  clears: boolean
}

const most = { rows: maxItems, emptyRows: 5000, columns: 200, recordBytes: 262_144 } as const

/**
 * Returns the items of a CSV file in the form in which lists are exported, or as people write it: a header, then a row for each item. Headings
 * are compared without case, spaces and hyphens. Separators are commas, semicolons or tabs; a first line `sep=;` names another one. Cells that
 * were escaped against formulas are unescaped. Empty rows and other columns are ignored.
 * @throws Problem invalid_request that names the row or the columns, payload_too_large
 */
export function readCsv(text: string, { members }: CsvRules, { exported, clears }: Reading): CsvFile {
  const records = recordsIn(text)
  const start = records.findIndex((cells) => !isEmpty(cells))
  const { columns, ignored } = columnsOf(records[start] ?? [], members, exported)
  const file: CsvFile = { items: [], rows: [], ignored: { ignored_columns: ignored, empty_rows: 0 } }
  let emptyBefore = 0
  for (const [index, cells] of records.slice(start + 1).entries()) {
    if (isEmpty(cells)) {
      emptyBefore += 1
      continue
    }
    if (cells.length < columns.length || !isEmpty(cells.slice(columns.length))) {
      throw invalid(
        `The CSV file cannot be read: row ${start + index + 2} has another number of cells than the header. Put cells with a separator in double quotes.`,
      )
    }
    file.items.push(itemOf(columns, cells, { members, clears }))
    file.rows.push(start + index + 2)
    file.ignored.empty_rows += emptyBefore
    emptyBefore = 0
  }
  if (file.items.length === 0) throw invalid('The CSV file has no row below the header.')
  return file
}

const isEmpty = (cells: readonly string[]): boolean => cells.every((cell) => cell.trim() === '')

function recordsIn(text: string): string[][] {
  const { body, delimiter } = dialectOf(text.replace(/^\uFEFF/, ''))
  const [header = ''] = body.trimStart().split(/\r\n|\r|\n/, 1)
  const columns = header.split(delimiter).length
  if (columns > most.columns) throw invalid(`The CSV file has ${columns} columns, and at most ${most.columns} are possible.`)
  let [filled, empty] = [0, 0]
  try {
    return parse(body, {
      delimiter,
      relax_column_count: true,
      skip_empty_lines: false,
      max_record_size: most.recordBytes,
      on_record(cells: string[]) {
        if (isEmpty(cells)) empty += 1
        else filled += 1
        if (filled > most.rows + 1 || empty > most.emptyRows) throw tooLong
        return cells
      },
    })
  } catch (cause) {
    if (cause instanceof Problem) throw cause
    throw invalid(`The CSV file cannot be read: ${reasonOf(cause)}.`, cause)
  }
}

const tooLong = new Problem('payload_too_large', {
  description: `The CSV file has more than ${most.rows} rows, the maximum. Divide it, with the header in each part: an export with limit=${most.rows} has as many, and its Link header leads to the next rows.`,
})

/** Returns the separator of the cells, and the text without the line that names it to Excel. */
function dialectOf(text: string): { body: string; delimiter: string } {
  const declared = /^\s*"?sep=(?<delimiter>[,;\t|])"?[ \t]*(?:\r\n|\r|\n)/i.exec(text)
  if (declared?.groups) return { body: text.slice(declared[0].length), delimiter: String(declared.groups.delimiter) }
  const [header = ''] = text.trimStart().split(/\r\n|\r|\n/, 1)
  return { body: text, delimiter: [';', '\t'].find((one) => header.includes(one) && !header.includes(',')) ?? ',' }
}

/** Returns the error of a file in words. The messages of the parser contain cells. */
function reasonOf(error: unknown): string {
  if (!(error instanceof CsvError)) return 'it is not CSV'
  const { code, lines } = error
  const where = lines === undefined ? '' : `line ${lines} `
  switch (code) {
    case 'CSV_QUOTE_NOT_CLOSED':
      return 'a cell begins with a double quote and does not end with one. Write a double quote in a cell twice'
    case 'CSV_MAX_RECORD_SIZE':
      return `${where}is longer than ${most.recordBytes} bytes`
    default:
      return `${where}has a double quote in a cell without quotes. Put the cell in quotes, and write each quote in it twice`
  }
}

/** The form in which headings are compared: `E-Mail` is `email`. */
const headingForm = (heading: string): string => comparisonForm(heading).replace(/[\s_-]/g, '')

/** Returns the column of each heading, and the headings that no member has. */
function columnsOf(
  header: readonly string[],
  members: CsvRules['members'],
  exported: readonly string[],
): { columns: string[]; ignored: string[] } {
  const names = Object.keys(members)
  const known = new Map([...exported, ...names].map((name) => [headingForm(name), name]))
  const columns = header.map((heading) => {
    const trimmed = heading.trim()
    return memberOf(trimmed, members) ? trimmed : (known.get(headingForm(trimmed)) ?? trimmed)
  })
  const read = columns.filter((name) => memberOf(name, members))
  const twice = read.find((name, index) => read.indexOf(name) !== index)
  if (twice !== undefined) throw invalid(`The CSV file has the column '${twice.slice(0, 60)}' twice. Remove one of them.`)
  if (read.length === 0) throw invalid(`The CSV file has no column that is read: ${names.join(', ')}.`)
  const isRead = new Set(read)
  const ignored = columns.filter((name) => name !== '' && !isRead.has(name)).map((name) => name.slice(0, 60).toWellFormed())
  const unread = names.filter((name) => !isRead.has(name))
  for (const name of ignored.slice(0, 20)) {
    const near = known.has(headingForm(name)) ? undefined : nearest(headingForm(name), unread.map(headingForm))
    const meant = near === undefined ? undefined : known.get(near)
    if (meant !== undefined)
      throw invalid(`There is no column '${name}': did you mean ${meant}? Rename or remove it. Columns that are read: ${names.join(', ')}.`)
  }
  return { columns, ignored }
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

function itemOf(
  columns: readonly string[],
  cells: readonly string[],
  { members, clears }: Pick<CsvRules, 'members'> & Pick<Reading, 'clears'>,
): Values {
  const item: Record<string, unknown> = {}
  const inside = new Map<string, Record<string, unknown>>()
  for (const [index, column] of columns.entries()) {
    const member = memberOf(column, members)
    const value = member && cellValue(cells[index] ?? '', member.schema, clears)
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

function cellValue(cell: string, schema: z.ZodType, clears: boolean): unknown {
  if (cell.trim() === '') return clears && takesNull(schema) ? null : undefined
  const text = cell.replace(escaped, '')
  const inner = unwrapped(schema)
  if (inner instanceof z.ZodNumber) return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text
  if (inner instanceof z.ZodBoolean) return { true: true, false: false }[text.toLowerCase()] ?? text
  if (isArray(inner)) return isJson(text) ? parsed(text) : wordsIn(text)
  if (isRecord(inner) || isObjectSchema(inner)) return parsed(text)
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

const isJson = (text: string): boolean => text.trimStart().startsWith('[')

/** Returns the words of a list as people write it in a cell. */
const wordsIn = (text: string): string[] =>
  text
    .split(/[,;\n]/)
    .map((word) => word.trim())
    .filter((word) => word !== '')

const invalid = (description: string, cause?: unknown): Problem => new Problem('invalid_request', { description, cause })
