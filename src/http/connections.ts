import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export interface Connections {
  /** How many connections have been accepted so far. */
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

/** Watches the connections of a server, so that closing it loses no request. */
export function trackConnections(server: Server): Connections {
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
