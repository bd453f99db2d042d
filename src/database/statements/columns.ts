import { type Expression, sql } from 'kysely'
import type { DB } from '../../gen/kysely/tables.ts'

export type TableName = keyof DB

export type ColumnName<Table extends TableName> = keyof DB[Table] & string

/** A table under an alias in a text of SQL: its columns, and itself as `${rows}` for FROM and JOIN. */
export type Aliased<Table extends TableName> = Readonly<Record<ColumnName<Table>, string>>

/**
 * Returns a table under an alias, so that the names in a text of SQL are checked by the compiler: with `row = aliased('orders', 'row')`
 * is `${row}` the text `orders AS row` and `${row.paid_at}` the text `row.paid_at`. A column that the table does not have is a type
 * error.
 */
export function aliased<Table extends TableName>(table: Table, alias: string = table): Aliased<Table> {
  const text = alias === table ? `"${table}"` : `"${table}" AS ${alias}`
  return new Proxy({} as Aliased<Table>, {
    get: (_, name) => (name === Symbol.toPrimitive ? () => text : `${alias === table ? `"${table}"` : alias}.${String(name)}`),
  })
}

export const columns = <Table extends TableName>(_table: Table, names: readonly ColumnName<Table>[]): string => names.join(', ')

/** Returns the columns of a table for an `sql` template of Kysely: `refs('orders').paid_at` is `"orders"."paid_at"`. */
export function refs<Table extends TableName>(
  table: Table,
  alias: string = table,
): Readonly<Record<ColumnName<Table>, Expression<unknown>>> {
  return new Proxy({} as Readonly<Record<ColumnName<Table>, Expression<unknown>>>, {
    get: (_, name) => sql.ref(`${alias}.${String(name)}`),
  })
}
