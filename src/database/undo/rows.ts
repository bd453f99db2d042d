import { CompiledQuery, type RawBuilder, sql } from 'kysely'
import type { SchoolWriter } from '../connection/database.ts'
import { withoutSchool } from '../school/inSchool.ts'
import { listSchoolTables } from '../school/schoolTables.ts'
import type { Columns } from './capture.ts'

/** A reference of a table to another one, by columns in the same order. `school_id` is left out. */
export interface Reference {
  table: string
  columns: string[]
  parent: string
  parent_columns: string[]
  /** True if the reference becomes null when its parent is deleted. */
  is_optional: boolean
}

export interface Tables {
  /** Parents before their children. */
  order: string[]
  references: Reference[]
  /** Columns that may exist in images of a former release only are left out. */
  columns: ReadonlyMap<string, ReadonlySet<string>>
}

export async function readTables(writer: SchoolWriter): Promise<Tables> {
  const handle = withoutSchool(writer)
  const children = await listSchoolTables({
    query: async <Row extends object>(text: string, values: readonly unknown[] = []) =>
      (await handle.executeQuery<Row>(CompiledQuery.raw(text, [...values]))).rows,
  })
  const { rows: references } = await sql<Reference>`
    SELECT child.relname::text AS table, parent.relname::text AS parent, con.confdeltype = 'n' AS is_optional,
           ${namesOf(sql`con.conrelid`, sql`con.conkey`)} AS columns, ${namesOf(sql`con.confrelid`, sql`con.confkey`)} AS parent_columns
      FROM pg_constraint con
      JOIN pg_class child ON child.oid = con.conrelid
      JOIN pg_class parent ON parent.oid = con.confrelid
     WHERE con.contype = 'f' AND child.relnamespace = current_schema()::regnamespace AND cardinality(con.conkey) > 1`.execute(handle)
  const { rows: columns } = await sql<{ table: string; columns: string[] }>`
    SELECT t.relname::text AS table, array_agg(a.attname::text) AS columns
      FROM pg_class t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
     WHERE t.relkind IN ('r', 'p') AND t.relnamespace = current_schema()::regnamespace GROUP BY 1`.execute(handle)
  return {
    order: ['school', ...children.toReversed()],
    references,
    columns: new Map(columns.map(({ table, columns: names }) => [table, new Set(names)])),
  }
}

const namesOf = (table: RawBuilder<unknown>, numbers: RawBuilder<unknown>): RawBuilder<string[]> => sql`
  ARRAY(SELECT a.attname::text FROM unnest(${numbers}) WITH ORDINALITY AS part (number, n)
          JOIN pg_attribute a ON a.attrelid = ${table} AND a.attnum = part.number WHERE a.attname <> 'school_id' ORDER BY part.n)`

/** Returns the rows with these keys as they are, locked in the order of their keys until the transaction ends. */
export async function lockRows(writer: SchoolWriter, table: string, keys: readonly Columns[]): Promise<Columns[]> {
  const { rows } = await sql<{ columns: Columns }>`
    SELECT to_jsonb(stored) AS columns FROM ${sql.table(table)} AS stored JOIN ${recordsOf(table, keys)} AS wanted ON ${isSame(namesIn(keys))}
     WHERE ${isOfSchool(table, writer)} ORDER BY ${sortedBy(namesIn(keys))} FOR UPDATE OF stored`.execute(withoutSchool(writer))
  return rows.map(({ columns }) => columns)
}

/** Returns how many of these rows exist, by their values of these columns. */
export async function findExisting(
  writer: SchoolWriter,
  table: string,
  names: readonly string[],
  values: readonly Columns[],
): Promise<Columns[]> {
  const { rows } = await sql<{ columns: Columns }>`
    SELECT to_jsonb(wanted) AS columns FROM (SELECT DISTINCT ${listed(names, 'one')} FROM ${recordsOf(table, values)} AS one) AS wanted
     WHERE EXISTS (SELECT FROM ${sql.table(table)} AS stored WHERE ${isOfSchool(table, writer)} AND ${isSame(names)})`.execute(
    withoutSchool(writer),
  )
  return rows.map(({ columns }) => columns)
}

