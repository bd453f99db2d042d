import { CompiledQuery, type RawBuilder, sql } from 'kysely'
import type { SchoolWriter } from '../database.ts'
import { withoutSchool } from '../inSchool.ts'
import { listSchoolTables } from '../schoolTables.ts'
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

/** The tables of a school with their references. */
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
    order: children.toReversed(),
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
     WHERE stored.school_id = ${writer.schoolId} ORDER BY ${sortedBy(namesIn(keys))} FOR UPDATE OF stored`.execute(withoutSchool(writer))
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
     WHERE EXISTS (SELECT FROM ${sql.table(table)} AS stored WHERE stored.school_id = ${writer.schoolId} AND ${isSame(names)})`.execute(
    withoutSchool(writer),
  )
  return rows.map(({ columns }) => columns)
}

export async function insertRows(writer: SchoolWriter, table: string, names: readonly string[], rows: readonly Columns[]): Promise<void> {
  await sql`
    INSERT INTO ${sql.table(table)} (school_id, ${listed(names)})
    SELECT ${writer.schoolId}::uuid, ${listed(names, 'row')} FROM ${recordsOf(table, rows)} AS row`.execute(withoutSchool(writer))
}

/** Writes columns of rows. Numbers in `added` are added to what is stored. */
export async function updateRows(
  writer: SchoolWriter,
  table: string,
  { key, set, added }: { key: readonly string[]; set: readonly string[]; added: readonly string[] },
  rows: readonly Columns[],
): Promise<void> {
  const assignments = [
    ...set.map((name) => sql`${sql.ref(name)} = wanted.${sql.ref(name)}`),
    ...added.map((name) => sql`${sql.ref(name)} = stored.${sql.ref(name)} + wanted.${sql.ref(name)}`),
  ]
  await sql`
    UPDATE ${sql.table(table)} AS stored SET ${sql.join(assignments)} FROM ${recordsOf(table, rows)} AS wanted
     WHERE stored.school_id = ${writer.schoolId} AND ${isSame(key)}`.execute(withoutSchool(writer))
}

export async function deleteRows(writer: SchoolWriter, table: string, keys: readonly Columns[]): Promise<void> {
  await sql`
    DELETE FROM ${sql.table(table)} AS stored USING ${recordsOf(table, keys)} AS wanted
     WHERE stored.school_id = ${writer.schoolId} AND ${isSame(namesIn(keys))}`.execute(withoutSchool(writer))
}

/** Checks constraints that can wait at the end of the transaction. */
export async function deferConstraints(writer: SchoolWriter): Promise<void> {
  await sql`SET CONSTRAINTS ALL DEFERRED`.execute(withoutSchool(writer))
}

/** Checks them now. */
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
