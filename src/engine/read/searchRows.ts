import type { QueryCreator } from 'kysely'
import { audienceOf, type Caller } from '../../base/caller.ts'
import { toPublicId } from '../../base/ids.ts'
import type { SchoolReader } from '../../database/connection/database.ts'
import {
  columnsAsJson,
  documentTypes,
  exactWords,
  findDocuments,
  foundIds,
  lineOf,
  maxMatches,
  priceOf,
  type Sought,
  searchedTitle,
  soughtPatterns,
  wordsOf,
  wordsQuery,
  wordsRank,
} from '../../database/statements/catalogueSearch.ts'
import { contains, isAmong } from '../../database/statements/expressions.ts'
import { type AnyTables, everything } from '../declare/expressions.ts'
import { type QueryScope, queryScopeOf, tableOf, tables } from '../declare/queryScope.ts'
import type { Resource } from '../declare/resource.ts'
import { isSearchable } from '../declare/searchable.ts'
import { sortColumns, sortExpression } from '../declare/sorts.ts'
import type { RowCondition } from './listStatement.ts'
import { isVisible, named } from './selectRows.ts'

/**
 * Returns a condition for the newest 2,000 rows of the list that contain the text or, in the catalogue, all of its words. They are found by a
 * separate statement, whose plan depends on the text.
 */
export async function searchCondition(
  database: SchoolReader,
  queryScope: QueryScope,
  { text, newest = maxMatches }: { text: string; newest?: number | undefined },
): Promise<RowCondition> {
  const { resource, schoolId, caller } = queryScope
  if (!documentTypes.has(resource.object)) return containing(resource, caller)(text)
  const words = isSearchable(resource) ? wordsOf(text) : []
  const sought = soughtOf(text, { schoolId, words, isForStaff: audienceOf(caller) === 'staff' })
  const ids = await findIds(database, queryScope, { ...sought, newest })
  return { shape: 'q', values: [ids], where: (rows, [found]) => isAmong(rows.ref('id'), Array.isArray(found) ? found : []) }
}

/** Returns a condition for rows of a type that has no search documents: one of the searched columns contains the text. */
const containing =
  ({ search }: Resource, caller: Caller) =>
  (text: string): RowCondition => {
    const isForStaff = audienceOf(caller) === 'staff'
    const columns = search
      .filter((one) => isForStaff || !one.isForStaff)
      .map(({ column, otherwise = column }) => [column, otherwise] as const)
    return {
      shape: `q in ${columns.join()}`,
      values: [text],
      where: (rows, [sought]) =>
        rows.or(columns.map(([one, other]) => contains(rows.fn.coalesce(rows.ref(one), rows.ref(other)), String(sought)))),
    }
  }

const soughtOf = (
  text: string,
  { schoolId, words, isForStaff }: { schoolId: string; words: readonly string[]; isForStaff: boolean },
): Sought => ({
  patterns: soughtPatterns(text),
  query: words.length > 0 ? wordsQuery({ schoolId, words, needsEvery: true }) : undefined,
  isForStaff,
})

async function findIds(
  database: SchoolReader,
  queryScope: QueryScope,
  { newest, ...sought }: Sought & { newest: number },
): Promise<string[]> {
  const { resource, schoolId } = queryScope
  const type = resource.object
  // Every document of the type is a row that the staff sees.
  if (sought.isForStaff && resource.visibility.staff === everything) {
    return (await findDocuments(database, [type], sought, newest)).map(({ id }) => id)
  }
  const found = await tables(database)
    .selectFrom(tableOf(resource))
    .select('id')
    .where((rows) => rows.and([isVisible(queryScope, rows), rows('id', 'in', foundIds({ schoolId, type, ...sought }))]))
    .orderBy('id', 'desc')
    .limit(newest)
    .execute()
  return found.map(({ id }) => id)
}

/** A row of a search of all types: its id, and the columns of its title. */
export interface FoundRow {
  object: string
  id: string
  columns: Readonly<Record<string, unknown>>
}

/** The rows of a resource that a search of all types returns, up to a limit. */
export interface TypeSearch {
  resource: Resource
  /** The columns of its title. */
  columns: readonly string[]
}

/** Returns the rows of each type that contain the text, in the order of its list for the staff. */
export async function findInTypes(
  database: SchoolReader,
  types: readonly TypeSearch[],
  { schoolId, caller, text, limit }: { schoolId: string; caller: Caller; text: string; limit: number },
): Promise<FoundRow[]> {
  const sought = soughtOf(text, { schoolId, words: wordsOf(text), isForStaff: true })
  const names = types.map(({ resource }) => resource.object)
  const found = Map.groupBy(await findDocuments(database, names, sought), ({ type }) => type)
  const [first, ...others] = types.flatMap(({ resource, columns }) => {
    const ids = found.get(resource.object)?.map(({ id }) => id)
    return ids ? [rowsOfType(database, queryScopeOf({ resource, schoolId, caller }), { ids, columns, limit })] : []
  })
  if (!first) return []
  return await others
    .reduce((all, one) => all.unionAll(one), first)
    .$castTo<FoundRow>()
    .execute()
}

