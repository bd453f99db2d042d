import { type CopiedValue, copyLine } from './copyText.ts'
import type { Database } from './database.ts'

export interface AddedRows {
  table: string
  columns: readonly string[]
  /** Read once, as the database takes them. */
  rows: Iterable<readonly CopiedValue[]>
}

/**
 * Adds many rows in one transaction; a row with an existing key is skipped.
 * @returns how many were added
 */
export async function addRows(database: Database, { table, columns, rows }: AddedRows): Promise<number> {
  const incoming = `incoming_${table}`
  const names = columns.map((name) => `"${name}"`).join(', ')
  return await database.script(async (script) => {
    // COPY knows no ON CONFLICT: the rows pass through a table that the transaction takes with it.
    await script.runFile(`CREATE TEMPORARY TABLE ${incoming} ON COMMIT DROP AS SELECT ${names} FROM ${table} WITH NO DATA`)
    await script.copyIn(incoming, columns, lines(rows))
    const [row] = await script.query<{ added: string | number }>(
      `WITH added AS (INSERT INTO ${table} (${names}) SELECT ${names} FROM ${incoming} ON CONFLICT DO NOTHING RETURNING 1)
       SELECT count(*) AS added FROM added`,
    )
    return Number(row?.added ?? 0)
  })
}

function* lines(rows: Iterable<readonly CopiedValue[]>): Generator<string> {
  // Chunks of some size: a chunk for each row would be a turn of the event loop for each.
  let chunk = ''
  for (const row of rows) {
    chunk += copyLine(row)
    if (chunk.length < 65_536) continue
    yield chunk
    chunk = ''
  }
  if (chunk !== '') yield chunk
}
