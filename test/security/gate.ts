import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A proxy between the service and one of its stores that can be cut. */
export interface Gate {
  port: number
  /**
   * `refused`: connections break and new ones fail. `silent`: connections stay open without a response. `dropped`: the same for the
   * connections of now, as a firewall does to idle ones; those whose first bytes contain `spared` and new ones work.
   */
  cut(how: 'refused' | 'silent' | 'dropped'): void
  /** Delays each piece of both directions by this time. */
  slow(milliseconds: number): void
  /** Breaks the connections; new ones lead to another port. */
  lead(port: number): void
  restore(): void
  close(): Promise<void>
}

/** A TCP relay to a port of this machine. */
export async function openGate(first: number, { spared = '\0 none' }: { spared?: string } = {}): Promise<Gate> {
  const sockets = new Set<Socket>()
  const dropped = new WeakSet<Socket>()
  const sparedSockets = new WeakSet<Socket>()
  let state: 'open' | 'refused' | 'silent' = 'open'
  let delayMs = 0
  let target = first
  const keep = (socket: Socket): Socket => {
    sockets.add(socket)
    return socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket))
  }
  const breakAll = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  const server = createServer((near) => {
    if (state === 'refused') return void near.destroy()
    keep(near)
    if (state === 'silent') return
    const far = keep(connect(target, '127.0.0.1'))
    const isOpen = (): boolean => state === 'open' && !dropped.has(near)
    near.once('data', (chunk) => chunk.includes(spared) && sparedSockets.add(near))
    const [toFar, toNear] = [inOrder((chunk) => isOpen() && far.write(chunk)), inOrder((chunk) => isOpen() && near.write(chunk))]
    near.on('close', () => far.destroy()).on('data', (chunk) => toFar(chunk, delayMs))
    far.on('close', () => near.destroy()).on('data', (chunk) => toNear(chunk, delayMs))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    cut(how) {
      if (how === 'dropped') {
        for (const socket of sockets) if (!sparedSockets.has(socket)) dropped.add(socket)
        return
      }
      state = how
      if (how === 'refused') breakAll()
    },
    slow(milliseconds) {
      delayMs = milliseconds
    },
    lead(port) {
      target = port
      breakAll()
    },
    restore() {
      delayMs = 0
      // A silenced connection has lost bytes, so it must not be used again.
      breakAll()
      state = 'open'
    },
    async close() {
      breakAll()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Returns a function that writes a piece after its delay, and never before an earlier piece. */
function inOrder(write: (chunk: Buffer) => unknown): (chunk: Buffer, delayMs: number) => void {
  let earliest = 0
  return (chunk, delayMs) => {
    earliest = Math.max(earliest, performance.now() + delayMs)
    if (earliest <= performance.now()) write(chunk)
    else setTimeout(write, earliest - performance.now(), chunk)
  }
}
