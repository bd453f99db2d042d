import type { AliasedExpression, Expression, Kysely, SelectQueryBuilder } from 'kysely'
import { audienceOf, type Caller, type PersonCaller } from '../policy/caller.ts'
import type { Reader } from '../store/database.ts'
import type { AnyRow, AnyRows, AnyRule, AnyTables, Condition } from './expressions.ts'
import type { Resource } from './resource.ts'
import { isBehind, type Position, type Sort, sortColumns, sortExpression } from './sorts.ts'
import type { View } from './views.ts'

/** Whose rows, seen by whom. No query is made without it. */
export interface Sight {
  resource: Resource
  schoolId: string
  caller: Caller
}

/** A row as it was read, and how much of it the caller sees. */
export interface SeenRow extends AnyRow {
  seen_as: View
}

export interface Page {
  conditions: readonly ((rows: AnyRows) => Condition)[]
  sort: Sort
  after: Position | undefined
  limit: number
}

/** A row's key in an address. */
export interface RowKey {
  column: 'id' | 'slug'
  value: string
}

/** Up to `limit` rows that stand in the caller's list. */
export async function findRows(database: Reader, sight: Sight, { conditions, sort, after, limit }: Page): Promise<SeenRow[]> {
  let query = selectRows(database, sight)
    .where((rows) => rows.and([isVisible(sight, rows), ...conditions.map((condition) => condition(rows))]))
    .limit(limit)
  if (after) query = query.where((rows) => isBehind(rows, sort, after))
  for (const column of sortColumns(sort)) {
    query = query.orderBy((rows) => sortExpression(rows, sort, column), sort.isDescending ? 'desc' : 'asc')
  }
  return (await query.execute()) as SeenRow[]
}

/** The row with this key if it exists for the caller; of a singleton the only row there is. */
export async function findRow(database: Reader, sight: Sight, key: RowKey | undefined): Promise<SeenRow | undefined> {
  const { unlisted } = sight.resource
  let query = selectRows(database, sight).limit(1)
  query = query.where((rows) => (unlisted ? rows.or([isVisible(sight, rows), unlisted(rows)]) : isVisible(sight, rows)))
  if (key) query = query.where((rows) => rows(key.column, '=', key.value))
  return (await query.executeTakeFirst()) as SeenRow | undefined
}

function selectRows(database: Reader, sight: Sight): SelectQueryBuilder<AnyTables, 'any_table', object> {
  const { resource, schoolId, caller } = sight
  // The tables of resources differ; what this road names of them (id, school, version) is the same in all.
  const tables = database as unknown as Kysely<AnyTables>
  return tables
    .selectFrom(resource.table as 'any_table')
    .select([...resource.columns])
    .select((rows) => [
      seenAs(sight, rows).as('seen_as'),
      ...resource.selections.map(({ field, select }) => named(select(rows, caller), field)),
    ])
    .where(resource.table === 'school' ? 'id' : 'school_id', '=', schoolId)
}

const isVisible = ({ resource, caller }: Sight, rows: AnyRows): Condition => ask(resource.visibility[audienceOf(caller)], rows, caller)

function seenAs({ resource, caller }: Sight, rows: AnyRows): Expression<string> & Pick<ReturnType<AnyRows['val']>, 'as'> {
  const audience = audienceOf(caller)
  const { own, staff } = resource.views
  const always = (view: View) => rows.cast<string>(rows.val(view), 'text')
  if (audience === 'staff') return always('staff')
  if (audience === 'anonymous') return always('public')
  const nobody = (): Condition => rows.lit(false)
  const isStaff = audience === 'lecturer' && staff ? ask(staff, rows, caller) : nobody()
  const isOwn = own ? ask(own, rows, caller) : nobody()
  return rows.case().when(isStaff).then(always('staff')).when(isOwn).then(always('own')).else(always('public')).end()
}

// Rules about people are asked about people only: the rule of the anonymous audience takes no second argument.
const ask = (rule: AnyRule, rows: AnyRows, caller: Caller): Condition => rule(rows, caller as PersonCaller)

const named = (selected: Expression<unknown>, field: string): AliasedExpression<unknown, string> =>
  (selected as Expression<unknown> & { as(alias: string): AliasedExpression<unknown, string> }).as(field)
