import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { Transform } from 'node:stream'

export interface TcpProxy {
  close(): Promise<void>
}

export interface TcpProxyOptions {
  /** Asked before the client's bytes are sent on. What it refuses is never sent. */
  mayPass?(bytes: Buffer): Promise<boolean>
}

/** A TCP proxy to a server, which a test can start and stop. */
export async function openTcpProxy(
  port: number,
  target: { host: string; port: number },
  { mayPass }: TcpProxyOptions = {},
): Promise<TcpProxy> {
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(target)
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one)
      one.on('error', () => other.destroy()).on('close', () => sockets.delete(one))
    }
    far.pipe(near)
    if (mayPass) near.pipe(passing(mayPass)).pipe(far)
    else near.pipe(far)
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((done) => server.close(done))
    },
  }
}

const passing = (mayPass: (bytes: Buffer) => Promise<boolean>): Transform =>
  new Transform({
    transform(bytes: Buffer, _encoding, done) {
      mayPass(bytes).then((may) => (may ? done(null, bytes) : done()), done)
    },
  })
