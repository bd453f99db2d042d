import type { Sql } from '../connection/sql.ts'

export interface Column {
  name: string
  type: string
}

/** A table as rows are copied: its columns, its key, and the references that can be set only when every table has its rows. */
export interface TableShape {
  name: string
  columns: readonly Column[]
  key: readonly Column[]
  /** Columns that refer to a row of the same table or of a later one. */
  late: readonly string[]
}

interface Reference {
  child: string
  parent: string
  /** True if the parent row cannot be deleted before the child row: anything but ON DELETE SET NULL. */
  is_hard: boolean
  /** The referring columns that can be null. */
  columns: readonly string[]
}

/** The records of migrations belong to the database and not to its contents; triggers write the documents of the rows. */
const notCopied = ['_prisma_migrations', 'search_document']

/** Triggers of the logs write deliveries to the endpoints that this table has: it is filled when the logs are complete. */
const lastTable = 'webhook_endpoint'

/** Describes every table, in an order in which they can be filled: a table comes after those that it refers to. */
export async function describeTables(sql: Sql): Promise<TableShape[]> {
  const columns = await sql.query<Column & { relation: string; key_place: number | null }>(
    `SELECT c.relname AS relation, a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type, array_position(i.indkey::int2[], a.attnum) AS key_place
       FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
       LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
      WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relnamespace = current_schema()::regnamespace AND c.relname <> ALL ($1)
      ORDER BY c.relname, a.attnum`,
    [notCopied],
  )
  const byTable = Map.groupBy(columns, ({ relation }) => relation)
  const references = await listReferences(sql)
  const names = emptyingOrder([...byTable.keys()], references).toReversed()
  const ordered = [...names.filter((name) => name !== lastTable), ...names.filter((name) => name === lastTable)]
  return ordered.map((table, at) => {
    const own = byTable.get(table) ?? []
    const key = own.filter(({ key_place: place }) => place !== null).toSorted((a, b) => Number(a.key_place) - Number(b.key_place))
    if (key.length === 0) throw new Error(`table ${table} has no primary key`)
    const isLate = ({ child, parent }: Reference): boolean => child === table && ordered.indexOf(parent) >= at
    const late = new Set(references.filter(isLate).flatMap((reference) => reference.columns))
    return { name: table, columns: own.map(plain), key: key.map(plain), late: [...late] }
  })
}

/** Describes the tables of a school in the same way: its own, and those whose rows belong to it. */
export async function describeSchoolTables(sql: Sql): Promise<TableShape[]> {
  const tables = await describeTables(sql)
  return tables.filter(({ name, columns }) => name === 'school' || columns.some((column) => column.name === 'school_id'))
}

/** Returns the tables in an order in which they can be emptied: a table comes before those that it refers to. */
export function emptyingOrder(tables: readonly string[], references: readonly Omit<Reference, 'columns'>[]): string[] {
  const left = new Set(tables)
  const ordered: string[] = []
  const isFree = (table: string, which: (reference: Omit<Reference, 'columns'>) => boolean): boolean =>
    !references.some(
      (reference) => reference.parent === table && reference.child !== table && left.has(reference.child) && which(reference),
    )
  while (left.size > 0) {
    // A circle of references always has one that is set to null.
    const next = [...left].find((table) => isFree(table, () => true)) ?? [...left].find((table) => isFree(table, ({ is_hard }) => is_hard))
    if (next === undefined) throw new Error(`these tables refer to each other in a circle: ${[...left].join(', ')}`)
    left.delete(next)
    ordered.push(next)
  }
  return ordered
}

export const listReferences = (sql: Sql): Promise<Reference[]> =>
  sql.query(
    `SELECT child.relname AS child, parent.relname AS parent, con.confdeltype <> 'n' AS is_hard,
            ARRAY(SELECT a.attname::text FROM pg_attribute a WHERE a.attrelid = con.conrelid AND a.attnum = ANY (con.conkey) AND NOT a.attnotnull) AS columns
       FROM pg_constraint con
       JOIN pg_class child ON child.oid = con.conrelid
       JOIN pg_class parent ON parent.oid = con.confrelid
      WHERE con.contype = 'f' AND child.relnamespace = current_schema()::regnamespace`,
  )

const plain = ({ name, type }: Column): Column => ({ name, type })

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
