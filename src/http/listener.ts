import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, Server as NetServer } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { trackConnections } from './connections.ts'

export interface ListenArguments {
  handler: RequestListener
  port: number
  host: string
  /** Connections above this number are closed immediately, so that a gateway tries another process. */
  mostConnections?: number | undefined
  /** Called for each of them. */
  onFull?(): void
}

export interface CloseOptions {
  /** Milliseconds of silence after which a connection counts as idle and is closed. */
  quietMs: number
  /** Cuts off requests that are still in flight. */
  cutOff: AbortSignal
}

export interface Listener {
  address: AddressInfo
  /** Sends `Connection: close` with every response from now on. New connections and requests are still accepted. */
  drain(): void
  /** Accepts no new connections, and resolves when every open one has ended. */
  close(options: CloseOptions): Promise<void>
}

/** Longer than common gateways keep an idle connection (nginx and AWS: 60 s), so that the gateway closes first. */
const keepAliveTimeoutMs = 75_000
/** Longest duration of an upload. Other requests must arrive sooner: see requestTimeout.ts. */
const longestRequestMs = 3_600_000
const lookEveryMs = 25

/** Listens for HTTP requests. Draining and then closing the listener loses no request that has reached this process. */
export async function listen({ handler, port, host, mostConnections, onFull = () => undefined }: ListenArguments): Promise<Listener> {
  const server = createServer({
    keepAliveTimeout: keepAliveTimeoutMs,
    requestTimeout: longestRequestMs,
    headersTimeout: 10_000,
    maxHeaderSize: 16_384,
  })
  const connections = trackConnections(server)
  server.on('request', handler)
  if (mostConnections !== undefined) server.maxConnections = mostConnections
  server.on('drop', onFull)
  server.listen(port, host)
  await once(server, 'listening')
  return {
    address: server.address() as AddressInfo,
    drain: connections.drain,
    async close({ quietMs, cutOff }) {
      connections.drain()
      const closed = once(server, 'close')
      const cut = (): void => server.closeAllConnections()
      cutOff.addEventListener('abort', cut)
      await acceptWaiting(connections.acceptedCount)
      // http.Server's own close() also closes connections whose request was sent but not read yet.
      NetServer.prototype.close.call(server)
      if (cutOff.aborted) cut()
      const look = setInterval(() => connections.closeIdle(quietMs), lookEveryMs)
      await closed
      clearInterval(look)
      cutOff.removeEventListener('abort', cut)
    },
  }
}

/**
 * Resolves after a turn of the event loop without a new connection: closing the port resets connections that wait in the kernel's queue.
 * Only short turns count, because connections arrive during long ones.
 */
async function acceptWaiting(acceptedCount: () => number): Promise<void> {
  for (let turn = 0; turn < 1000; turn += 1) {
    const [before, begin] = [acceptedCount(), performance.now()]
    await setImmediate()
    if (turn > 0 && acceptedCount() === before && performance.now() - begin < 0.2) return
  }
}
