import type { CallToolResult } from '@modelcontextprotocol/server'
import { aboutRead, type Operation, pagedBy } from '../declare/operations.ts'
import { longList } from '../declare/toolParameters.ts'
import { boundedPage } from './boundedPage.ts'
import { type CatalogueTool, everyTool, isRendering, read, type ToolSchemas, toolName, toolReads } from './catalogue.ts'
import { partOfList } from './partOfList.ts'
import { catalogueSearch, searchAndFetch } from './search.ts'
import { type Json, toolText } from './toolText.ts'

/** Returns one tool for each read operation that visitors need, then the search tools, always in the same order. */
export function catalogueTools(operations: readonly Operation[], schemas: ToolSchemas): CatalogueTool[] {
  const reads = toolReads(operations)
  const search = catalogueSearch(reads)
  return [...reads.map((operation) => toolOf(operation, schemas)), ...(search ? [search] : []), ...searchAndFetch(reads)]
}

function toolOf(operation: Operation, schemas: ToolSchemas): CatalogueTool {
  const name = toolName(operation)
  const schema = schemas[name]
  if (!schema) throw new Error(`there are no schemas of ${name}`)
  return {
    listing: {
      name,
      title: operation.summary,
      description: descriptionOf(operation),
      ...schema,
      ...everyTool,
    },
    call: callOf(operation),
  }
}

function descriptionOf(operation: Operation): string {
  const { kind, summary, resource } = operation
  const about = aboutRead(operation)
  if (kind === 'list' && resource.catalogue.row.length > 0) return `${summary}: ${resource.catalogue.row.join(', ')}.`
  if (about === '') return `${summary}.`
  return kind === 'list' || kind === 'get' ? firstSentence(about) : about
}

const firstSentence = (text: string): string => /^.+?[.!?](?= |$)/.exec(text)?.[0] ?? text

function callOf(operation: Operation): CatalogueTool['call'] {
  const { kind, resource } = operation
  if (kind === 'list' || pagedBy(operation) !== undefined) {
    const usual = kind === 'list' && resource.catalogue.row.length > 0 ? { fields: resource.catalogue.row } : {}
    return (values, context) =>
      boundedPage((limit) => read(operation, { ...usual, ...values, ...(limit !== undefined && { limit }) }, context))
  }
  const list = longList(operation)
  if (list === undefined)
    return async (values, context) => {
      const row = await read(operation, values, context)
      return 'fields' in values ? row : withoutRenderings(row)
    }
  return async (values, context) =>
    partOfList(await read(operation, values, context), list, values.cursor === undefined ? undefined : String(values.cursor))
}

const withoutRenderings = (row: Json): Json => Object.fromEntries(Object.entries(row).filter(([name]) => !isRendering(name)))

export const toolResult = (response: Json): CallToolResult => ({
  content: [{ type: 'text', text: toolText(response) }],
  structuredContent: response,
})
