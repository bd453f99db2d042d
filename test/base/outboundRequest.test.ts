import { once } from 'node:events'
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { createOutbound, OutboundError, type OutboundNetwork, type OutboundRequest } from '../../src/base/net/outboundRequest.ts'
import { requireOutboundGuard } from '../../src/base/net/outboundSelfCheck.ts'
import { type Page, publicAddress, startDocumentHost } from '../support/documentHost.ts'
import { duringTests } from '../support/duringTests.ts'
import { forbiddenAddresses, publicAddresses } from '../support/forbiddenAddresses.ts'

const url = 'https://app.example.com/client.json'
const host = duringTests(() => startDocumentHost(['app.example.com', 'other.example.com']))

const send = (change: Partial<OutboundRequest> = {}, network: Partial<OutboundNetwork> = {}) =>
  createOutbound({ ...host.network, ...network })({
    ...{ url: new URL(url), method: 'GET', headers: { Accept: 'application/json' }, maxBytes: 5120, timeoutMs: 5000 },
    ...change,
  })
const failure = async (answer: Promise<unknown>): Promise<string> => {
  const error = await answer.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(OutboundError)
  return (error as OutboundError).failure
}

describe('nothing that is forbidden is connected to', () => {
  const addresses = Object.values(forbiddenAddresses).flat()

  test.each(addresses)('a name that resolves to %j', async (address) => {
    const before = host.connections()
    expect(await failure(send({}, { resolve: async () => [address] }))).toBe('forbidden')
    expect(await failure(send({}, { resolve: async () => [publicAddress, address] }))).toBe('forbidden')
    expect(host.connections()).toBe(before)
  })

  const literals = [
    '127.1',
    '0x7f.1',
    '2130706433',
    '0177.0.0.1',
    '127。0。0。1',
    '[::ffff:127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '169.254.169.254',
  ]
  test.each([...literals, '[::1]', '0', '10.1'])('a URL with the host %s', async (literal) => {
    const before = host.connections()
    const resolve = async () => expect.unreachable('an address was resolved')
    expect(await failure(send({ url: new URL(`https://${literal}/`) }, { resolve }))).toBe('forbidden')
    expect(host.connections()).toBe(before)
  })

  test.each(['http://app.example.com/', 'ftp://app.example.com/', 'file:///etc/passwd', 'https://user:secret@app.example.com/'])(
    'the URL %s',
    async (address) => {
      const before = host.connections()
      expect(await failure(send({ url: new URL(address) }))).toBe('forbidden')
      expect(host.connections()).toBe(before)
    },
  )

  test('a name that resolves to a private address a moment later (DNS rebinding)', async () => {
    const targets: string[] = []
    let lookups = 0
    host.pages.set(url, { ok: true })
    const { port } = host.server.address() as AddressInfo
    const answer = await send(
      {},
      {
        resolve: async () => (lookups++ === 0 ? [publicAddress] : ['127.0.0.1']),
        target(address) {
          targets.push(address)
          return { host: '127.0.0.1', port }
        },
      },
    )
    expect([answer.status, lookups, targets]).toEqual([200, 1, [publicAddress]])
  })

  test('a redirect to a private address', async () => {
    const page: Page = (_request, response) => response.writeHead(302, { location: 'https://169.254.169.254/latest/' }).end()
    host.pages.set(url, page)
    const [connections, resolved] = [host.connections(), host.resolved.length]
    expect((await send()).status).toBe(302)
    expect([host.connections(), host.resolved.length]).toEqual([connections + 1, resolved + 1])
  })
})

describe('a request to a checked address', () => {
  test('names the host in TLS and HTTP, and sends nothing else about the service', async () => {
    host.pages.set(url, { ok: true })
    const { status, body, headers } = await send()
    expect([status, JSON.parse(body.toString()), headers['content-type']]).toEqual([200, { ok: true }, 'application/json'])
    expect(host.requests.at(-1)).toEqual({
      url,
      headers: { host: 'app.example.com', accept: 'application/json', 'accept-encoding': 'identity', connection: 'close' },
    })
  })

  test('can have a body', async () => {
    const bodies: string[] = []
    host.pages.set(url, ((request, response) => {
      request.on('data', (chunk) => bodies.push(String(chunk))).on('end', () => response.end('{}'))
    }) as Page)
    expect((await send({ method: 'POST', body: '{"ä":1}', headers: { 'Content-Type': 'application/json' } })).status).toBe(200)
    expect(bodies.join('')).toBe('{"ä":1}')
  })

  test('tries the next address if one does not respond', async () => {
    host.pages.set(url, { ok: true })
    const [first, second] = [publicAddress, '1.1.1.1']
    const dead = createTcpServer((socket) => socket.destroy())
    const deadPort = await listening(dead)
    const { port } = host.server.address() as AddressInfo
    const target = (address: string) => ({ host: '127.0.0.1', port: address === first ? deadPort : port })
    expect((await send({}, { resolve: async () => [first, second], target })).status).toBe(200)
    dead.close()
  })
})

const listening = async (server: Server): Promise<number> => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

