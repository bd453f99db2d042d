import type { Expression, ExpressionBuilder, Generated, Selectable, SqlBool, Updateable } from 'kysely'
import type { z } from 'zod'
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

export type Values = Readonly<Record<string, unknown>>

export type NoMembers = Record<never, never>

export type OutputOf<Shape extends z.ZodRawShape> = z.output<z.ZodObject<Shape>>

/** The values of the operation's parameters by name. A parameter that was not sent and has no default is absent. */
export type ParameterValues<Shape extends z.ZodRawShape = NoMembers> = {
  get<Name extends keyof Shape & string>(name: Name): z.output<Shape[Name]>
} & ReadonlyMap<string, unknown>

export const parameterValues = <Shape extends z.ZodRawShape>(values: ReadonlyMap<string, unknown>): ParameterValues<Shape> =>
  values as ParameterValues<Shape>

/** The fields and inputs that a new row is made of. Only required ones are always present. */
export type NewValues<Shape extends z.ZodRawShape, Inputs extends z.ZodRawShape, Required extends string> = Partial<
  OutputOf<Shape> & OutputOf<Inputs>
> &
  OutputOf<Pick<Shape & Inputs, Required & keyof (Shape & Inputs)>>

/** The fields of a row after a change, and the inputs that the change sends. */
export type CompleteValues<Shape extends z.ZodRawShape, Inputs extends z.ZodRawShape> = OutputOf<Shape> &
  Partial<OutputOf<Inputs>> & { id: string; created_at: string; updated_at: string }

export type ChangedValues<Shape extends z.ZodRawShape, Inputs extends z.ZodRawShape> = Partial<OutputOf<Shape> & OutputOf<Inputs>>

/**
 * A value as the database returns it: a time may be a Date, which the serializer converts to text, and an enumeration is typed as string.
 */
export type StoredForm<Value> = Value extends string
  ? string | Date
  : Value extends readonly (infer Item)[]
    ? readonly StoredForm<Item>[]
    : Value extends object
      ? { readonly [Name in keyof Value]: StoredForm<Value[Name]> }
      : Value

/**
 * Returns the value of a JSON column with the type of what was written into it: the database types such columns as unknown, and only
 * values that passed the schema of their field are written.
 */
export const fromJson = <Value>(stored: unknown): Value => stored as Value

export const idsIn = (summaries: unknown): string[] => (Array.isArray(summaries) ? summaries.flatMap((one) => idIn(one) ?? []) : [])

export const idIn = (summary: unknown): string | null =>
  typeof summary === 'object' && summary !== null && 'id' in summary && typeof summary.id === 'string' ? summary.id : null
