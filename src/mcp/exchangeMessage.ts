import { createMcpHandler, isLegacyRequest, type Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import type { Log } from '../lib/log.ts'
import { paramsError } from './params.ts'
import { revisions, revisionWithBatches } from './revisions.ts'
import { rpcCodes, rpcRefusal, unsupportedRevision } from './rpcProblem.ts'
import type { Served } from './server.ts'

/** One message, with the headers of the request that brought it. */
export interface Exchange {
  message: unknown
  headers: Headers
  served: Served
  /**
   * Counts one message more: a batch is as many as it holds.
   * @throws Problem rate_limited
   */
  countMore(): Promise<unknown>
}

/** What goes back: a status, and JSON unless there is nothing to say. */
export interface Reply {
  status: number
  body?: unknown
}

const maxBatch = 20
/** Methods of the older revisions that 2026-07-28 has left out. */
const goneMethods = ['initialize', 'ping'] as const

/**
 * Answers messages of every revision. The SDK tells those of 2026-07-28, which bring everything along, from the older ones, which
 * begin with `initialize`; both are served by a server that lives as long as the request.
 */
export function createExchange(serverFor: (served: Served) => Server, log: Log): (exchange: Exchange) => Promise<Reply> {
  // The SDK hands the request on to the factory: by it the factory finds what the request is served with.
  const underWay = new WeakMap<Request, Served>()
  const onerror = (error: Error): void => log.debug({ err: error }, 'an MCP request was refused')
  const modern = createMcpHandler(({ requestInfo }) => serverFor(underWay.get(requestInfo as Request) as Served), {
    legacy: 'reject',
    onerror,
  })

  return async (exchange) => {
    const revision = exchange.headers.get('mcp-protocol-version')?.trim()
    if (!Array.isArray(exchange.message)) return await one(exchange)
    if (revision !== undefined && revision !== revisionWithBatches)
      return invalid(`Revision ${revision.slice(0, 50)} knows no batches. Send one message in each request.`)
    return await batch(exchange.message, exchange)
  }

  async function one({ message, headers, served }: Exchange): Promise<Reply> {
    const request = new Request(`${served.school.issuer}/mcp`, { method: 'POST', headers })
    underWay.set(request, served)
    const isOld = await isLegacyRequest(request, message)
    const revision = headers.get('mcp-protocol-version')?.trim()
    if (isOld && revision !== undefined && !revisions.includes(revision)) return unknownRevision(revision, message)
    // Nothing changes while a server lives, so there is nothing to wait for: the capability is not offered.
    if (!isOld && isCallOf(message, 'subscriptions/listen')) {
      return { status: 404, body: rpcRefusal(rpcCodes.methodNotFound, 'Method not found', { answered: message }) }
    }
    // What a revision does not know it does not know in any form.
    const isGone = revision === revisions[0] && goneMethods.some((method) => isCallOf(message, method))
    const fault = isGone ? undefined : paramsError(message)
    if (fault !== undefined)
      return { status: 200, body: rpcRefusal(rpcCodes.invalidParams, `Invalid params: ${fault}`, { answered: message }) }
    const response = isOld ? await serveOld(request, message, served) : await modern.fetch(request, { parsedBody: message })
    const text = await response.text()
    return { status: response.status, ...(text !== '' && { body: JSON.parse(text) }) }
  }

  async function serveOld(request: Request, message: unknown, served: Served): Promise<Response> {
    const server = serverFor(served)
    server.onerror = onerror
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
    await server.connect(transport)
    try {
      return await transport.handleRequest(request, { parsedBody: message })
    } finally {
      await server.close()
    }
  }

  /** Each message is an exchange of its own: a batch cannot make two of them know of each other. */
  async function batch(messages: readonly unknown[], exchange: Exchange): Promise<Reply> {
    if (messages.length === 0 || messages.length > maxBatch) return invalid(`A batch has 1 to ${maxBatch} messages.`)
    if (messages.some((message) => isCallOf(message, 'initialize'))) return invalid('initialize stands alone, never in a batch.')
    const answers: unknown[] = []
    for (const [index, message] of messages.entries()) {
      if (index > 0) await exchange.countMore()
      const { body } = Array.isArray(message) ? invalid('A batch holds no batches.') : await one({ ...exchange, message })
      if (body !== undefined) answers.push(body)
    }
    return answers.length === 0 ? { status: 202 } : { status: 200, body: answers }
  }
}

const isCallOf = (message: unknown, method: string): boolean =>
  typeof message === 'object' && message !== null && 'method' in message && message.method === method

const invalid = (text: string): Reply => ({ status: 400, body: rpcRefusal(rpcCodes.invalidRequest, text) })

const unknownRevision = (requested: string, answered: unknown): Reply => ({
  status: 400,
  body: rpcRefusal(unsupportedRevision, `Unsupported protocol version: ${requested.slice(0, 50)}`, {
    answered,
    data: { supported: revisions, requested: requested.slice(0, 50) },
  }),
})
