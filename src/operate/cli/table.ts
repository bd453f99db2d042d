import type { Terminal } from './terminal.ts'

/** A row of output, in the types of JSON. Members are named as in the API: snake_case. */
export type Listed = Record<string, string | number | boolean | null | readonly string[]>

const widest = 60

export function printList(
  terminal: Pick<Terminal, 'out'>,
  rows: readonly Listed[],
  { json, columns, empty }: { json: boolean | undefined; columns: readonly string[]; empty: string },
): void {
  if (json) terminal.out(asJson(rows))
  else terminal.out(rows.length === 0 ? `${empty}\n` : table(rows, columns))
}

export function printOne(terminal: Pick<Terminal, 'out'>, row: Listed, { json }: { json: boolean | undefined }): void {
  const width = Math.max(...Object.keys(row).map((name) => name.length))
  const lines = Object.entries(row).map(([name, value]) => `${name.padEnd(width)}  ${textOf(value)}\n`)
  terminal.out(json ? asJson(row) : lines.join(''))
}

const asJson = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`

function table(rows: readonly Listed[], columns: readonly string[]): string {
  const cells = [columns.map((name) => name.toUpperCase()), ...rows.map((row) => columns.map((name) => cut(textOf(row[name] ?? null))))]
  const widths = columns.map((_, at) => Math.max(...cells.map((line) => [...(line[at] ?? '')].length)))
  const pad = (text: string, at: number): string => text + ' '.repeat((widths[at] ?? 0) - [...text].length)
  return cells.map((line) => `${line.map(pad).join('  ').trimEnd()}\n`).join('')
}

function textOf(value: Listed[string]): string {
  if (value === null) return '-'
  // A line break inside a cell would look like another row.
  return (Array.isArray(value) ? value.join(' ') : String(value)).replaceAll('\n', '\\n')
}

const cut = (text: string): string => ([...text].length > widest ? `${[...text].slice(0, widest - 1).join('')}…` : text)

export const moment = (date: Date | null): string | null => date?.toISOString() ?? null
