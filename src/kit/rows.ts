import type { AliasedExpression, Expression, Kysely, SelectQueryBuilder } from 'kysely'
import { audienceOf, type Caller, type PersonCaller } from '../policy/caller.ts'
import type { Reader, Writer } from '../store/database.ts'
import { contains, isOffered, rankWithin } from '../store/expressions.ts'
import type { AnyRow, AnyRows, AnyRule, AnyTables, Condition } from './expressions.ts'
import type { Resource } from './resource.ts'
import { isBehind, type Position, type Sort, sortColumns, sortExpression } from './sorts.ts'
import type { View } from './views.ts'

/** Whose rows, seen by whom. No query is made without it. */
export interface Sight {
  resource: Resource
  schoolId: string
  caller: Caller
  /** Fields that are read only because they were asked for by name. */
  onDemand?: readonly string[] | undefined
}

/** A row as it was read, and how much of it the caller sees. */
export interface SeenRow extends AnyRow {
  seen_as: View
}

export type RowCondition = (rows: AnyRows) => Condition

export interface Page {
  conditions: readonly RowCondition[]
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

/** Rows of the caller's list with these ids. */
export async function findRowsById(database: Reader, sight: Sight, ids: readonly string[]): Promise<SeenRow[]> {
  if (ids.length === 0) return []
  return (await selectRows(database, sight)
    .where((rows) => rows.and([isVisible(sight, rows), rows('id', 'in', [...ids])]))
    .execute()) as SeenRow[]
}

/** Rows of the caller's list that name one of these owners in `column`: of each the newest, up to `limit`. */
export async function findRowsOf(
  database: Reader,
  sight: Sight,
  { column, owners, limit }: { column: string; owners: readonly string[]; limit: number },
): Promise<(SeenRow & { owner: string })[]> {
  if (owners.length === 0) return []
  const ranked = selectRows(database, sight)
    .select((rows) => [named(rows.ref(column), 'owner'), named(rankWithin(rows.ref(column), rows.ref('id')), 'rank_within')])
    .where((rows) => rows.and([isVisible(sight, rows), rows(column, 'in', [...owners])]))
  const rows = await tables(database)
    .selectFrom(ranked.as('ranked') as unknown as 'any_table')
    .selectAll()
    .where('rank_within', '<=', limit)
    .orderBy('id', 'desc')
    .execute()
  return rows as unknown as (SeenRow & { owner: string })[]
}

/** How many rows the list has, counted no further than `limit`. */
export async function countRows(database: Reader, sight: Sight, conditions: readonly RowCondition[], limit: number): Promise<number> {
  const found = tables(database)
    .selectFrom(sight.resource.table as 'any_table')
    .select('id')
    .where(schoolColumn(sight), '=', sight.schoolId)
    .where((rows) => rows.and([isVisible(sight, rows), ...conditions.map((condition) => condition(rows))]))
    .limit(limit)
  const row = await tables(database)
    .selectFrom(found.as('found') as unknown as 'any_table')
    .select((rows) => rows.fn.countAll<string>().as('count'))
    .executeTakeFirst()
  return Number(row?.count ?? 0)
}

/** Rows in which the text occurs: among the newest of the caller's list that have it, so that a common text costs no more. */
export function searchCondition(sight: Sight, text: string, limit: number): RowCondition {
  const { table, search } = sight.resource
  return (rows) =>
    rows(
      'id',
      'in',
      rows
        .selectFrom(table as 'any_table')
        .select('id')
        .where(schoolColumn(sight), '=', sight.schoolId)
        .where((inner) =>
          inner.and([isVisible(sight, inner), inner.or(search.map((column) => contains(inner.ref(column) as Expression<string>, text)))]),
        )
        .orderBy('id', 'desc')
        .limit(limit),
    )
}

/** The row with this key if it exists for the caller; of a singleton the only row there is. */
export async function findRow(database: Reader, sight: Sight, key: RowKey | undefined): Promise<SeenRow | undefined> {
  let query = selectRows(database, sight).limit(1)
  query = query.where((rows) => isReadable(sight, rows))
  if (key) query = query.where((rows) => rows(key.column, '=', key.value))
  return (await query.executeTakeFirst()) as SeenRow | undefined
}

/** The same, with every column. */
export async function findWholeRow(database: Reader, sight: Sight, key: RowKey | undefined): Promise<SeenRow | undefined> {
  return (await wholeRow(database, sight, key).executeTakeFirst()) as SeenRow | undefined
}

/** The same, kept from everybody else's changes until the transaction ends. */
export async function lockRow(writer: Writer, sight: Sight, key: RowKey | undefined): Promise<SeenRow | undefined> {
  if (key?.column === 'id') await sight.resource.lockFirst?.(writer, { schoolId: sight.schoolId, id: key.value })
  const query = wholeRow(writer, sight, key).forUpdate(sight.resource.table as 'any_table')
  return (await query.executeTakeFirst()) as SeenRow | undefined
}

/** A row that this caller has just written. It may lie out of their sight by now: once, they see it still. */
export async function readWritten(writer: Writer, sight: Sight, id: string): Promise<SeenRow> {
  const row = await selectWhole(writer, sight).where('id', '=', id).executeTakeFirstOrThrow()
  return row as SeenRow
}

/** Adds a row to the school. */
export async function insertRow(writer: Writer, { resource, schoolId }: Sight, columns: Record<string, unknown>): Promise<void> {
  await tables(writer)
    .insertInto(resource.table as 'any_table')
    .values({ ...columns, school_id: schoolId } as never)
    .execute()
}

/** Writes columns and counts the version, in one statement that is void where the row has another version by now. */
export async function updateVersion(
  writer: Writer,
  sight: Sight,
  { id, version }: Pick<SeenRow, 'id' | 'version'>,
  columns: Record<string, unknown>,
): Promise<boolean> {
  const { table, versionColumn } = sight.resource
  const { numUpdatedRows } = await tables(writer)
    .updateTable(table as 'any_table')
    .set({ ...columns, [versionColumn]: version + 1 } as never)
    .where(schoolColumn(sight), '=', sight.schoolId)
    .where('id', '=', id)
    .where(versionColumn, '=', version)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

/** Removes a row. */
export async function deleteRow(writer: Writer, sight: Sight, { id }: Pick<SeenRow, 'id'>): Promise<void> {
  await tables(writer)
    .deleteFrom(sight.resource.table as 'any_table')
    .where(schoolColumn(sight), '=', sight.schoolId)
    .where('id', '=', id)
    .execute()
}

// The tables of resources differ; what this road names of them (id, school, version) is the same in all.
const tables = (database: Reader): Kysely<AnyTables> => database as unknown as Kysely<AnyTables>

const schoolColumn = ({ resource }: Sight): 'id' | 'school_id' => (resource.table === 'school' ? 'id' : 'school_id')

function selectRows(database: Reader, sight: Sight): SelectQueryBuilder<AnyTables, 'any_table', object> {
  const { resource, schoolId, caller } = sight
  return tables(database)
    .selectFrom(resource.table as 'any_table')
    .select([...resource.columns])
    .select((rows) => [
      versionOf(sight, rows),
      seenAs(sight, rows).as('seen_as'),
      ...resource.selections
        .filter(({ field }) => !resource.onDemand.includes(field) || sight.onDemand?.includes(field))
        .map(({ field, select }) => named(select(rows, caller), field)),
    ])
    .where(schoolColumn(sight), '=', schoolId)
}

function wholeRow(database: Reader, sight: Sight, key: RowKey | undefined): ReturnType<typeof selectRows> {
  const query = selectWhole(database, sight)
    .where((rows) => isReadable(sight, rows))
    .limit(1)
  return key ? query.where((rows) => rows(key.column, '=', key.value)) : query
}

/** The same with every column. What of them the resource counts as its version comes last: it stands under that name. */
const selectWhole = (database: Reader, sight: Sight): ReturnType<typeof selectRows> =>
  selectRows(database, sight)
    .selectAll(sight.resource.table as 'any_table')
    .select((rows) => versionOf(sight, rows))

const versionOf = ({ resource }: Sight, rows: AnyRows): AliasedExpression<unknown, string> =>
  named(rows.ref(resource.versionColumn), 'version')

const isVisible = (sight: Sight, rows: AnyRows): Condition =>
  offered(sight, rows, ask(sight.resource.visibility[audienceOf(sight.caller)], rows, sight.caller))

/** Rows that can be read by who names them: those of the list, and those that stand in none. */
function isReadable(sight: Sight, rows: AnyRows): Condition {
  const { unlisted } = sight.resource
  return unlisted ? rows.or([isVisible(sight, rows), offered(sight, rows, unlisted(rows))]) : isVisible(sight, rows)
}

/** Where the school has turned off what the resource belongs to, there are no rows but for its staff. */
function offered({ resource, schoolId, caller }: Sight, rows: AnyRows, rule: Condition): Condition {
  const { feature } = resource
  return feature === undefined || audienceOf(caller) === 'staff' ? rule : rows.and([rule, isOffered(schoolId, feature)])
}

/** Whether the school offers at all what these rows belong to. Asked only where there are none. */
export async function isTurnedOff(database: Reader, { resource, schoolId, caller }: Sight): Promise<boolean> {
  const { feature } = resource
  if (feature === undefined || audienceOf(caller) === 'staff') return false
  const row = await database
    .selectFrom('school')
    .select('id')
    .where('id', '=', schoolId)
    .where(isOffered(schoolId, feature))
    .executeTakeFirst()
  return row === undefined
}

function seenAs({ resource, caller }: Sight, rows: AnyRows): Expression<string> & Pick<ReturnType<AnyRows['val']>, 'as'> {
  const audience = audienceOf(caller)
  const { own, staff, open } = resource.views
  const always = (view: View) => rows.cast<string>(rows.val(view), 'text')
  if (audience === 'staff') return always('staff')
  const nobody = (): Condition => rows.lit(false)
  const isOpen = open ? ask(open, rows, caller) : nobody()
  if (audience === 'anonymous') return open ? rows.case().when(isOpen).then(always('own')).else(always('public')).end() : always('public')
  const isStaff = audience === 'lecturer' && staff ? ask(staff, rows, caller) : nobody()
  const isOwn = own ? ask(own, rows, caller) : nobody()
  return rows
    .case()
    .when(isStaff)
    .then(always('staff'))
    .when(rows.or([isOwn, isOpen]))
    .then(always('own'))
    .else(always('public'))
    .end()
}

// Rules about people are asked about people only: the rule of the anonymous audience takes no second argument.
const ask = (rule: AnyRule, rows: AnyRows, caller: Caller): Condition => rule(rows, caller as PersonCaller)

const named = (selected: Expression<unknown>, field: string): AliasedExpression<unknown, string> =>
  (selected as Expression<unknown> & { as(alias: string): AliasedExpression<unknown, string> }).as(field)
