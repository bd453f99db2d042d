import type { Tool } from '@modelcontextprotocol/server'
import type { Surroundings } from '../framework/call.ts'

/** A tool: its listed description, and the function that runs a call. */
export interface CatalogueTool {
  listing: Tool
  /** @throws Problem that names what to change */
  call(values: Readonly<Record<string, unknown>>, surroundings: Surroundings): Promise<Record<string, unknown>>
}

/** Annotations of every tool: it reads public data. */
export const everyTool = {
  annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
  // For clients that ask which tools require a sign-in: none does.
  _meta: { securitySchemes: [{ type: 'noauth' }] },
} as const satisfies Partial<Tool>
