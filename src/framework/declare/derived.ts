import type { Expression } from 'kysely'
import type { Caller } from '../../policy/caller.ts'
import type { AnyRows, ColumnOf, Columns, ReadRow, Rows, TableName } from './expressions.ts'
import type { Presentation } from './presentation.ts'
import type { StoredForm } from './values.ts'

/** A field without a column of its own: a column of another name, made from columns, or an expression that the query evaluates. */
export type Derived<Table extends TableName, Value, Written = Value> = {
  write?(value: NoInfer<Written>): Columns<Table>
  /** The column with the id of the file that the field names. */
  file?: string
} & (
  | { column: ColumnOf<Table>; from?: undefined; select?: undefined; of?: undefined }
  | {
      column?: undefined
      from: readonly ColumnOf<Table>[]
      select?: undefined
      of(row: ReadRow<Table>, context: Presentation): StoredForm<Value>
    }
  | {
      column?: undefined
      from?: undefined
      select(rows: Rows<Table>, caller: Caller): Expression<unknown>
      of?(selected: never, context: Presentation): StoredForm<Value>
    }
)

/** The same without the types of table and field. */
export interface AnyDerived {
  write?(value: unknown): Record<string, unknown>
  file?: string
  column?: string
  from?: readonly string[]
  select?(rows: AnyRows, caller: Caller): Expression<unknown>
  of?(source: unknown, context: Presentation): unknown
}
