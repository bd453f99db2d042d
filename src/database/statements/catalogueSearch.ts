import { type Expression, type SqlBool, sql } from 'kysely'
import { comparisonForm } from '../../base/text/comparisonForm.ts'
import type { SchoolReader } from '../connection/database.ts'
import { refs, type TableName } from './columns.ts'
import { patternOf, spellingsOf, unnested } from './expressions.ts'

/** The texts of a row in a list of results. The trigger `keep_search_document` has those that a search compares. */
interface ShownTexts {
  title: Expression<unknown>
  /** One line about the row, or a longer text, only as far as everybody may read it. */
  line: Expression<unknown>
  price?: readonly [amount: Expression<unknown>, currency: Expression<unknown>]
}

const course = refs('course')
const lecturer = refs('lecturer')
const event = refs('event')
const plan = refs('membership_plan')
const post = refs('post')
const product = refs('digital_product')
const page = refs('page')

const shownTexts: ReadonlyMap<string, ShownTexts> = new Map<TableName, ShownTexts>([
  [
    'course',
    {
      title: course.title,
      line: sql`coalesce(${course.subtitle}, ${course.description})`,
      price: [course.price_amount, course.price_currency],
    },
  ],
  ['lecturer', { title: lecturer.display_name, line: sql`coalesce(${lecturer.headline}, ${lecturer.bio})` }],
  ['event', { title: event.title, line: sql`CASE WHEN ${event.access} = 'public' THEN ${event.description} END` }],
  ['membership_plan', { title: plan.name, line: plan.description }],
  [
    'post',
    { title: post.title, line: sql`coalesce(${post.excerpt}, CASE WHEN ${post.visibility} = 'public' THEN ${post.automatic_excerpt} END)` },
  ],
  [
    'digital_product',
    {
      title: product.title,
      line: sql`coalesce(${product.subtitle}, ${product.description})`,
      price: [product.price_amount, product.price_currency],
    },
  ],
  ['page', { title: page.title, line: sql`NULL` }],
])

/** A search: its words, and whether a row must have each of them or any. */
export interface WordsQuery {
  schoolId: string
  words: readonly string[]
  needsEvery: boolean
}

const maxWords = 12

export const wordsOf = (text: string): string[] => [...new Set(comparisonForm(text).match(/[\p{L}\p{N}\p{M}]+/gu))].slice(0, maxWords)

export const hasWordSearch = (table: string): boolean => shownTexts.has(table)

export const searchedTitle = (table: string): Expression<unknown> => textsOf(table).title

/** Returns the query in the languages of the school, as a scalar: NULL if no word is left. */
export const wordsQuery = ({ schoolId, words, needsEvery }: WordsQuery): Expression<string> =>
  sql<string>`(SELECT search_query(${[...words]}::text[], ${school.locale} || ${school.supported_locales}, ${needsEvery})
    FROM "school" WHERE ${school.id} = ${schoolId})`

const document = refs('search_document')
const documentWords = sql.ref('search_document.words')

/** The document of a row of this type. */
const documentOf = (schoolId: string, type: string): Expression<SqlBool> =>
  sql<SqlBool>`${document.school_id} = ${schoolId} AND ${document.type} = ${sql.lit(type)}`

/** The types of rows that have search documents: see the trigger `keep_search_document`. */
export const documentTypes: ReadonlySet<string> = new Set([
  ...['course', 'lecturer', 'event', 'membership_plan', 'post', 'digital_product', 'page', 'form'],
  ...['coupon', 'file', 'order', 'comment', 'student', 'member'],
])

/** Returns the patterns of a text to find, one for each of its spellings. */
export const soughtPatterns = (text: string): string[] => spellingsOf(text).map(patternOf)

export interface Sought {
  patterns: readonly string[]
  /** The query for the words; absent if none is left, or if the rows of the type have no words. */
  query: Expression<unknown> | undefined
  /** True if the caller searches the texts of the staff too. */
  isForStaff: boolean
}