describe('a hostile response ends in an error, in bounded time and memory', () => {
  test.each<[string, Page, 'invalid' | 'failed']>([
    ['more bytes than allowed', (_request, response) => response.end('x'.repeat(5121)), 'invalid'],
    [
      'bytes without end',
      (_request, response) => {
        const more = (): void => {
          while (!response.destroyed && response.write('x'.repeat(16_384)));
          response.once('drain', more)
        }
        more()
      },
      'invalid',
    ],
    [
      'a compressed body',
      (_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('x'.repeat(10_000_000))),
      'invalid',
    ],
    ['a body that never ends', (_request, response) => void response.write('{'), 'failed'],
    ['no response', () => undefined, 'failed'],
    ['a closed connection', (request) => void request.socket.destroy(), 'failed'],
    [
      'a body that is cut off',
      (_request, response) => void response.writeHead(200, { 'content-length': 100 }).end('{', () => response.socket?.destroy()),
      'failed',
    ],
    ['no HTTP', (request) => void request.socket.end('SSH-2.0-OpenSSH_9.9\r\n'), 'failed'],
    ['headers without end', (request) => void request.socket.write(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(20_000)}`), 'failed'],
    ['a header of many lines', (request) => void request.socket.write(`HTTP/1.1 200 OK\r\n${'X: x\r\n'.repeat(5000)}`), 'failed'],
    ['a line break in a header', (request) => void request.socket.end('HTTP/1.1 200 OK\r\nX: a\rb\r\n\r\n{}'), 'failed'],
    ['two lengths', (request) => void request.socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}'), 'failed'],
  ])('%s', async (_what, page, expected) => {
    host.pages.set(url, page)
    expect(await failure(send({ timeoutMs: 1000 }))).toBe(expected)
  })

  test('a certificate of another host', async () => {
    expect(await failure(send({ url: new URL('https://third.example.com/') }))).toBe('failed')
  })

  test('a certificate of an unknown authority', async () => {
    const { ca: _ca, ...network } = host.network
    const answer = createOutbound(network)({ url: new URL(url), method: 'GET', headers: {}, maxBytes: 10, timeoutMs: 5000 })
    expect(await failure(answer)).toBe('failed')
  })

  test.each([
    ['no TLS', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}'],
    ['a handshake that never ends', ''],
  ])('%s', async (_what, text) => {
    const server = createTcpServer((socket) => void socket.on('error', () => undefined).write(text))
    const port = await listening(server)
    expect(await failure(send({ timeoutMs: 500 }, { target: () => ({ host: '127.0.0.1', port }) }))).toBe('failed')
    server.close()
  })

  test.each<[string, () => Promise<string[]>]>([
    ['no address', async () => []],
    ['a resolution that never ends', () => new Promise(() => undefined)],
  ])('%s', async (_what, resolve) => {
    expect(await failure(send({ timeoutMs: 300 }, { resolve }))).toBe('failed')
  })
})

describe('a request without a response says why', () => {
  const reason = async (answer: Promise<unknown>): Promise<unknown> =>
    await answer.then(
      () => 'a response',
      (error: unknown) => (error instanceof OutboundError ? error.reason : error),
    )
  const at = (port: number): Partial<OutboundNetwork> => ({ target: () => ({ host: '127.0.0.1', port }) })

  test('nothing listens', async () => {
    const server = createTcpServer()
    const port = await listening(server)
    await new Promise((resolve) => server.close(resolve))
    expect(await reason(send({}, at(port)))).toBe('refused')
  })

  test('the host name is unknown', async () => {
    expect(await reason(send({}, { resolve: async () => [] }))).toBe('unknown_host')
    expect(await reason(createOutbound()({ ...unknownHost, url: new URL('https://nobody.invalid/') }))).toBe('unknown_host')
  })

  test('the certificate is not valid, or the server speaks no TLS', async () => {
    const { ca: _ca, ...network } = host.network
    expect(await reason(createOutbound(network)({ ...unknownHost, url: new URL(url) }))).toBe('tls')
    expect(await reason(send({ url: new URL('https://third.example.com/') }))).toBe('tls')
    const server = createTcpServer((socket) => void socket.on('error', () => undefined).write('HTTP/1.1 200 OK\r\n\r\n'))
    expect(await reason(send({}, at(await listening(server))))).toBe('tls')
    server.close()
  })

  test('the connection is closed, or nothing comes in time', async () => {
    host.pages.set(url, (request) => void request.socket.destroy())
    expect(await reason(send())).toBe('reset')
    host.pages.set(url, () => undefined)
    expect(await reason(send({ timeoutMs: 300 }))).toBe('timeout')
    expect(await reason(send({ timeoutMs: 300 }, { resolve: () => new Promise(() => undefined) }))).toBe('timeout')
  })

  const unknownHost = { method: 'GET', headers: {}, maxBytes: 10, timeoutMs: 5000 } as const
})

describe('the self-check of the guard', () => {
  test('passes with the guard of the service', async () => {
    await requireOutboundGuard()
  })

  test.each(['127.0.0.1', '169.254.169.254', '64:ff9b::a9fe:a9fe', '::ffff:127.0.0.1', 'fd00:ec2::254'])(
    'reports a guard that allows %s',
    async (address) => {
      const isPublic = (seen: string) => publicAddresses.includes(seen) || seen === address
      await expect(requireOutboundGuard({ forbiddenReason: (seen) => (isPublic(seen) ? undefined : 'is not public') })).rejects.toThrow(
        address,
      )
    },
  )

  test('reports a guard that allows nothing', async () => {
    await expect(requireOutboundGuard({ forbiddenReason: () => 'is not public' })).rejects.toThrow('rejected the public address')
  })
})
