import type { Tool } from '@modelcontextprotocol/server'
import { Problem, type ProblemDetail } from '../../base/problem.ts'
import type { RunContext } from '../call.ts'
import { apiPath, type Operation } from '../declare/operations.ts'
import type { Resource } from '../declare/resource.ts'
import { isSearchable } from '../declare/searchable.ts'
import { type Found, type Hit, searchCatalogue } from '../read/searchCatalogue.ts'
import { siteKinds, sitePath, siteResources } from '../sitePaths.ts'
import { visitor } from './catalogue.ts'
import { type CatalogueTool, everyTool } from './catalogueTool.ts'

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
export function addressOf(
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

export const isQuery = (query: unknown): query is string =>
  typeof query === 'string' && query.trim().length >= 2 && query.length <= maxQuery && !query.includes('\0') && query.isWellFormed()

export const fieldError = (field: string, rule: string): ProblemDetail => ({ field, code: 'invalid', message: `${field} ${rule}` })

export const queryError = fieldError('query', `must be a text of 2 to ${maxQuery} characters.`)

export function requireNone(fieldErrors: readonly ProblemDetail[]): void {
  if (fieldErrors.length > 0) throw problemOf(fieldErrors)
}

export const problemOf = (fieldErrors: readonly ProblemDetail[]): Problem =>
  new Problem('invalid_parameter', { ...(fieldErrors[0] && { description: fieldErrors[0].message }), details: fieldErrors.slice(0, 20) })
