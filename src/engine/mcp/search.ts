import type { Tool } from '@modelcontextprotocol/server'
import { Problem, type ProblemDetail } from '../../base/problem.ts'
import { titleOf } from '../../base/text/titleOf.ts'
import type { RunContext } from '../call.ts'
import { apiPath, type Operation } from '../declare/operations.ts'
import type { Resource } from '../declare/resource.ts'
import { isSearchable } from '../declare/searchable.ts'
import { type Found, type Hit, searchCatalogue } from '../read/searchRows.ts'
import { siteKinds, sitePath, siteResources } from '../sitePaths.ts'
import { type CatalogueTool, everyTool, read, visitor } from './catalogue.ts'
import { rowAsMarkdown } from './rowMarkdown.ts'
import { type Json, maxText } from './toolText.ts'

interface SearchRequest {
  query: string
  types: readonly string[]
  limit: number
}

const defaultLimit = 10
const maxLimit = 25
const maxQuery = 200

const partialHint = 'No entry has every word of the query; these have some of them.'
const emptyHint = 'Nothing was found. Try one general word, or list_categories and list_courses, which show what there is.'

export const searchedResources = (reads: readonly Operation[]): Resource[] =>
  reads
    .filter((operation) => operation.kind === 'list' && !operation.parent)
    .flatMap(({ resource }) => (isSearchable(resource) ? [resource] : []))

export function catalogueSearch(reads: readonly Operation[]): CatalogueTool | undefined {
  const resources = searchedResources(reads)
  const types = resources.map(({ object }) => object)
  if (types.length === 0) return undefined
  return {
    listing: {
      name: 'search_catalog',
      title: 'Search the catalogue',
      description: 'Finds what the school offers by words from titles, descriptions, tags, categories and levels. Start here.',
      inputSchema: searchInput(types),
      outputSchema: searchOutput,
      ...everyTool,
    },
    async call(values, context) {
      const { query, limit, types: wanted } = readAsked(values, types)
      const found = await findInCatalogue(
        resources.filter(({ object }) => wanted.includes(object)),
        { query, limit },
        context,
      )
      return {
        results: found.hits.map((hit) => resultOf(hit, addressOf(hit, resources, context))),
        truncated: found.hasMore,
        ...hintOf(found),
      }
    },
  }
}

export const findInCatalogue = (
  resources: readonly Resource[],
  { query, limit }: Pick<SearchRequest, 'query' | 'limit'>,
  { database, school }: RunContext,
): Promise<Found> => searchCatalogue(database, { schoolId: school.id, caller: visitor, resources, text: query, limit })

/** Returns what to try next if the result is not what the caller wanted. */
function hintOf({ hits, hasEveryWord }: Found): { hint?: string } {
  if (hasEveryWord) return {}
  return { hint: hits.length > 0 ? partialHint : emptyHint }
}

/** Returns the URL at which people see a row: its page, or its address in the API if the school shows no page of it. */
function addressOf(
  { object, slug, id }: Pick<Hit, 'object' | 'slug' | 'id'>,
  resources: readonly Resource[],
  { school, externalServices }: RunContext,
): string {
  const name = resources.find((resource) => resource.object === object)?.name ?? object
  const kind = siteKinds.find((one) => siteResources[one] === name)
  if (kind && externalServices.hasPages(school)) return school.issuer + sitePath(kind, slug ?? id)
  return `${school.issuer}${apiPath}/${name}/${encodeURIComponent(slug ?? id)}`
}

const resultOf = ({ object, id, slug, title, line, price }: Hit, url: string): Record<string, unknown> => ({
  type: object,
  id,
  slug,
  title,
  snippet: line?.toWellFormed() ?? null,
  url,
  ...(price && { price }),
})

const searchInput = (types: readonly string[]): Tool['inputSchema'] => ({
  type: 'object',
  properties: {
    query: { type: 'string', description: 'Words to find.' },
    types: { type: 'array', items: { type: 'string', enum: [...types] }, description: 'Default: all.' },
    limit: { type: 'integer', minimum: 1, maximum: maxLimit, default: defaultLimit },
  },
  required: ['query'],
  additionalProperties: false,
})

const searchOutput = {
  type: 'object',
  required: ['results', 'truncated'],
  properties: {
    results: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          type: { type: 'string' },
          id: { type: 'string' },
          slug: { type: ['string', 'null'] },
          title: { type: 'string' },
          snippet: { type: ['string', 'null'] },
          url: { type: 'string' },
          price: { type: 'object' },
        },
      },
    },
    truncated: { type: 'boolean' },
    hint: { type: 'string' },
  },
} as const

