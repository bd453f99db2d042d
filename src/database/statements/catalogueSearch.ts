import { type Expression, type SqlBool, sql } from 'kysely'
import { comparisonForm } from '../../base/text/comparisonForm.ts'
import { refs, type TableName } from './columns.ts'

/** The texts of a table that a search compares. The index of the table (`course_words`) is over the same expression. */
interface SearchedTexts {
  title: Expression<unknown>
  /** Short words: tags, category, level. */
  words: Expression<unknown>
  /** A longer text, only as far as everybody may read it. */
  body: Expression<unknown>
  /** One line about the row, for a list of results. */
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
const excerpt = sql`coalesce(${post.excerpt}, CASE WHEN ${post.visibility} = 'public' THEN ${post.automatic_excerpt} END)`
const nothing = sql`NULL`

const searchedTexts: ReadonlyMap<string, SearchedTexts> = new Map<TableName, SearchedTexts>([
  [
    'course',
    {
      title: course.title,
      words: sql`ARRAY[${course.subtitle}, ${course.category}, ${course.level}] || ${course.tags}`,
      body: course.description,
      line: course.subtitle,
      price: [course.price_amount, course.price_currency],
    },
  ],
  [
    'lecturer',
    {
      title: lecturer.display_name,
      words: sql`ARRAY[${lecturer.headline}] || ${lecturer.expertise}`,
      body: lecturer.bio,
      line: lecturer.headline,
    },
  ],
  [
    'event',
    {
      title: event.title,
      words: sql`ARRAY[${event.kind}]`,
      body: sql`CASE WHEN ${event.access} = 'public' THEN ${event.description} END`,
      line: nothing,
    },
  ],
  ['membership_plan', { title: plan.name, words: sql`ARRAY[${plan.badge}] || ${plan.benefits}`, body: plan.description, line: nothing }],
  ['post', { title: post.title, words: sql`ARRAY[${post.kind}] || ${post.tags}`, body: excerpt, line: excerpt }],
  [
    'digital_product',
    {
      title: product.title,
      words: sql`ARRAY[${product.subtitle}, ${product.category}, ${product.kind}] || ${product.tags}`,
      body: product.description,
      line: product.subtitle,
      price: [product.price_amount, product.price_currency],
    },
  ],
  ['page', { title: page.title, words: sql`ARRAY[${page.kind}]`, body: nothing, line: nothing }],
])

/** A search: its words, and whether a row must have each of them or any. */
export interface WordsQuery {
  schoolId: string
  words: readonly string[]
  needsEvery: boolean
}

const maxWords = 12

export const wordsOf = (text: string): string[] => [...new Set(comparisonForm(text).match(/[\p{L}\p{N}\p{M}]+/gu))].slice(0, maxWords)

export const hasWordSearch = (table: string): boolean => searchedTexts.has(table)

export const searchedTitle = (table: string): Expression<unknown> => textsOf(table).title

/** Returns the query in the languages of the school, as a scalar: NULL if no word is left. */
export const wordsQuery = ({ schoolId, words, needsEvery }: WordsQuery): Expression<string> =>
  sql<string>`(SELECT search_query(${[...words]}::text[], ${school.locale} || ${school.supported_locales}, ${needsEvery})
    FROM "school" WHERE ${school.id} = ${schoolId})`

export function matchesWords(table: string, query: Expression<unknown>): Expression<SqlBool> {
  const { title, words, body } = textsOf(table)
  return sql<SqlBool>`search_vector(${title}, ${words}, ${body}) @@ ${query}`
}

/** Returns the words themselves as a query, which matches a row with any of them: words that only begin like them do not count. */
export const exactWords = (words: readonly string[]): Expression<string> =>
  sql<string>`(SELECT string_agg(quote_literal(search_fold(word)), ' | ')::tsquery FROM unnest(${[...words]}::text[]) AS asked(word))`

/**
 * Returns how well a row matches: more for the title than for short words, and more for the words themselves than for others that begin
 * like them. A match in the body alone is 0: computing the words of many long texts would be expensive.
 */
export function wordsRank(table: string, { query, exact }: Record<'query' | 'exact', Expression<unknown>>): Expression<number> {
  const { title, words } = textsOf(table)
  const vector = sql`search_vector(${title}, ${words}, NULL)`
  return sql<number>`coalesce(ts_rank(${vector}, ${query}), 0) + coalesce(ts_rank(${vector}, ${exact}), 0)`
}

/** Returns one line about a row, from its own line or the beginning of its body. */
export const lineOf = (table: string): Expression<string | null> =>
  sql<string | null>`left(coalesce(${textsOf(table).line}, ${textsOf(table).body}), 200)`

/** Returns the price of a row as JSON; NULL for a row without one. */
export function priceOf(table: string): Expression<{ amount: number; currency: string } | null> {
  const { price } = textsOf(table)
  if (!price) return sql`NULL::json`
  return sql`CASE WHEN ${price[1]} IS NOT NULL THEN json_build_object('amount', ${price[0]}, 'currency', ${price[1]}) END`
}

const school = refs('school')

function textsOf(table: string): SearchedTexts {
  const texts = searchedTexts.get(table)
  if (!texts) throw new Error(`the table ${table} has no searched texts`)
  return texts
}
