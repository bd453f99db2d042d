import type { Expression, ExpressionBuilder, Generated, Selectable, SqlBool, Updateable } from 'kysely'
import type { DB } from '../../gen/kysely/tables.ts'
import type { PersonCaller } from '../../policy/caller.ts'
import type { View } from './views.ts'

/** Tables that can be resources: their rows have an id, a version and two times. */
export type TableName = {
  [Table in keyof DB]: DB[Table] extends { id: string; version: unknown; created_at: unknown; updated_at: unknown } ? Table : never
}[keyof DB]

/** A table of a resource, or the one that stands for all of them in code that serves every resource. */
export type AnyTable = TableName | 'any_table'

export type Row<Table extends AnyTable> = Selectable<(DB & AnyTables)[Table]>
/** A row as a query reads it: its columns, what the query selects for derived fields, and how much of it the caller sees. */
export type ReadRow<Table extends AnyTable> = Row<Table> & { seen_as: View } & Readonly<Record<string, unknown>>

/** Columns to be written. */
export type Columns<Table extends AnyTable> = Partial<Updateable<(DB & AnyTables)[Table]>>
export type ColumnOf<Table extends TableName> = keyof DB[Table] & string

/** What a condition is written with: Kysely's expression builder over the resource's own table. */
export type Rows<Table extends TableName> = ExpressionBuilder<DB, Table>
export type Condition = Expression<SqlBool>
export type AnonymousRule<Table extends TableName> = (rows: Rows<Table>) => Condition
export type Rule<Table extends TableName> = (rows: Rows<Table>, me: PersonCaller) => Condition

/** The same without the knowledge of the table, for the road that serves every resource. */
export interface AnyRow {
  id: string
  school_id: string
  version: number
  [column: string]: unknown
}
/** A row as it was read, and how much of it the caller sees. */
export interface SeenRow extends AnyRow {
  seen_as: View
  /** True if the public view shows the gated fields of the row. Absent: it has none. */
  is_ungated?: boolean
}

export interface AnyTables {
  any_table: { id: string; school_id: string; version: Generated<number>; [column: string]: unknown }
}
export type AnyRows = ExpressionBuilder<AnyTables, 'any_table'>
export type AnyRule = (rows: AnyRows, me: PersonCaller) => Condition

/** A rule that lets every row of the school through. */
export const everything = (rows: { lit(value: boolean): Condition }): Condition => rows.lit(true)

/** A rule that lets nothing through. As a role's visibility it says that the resource is not for that role at all. */
export const nothing = (rows: { lit(value: boolean): Condition }): Condition => rows.lit(false)
