import { titleOf } from '../../base/text/titleOf.ts'
import type { Operation } from '../declare/operations.ts'
import type { Hit } from '../read/searchCatalogue.ts'
import { read } from './catalogue.ts'
import { type CatalogueTool, everyTool } from './catalogueTool.ts'
import { rowAsMarkdown } from './rowMarkdown.ts'
import { addressOf, fieldError, findInCatalogue, isQuery, problemOf, queryError, requireNone, searchedResources } from './search.ts'
import { type Json, maxText } from './toolText.ts'

const maxResults = 10
/** Room for the other members of a document, and for the characters that JSON escapes. */
const maxDocument = maxText - 4000

const oneText = (name: string, description: string): CatalogueTool['listing']['inputSchema'] => ({
  type: 'object',
  properties: { [name]: { type: 'string', description } },
  required: [name],
  additionalProperties: false,
})

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
