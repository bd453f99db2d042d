import type { QueryCreator } from 'kysely'
import type { Caller } from '../../base/caller.ts'
import { toPublicId } from '../../base/ids.ts'
import type { SchoolReader } from '../../database/connection/database.ts'
import {
  exactWords,
  lineOf,
  matchesWords,
  priceOf,
  searchedTitle,
  wordsOf,
  wordsQuery,
  wordsRank,
} from '../../database/statements/catalogueSearch.ts'
import { contains } from '../../database/statements/expressions.ts'
import type { AnyTables } from '../declare/expressions.ts'
import { queryScopeOf, tableOf, tables } from '../declare/queryScope.ts'
import type { Resource } from '../declare/resource.ts'
import { isVisible, named } from './selectRows.ts'

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
      named(wordsRank(table, input), 'rank'),
    ])
    .where((rows) => {
      const matches = matchesWords(table, input.query)
      return rows.and([isVisible(queryScope, rows), needsEvery ? matches : rows.or([matches, contains(searchedTitle(table), text)])])
    })
    .orderBy('id', 'desc')
    .limit(maxRanked)
  return search.selectFrom(newest.as('newest')).selectAll()
}