function rowsOfType(
  database: SchoolReader,
  queryScope: QueryScope,
  { ids, columns, limit }: { ids: readonly string[]; columns: readonly string[]; limit: number },
) {
  const { resource } = queryScope
  const sort = resource.defaultSorts?.staff
  if (!sort) throw new Error(`${resource.name} has no order`)
  const ordered = sortColumns(sort).reduce(
    (query, column) => query.orderBy((rows) => sortExpression(rows, sort, column), sort.isDescending ? 'desc' : 'asc'),
    tables(database)
      .selectFrom(tableOf(resource))
      .select((rows) => [
        named(rows.cast<string>(rows.val(resource.object), 'text'), 'object'),
        'id',
        named(columnsAsJson(columns), 'columns'),
      ])
      .where((rows) => rows.and([isVisible(queryScope, rows), isAmong(rows.ref('id'), ids)]))
      .limit(limit),
  )
  return tables(database).selectFrom(ordered.as('ordered')).selectAll()
}

export interface Hit {
  object: string
  id: string
  slug: string | null
  title: string
  line: string | null
  price: { amount: number; currency: string } | null
}

export interface CatalogueQuery {
  schoolId: string
  caller: Caller
  resources: readonly Resource[]
  text: string
  limit: number
}

export interface Found {
  hits: Hit[]
  hasMore: boolean
  /** False if no row has every word: the hits have some of them. */
  hasEveryWord: boolean
}

/** The newest matching rows of one resource that are ranked. The limit bounds the cost of a common word. */
const maxRanked = 500

/**
 * Returns the rows that the caller can see and that match every word of the text, in the languages of the school, best first. If there are
 * none, returns rows with some of the words, or with the text inside their title. One statement searches all resources.
 */
export async function searchCatalogue(database: SchoolReader, query: CatalogueQuery): Promise<Found> {
  const words = wordsOf(query.text)
  const strict = words.length === 0 ? [] : await findHits(database, query, { words, needsEvery: true })
  const hits = strict.length > 0 ? strict : await findHits(database, query, { words, needsEvery: false })
  return { hits: hits.slice(0, query.limit), hasMore: hits.length > query.limit, hasEveryWord: strict.length > 0 }
}

interface Matching {
  words: readonly string[]
  needsEvery: boolean
}

async function findHits(database: SchoolReader, query: CatalogueQuery, matching: Matching): Promise<Hit[]> {
  const { schoolId, resources, limit } = query
  const [first, ...others] = resources
  if (!first) return []
  const rows = await tables(database)
    // Computed once for all resources.
    .with('input', (any) =>
      any.selectNoFrom([named(wordsQuery({ schoolId, ...matching }), 'query'), named(exactWords(matching.words), 'exact')]),
    )
    .with('hits', (any) => {
      const hits = (resource: Resource) => hitsOf(any as unknown as SearchTables, { ...query, ...matching }, resource)
      return others.reduce((all, one) => all.unionAll(hits(one)), hits(first))
    })
    .selectFrom('hits')
    .selectAll()
    .orderBy('rank', 'desc')
    .orderBy('object')
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .$castTo<Hit & { rank: number }>()
    .execute()
  const prefixes = new Map(resources.map(({ object, idPrefix }) => [object, idPrefix]))
  return rows.map(({ rank: _rank, ...hit }) => ({ ...hit, id: toPublicId(prefixes.get(hit.object) ?? '', hit.id) }))
}

type SearchTables = QueryCreator<AnyTables & { input: { query: string; exact: string } }>

function hitsOf(search: SearchTables, { schoolId, caller, text, needsEvery }: CatalogueQuery & Matching, resource: Resource) {
  const { object, table } = resource
  const queryScope = queryScopeOf({ resource, schoolId, caller })
  const document = { schoolId, type: object, table }
  const input = { query: search.selectFrom('input').select('input.query'), exact: search.selectFrom('input').select('input.exact') }
  const newest = search
    .selectFrom(tableOf(resource))
    .select((rows) => [
      named(rows.cast<string>(rows.val(object), 'text'), 'object'),
      'id',
      'slug',
      named(searchedTitle(table), 'title'),
      named(lineOf(table), 'line'),
      named(priceOf(table), 'price'),
      named(wordsRank(document, input), 'rank'),
    ])
    .where((rows) => {
      const matches = rows('id', 'in', foundIds({ schoolId, type: object, isForStaff: false, patterns: [], query: input.query }))
      return rows.and([isVisible(queryScope, rows), needsEvery ? matches : rows.or([matches, contains(searchedTitle(table), text)])])
    })
    .orderBy('id', 'desc')
    .limit(maxRanked)
  return search.selectFrom(newest.as('newest')).selectAll()
}
