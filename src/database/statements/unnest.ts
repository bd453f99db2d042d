import { sql } from 'kysely'

/** One column of `unnest`: the type of its elements in the database, and its values from the first row to the last. */
export interface ArrayColumn {
  type: 'uuid' | 'text' | 'int' | 'bigint' | 'bool'
  values: readonly unknown[]
}

/**
 * Returns parallel arrays as a table of a query: `unnest('part', { id: { type: 'uuid', values: ids } })`. One parameter holds each array,
 * so the text of the statement does not depend on the number of rows.
 */
export function unnest<Alias extends string, Columns extends Readonly<Record<string, ArrayColumn>>>(alias: Alias, columns: Columns) {
  const arrays = Object.values(columns).map(({ type, values }) => sql`${[...values]}::${sql.raw(type)}[]`)
  const names = Object.keys(columns).map((name) => sql.id(name))
  return sql<{ [Name in keyof Columns]: Columns[Name]['values'][number] }>`unnest(${sql.join(arrays)})`.as<Alias>(
    sql`${sql.id(alias)} (${sql.join(names)})`,
  )
}
