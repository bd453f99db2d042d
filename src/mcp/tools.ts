import type { CallToolResult, Tool } from '@modelcontextprotocol/server'
import { aboutRead, type Operation } from '../framework/declare/operations.ts'
import { type CatalogueRead, catalogueReads, read } from './catalogue.ts'
import { type CatalogueTool, everyTool } from './catalogueTool.ts'
import { catalogueSearch } from './search.ts'
import { inputSchema, outputSchema } from './toolSchemas.ts'
import { toolText } from './toolText.ts'

/** Returns one tool for each read operation that is open to visitors, then the search tool, always in the same order. */
export function catalogueTools(operations: readonly Operation[]): CatalogueTool[] {
  const reads = catalogueReads(operations)
  const search = catalogueSearch(reads)
  return [...reads.map(toolOf), ...(search ? [search] : [])]
}

function toolOf(catalogueRead: CatalogueRead): CatalogueTool {
  const { name, operation } = catalogueRead
  const { summary, parameters } = operation
  const output = outputSchema(operation, parameters)
  return {
    listing: {
      name,
      title: summary,
      description:
        `${summary}, as visitors see ${operation.kind === 'list' ? 'them' : 'it'}. ${aboutRead(operation)}${advice(operation)}`.trim(),
      inputSchema: inputSchema(parameters) as Tool['inputSchema'],
      ...(output && { outputSchema: output as Tool['outputSchema'] }),
      ...everyTool,
    },
    call: (values, surroundings) => read(catalogueRead, values, surroundings),
  }
}

const advice = ({ kind }: Operation): string =>
  kind === 'list' ? ' Name the fields that you need, to keep the answer short; page.next_cursor leads to the next page.' : ''

/** The result of a call: content for programs, and a text of limited length. */
export const toolResult = (answer: Record<string, unknown>): CallToolResult => ({
  content: [{ type: 'text', text: toolText(answer) }],
  structuredContent: answer,
})
