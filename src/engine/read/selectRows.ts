import type { AliasedExpression, Expression, SelectQueryBuilder } from 'kysely'
import type { SchoolReader } from '../../database/connection/database.ts'
import type { AnyRow, AnyRows, AnyTables, SeenRow } from '../declare/expressions.ts'
import { type QueryScope, type RowKey, tableOf, tables } from '../declare/queryScope.ts'
import { isReadable, viewOf } from './visible.ts'

/** Selects the fields of all rows of the school. The caller of this function adds the visibility condition. */
export function selectRows(
  database: SchoolReader,
  queryScope: QueryScope,
  { isWhole = false } = {},
): SelectQueryBuilder<AnyTables, 'any_table', SeenRow> {
  const { resource, caller } = queryScope
  const table = tables(database).selectFrom(tableOf(resource))
  // Selections come after the columns, because a selection replaces the column with its name.
  const columns = isWhole ? table.selectAll(tableOf(resource)) : table.select([...resource.columns]).$castTo<AnyRow>()
  return columns
    .select((rows) => [
      versionOf(queryScope, rows),
      viewOf(queryScope, rows).as('seen_as'),
      ...(resource.ungated ? [named(resource.ungated(rows), 'is_ungated')] : []),
      ...resource.selections
        .filter(({ field }) => !resource.onDemand.includes(field) || queryScope.onDemand?.includes(field))
        .flatMap(({ field, select }) => {
          const selected = select(rows, caller)
          if (selected) return [named(selected, field)]
          // A whole row has every column: null replaces one with this name.
          return isWhole ? [named(rows.lit(null), field)] : []
        }),
    ])
    .$castTo<SeenRow>()
}

export function wholeRow(database: SchoolReader, queryScope: QueryScope, key: RowKey | undefined): ReturnType<typeof selectRows> {
  const query = selectWhole(database, queryScope)
    .where((rows) => isReadable(queryScope, rows))
    .limit(1)
  return key ? query.where((rows) => rows(key.column, '=', key.value)) : query
}

export const selectWhole = (database: SchoolReader, queryScope: QueryScope): ReturnType<typeof selectRows> =>
  selectRows(database, queryScope, { isWhole: true })

const versionOf = ({ resource }: QueryScope, rows: AnyRows): AliasedExpression<unknown, string> =>
  named(rows.ref(resource.versionColumn), 'version')

export const named = (selected: Expression<unknown>, field: string): AliasedExpression<unknown, string> =>
  (selected as Expression<unknown> & { as(alias: string): AliasedExpression<unknown, string> }).as(field)
