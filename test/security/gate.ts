import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A proxy between the service and one of its stores that can be cut. */
export interface Gate {
  port: number
  /** `refused`: connections break and new ones fail. `silent`: connections stay open without a response. */
  cut(how: 'refused' | 'silent'): void
  restore(): void
  close(): Promise<void>
}

/** A TCP relay to a port of this machine. */
export async function openGate(target: number): Promise<Gate> {
  const sockets = new Set<Socket>()
  let state: 'open' | 'refused' | 'silent' = 'open'
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
    near.on('close', () => far.destroy()).on('data', (chunk) => state === 'open' && far.write(chunk))
    far.on('close', () => near.destroy()).on('data', (chunk) => state === 'open' && near.write(chunk))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    cut(how) {
      state = how
      if (how === 'refused') breakAll()
    },
    restore() {
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
