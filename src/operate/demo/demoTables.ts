import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { parse } from 'yaml'
import { z } from 'zod'
import { lazily } from '../../base/process/lazily.ts'
import { htmlOf } from '../../school/richText.ts'
import { folder, missing } from './readDemoFile.ts'

export type DemoRow = Readonly<Record<string, unknown>>

/** The rows of a table as the files of the demo write them, with marks for ids and times. */
export interface DemoTable {
  name: string
  columns: ReadonlySet<string>
  /** Rows as JSON. */
  lines: readonly string[]
}

/** Returns the tables that every demo school has. */
export const catalogueTables = lazily(() => readTables('rows'))
/** Returns the tables of what happened at the school. */
export const activityTables = lazily(() => readTables('activity'))

const rowsSchema = z.array(z.record(z.string(), z.unknown()))

/** Returns the rows of `demo/<path>`: YAML, or a line of JSON for each row. */
export function readDemoRows(path: string): DemoRow[] {
  const bytes = readFileSync(new URL(path, folder))
  const text = String(path.endsWith('.gz') ? gunzipSync(bytes) : bytes)
  const rows = path.endsWith('.yaml') ? parse(text) : text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
  const result = rowsSchema.safeParse(rows)
  if (!result.success) throw new Error(`demo/${path} is invalid:\n${z.prettifyError(result.error)}`)
  return result.data
}

/** Files whose rows are completed for each school. */
const completed = ['file.yaml', 'page.yaml']

async function readTables(group: 'rows' | 'activity'): Promise<DemoTable[]> {
  const place = new URL(`${group}/`, folder)
  if (!existsSync(place)) throw missing(group)
  const files = readdirSync(place).filter((file) => !completed.includes(file))
  return files.map((file) => describeRows(file.replace(/\..*$/, ''), readDemoRows(`${group}/${file}`)))
}

const lastMonth = { created_at: '@-30T00:00:00Z', updated_at: '@-30T00:00:00Z' }

/** Adds what every row of the demo has: the school, an id, times, and the HTML of its texts. A table without such a column leaves it out. */
export function describeRows(name: string, rows: readonly DemoRow[]): DemoTable {
  const whole = rows.map((row, place) => ({ school_id: '@school', id: `@${name}/${place}`, ...lastMonth, ...row, ...htmlIn(name, row) }))
  return { name, columns: new Set(whole.flatMap((row) => Object.keys(row))), lines: whole.map((row) => JSON.stringify(row)) }
}

const formatted = ['bio', 'body', 'content', 'description']

function htmlIn(table: string, row: DemoRow): DemoRow {
  const texts = formatted.flatMap((name) => (typeof row[name] === 'string' ? [[name, row[name]] as const] : []))
  return Object.fromEntries(texts.map(([name, text]) => [`${name}_html`, htmlOf(text, table === 'comment' ? 'comment' : 'markdown')]))
}
