import type { Sql } from '../connection/sql.ts'
import type { TableShape } from './tableShapes.ts'

/** A part of a table: rows as lines of JSON, in the order of the primary key. */
export interface Page {
  lines: string[]
  /** The key of the last row, as text. */
  last: readonly string[]
}

export interface Reading {
  /** Default: the rows of all schools. */
  schoolId?: string | undefined
  /** Only the rows after this key. */
  after?: readonly string[] | undefined
  /** Only rows in which one of these columns has a value. */
  withValuesIn?: readonly string[]
}

/** A statement reads rows up to either limit: the embedded database keeps the memory that its largest statement needed. */
const rowsAtOnce = 1000
const bytesAtOnce = 4_194_304

/** Yields the rows of a table page by page. Every page is one statement, so other work continues between them. */
export async function* readPages(
  sql: Sql,
  table: Pick<TableShape, 'name' | 'key'>,
  { schoolId, after, withValuesIn = [] }: Reading = {},
): AsyncGenerator<Page> {
  const { name, key } = table
  const columns = key.map((column) => `t."${column.name}"`).join(', ')
  const keys = key.map((column, at) => `t."${column.name}"::text AS k${at}`).join(', ')
  const places = key.map(({ type }, at) => `$${at + 2}::text::${type}`).join(', ')
  const owner = name === 'school' ? 'id' : 'school_id'
  const own = schoolId === undefined ? '$1::uuid IS NULL' : `t."${owner}" = $1`
  const filled = withValuesIn.length === 0 ? '' : ` AND num_nonnulls(${withValuesIn.map((one) => `t."${one}"`).join(', ')}) > 0`
  let position = after
  for (;;) {
    const rows = await sql.query<Record<string, string>>(
      `SELECT * FROM (
         SELECT *, sum(octet_length(line)) OVER (ORDER BY place) - octet_length(line) AS bytes_before FROM (
           SELECT row_to_json(t)::text AS line, ${keys}, row_number() OVER (ORDER BY ${columns}) AS place
             FROM "${name}" t WHERE ${own}${filled}${position ? ` AND (${columns}) > (${places})` : ''}
            ORDER BY ${columns} LIMIT ${rowsAtOnce}) AS numbered) AS summed
        WHERE bytes_before < ${bytesAtOnce} ORDER BY place`,
      [schoolId ?? null, ...(position ?? [])],
    )
    const last = rows.at(-1)
    if (!last) return
    position = key.map((_, at) => last[`k${at}`] ?? '')
    yield { lines: rows.map(({ line = '' }) => line), last: position }
  }
}

/** The number of rows, and a sum of their hashes that does not depend on their order. */
export interface Digest {
  rows: number
  digest: string
}

/** Makes the texts of rows independent of the settings of the server. Call it in the transaction that reads them. */
export const writeTimesInUtc = (sql: Sql): Promise<unknown> => sql.query(`SET LOCAL TimeZone = 'UTC'`)

/** Computes the digest of a table: of all rows, or of those of a school. */
export async function digestOf(sql: Sql, { name }: Pick<TableShape, 'name'>): Promise<Digest> {
  const half = (from: number): string =>
    `lpad(to_hex(mod(sum(('x' || substr(hash, ${from}, 8))::bit(32)::bigint), 4294967296)::bigint), 8, '0')`
  const [row] = await sql.query<{ rows: string | number; digest: string | null }>(
    `SELECT count(*) AS rows, ${[1, 9, 17, 25, 33, 41, 49, 57].map(half).join(' || ')} AS digest
       FROM (SELECT encode(sha256(convert_to(row_to_json(t)::text, 'UTF8')), 'hex') AS hash FROM "${name}" t) AS hashes`,
  )
  return { rows: Number(row?.rows), digest: row?.digest ?? '' }
}
