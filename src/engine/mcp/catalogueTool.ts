import type { Tool } from '@modelcontextprotocol/server'
import type { Served } from './catalogue.ts'

export interface CatalogueTool {
  listing: Tool
  /** @throws Problem that names what to change */
  call(values: Readonly<Record<string, unknown>>, context: Served): Promise<Record<string, unknown>>
}

export const everyTool = {
  annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
  // For clients that ask which tools require a sign-in: none does.
  _meta: { securitySchemes: [{ type: 'noauth' }] },
} as const satisfies Partial<Tool>
