import { type CallToolResult, ProtocolError, ProtocolErrorCode, ResourceNotFoundError, Server } from '@modelcontextprotocol/server'
import { asProblem, logFailure } from '../../base/http/problems.ts'
import type { Log } from '../../base/log/log.ts'
import type { Problem } from '../../base/problem.ts'
import type { School } from '../../base/school.ts'
import type { Operation } from '../declare/operations.ts'
import type { Served, ToolSchemas } from './catalogue.ts'
import { type CatalogueDocument, catalogueResources, type ResourceText } from './catalogueResources.ts'
import { catalogueCompletions } from './completions.ts'
import { instructions } from './instructions.ts'
import { cataloguePrompts, promptMessages } from './prompts.ts'
import { revisions } from './revisions.ts'
import { catalogueVersion } from './serverCard.ts'
import { readSkill, type ServedSkill, serveSkills, skillListings, skillsCapability } from './skills.ts'
import { catalogueTools, toolResult } from './tools.ts'
import { withLists, withoutEmpty } from './withoutNoise.ts'

export interface CatalogueArguments {
  operations: readonly Operation[]
  toolSchemas(): ToolSchemas
  documents: readonly CatalogueDocument[]
  skills(school: School): Promise<readonly ServedSkill[]>
  log: Log
}

const lists = { ttlMs: 300_000, cacheScope: 'public' } as const
const cacheHints = {
  'server/discover': lists,
  'tools/list': lists,
  'prompts/list': lists,
  'resources/templates/list': lists,
  'resources/list': { ttlMs: 30_000, cacheScope: 'public' },
  'resources/read': { ttlMs: 30_000, cacheScope: 'public' },
} as const

/**
 * Creates MCP servers for the catalogue. Shared parts are built once; the SDK needs a new server object for every request, because no state
 * is kept between requests.
 */
export function createCatalogue({ operations, toolSchemas, documents, skills, log }: CatalogueArguments): (served: Served) => Server {
  const tools = catalogueTools(operations, toolSchemas())
  const toolsByName = new Map(tools.map((tool) => [tool.listing.name, tool]))
  const resources = catalogueResources(operations, documents)
  const prompts = cataloguePrompts(new Set(toolsByName.keys()))
  const complete = catalogueCompletions(operations, { templates: resources.templates.map(({ uriTemplate }) => uriTemplate), prompts })
  return (served) => {
    const { school, schoolName, requestId } = served
    const server = new Server(
      { name: 'schoolgate', title: schoolName, version: catalogueVersion, websiteUrl: school.issuer },
      {
        capabilities: { extensions: skillsCapability, tools: {}, resources: {}, prompts: {}, completions: {} },
        instructions: instructions(schoolName, school),
        supportedProtocolVersions: [...revisions],
        cacheHints,
        jsonSchemaValidator: noValidator,
      },
    )
    const ownSkills = () => handled(() => skills(school), rejectParams)
    serveSkills(server, ownSkills)
    server.setRequestHandler('tools/list', () => ({ tools: tools.map(({ listing }) => listing) }))
    server.setRequestHandler('tools/call', async ({ params }) => {
      const tool = toolsByName.get(params.name)
      if (!tool) throw invalidParams(`There is no tool ${params.name.slice(0, 100)}. tools/list names all of them.`)
      const { required, properties } = tool.listing.inputSchema
      const values = withLists(withoutEmpty(params.arguments ?? {}, required), properties)
      return await handled(() => tool.call(values, served).then(toolResult), toolError)
    })
    server.setRequestHandler('resources/list', async () => ({
      resources: [...(await handled(() => resources.list(served), rejectParams)), ...skillListings(await ownSkills())],
    }))
    server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [...resources.templates] }))
    server.setRequestHandler('resources/read', async ({ params: { uri } }) => {
      const found = await handled(
        async () => (await readSkill(uri, () => skills(school))) ?? (await resources.read(uri, served)),
        () => undefined,
      )
      if (!found) throw new ResourceNotFoundError(uri.slice(0, 500), `There is nothing at ${uri.slice(0, 100)}.`)
      return { contents: [contentsOf(uri, found)] }
    })
    server.setRequestHandler('prompts/list', () => ({ prompts: prompts.map(({ listing }) => listing) }))
    server.setRequestHandler('prompts/get', async ({ params }) => {
      const prompt = prompts.find(({ listing }) => listing.name === params.name)
      if (!prompt) throw invalidParams(`There is no prompt ${params.name.slice(0, 100)}. prompts/list names all of them.`)
      return await handled(async () => promptMessages(prompt, withoutEmpty(params.arguments ?? {})), rejectParams)
    })
    server.setRequestHandler('completion/complete', ({ params }) => handled(() => complete(params, served), rejectParams))
    return server

    /** Rejections keep their text. Internal errors are logged with the request id, and the response contains no details. */
    async function handled<Result>(work: () => Promise<Result>, refuse: (problem: Problem) => Result): Promise<Result> {
      try {
        return await work()
      } catch (error) {
        const problem = asProblem(error)
        if (problem.status < 500) return refuse(problem)
        logFailure(log, error, { request_id: requestId })
        throw new ProtocolError(ProtocolErrorCode.InternalError, problem.description, { error: problem.code, request_id: requestId })
      }
    }
  }
}

const invalidParams = (message: string): ProtocolError => new ProtocolError(ProtocolErrorCode.InvalidParams, message)

function rejectParams({ description }: Problem): never {
  throw invalidParams(description)
}

/** Returns an error that the model can act on: everything that is wrong, and how to correct it. */
function toolError({ code, description, details }: Problem): CallToolResult {
  const text = details.length > 1 ? [`${code}:`, ...details.map(({ message }) => `- ${message}`)].join('\n') : `${code}: ${description}`
  return { isError: true, content: [{ type: 'text', text }] }
}

const contentsOf = (uri: string, { text, lastModified }: ResourceText) => ({
  uri,
  mimeType: 'text/markdown',
  text,
  ...(lastModified !== undefined && { _meta: { lastModified } }),
})

/** The SDK requires this validator for elicitation results. This server requests none. */
const noValidator = {
  getValidator() {
    throw new Error('nothing is validated here')
  },
}
