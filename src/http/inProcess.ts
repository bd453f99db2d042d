import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type RequestOptions, request, type Server } from 'node:http'
import { duplexPair } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { Step } from './inOrder.ts'

export interface AskedRequest {
  method?: string
  headers?: Record<string, string>
  body?: string
  signal?: AbortSignal
}

export interface GivenAnswer {
  status: number
  headers: IncomingMessage['headers']
  text: string
}

/** Sends a request to this service. */
export type Ask = (address: string, request?: AskedRequest) => Promise<GivenAnswer>

/** "This host on this network" (RFC 6890): a socket of the operating system never has this remote address. */
const ownAddress = '0.0.0.0'

/** True for requests that `inProcess` made. */
export const isOwnRequest = ({ socket }: IncomingMessage): boolean => socket.remoteAddress === ownAddress

/** Marks requests that `inProcess` made. */
export const markOwnRequests: Step = (ctx) => {
  if (isOwnRequest(ctx.req)) ctx.state.isOwn = true
}

/**
 * Sends requests to a handler over HTTP inside the process: without a port, a socket or a name to look up. The handler is created with the
 * first request, when the service is complete.
 */
export function inProcess(createHandler: () => RequestListener): Ask {
  let server: Server | undefined
  return async (address, asked = {}) => {
    const [near, far] = duplexPair()
    server ??= createServer(createHandler())
    server.emit('connection', Object.assign(far, { remoteAddress: ownAddress }))
    try {
      return await send(address, asked, { createConnection: () => near as never })
    } finally {
      near.destroy()
      far.destroy()
    }
  }
}

/** Sends requests to a server on this host and port, whatever host their URL names. */
export const overHttp =
  ({ host, port }: { host: string; port: number }): Ask =>
  (address, asked = {}) =>
    send(address, asked, { host, port, agent: false })

const patienceMilliseconds = 10_000

async function send(address: string, asked: AskedRequest, connection: RequestOptions): Promise<GivenAnswer> {
  const { method = 'GET', headers = {}, body = '', signal } = asked
  const url = new URL(address)
  const deadline = AbortSignal.timeout(patienceMilliseconds)
  const sent = request({
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
    if (deadline.aborted) throw new Error(`no response within ${patienceMilliseconds / 1000} s`, { cause: error })
    throw error
  }
}
