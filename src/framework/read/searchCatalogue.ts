import type { QueryCreator } from 'kysely'
import { toPublicId } from '../../lib/ids.ts'
import type { Caller } from '../../policy/caller.ts'
import { exactWords, lineOf, matchesWords, priceOf, searchedTitle, wordsOf, wordsQuery, wordsRank } from '../../store/catalogueSearch.ts'
import type { Reader } from '../../store/database.ts'
import { contains } from '../../store/expressions.ts'
import type { AnyTables } from '../declare/expressions.ts'
import { queryScopeOf, schoolColumn, tableOf, tables } from '../declare/queryScope.ts'
import type { Resource } from '../declare/resource.ts'
import { named } from './selectRows.ts'
import { isVisible } from './visible.ts'

/** A row that a search found. All of its values are public. */
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
  /** The resources to search: those of which `isSearchable` is true. */
  resources: readonly Resource[]
  text: string
  limit: number
}

export interface Found {
  hits: Hit[]
  /** True if there are more rows than the limit. */
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
export async function searchCatalogue(database: Reader, query: CatalogueQuery): Promise<Found> {
  const words = wordsOf(query.text)
  const strict = words.length === 0 ? [] : await findHits(database, query, { words, needsEvery: true })
  const hits = strict.length > 0 ? strict : await findHits(database, query, { words, needsEvery: false })
  return { hits: hits.slice(0, query.limit), hasMore: hits.length > query.limit, hasEveryWord: strict.length > 0 }
}

interface Matching {
  words: readonly string[]
  needsEvery: boolean
}

async function findHits(database: Reader, query: CatalogueQuery, matching: Matching): Promise<Hit[]> {
  const { schoolId, resources, limit } = query
  // Computed once for all resources.
  const asking = tables(database).with('asked', (any) =>
    any.selectNoFrom([named(wordsQuery({ schoolId, ...matching }), 'query'), named(exactWords(matching.words), 'exact')]),
  )
  const [first, ...others] = resources.map((resource) => hitsOf(database, { ...query, ...matching }, resource))
  if (!first) return []
  const rows = await asking
    .selectFrom(others.reduce((all, one) => all.unionAll(one), first).as('hits'))
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

type Asking = QueryCreator<AnyTables & { asked: { query: string; exact: string } }>

/** Selects the newest matching rows of one resource with their ranks. */
function hitsOf(database: Reader, { schoolId, caller, text, needsEvery }: CatalogueQuery & Matching, resource: Resource) {
  const { object, table } = resource
  const queryScope = queryScopeOf({ resource, schoolId, caller })
  // A part of the statement that defines `asked`.
  const asking = tables(database) as unknown as Asking
  const asked = { query: asking.selectFrom('asked').select('asked.query'), exact: asking.selectFrom('asked').select('asked.exact') }
  const newest = asking
    .selectFrom(tableOf(resource))
    .select((rows) => [
      named(rows.cast<string>(rows.val(object), 'text'), 'object'),
      'id',
      'slug',
      named(searchedTitle(table), 'title'),
      named(lineOf(table), 'line'),
      named(priceOf(table), 'price'),
      named(wordsRank(table, asked), 'rank'),
    ])
    .where(schoolColumn(queryScope), '=', schoolId)
    .where((rows) => {
      const matches = matchesWords(table, asked.query)
      return rows.and([isVisible(queryScope, rows), needsEvery ? matches : rows.or([matches, contains(searchedTitle(table), text)])])
    })
    .orderBy('id', 'desc')
    .limit(maxRanked)
  return asking.selectFrom(newest.as('newest')).selectAll()
}