/** Rows that use another one, which `table` and `key` identify. */
interface Use {
  table: string
  key: Columns
  /** The table of the rows that use it. */
  by: string
  count: number
}

/** References without a foreign key, by the columns with the table and the id of the row. */
const namingTables = {
  comment: ['subject_type', 'subject_id'],
  coupon_item: ['product_type', 'product_id'],
  coupon_redemption: ['product_type', 'product_id'],
  entitlement: ['product_type', 'product_id'],
  order_item: ['product_type', 'product_id'],
  plan_item: ['product_type', 'product_id'],
} as const

const namedTables: ReadonlySet<string> = new Set(['course', 'digital_product', 'event', 'lesson', 'membership_plan', 'post'])

/** Returns which rows of these images are used by rows other than `own`, also by references that would become null with them. */
export async function findUses(
  writer: SchoolWriter,
  { references }: Pick<Tables, 'references'>,
  images: ReadonlyMap<string, readonly { key: Columns; image: Columns }[]>,
  own: ReadonlyMap<string, readonly Columns[]>,
): Promise<Use[]> {
  const using = (reference: Pick<Reference, 'table' | 'columns' | 'parent' | 'parent_columns'>, type?: string): RawBuilder<Use>[] => {
    const { table, columns, parent, parent_columns } = reference
    const used = images.get(parent) ?? []
    if (used.length === 0) return []
    const names = namesIn(used.map(({ key }) => key))
    const keys = own.get(table) ?? []
    const isOwn = sql`EXISTS (SELECT FROM ${recordsOf(table, keys)} AS wanted WHERE ${isSame(namesIn(keys))})`
    const conditions = [
      sql`stored.school_id = ${writer.schoolId}`,
      ...columns.map((name, index) => sql`stored.${sql.ref(name)} = used.${sql.ref(parent_columns[index] ?? name)}`),
      ...(type === undefined ? [] : [sql`stored.${sql.ref(type)} = ${parent}`]),
      ...(keys.length === 0 ? [] : [sql`NOT ${isOwn}`]),
    ]
    return [
      sql`SELECT ${parent}::text AS table, jsonb_build_object(${sql.join(names.map((name) => sql`${name}::text, used.${sql.ref(name)}`))}) AS key,
                 ${table}::text AS by, found.count
            FROM ${recordsOf(
              parent,
              used.map(({ image }) => image),
            )} AS used
           CROSS JOIN LATERAL (SELECT count(*)::int AS count FROM ${sql.table(table)} AS stored WHERE ${sql.join(conditions, sql` AND `)}) AS found
           WHERE found.count > 0`,
    ]
  }
  const named = [...images.keys()].filter((parent) => namedTables.has(parent))
  const parts = [
    ...references.flatMap((reference) => using(reference)),
    ...named.flatMap((parent) =>
      Object.entries(namingTables).flatMap(([table, [type, id]]) => using({ table, columns: [id], parent, parent_columns: ['id'] }, type)),
    ),
  ]
  if (parts.length === 0) return []
  const { rows } = await sql<Use>`${sql.join(parts, sql` UNION ALL `)}`.execute(withoutSchool(writer))
  return rows
}

export async function insertRows(writer: SchoolWriter, table: string, names: readonly string[], rows: readonly Columns[]): Promise<void> {
  await sql`
    INSERT INTO ${sql.table(table)} (school_id, ${listed(names)})
    SELECT ${writer.schoolId}::uuid, ${listed(names, 'row')} FROM ${recordsOf(table, rows)} AS row`.execute(withoutSchool(writer))
}

