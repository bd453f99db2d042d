import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type RequestOptions,
  type Server,
  request as sendOverHttp,
} from 'node:http'
import { duplexPair } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { Step } from './inOrder.ts'

export interface FetchRequest {
  method?: string
  headers?: Record<string, string>
  body?: string
  signal?: AbortSignal
}

export interface FetchResponse {
  status: number
  headers: IncomingMessage['headers']
  text: string
}

export type Fetch = (address: string, request?: FetchRequest) => Promise<FetchResponse>

/** "This host on this network" (RFC 6890): a socket of the operating system never has this remote address. */
const ownAddress = '0.0.0.0'

export const isOwnRequest = ({ socket }: IncomingMessage): boolean => socket.remoteAddress === ownAddress

export const markOwnRequests: Step = (ctx) => {
  if (isOwnRequest(ctx.req)) ctx.state.isOwn = true
}

/**
 * Sends requests to a handler over HTTP inside the process: without a port, a socket or a name to look up. The handler is created with the
 * first request, when the service is complete.
 */
export function inProcess(createHandler: () => RequestListener): Fetch {
  let server: Server | undefined
  return async (address, request = {}) => {
    const [near, far] = duplexPair()
    server ??= createServer(createHandler())
    server.emit('connection', Object.assign(far, { remoteAddress: ownAddress }))
    try {
      return await send(address, request, { createConnection: () => near as never })
    } finally {
      near.destroy()
      far.destroy()
    }
  }
}

/** Sends requests to a server on this host and port, whatever host their URL names. */
export const overHttp =
  ({ host, port }: { host: string; port: number }): Fetch =>
  (address, request = {}) =>
    send(address, request, { host, port, agent: false })

const timeoutMilliseconds = 10_000

async function send(address: string, request: FetchRequest, connection: RequestOptions): Promise<FetchResponse> {
  const { method = 'GET', headers = {}, body = '', signal } = request
  const url = new URL(address)
  const deadline = AbortSignal.timeout(timeoutMilliseconds)
  const sent = sendOverHttp({
    ...connection,
    method,
    path: url.pathname + url.search,
    headers: { host: url.host, connection: 'close', 'content-length': Buffer.byteLength(body), ...headers },
    signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
  })
  sent.end(body)
  try {
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    return { status: answer.statusCode as number, headers: answer.headers, text: await text(answer) }
  } catch (error) {
    if (deadline.aborted) throw new Error(`no response within ${timeoutMilliseconds / 1000} s`, { cause: error })
    throw error
  }
}
