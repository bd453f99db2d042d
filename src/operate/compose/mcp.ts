import type { Middleware } from 'koa'
import type { AgentDocuments } from '../../agents/agentDocuments.ts'
import { pricingDocument } from '../../engine/mcp/catalogueResources.ts'
import { createMcp } from '../../engine/mcp/createMcp.ts'
import { createCallerOf, operationArguments } from './api.ts'
import type { Foundation } from './foundation.ts'

export function createMcpEndpoint(foundation: Foundation, documents: AgentDocuments): Middleware {
  const { originPolicy, log, schoolNames, texts } = foundation
  return createMcp({
    ...operationArguments(foundation),
    toolSchemas: texts.toolSchemas,
    documents: [pricingDocument(documents.pricing)],
    skills: documents.skills,
    log,
    schoolName: ({ state }) => schoolNames.read(state.school.id, state.contentVersion),
    authenticate: createCallerOf(foundation, '/mcp'),
    originPolicy,
  })
}
