import { type Insertable, type Selectable, sql } from 'kysely'
import type { DB } from '../../gen/kysely/tables.ts'
import type { SchoolWriter } from '../connection/database.ts'
import { withoutSchool } from '../school/inSchool.ts'
import { type CopiedTable, copiedTables } from './columnKinds.ts'

type Kinds<Table extends CopiedTable> = (typeof copiedTables)[Table]
type Derived<Own> = Own extends { derived: infer Names } ? keyof Names : never
type Copied<Table extends CopiedTable> = Kinds<Table>['content'][number] | Derived<Kinds<Table>>
type Row<Table extends CopiedTable> = Omit<Selectable<DB[Table]>, 'school_id'>

/** Holds the columns that the caller gives: all that a new row needs in addition to the content, and content that differs. */
type Own<Table extends CopiedTable> = Omit<Insertable<DB[Table]>, Copied<Table> | 'school_id'> & Partial<Insertable<DB[Table]>>

export interface Copy<Table extends CopiedTable> {
  /** The rows that are copied have these values. */
  original: Partial<Row<Table>>
  own: Own<Table>
}

/** Copies the content of rows, and what follows from it. Other columns begin as in a new row, unless `own` gives them. */
export async function copyRows<Table extends CopiedTable>(
  writer: SchoolWriter,
  table: Table,
  copies: readonly Copy<Table>[],
): Promise<void> {
  const [first] = copies
  if (!first) return
  const { content, derived = {} }: { content: readonly string[]; derived?: object } = copiedTables[table]
  const own = Object.entries(first.own).flatMap(([name, value]) => (value === undefined ? [] : [name]))
  const copied = [...content, ...Object.keys(derived)].filter((name) => !own.includes(name))
  const list = (names: readonly string[], of?: string) => names.map((name) => sql.ref(of === undefined ? name : `${of}.${name}`))
  const record = (member: string) => sql`jsonb_populate_record(NULL::${sql.table(table)}, copy -> ${member})`
  const isOriginal = Object.keys(first.original).map((name) => sql`stored.${sql.ref(name)} = original.${sql.ref(name)}`)
  await sql`
    INSERT INTO ${sql.table(table)} (school_id, ${sql.join([...list(copied), ...list(own)])})
    SELECT stored.school_id, ${sql.join([...list(copied, 'stored'), ...list(own, 'own')])}
      FROM jsonb_array_elements(${JSON.stringify(copies)}::jsonb) AS copy
     CROSS JOIN LATERAL ${record('original')} AS original
     CROSS JOIN LATERAL ${record('own')} AS own
      JOIN ${sql.table(table)} AS stored ON stored.school_id = ${writer.schoolId} AND ${sql.join(isOriginal, sql` AND `)}`.execute(
    withoutSchool(writer),
  )
}
