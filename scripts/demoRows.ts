/**
 * Writes the rows of the demo school again, from a school that was changed:
 *
 *   DATABASE_URL=… node scripts/demoRows.ts [SLUG] [DAY]
 *
 * Reads the school with this slug (default: demo) as `schoolgate schools export` does, and rewrites the files in demo/rows and demo/activity: one
 * file per table, YAML or JSON lines as the file is now. An empty file adds its table. Times become days before or after DAY (default: today), and
 * ids become places in their table. What a run of the demo computes, and columns that have their default in every row, are left out.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { gzipSync } from 'node:zlib'
import { stringify } from 'yaml'
import { fromPublicId } from '../src/base/ids.ts'
import { openDatabase } from '../src/database/connection/openDatabase.ts'
import type { Sql } from '../src/database/connection/sql.ts'
import { findSchoolId } from '../src/database/tables/schools.ts'
import { describeSchoolTables, readPages, type TableShape, writeTimesInUtc } from '../src/database/transfer/tableShapes.ts'

const [slug = 'demo', day = new Date().toISOString().slice(0, 10)] = process.argv.slice(2)
const dayMs = 86_400_000
const firstDay = Date.parse(day) / dayMs
type Row = Record<string, unknown>

/** Columns that a run of the demo computes. */
const computed: Record<string, readonly string[]> = {
  file: [
    ...'bytes checksum_sha256 visibility status storage_key width height'.split(' '),
    ...'uploaded_by unused_since metadata_removed created_at updated_at'.split(' '),
  ],
  page: ['title', 'draft_title', 'draft_blocks', 'draft_seo', 'draft_show_in_navigation', 'live'],
}

async function writeAll(sql: Sql, school: string): Promise<void> {
  await writeTimesInUtc(sql)
  const shapes = await describeSchoolTables(sql)
  const files = ['rows', 'activity'].flatMap((folder) => readdirSync(`demo/${folder}`).map((name) => `demo/${folder}/${name}`))
  const tables: { file: string; shape: TableShape; rows: Row[] }[] = []
  for (const file of files) {
    const name = file.replace(/^.*\/|\..*$/g, '')
    const shape = shapes.find((one) => one.name === name)
    if (!shape) throw new Error(`${file}: the school has no table ${name}`)
    const rows: Row[] = []
    for await (const { lines } of readPages(sql, shape, { schoolId: school })) rows.push(...lines.map((line) => JSON.parse(line) as Row))
    tables.push({ file, shape, rows })
  }
  const marks = new Map<unknown, string>([[school, '@school']])
  for (const { shape, rows } of tables) for (const [place, row] of rows.entries()) addMarks(marks, shape.name, row, place)
  for (const { file, shape, rows } of tables) {
    const defaults = await defaultsOf(sql, shape)
    const kept = shape.columns.filter(
      ({ name }) => !isComputed(shape, name) && !rows.every((row) => isDeepStrictEqual(row[name], defaults[name])),
    )
    const written = rows.map((row) => marked(rowToWrite(shape.name, row, kept, defaults), marks) as Row)
    const lines = written.map((row) => `${JSON.stringify(row)}\n`).join('')
    const text = file.endsWith('.yaml') ? headOf(file) + stringify(written, { lineWidth: 0 }) : lines
    writeFileSync(file, file.endsWith('.gz') ? gzipSync(text, { level: 9 }) : text)
  }
}

/** Registers what identifies a row, and the numbers that count by year. */
function addMarks(marks: Map<unknown, string>, table: string, row: Row, place: number): void {
  if (row.id && !marks.has(row.id)) marks.set(row.id, `@${table}/${place}`)
  if (table === 'certificate') marks.set(row.number, `@code/certificate/${place}`)
  const at = timeOf(String(table === 'orders' ? row.placed_at : row.created_at))
  if (table === 'orders') marks.set(row.number, `@number//${at}/${place}`)
  if (row.invoice_number) marks.set(row.invoice_number, `@number/INV-/${at}/${place}`)
  if (row.credit_note_number) marks.set(row.credit_note_number, `@number/CN-/${at}/${place}`)
}

function isComputed({ name: table, columns }: TableShape, name: string): boolean {
  const isDerived = columns.some((column) => [`${column.name}_html`, `${column.name}_order`].includes(name))
  const isForm = name === 'tag_forms' || (table === 'person_tag' && name === 'form')
  // The row of the appearance has the id of its school.
  return (
    isDerived || isForm || (name === 'id' && table !== 'appearance') || name === 'school_id' || (computed[table]?.includes(name) ?? false)
  )
}

function rowToWrite(table: string, row: Row, columns: TableShape['columns'], defaults: Row): Row {
  const written = columns.filter(({ name }) => row[name] !== null || defaults[name] !== null)
  const kept: Row = Object.fromEntries(written.map(({ name }) => [name, row[name]]))
  if (row.password_hash) kept.password_hash = '@password'
  // Times move by days, so that months after them end on other days.
  if (row.period_anchor) kept.period_anchor = row.current_period_end
  if (table !== 'page') return kept
  const blocks = (row.draft_blocks as Row[]).map(({ id: _id, rendered: _rendered, ...block }) => block)
  return { title: row.draft_title, ...kept, blocks }
}

/** Returns the value with ids and times as the demo writes them. */
function marked(value: unknown, marks: ReadonlyMap<unknown, string>): unknown {
  if (Array.isArray(value)) return value.map((one) => marked(one, marks))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, marked(one, marks)]))
  if (typeof value !== 'string') return value
  const prefix = value.slice(0, 3)
  const publicMark = /^[a-z]{3}_/.test(value) ? marks.get(fromPublicId(prefix, value)) : undefined
  if (publicMark) return `${prefix}_${publicMark}`
  return marks.get(value) ?? (/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(value) ? `@${timeOf(value)}` : value)
}

function timeOf(text: string): string {
  const [date = '', time = ''] = text.replace('+00:00', 'Z').split('T')
  return `${Date.parse(date) / dayMs - firstDay}T${time}`
}

async function defaultsOf(sql: Sql, { name, columns }: TableShape): Promise<Row> {
  const defaults = await sql.query<{ column: string; text: string }>(
    `SELECT column_name AS column, column_default AS text FROM information_schema.columns
      WHERE table_schema = current_schema() AND table_name = $1 AND column_default IS NOT NULL`,
    [name],
  )
  const list = defaults.map(({ column, text }) => `to_jsonb(${text}) AS "${column}"`).join(', ')
  const [row = {}] = list === '' ? [] : await sql.query<Row>(`SELECT ${list}`)
  return { ...Object.fromEntries(columns.map((column) => [column.name, null])), ...row }
}

/** Returns the comment with which a file begins. */
const headOf = (file: string): string => /^(?:#.*\n)*/.exec(readFileSync(file, 'utf8'))?.[0] ?? ''

const { DATABASE_URL: databaseUrl, DATA_DIR: dataDirectory = 'data' } = process.env
const database = await openDatabase({ ...(databaseUrl && { databaseUrl }), dataDirectory })
const schoolId = await findSchoolId(database.kysely, slug)
if (schoolId === undefined) throw new Error(`the database has no school ${slug}`)
await database.script((sql) => writeAll(sql, schoolId))
await database.close()
