import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, request } from 'node:http'
import { type Duplex, duplexPair } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { Middleware } from 'koa'
import type { RequestState } from './state.ts'

export interface AskedRequest {
  method?: string
  headers?: Record<string, string>
  body?: string
}

export interface GivenAnswer {
  status: number
  headers: IncomingMessage['headers']
  text: string
}

/** Asks a handler over real HTTP that never leaves the process. */
export type Ask = (address: string, request?: AskedRequest) => Promise<GivenAnswer>

/** "This host on this network" (RFC 6890): no caller from outside can have this address. */
const ownAddress = '0.0.0.0'

/** Marks what comes by this road, and by no other. */
export const asOwnRequest: Middleware<RequestState> = (ctx, next) => {
  ctx.state.isOwn = true
  return next()
}

const patienceMilliseconds = 10_000

/** Makes a way to ask a handler without a port, a socket or a name to look up. */
export function inProcess(handler: RequestListener): Ask {
  const server = createServer(handler)
  return async (address, { method = 'GET', headers = {}, body = '' } = {}) => {
    const url = new URL(address)
    const [near, far] = duplexPair() as [Duplex, Duplex]
    server.emit('connection', Object.assign(far, { remoteAddress: ownAddress }))
    const asked = request({
      createConnection: () => near as never,
      method,
      path: url.pathname + url.search,
      headers: { host: url.host, connection: 'close', 'content-length': Buffer.byteLength(body), ...headers },
      signal: AbortSignal.timeout(patienceMilliseconds),
    })
    asked.end(body)
    try {
      const [answer] = (await once(asked, 'response')) as [IncomingMessage]
      return { status: answer.statusCode as number, headers: answer.headers, text: await text(answer) }
    } finally {
      near.destroy()
      far.destroy()
    }
  }
}