function readAsked(values: Readonly<Record<string, unknown>>, known: readonly string[]): SearchRequest {
  const { query, types = known, limit = defaultLimit, ...others } = values
  const list = typeof types === 'string' ? types.split(',') : types
  const fieldErrors = [
    ...Object.keys(others).map((name) => fieldError(name.slice(0, 100), 'is unknown. search_catalog takes query, types and limit.')),
    ...(isQuery(query) ? [] : [queryError]),
    ...(Array.isArray(list) && list.length > 0 && list.every((type) => known.includes(type))
      ? []
      : [fieldError('types', `must be a list of some of ${known.join(', ')}.`)]),
    ...(Number.isInteger(limit) && Number(limit) >= 1 && Number(limit) <= maxLimit
      ? []
      : [fieldError('limit', `must be a whole number from 1 to ${maxLimit}.`)]),
  ]
  requireNone(fieldErrors)
  return { query: query as string, types: list as string[], limit: limit as number }
}

const isQuery = (query: unknown): query is string =>
  typeof query === 'string' && query.trim().length >= 2 && query.length <= maxQuery && !query.includes('\0') && query.isWellFormed()

const fieldError = (field: string, rule: string): ProblemDetail => ({ field, code: 'invalid', message: `${field} ${rule}` })

const queryError = fieldError('query', `must be a text of 2 to ${maxQuery} characters.`)

function requireNone(fieldErrors: readonly ProblemDetail[]): void {
  if (fieldErrors.length > 0) throw problemOf(fieldErrors)
}

const problemOf = (fieldErrors: readonly ProblemDetail[]): Problem =>
  new Problem('invalid_parameter', { ...(fieldErrors[0] && { description: fieldErrors[0].message }), details: fieldErrors.slice(0, 20) })

const maxResults = 10
/** Room for the other members of a document, and for the characters that JSON escapes. */
const maxDocument = maxText - 4000

const oneText = (name: string, description: string): CatalogueTool['listing']['inputSchema'] => ({
  type: 'object',
  properties: { [name]: { type: 'string', description } },
  required: [name],
  additionalProperties: false,
})

const texts = (names: readonly string[]) =>
  ({ type: 'object', required: [...names], properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])) }) as const

const plainResults = {
  type: 'object',
  required: ['results'],
  properties: { results: { type: 'array', items: texts(['id', 'title', 'url']) } },
} as const

/** Returns the tools `search` and `fetch` with the inputs and results that connectors and deep research of ChatGPT expect. */
export function searchAndFetch(reads: readonly Operation[]): CatalogueTool[] {
  const resources = searchedResources(reads)
  if (resources.length === 0) return []
  return [
    {
      listing: {
        name: 'search',
        title: 'Search',
        description: 'search_catalog with plain results, for clients that expect search and fetch.',
        inputSchema: oneText('query', 'Words to find.'),
        outputSchema: plainResults,
        ...everyTool,
      },
      async call({ query, ...others }, context) {
        const wrong = unknown('search', 'query', others)
        if (!isQuery(query)) throw problemOf([...wrong, queryError])
        requireNone(wrong)
        const { hits } = await findInCatalogue(resources, { query, limit: maxResults }, context)
        return { results: hits.map((hit) => ({ id: hit.id, title: hit.title, url: addressOf(hit, resources, context) })) }
      },
    },
    {
      listing: {
        name: 'fetch',
        title: 'Fetch',
        description: 'Returns one result of search as text.',
        inputSchema: oneText('id', 'Id from search.'),
        outputSchema: texts(['id', 'title', 'text', 'url']),
        ...everyTool,
      },
      async call({ id, ...others }, context) {
        const operation = reads.find(
          ({ kind, resource }) => kind === 'get' && typeof id === 'string' && id.startsWith(`${resource.idPrefix}_`),
        )
        const wrong = unknown('fetch', 'id', others)
        if (!operation) throw problemOf([...wrong, fieldError('id', 'must be the id of a result of search.')])
        requireNone(wrong)
        const row = await read(operation, { [keyOf(operation)]: id }, context)
        return documentOf(row, addressOf(row as unknown as Hit, resources, context))
      },
    },
  ]
}

const keyOf = ({ parameters }: Operation): string => parameters.find((parameter) => parameter.in === 'path')?.name ?? 'id'

const unknown = (tool: string, takes: string, others: Json) =>
  Object.keys(others).map((name) => fieldError(name.slice(0, 100), `is unknown. ${tool} takes ${takes}.`))

function documentOf(row: Json, url: string): Json {
  const whole = rowAsMarkdown(row)
  const text = whole.length <= maxDocument ? whole : `${whole.slice(0, maxDocument).toWellFormed()}\n\nThe text continues at ${url}`
  const metadata = { type: row.object, ...(row.slug !== undefined && { slug: row.slug }), updated_at: row.updated_at }
  return { id: row.id, title: titleOf(row), text, url, metadata }
}
