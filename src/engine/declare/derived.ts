import type { ExternalServices } from '../externalServices.ts'
import type { AnyRows, ColumnOf, Columns, ReadRow, Rows, Selection, StoredForm, TableName } from './expressions.ts'
import type { Presentation } from './rowSerializer.ts'

/** A field that has no column with its name: a renamed column, a value computed from columns, or an SQL expression. */
export type Derived<Table extends TableName, Value, Written = Value> = {
  write?(value: NoInfer<Written>, services: ExternalServices): Columns<Table> | Promise<Columns<Table>>
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
      select: Selection<Rows<Table>>
      of?(selected: never, context: Presentation): StoredForm<Value>
    }
)

export type WriteDerived = (value: unknown, services: ExternalServices) => Record<string, unknown> | Promise<Record<string, unknown>>

/** A derived field without the types of table and field. */
export interface AnyDerived {
  write?: WriteDerived
  file?: string
  column?: string
  from?: readonly string[]
  select?: Selection<AnyRows>
  of?(source: unknown, context: Presentation): unknown
}
