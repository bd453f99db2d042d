import type { AliasedExpression, Expression, SelectQueryBuilder } from 'kysely'
import type { Reader } from '../../store/database.ts'
import type { AnyRow, AnyRows, AnyTables, SeenRow } from '../declare/expressions.ts'
import { type QueryScope, type RowKey, schoolColumn, tableOf, tables } from '../declare/queryScope.ts'
import { isReadable, seenAs } from './visible.ts'

/** The fields of all rows of the school; who asks says which rows are seen. */
export function selectRows(
  database: Reader,
  queryScope: QueryScope,
  { isWhole = false } = {},
): SelectQueryBuilder<AnyTables, 'any_table', SeenRow> {
  const { resource, schoolId, caller } = queryScope
  const table = tables(database).selectFrom(tableOf(resource))
  // What the resource makes of a column comes later: it stands under that name.
  const columns = isWhole ? table.selectAll(tableOf(resource)) : table.select([...resource.columns]).$castTo<AnyRow>()
  return columns
    .select((rows) => [
      versionOf(queryScope, rows),
      seenAs(queryScope, rows).as('seen_as'),
      ...(resource.ungated ? [named(resource.ungated(rows), 'is_ungated')] : []),
      ...resource.selections
        .filter(({ field }) => !resource.onDemand.includes(field) || queryScope.onDemand?.includes(field))
        .map(({ field, select }) => named(select(rows, caller), field)),
    ])
    .where(schoolColumn(queryScope), '=', schoolId)
    .$castTo<SeenRow>()
}

/** The row with this key, with every column, if it exists for the caller. */
export function wholeRow(database: Reader, queryScope: QueryScope, key: RowKey | undefined): ReturnType<typeof selectRows> {
  const query = selectWhole(database, queryScope)
    .where((rows) => isReadable(queryScope, rows))
    .limit(1)
  return key ? query.where((rows) => rows(key.column, '=', key.value)) : query
}

/** The same with every column. */
export const selectWhole = (database: Reader, queryScope: QueryScope): ReturnType<typeof selectRows> =>
  selectRows(database, queryScope, { isWhole: true })

const versionOf = ({ resource }: QueryScope, rows: AnyRows): AliasedExpression<unknown, string> =>
  named(rows.ref(resource.versionColumn), 'version')

/** An expression under the name of a field. */
export const named = (selected: Expression<unknown>, field: string): AliasedExpression<unknown, string> =>
  (selected as Expression<unknown> & { as(alias: string): AliasedExpression<unknown, string> }).as(field)
