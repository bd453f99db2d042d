import type { Tool } from '@modelcontextprotocol/server'
import type { Surroundings } from '../framework/call.ts'
import type { Operation } from '../framework/declare/operations.ts'
import { apiPath } from '../framework/declare/operations.ts'
import { maxToolRows } from '../framework/declare/toolParameters.ts'
import type { JsonSchema } from '../framework/output/publishedSchemas.ts'
import { Problem, type ProblemDetail } from '../lib/problem.ts'
import { read } from './catalogue.ts'
import { type CatalogueTool, everyTool } from './catalogueTool.ts'
import { plainSchema } from './plainSchema.ts'
import { titleOf } from './titleOf.ts'

type Row = Readonly<Record<string, unknown>>

interface Asked {
  query: string
  types: readonly string[]
  limit: number
}

const defaultLimit = 10
const maxSnippet = 200

/** Returns the tool that searches every searchable list; undefined if there is none. It runs the tool of each list. */
export function catalogueSearch(reads: readonly Operation[]): CatalogueTool | undefined {
  const lists = new Map(
    reads
      .filter(
        ({ kind, parameters }) =>
          kind === 'list' && parameters.some(({ name }) => name === 'q') && !parameters.some((one) => one.in === 'path'),
      )
      .map((list) => [list.resource.object, list]),
  )
  if (lists.size === 0) return undefined
  const types = [...lists.keys()]
  return {
    listing: {
      name: 'search_catalog',
      title: 'Search the catalogue',
      description: `Finds what the school offers by a word or phrase: ${types.join(', ').replaceAll('_', ' ')}. Use it first where you do not know the slug.`,
      inputSchema: searchInput(types),
      outputSchema: plainSchema(searchOutput(types)) as Tool['outputSchema'] & { type: 'object' },
      ...everyTool,
    },
    async call(values, surroundings) {
      const asked = readAsked(values, types)
      const found: { row: Row; list: Operation }[] = []
      let isMore = false
      // Sequentially: a single call must not use every connection of the pool.
      for (const [type, list] of lists) {
        if (!asked.types.includes(type)) continue
        const { data, page } = (await read(list, { q: asked.query, limit: asked.limit }, surroundings)) as {
          data: Row[]
          page: { has_more: boolean }
        }
        found.push(...data.map((row) => ({ row, list })))
        isMore ||= page.has_more
      }
      const isNamed = ({ row }: { row: Row }): boolean => titleOf(row).toLowerCase().includes(asked.query.toLowerCase())
      const ranked = [...found.filter(isNamed), ...found.filter((one) => !isNamed(one))]
      return {
        results: ranked.slice(0, asked.limit).map(({ row, list }) => resultOf(row, list, asked.query, surroundings)),
        truncated: isMore || ranked.length > asked.limit,
      }
    },
  }
}

const searchInput = (types: readonly string[]): Tool['inputSchema'] => ({
  type: 'object',
  properties: {
    query: { type: 'string', minLength: 2, maxLength: 100, description: 'Word or phrase that occurs in a title or a short text.' },
    types: {
      type: 'array',
      items: { type: 'string', enum: [...types] },
      minItems: 1,
      maxItems: types.length,
      description: 'What to look for; everything where it is left out.',
    },
    limit: { type: 'integer', minimum: 1, maximum: maxToolRows, default: defaultLimit, description: 'Results at most.' },
  },
  required: ['query'],
  additionalProperties: false,
})

const searchOutput = (types: readonly string[]): JsonSchema => ({
  type: 'object',
  required: ['results', 'truncated'],
  properties: {
    results: {
      type: 'array',
      items: {
        type: 'object',
        required: ['type', 'id', 'slug', 'title', 'snippet', 'url'],
        properties: {
          type: { type: 'string', enum: [...types], description: 'What it is.' },
          id: { type: 'string', description: 'Never changes.' },
          slug: { type: 'string', nullable: true, description: 'Readable key for the get tool of this type.' },
          title: { type: 'string', description: 'What it is called.' },
          snippet: { type: 'string', nullable: true, description: 'Where the words occur.' },
          url: { type: 'string', description: 'Its address in the API.' },
          price: { type: 'object', nullable: true, description: 'What it costs: amount in the smallest unit, and currency.' },
        },
      },
    },
    truncated: { type: 'boolean', description: 'Whether there are more results than these.' },
  },
})

/** @throws Problem invalid_parameter with all errors */
function readAsked(values: Readonly<Record<string, unknown>>, known: readonly string[]): Asked {
  const { query, types = known, limit = defaultLimit, ...others } = values
  const fieldErrors = [
    ...Object.keys(others).map((name) => fieldError(name.slice(0, 100), 'is unknown. search_catalog takes query, types and limit.')),
    ...(typeof query === 'string' && query.length >= 2 && query.length <= 100 && !query.includes('\0')
      ? []
      : [fieldError('query', 'must be a text of 2 to 100 characters.')]),
    ...(Array.isArray(types) && types.length > 0 && types.every((type) => known.includes(type))
      ? []
      : [fieldError('types', `must be a list of some of ${known.join(', ')}.`)]),
    ...(Number.isInteger(limit) && Number(limit) >= 1 && Number(limit) <= maxToolRows
      ? []
      : [fieldError('limit', `must be a whole number from 1 to ${maxToolRows}.`)]),
  ]
  if (fieldErrors[0]) throw new Problem('invalid_parameter', { description: fieldErrors[0].message, details: fieldErrors.slice(0, 20) })
  return { query: query as string, types: types as string[], limit: limit as number }
}

const fieldError = (field: string, rule: string): ProblemDetail => ({ field, code: 'invalid', message: `${field} ${rule}` })

function resultOf(row: Row, operation: Operation, query: string, { school }: Surroundings): Record<string, unknown> {
  const { object, name } = operation.resource
  const slug = (row.slug ?? null) as string | null
  return {
    type: object,
    id: row.id,
    slug,
    title: titleOf(row),
    snippet: snippetOf(
      row,
      operation.resource.search.map(({ column }) => column),
      query,
    ),
    url: `${school.issuer}${apiPath}/${name}/${encodeURIComponent(slug ?? String(row.id))}`,
    ...('price' in row && { price: row.price }),
  }
}

/** Returns the text that contains the words, or else the first short text. */
function snippetOf(row: Row, searched: readonly string[], query: string): string | null {
  const texts = searched
    .filter((field) => field !== 'slug')
    .map((field) => row[field])
    .filter((text): text is string => typeof text === 'string' && text !== titleOf(row))
  const words = query.toLowerCase()
  const text = texts.find((one) => one.toLowerCase().includes(words)) ?? texts[0]
  if (text === undefined) return null
  const start = Math.max(0, text.toLowerCase().indexOf(words) - maxSnippet / 2)
  return text.slice(start, start + maxSnippet).toWellFormed()
}
