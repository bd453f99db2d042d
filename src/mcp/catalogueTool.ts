import type { Tool } from '@modelcontextprotocol/server'
import type { Surroundings } from '../framework/call.ts'

/** A tool as it is listed, and what a call of it answers. */
export interface CatalogueTool {
  listing: Tool
  /** @throws Problem that names what to change */
  call(values: Readonly<Record<string, unknown>>, surroundings: Surroundings): Promise<Record<string, unknown>>
}

/** What is true of every tool: it reads what is public, and reading twice is reading once. */
export const everyTool = {
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  // For clients that ask which tools are worth a sign-in: a token changes nothing here.
  _meta: { securitySchemes: [{ type: 'noauth' }] },
} as const satisfies Partial<Tool>
