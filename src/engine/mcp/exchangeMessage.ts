import { createMcpHandler, isLegacyRequest, type Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import type { Log } from '../../base/log/log.ts'
import type { Served } from './catalogue.ts'
import { paramsError } from './paramsError.ts'
import { revisions, revisionWithBatches } from './revisions.ts'
import { rpcCodes, rpcError, unsupportedRevision } from './rpcProblem.ts'
import { withoutIdleRevision, withoutNulls } from './withoutNoise.ts'

export interface Exchange {
  message: unknown
  headers: Headers
  served: Served
  /**
   * Counts one additional message: a batch counts as many as it contains.
   * @throws Problem rate_limited
   */
  countAnother(): Promise<unknown>
}

/** The response: a status, and JSON unless there is no content. */
export interface Reply {
  status: number
  body?: unknown
}

const maxBatch = 20
/** Methods of older revisions that 2026-07-28 has removed. */
const goneMethods = ['initialize', 'ping'] as const

/**
 * Handles messages of every revision. The SDK distinguishes those of 2026-07-28, which are self-contained, from older ones, which begin
 * with `initialize`. Both are served by a server object that lives as long as the request.
 */
export function createExchange(serverFor: (served: Served) => Server, log: Log): (exchange: Exchange) => Promise<Reply> {
  // The SDK passes the request to the factory, which finds the context of the request by it.
  const underWay = new WeakMap<Request, Served>()
  const onerror = (error: Error): void => log.debug({ err: error }, 'an MCP request was refused')
  const modern = createMcpHandler(({ requestInfo }) => serverFor(underWay.get(requestInfo as Request) as Served), {
    legacy: 'reject',
    onerror,
  })

  return async (exchange) => {
    if (!Array.isArray(exchange.message)) return await one(exchange)
    const revision = revisionOf(exchange.headers)
    if (revision !== undefined && revision !== revisionWithBatches)
      return invalid(`Revision ${revision.slice(0, 50)} knows no batches. Send one message in each request.`)
    return await batch(exchange.message, exchange)
  }

  async function one({ message: sent, headers: sentHeaders, served }: Exchange): Promise<Reply> {
    const message = withoutNulls(sent)
    const headers = withoutIdleRevision(sentHeaders, message)
    const request = new Request(`${served.school.issuer}/mcp`, { method: 'POST', headers })
    underWay.set(request, served)
    const isOld = await isLegacyRequest(request, message)
    const revision = revisionOf(headers)
    if (isOld && revision !== undefined && !revisions.includes(revision)) return unknownRevision(revision, message)
    // The lists do not change while a server object lives, so subscriptions are not offered.
    if (!isOld && isCallTo(message, 'subscriptions/listen')) {
      return { status: 404, body: rpcError(rpcCodes.methodNotFound, 'Method not found', { answered: message }) }
    }
    // A revision rejects unknown methods in every form.
    const isGone = revision === revisions[0] && goneMethods.some((method) => isCallTo(message, method))
    const invalidParams = isGone ? undefined : paramsError(message)
    if (invalidParams !== undefined)
      return { status: 200, body: rpcError(rpcCodes.invalidParams, `Invalid params: ${invalidParams}`, { answered: message }) }
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

  /** Each message is a separate exchange, so the messages of a batch are independent. */
  async function batch(messages: readonly unknown[], exchange: Exchange): Promise<Reply> {
    if (messages.length === 0 || messages.length > maxBatch) return invalid(`A batch must have 1 to ${maxBatch} messages.`)
    if (messages.some((message) => isCallTo(message, 'initialize'))) return invalid('initialize must be sent alone, not in a batch.')
    const answers: unknown[] = []
    for (const [index, message] of messages.entries()) {
      if (index > 0) await exchange.countAnother()
      const { body } = Array.isArray(message) ? invalid('A batch must not contain batches.') : await one({ ...exchange, message })
      if (body !== undefined) answers.push(body)
    }
    return answers.length === 0 ? { status: 202 } : { status: 200, body: answers }
  }
}

const revisionOf = (headers: Headers): string | undefined => headers.get('mcp-protocol-version')?.trim() || undefined

const isCallTo = (message: unknown, method: string): boolean =>
  typeof message === 'object' && message !== null && 'method' in message && message.method === method

const invalid = (text: string): Reply => ({ status: 400, body: rpcError(rpcCodes.invalidRequest, text) })

const unknownRevision = (requested: string, answered: unknown): Reply => ({
  status: 400,
  body: rpcError(unsupportedRevision, `Unsupported protocol version: ${requested.slice(0, 50)}`, {
    answered,
    data: { supported: revisions, requested: requested.slice(0, 50) },
  }),
})
