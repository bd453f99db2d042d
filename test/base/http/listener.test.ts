import { once } from 'node:events'
import { Agent, type IncomingMessage, type RequestListener, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, expect, test } from 'vitest'
import { type Listener, listen } from '../../../src/base/http/listener.ts'
import { until } from '../../support/poll.ts'

const never = new AbortController().signal
const open: Listener[] = []
afterEach(async () => {
  for (const listener of open.splice(0)) await listener.close({ quietMs: 0, cutOff: AbortSignal.abort() })
})

async function start(handler: RequestListener = (_request, response) => void response.end('done')): Promise<Listener & { port: number }> {
  const listener = await listen({ handler, port: 0, host: '127.0.0.1' })
  open.push(listener)
  return { ...listener, port: listener.address.port }
}

/** A connection to the port, and everything that comes back over it. */
function dial(port: number): { socket: Socket; received: Promise<string> } {
  const socket = connect(port, '127.0.0.1')
  return { socket, received: text(socket).catch((error) => String(error)) }
}

const post = 'POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2\r\n\r\n{}'

test('connections above the limit are closed and reported, and those below it are served', async () => {
  let refused = 0
  const listener = await listen({
    ...{ handler: (_request, response) => void response.end('done'), port: 0, host: '127.0.0.1' },
    maxConnections: 3,
    onFull() {
      refused += 1
    },
  })
  open.push(listener)
  const kept = [0, 1, 2].map(() => dial(listener.address.port))
  for (const { socket } of kept) await once(socket, 'connect')
  expect(await dial(listener.address.port).received).not.toContain('HTTP/')
  await until(() => refused === 1, { what: 'the closed connection to be reported' })
  for (const { socket } of kept) socket.write(post.replace('Content-Length', 'Connection: close\r\nContent-Length'))
  for (const { received } of kept) expect(await received).toMatch(/^HTTP\/1\.1 200/)
})

test('requests that were sent but not read when the port closes are answered', async () => {
  const { port, close } = await start()
  const connected = Array.from({ length: 50 }, () => dial(port))
  for (const { socket } of connected) await once(socket, 'connect')
  for (const { socket } of connected) socket.write(post)
  const closed = close({ quietMs: 1000, cutOff: never })
  open.length = 0
  const answers = await Promise.all(connected.map(({ received }) => received))
  expect(answers.filter((answer) => !answer.startsWith('HTTP/1.1 200'))).toEqual([])
  await closed
})

test('connections that wait to be accepted when the port closes are answered', async () => {
  const { port, close } = await start()
  const connected = Array.from({ length: 50 }, () => dial(port))
  for (const { socket } of connected) socket.write(post)
  // The kernel connects on the next tick; this process has accepted none of them by then.
  await new Promise<void>((resolve) => process.nextTick(() => process.nextTick(resolve)))
  const closed = close({ quietMs: 1000, cutOff: never })
  open.length = 0
  const answers = await Promise.all(connected.map(({ received }) => received))
  expect(answers.filter((answer) => !answer.startsWith('HTTP/1.1 200'))).toEqual([])
  await closed
})

test('while it drains, new connections are served and every response asks the client to close', async () => {
  const { port, drain } = await start()
  const agent = new Agent({ keepAlive: true })
  expect((await send(port, agent)).headers.connection).toBe('keep-alive')
  drain()
  for (const client of [agent, new Agent({ keepAlive: true }), new Agent()]) {
    const { statusCode, headers } = await send(port, client)
    expect([statusCode, headers.connection]).toEqual([200, 'close'])
  }
})

test('a response that was being made when draining began asks the client to close', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const { port, drain } = await start(async (_request, response) => {
    begin()
    await released
    response.end('done')
  })
  const answer = send(port, new Agent({ keepAlive: true }))
  await begun
  drain()
  release()
  expect((await answer).headers.connection).toBe('close')
})

test('a connection that was used a moment ago still serves a request after the port is closed', async () => {
  const { port, close } = await start()
  const { socket, received } = dial(port)
  socket.write(post)
  await once(socket, 'readable')
  const closed = close({ quietMs: 1000, cutOff: never })
  open.length = 0
  await until(() => isRefused(port), { what: 'the port to close' })
  socket.write(post)
  expect((await received).match(/HTTP\/1\.1 200/g)).toHaveLength(2)
  await closed
})

test('a request of which a part has arrived is waited for', async () => {
  const { port, close } = await start()
  const { socket, received } = dial(port)
  socket.write(post.slice(0, 20))
  await once(socket, 'connect')
  const closed = close({ quietMs: 1, cutOff: never })
  open.length = 0
  await until(() => isRefused(port), { what: 'the port to close' })
  socket.write(post.slice(20))
  expect(await received).toMatch(/^HTTP\/1\.1 200/)
  await closed
})

test('requests that take too long are cut off', async () => {
  const { port, close } = await start(() => {})
  const { socket, received } = dial(port)
  socket.write(post)
  await once(socket, 'connect')
  open.length = 0
  await close({ quietMs: 0, cutOff: AbortSignal.timeout(50) })
  expect(await received).not.toContain('HTTP/1.1')
})

test('an idle connection is kept for longer than common gateways keep it (60 s)', async () => {
  const { port } = await start()
  const { headers } = await send(port, new Agent({ keepAlive: true }))
  const seconds = Number(/timeout=(\d+)/.exec(String(headers['keep-alive']))?.[1])
  expect(seconds).toBeGreaterThan(65)
})

async function send(port: number, agent: Agent): Promise<IncomingMessage> {
  const sent = request({ port, host: '127.0.0.1', method: 'POST', agent })
  sent.end('{}')
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  await text(response)
  return response
}

async function isRefused(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const outcome = await Promise.race([once(socket, 'connect').then(() => false), once(socket, 'error').then(() => true)]).catch(() => true)
  socket.destroy()
  return outcome
}
