import type { Expression, ExpressionBuilder, Generated, Selectable, SqlBool, Updateable } from 'kysely'
import type { PersonViewer, Viewer, Visitor } from '../../base/caller.ts'
import type { DB } from '../../gen/kysely/tables.ts'
import type { View } from './views.ts'

/** Tables that can be resources: their rows have an id, a version and the times of creation and last change. */
export type TableName = {
  [Table in keyof DB]: DB[Table] extends { id: string; version: unknown; created_at: unknown; updated_at: unknown } ? Table : never
}[keyof DB]

/** A table of a resource, or `any_table`, which represents all of them in code that serves every resource. */
export type AnyTable = TableName | 'any_table'

export type Row<Table extends AnyTable> = Selectable<(DB & AnyTables)[Table]>
/** A row as a query returns it: its columns, the values selected for derived fields, and the caller's view. */
export type ReadRow<Table extends AnyTable> = Row<Table> & { seen_as: View } & Readonly<Record<string, unknown>>

export type Columns<Table extends AnyTable> = Partial<Updateable<(DB & AnyTables)[Table]>>
export type ColumnOf<Table extends TableName> = keyof DB[Table] & string

export type Rows<Table extends TableName> = ExpressionBuilder<DB, Table>
export type Condition = Expression<SqlBool>
export type AnonymousRule<Table extends TableName> = (rows: Rows<Table>) => Condition
export type VisitorRule<Table extends TableName> = (rows: Rows<Table>, visitor: Visitor) => Condition
export type Rule<Table extends TableName> = (rows: Rows<Table>, me: PersonViewer) => Condition

/** A row without the type of its table, for the request pipeline, which serves every resource. */
export interface AnyRow {
  id: string
  school_id: string
  version: number
  [column: string]: unknown
}
export interface SeenRow extends AnyRow {
  seen_as: View
  /** True if the public view shows the gated fields of the row. Absent if the resource has no gated fields. */
  is_ungated?: boolean
}

export interface AnyTables {
  any_table: { id: string; school_id: Generated<string>; version: Generated<number>; [column: string]: unknown }
}
export type AnyRows = ExpressionBuilder<AnyTables, 'any_table'>
export type AnyRule = (rows: AnyRows, me: PersonViewer) => Condition

/** Selects the value of a field. Undefined: it is null for this caller in every row, so the statement does not select it. */
export type Selection<Builder> = (rows: Builder, caller: Viewer) => Expression<unknown> | undefined

export const everything = (rows: { lit(value: boolean): Condition }): Condition => rows.lit(true)

/** Rule that excludes every row. As a role's visibility it means that the role cannot use the resource. */
export const nothing = (rows: { lit(value: boolean): Condition }): Condition => rows.lit(false)