/** The newest documents of a type that are found. The limit bounds the cost of a common text. */
export const maxMatches = 2000

/** True for documents that contain the text, with umlauts or their digraphs (`Zuerich` is in `Zürich`), or match its words. */
export function isFound({ patterns, query, isForStaff }: Sought): Expression<SqlBool> {
  const columns = isForStaff ? [document.text, document.staff_text] : [document.text]
  const found = [
    ...columns.flatMap((column) => patterns.map((one) => sql`${column} LIKE lower(${one})`)),
    ...(query ? [sql`${documentWords} @@ ${query}`] : []),
  ]
  return sql<SqlBool>`(${sql.join(found, sql` OR `)})`
}

/** Returns the ids of the rows of a type whose documents are found. */
export const foundIds = ({ schoolId, type, ...sought }: Sought & { schoolId: string; type: string }): Expression<string> =>
  sql<string>`(SELECT ${document.id} FROM "search_document" WHERE ${documentOf(schoolId, type)} AND ${isFound(sought)})`

/** Returns the newest documents of each type that are found. */
export async function findDocuments(
  database: SchoolReader,
  types: readonly string[],
  sought: Sought,
  newest = maxMatches,
): Promise<{ type: string; id: string }[]> {
  return await database
    .selectFrom(
      unnested(
        'asked',
        { type: 'text' },
        types.map((type) => ({ type })),
      ),
    )
    .innerJoinLateral(
      (rows) =>
        rows
          .selectFrom('search_document')
          .select('id')
          .whereRef('search_document.type', '=', 'asked.type')
          .where(() => isFound(sought))
          .orderBy('id', 'desc')
          .limit(({ lit }) => lit(newest))
          .as('found'),
      (join) => join.onTrue(),
    )
    .select(['asked.type', 'found.id'])
    .execute()
}

/** Returns the words themselves as a query, which matches a row with any of them: words that only begin like them do not count. */
export const exactWords = (words: readonly string[]): Expression<string> =>
  sql<string>`(SELECT string_agg(quote_literal(search_fold(word)), ' | ')::tsquery FROM unnest(${[...words]}::text[]) AS asked(word))`

/**
 * Returns how well a row matches: more for the title than for short words, and more for the words themselves than for others that begin
 * like them. A match in the body alone is 0.
 */
export function wordsRank(
  { schoolId, type, table }: { schoolId: string; type: string; table: string },
  { query, exact }: Record<'query' | 'exact', Expression<unknown>>,
): Expression<number> {
  const short = sql`ts_filter(${documentWords}, '{a,b}')`
  return sql<number>`(SELECT coalesce(ts_rank(${short}, ${query}), 0) + coalesce(ts_rank(${short}, ${exact}), 0)
    FROM "search_document" WHERE ${documentOf(schoolId, type)} AND ${document.id} = ${sql.ref(`${table}.id`)})`
}

/** Returns one line about a row. */
export const lineOf = (table: string): Expression<string | null> => sql<string | null>`left(${textsOf(table).line}, 200)`

/** Returns the price of a row as JSON; NULL for a row without one. */
export function priceOf(table: string): Expression<{ amount: number; currency: string } | null> {
  const { price } = textsOf(table)
  if (!price) return sql`NULL::json`
  return sql`CASE WHEN ${price[1]} IS NOT NULL THEN json_build_object('amount', ${price[0]}, 'currency', ${price[1]}) END`
}

const school = refs('school')

function textsOf(table: string): ShownTexts {
  const texts = shownTexts.get(table)
  if (!texts) throw new Error(`the table ${table} has no words`)
  return texts
}

export const columnsAsJson = (columns: readonly string[]): Expression<unknown> =>
  sql`json_build_object(${sql.join(columns.flatMap((column) => [sql.lit(column), sql.ref(column)]))})`