/** Writes columns of rows. Numbers in `added` are added to what is stored, which does not fall below zero. */
export async function updateRows(
  writer: SchoolWriter,
  table: string,
  { key, set, added }: { key: readonly string[]; set: readonly string[]; added: readonly string[] },
  rows: readonly Columns[],
): Promise<void> {
  const assignments = [
    ...set.map((name) => sql`${sql.ref(name)} = wanted.${sql.ref(name)}`),
    ...added.map((name) => sql`${sql.ref(name)} = greatest(0, stored.${sql.ref(name)} + wanted.${sql.ref(name)})`),
  ]
  await sql`
    UPDATE ${sql.table(table)} AS stored SET ${sql.join(assignments)} FROM ${recordsOf(table, rows)} AS wanted
     WHERE ${isOfSchool(table, writer)} AND ${isSame(key)}`.execute(withoutSchool(writer))
}

export async function deleteRows(writer: SchoolWriter, table: string, keys: readonly Columns[]): Promise<void> {
  await sql`
    DELETE FROM ${sql.table(table)} AS stored USING ${recordsOf(table, keys)} AS wanted
     WHERE ${isOfSchool(table, writer)} AND ${isSame(namesIn(keys))}`.execute(withoutSchool(writer))
}

/** Checks constraints that can wait at the end of the transaction. */
export async function deferConstraints(writer: SchoolWriter): Promise<void> {
  await sql`SET CONSTRAINTS ALL DEFERRED`.execute(withoutSchool(writer))
}

/** Checks the deferred constraints now, instead of at the commit. */
export async function checkConstraints(writer: SchoolWriter): Promise<void> {
  await sql`SET CONSTRAINTS ALL IMMEDIATE`.execute(withoutSchool(writer))
}

const orderedWithin = { section: 'course_id', lesson: 'section_id', product_file: 'product_id' } as const

/**
 * Numbers the rows of these parents from 0 without gaps, in their order. Of two rows in one place, one of `first` comes first.
 * @returns the rows that moved, with their new versions
 */
export async function keepOrder(
  writer: SchoolWriter,
  table: keyof typeof orderedWithin,
  { parents, first }: { parents: readonly string[]; first: readonly string[] },
): Promise<{ id: string; version: number }[]> {
  const parent = sql.ref(orderedWithin[table])
  const { rows } = await sql<{ id: string; version: number }>`
    UPDATE ${sql.table(table)} AS stored SET position = placed.place, version = stored.version + 1, updated_at = now()
      FROM (SELECT id, (row_number() OVER (PARTITION BY ${parent} ORDER BY position, id <> ALL (${[...first]}::uuid[]), id) - 1)::int AS place
              FROM ${sql.table(table)} WHERE school_id = ${writer.schoolId} AND ${parent} = ANY (${[...parents]}::uuid[])) AS placed
     WHERE stored.school_id = ${writer.schoolId} AND stored.id = placed.id AND stored.position <> placed.place
    RETURNING stored.id, stored.version`.execute(withoutSchool(writer))
  return rows
}

const namesIn = ([first = {}]: readonly Columns[]): string[] => Object.keys(first).toSorted()

/** The row of the school itself has its id as key. */
const isOfSchool = (table: string, { schoolId }: SchoolWriter) =>
  sql`stored.${sql.ref(table === 'school' ? 'id' : 'school_id')} = ${schoolId}`

/** The rows as the database types them. */
const recordsOf = (table: string, rows: readonly Columns[]) =>
  sql`jsonb_populate_recordset(NULL::${sql.table(table)}, ${JSON.stringify(rows)}::jsonb)`

const listed = (names: readonly string[], alias?: string) =>
  sql.join(names.map((name) => sql.ref(alias === undefined ? name : `${alias}.${name}`)))

const sortedBy = (names: readonly string[]) => (names.length === 0 ? sql`1` : listed(names, 'stored'))

const isSame = (names: readonly string[]) =>
  names.length === 0
    ? sql`true`
    : sql.join(
        names.map((name) => sql`stored.${sql.ref(name)} = wanted.${sql.ref(name)}`),
        sql` AND `,
      )
