import { once } from 'node:events'
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'

export interface ListenArguments {
  handler: RequestListener
  port: number
  host: string
  /** Connections above this number are closed immediately, so that a gateway tries another process. */
  maxConnections?: number | undefined
  onFull?(): void
}

export interface CloseOptions {
  /** Milliseconds of silence after which a connection counts as idle and is closed. */
  quietMs: number
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
const pollIntervalMs = 25

/** Listens for HTTP requests. Draining and then closing the listener loses no request that has reached this process. */
export async function listen({ handler, port, host, maxConnections, onFull = () => undefined }: ListenArguments): Promise<Listener> {
  const server = createServer({
    keepAliveTimeout: keepAliveTimeoutMs,
    requestTimeout: longestRequestMs,
    headersTimeout: 10_000,
    maxHeaderSize: 16_384,
  })
  const connections = trackConnections(server)
  server.on('request', handler)
  if (maxConnections !== undefined) server.maxConnections = maxConnections
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
      const polling = setInterval(() => connections.closeIdle(quietMs), pollIntervalMs)
      await closed
      clearInterval(polling)
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

interface Connections {
  acceptedCount(): number
  /** Sends `Connection: close` with every response whose headers are not sent yet, and with every later one. */
  drain(): void
  /** Closes connections that have been silent for `quietMs`. A connection with a request in flight, or with a part of one, stays open. */
  closeIdle(quietMs: number): void
}

interface Connection {
  requests: number
  /** Bytes received when the last request ended: additional bytes are part of the next request. */
  receivedBytes: number
  silentSince: number
}

function trackConnections(server: Server): Connections {
  const connections = new Map<Socket, Connection>()
  const responses = new Set<ServerResponse>()
  let isDraining = false
  let accepted = 0
  server.on('connection', (socket: Socket) => {
    accepted += 1
    connections.set(socket, { requests: 0, receivedBytes: 0, silentSince: performance.now() })
    socket.once('close', () => connections.delete(socket))
  })
  server.on('request', ({ socket }, response) => {
    const connection = connections.get(socket)
    if (connection) connection.requests += 1
    if (isDraining) response.shouldKeepAlive = false
    responses.add(response)
    response.once('close', () => {
      responses.delete(response)
      if (!connection) return
      connection.requests -= 1
      connection.receivedBytes = socket.bytesRead
      connection.silentSince = performance.now()
    })
  })
  return {
    acceptedCount: () => accepted,
    drain() {
      isDraining = true
      for (const response of responses) response.shouldKeepAlive = false
    },
    closeIdle(quietMs) {
      const latest = performance.now() - quietMs
      for (const [socket, { requests, receivedBytes, silentSince }] of connections) {
        if (requests === 0 && silentSince <= latest && socket.bytesRead === receivedBytes) socket.destroy()
      }
    },
  }
}
