/** A value of a column that can be written as text. An object is JSON. */
export type CopiedValue = string | number | boolean | Date | object | null

const quote = (name: string): string => `"${name}"`

/** The statement that takes rows from there. */
export const copyStatement = (table: string, columns: readonly string[], source: string): string =>
  `COPY ${quote(table)} (${columns.map(quote).join(', ')}) FROM ${source}`

/** A row in the text format of COPY, with the end of its line. */
export const copyLine = (values: readonly CopiedValue[]): string => `${values.map(asText).join('\t')}\n`

// Characters that end a column or a line are escaped; only null is written as `\N`.
function asText(value: CopiedValue): string {
  if (value === null) return '\\N'
  if (value instanceof Date) return value.toISOString()
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return text.replace(/[\\\t\n\r]/g, (found) => escapes[found] ?? found)
}

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }
