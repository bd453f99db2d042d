import type { Tool } from '@modelcontextprotocol/server'
import type { Caller } from '../../base/caller.ts'
import type { RunContext } from '../call.ts'
import type { Operation } from '../declare/operations.ts'
import { toolParameters } from '../declare/toolParameters.ts'
import type { Run } from '../run.ts'

export interface Served extends RunContext {
  run: Run
  schoolName: string
}

/** The caller of every tool call, with or without a token: results contain what a visitor sees. */
export const visitor: Caller = { kind: 'anonymous' }

/** Returns every read operation of the catalogue that is open to visitors. New resources are included automatically. */
export const catalogueReads = (operations: readonly Operation[]): Operation[] =>
  operations.filter(({ method, anonymous, resource }) => method === 'GET' && anonymous !== 'none' && resource.isInCatalogue)

/**
 * Returns the reads that are tools, with the parameters of a tool. A list under another row has no tool if a filter selects the same rows.
 */
export const toolReads = (operations: readonly Operation[]): Operation[] =>
  catalogueReads(operations)
    .filter(
      (operation) => !(operation.kind === 'list' && operation.parent && isFilteredBy(operation, `${operation.parent.resource.object}_id`)),
    )
    .map((operation) => ({ ...operation, parameters: toolParameters(operation) }))

const isFilteredBy = ({ resource }: Operation, name: string): boolean => resource.catalogue.filters?.includes(name) ?? false

/** Returns the name of the operation's tool: `list_courses`. */
export const toolName = ({ id }: Pick<Operation, 'id'>): string => id.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

export interface ObjectSchema {
  [member: string]: unknown
  type: 'object'
}

export type ToolSchemas = Readonly<Record<string, Record<'inputSchema' | 'outputSchema', ObjectSchema>>>

/** A field with HTML repeats another one, and data for search engines repeat the rest. */
export const isRendering = (name: string): boolean => /_(html|format)$/.test(name) || name === 'seo'

/**
 * Runs the operation as a visitor, in the same way as the API.
 * @throws Problem
 */
export async function read(
  operation: Operation,
  values: Readonly<Record<string, unknown>>,
  { run, ...context }: Served,
): Promise<Record<string, unknown>> {
  return (await run(operation, visitor, { parameters: () => values }, context)).body
}

export interface CatalogueTool {
  listing: Tool & Required<Pick<Tool, 'outputSchema'>>
  /** @throws Problem that names what to change */
  call(values: Readonly<Record<string, unknown>>, context: Served): Promise<Record<string, unknown>>
}

export const everyTool = {
  annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
  // For clients that ask which tools require a sign-in: none does.
  _meta: { securitySchemes: [{ type: 'noauth' }] },
} as const satisfies Partial<Tool>
