import { once } from 'node:events'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import * as fc from 'fast-check'
import Koa from 'koa'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { createDocumentList } from '../../src/agents/documentList.ts'
import { accountPaths } from '../../src/base/accountPaths.ts'
import { createAdmin } from '../../src/base/http/admin.ts'
import { parseQuery } from '../../src/base/http/query.ts'
import { headerLimits } from '../../src/base/http/requestLimits.ts'
import { createLog } from '../../src/base/log/log.ts'
import { apiPath } from '../../src/engine/declare/operations.ts'
import { siteKinds } from '../../src/engine/sitePaths.ts'
import { endpoints } from '../../src/identity/oidc/endpoints.ts'
import { createPlatformHandler } from '../../src/operate/compose/platform.ts'
import { operationsIn, resources } from '../../src/school/index.ts'
import { duringTests } from '../support/duringTests.ts'
import { type Platform, startPlatform } from '../support/platform.ts'
import { startService } from '../support/service.ts'
import { filled } from './inputCosts.ts'
import { type Client, createClient, tooCostly } from './requestCosts.ts'

const operations = operationsIn(resources)
/** A path of every kind, and every public path. */
const paths = [
  ...new Set([
    ...['/', '/mcp', '/docs', '/docs/apps', '/openapi.json', '/files/x/y', '/uploads/x', '/calendar/x', '/calendar/x.ics', '/assets/x.css'],
    ...['/forms/x', '/oauth/interaction/x', '/favicon.ico', '/.well-known/nothing', '/nothing', `${apiPath}/changes`],
    ...operations.filter(({ method }) => method === 'GET').map(({ path }) => path.replaceAll(/\{\w+\}/g, 'x')),
    ...createDocumentList({ apiPath, operations, apiText: () => '' }).paths,
    ...Object.values(endpoints).map(({ path }) => path),
    ...Object.values(accountPaths),
    ...siteKinds.flatMap((kind) => [`/${kind}`, `/${kind}/x`, `/${kind}.md`]),
  ]),
]

/** Queries and forms of any length. */
const names: Readonly<Record<string, (length: number) => string>> = {
  'repeated names': (length) => filled('a&', length),
  'repeated names with values': (length) => filled('a=1&', length),
  'distinct names': (length) => counted((at) => `a${at}&`, length),
  'bracketed names': (length) => counted((at) => `a[${at}]=1&`, length),
  'a nested name': (length) => `a${filled('[b]', length)}`,
  'a hundred parameters of one name': (length) => hundred(() => 'a', length),
  'a hundred parameters of distinct names': (length) => hundred((at) => `a${at}`, length),
  'one long value': (length) => `q=${filled('a,', length)}`,
  'percent-encoding': (length) => `q=${filled('%25', length)}`,
}

const counted = (piece: (at: number) => string, length: number): string => {
  let text = ''
  for (let at = 0; text.length < length; at += 1) text += piece(at)
  return text.slice(0, length)
}
const hundred = (name: (at: number) => string, length: number): string =>
  Array.from({ length: 100 }, (_, at) => filled(`${name(at)}=bbbbbbbbbbbbbbbbbbbb${'b'.repeat(60)}`, Math.floor(length / 100) - 1)).join(
    '&',
  )

const longestQuery = 7900
const longestForm = 32_000
/** Node refuses more than 16 KiB of headers. */
const longestHeader = 15_000

const urlencoded = { 'content-type': 'application/x-www-form-urlencoded' }
const forms = [
  ...[
    '/api/oauth/token',
    '/api/oauth/revoke',
    '/api/oauth/introspect',
    '/oauth/authorize',
    '/oauth/logout',
    '/oauth/interaction/x/sign-in',
  ],
  ...['/account/sign-in', '/account/sign-up', '/account/password'],
]

/** A request of every kind. */
const kinds: { method: string; path: string; body?: string }[] = [
  ...[
    '/',
    `${apiPath}/courses`,
    `${apiPath}/courses/x`,
    `${apiPath}/account`,
    '/docs',
    '/docs/apps',
    '/files/x/y',
    '/calendar/x',
    '/courses',
  ],
  ...[
    '/courses/x',
    '/llms.txt',
    '/openapi.json',
    '/.well-known/openid-configuration',
    '/oauth/authorize',
    '/oauth/logout',
    '/account/sign-in',
  ],
  ...['/api/oauth/userinfo', '/oauth/interaction/x', '/assets/x.css'],
].map((path) => ({ method: 'GET', path }))
kinds.push(
  { method: 'POST', path: '/mcp', body: '{}' },
  { method: 'POST', path: '/api/oauth/token', body: 'a=1' },
  { method: 'POST', path: '/account/sign-in', body: 'a=1' },
  { method: 'PUT', path: `${apiPath}/storage/uploads/x/content`, body: 'a' },
)

/** Headers that are read without being split. */
const otherHeaders = [
  'user-agent',
  'x-request-id',
  'traceparent',
  'tracestate',
  'idempotency-key',
  'referer',
  'sec-fetch-site',
  'x-schoolgate-probe',
]
const headerPieces = ['a/b;c="d;e,f";', 'a=b;', 'W/"a",', 'de-a;q=0.1,', '127.0.0.1,', ';', ' ,']

/** Koa's parser of queries, which no part of the service may use. */
const koaParser = createRequire(import.meta.url)('koa/lib/search-params.js') as { parse(text: string): unknown }

const service = duringTests(() => startService())
let client: Client
let platform: Platform
let privatePort: Client
const parsedByKoa = vi.spyOn(koaParser, 'parse')
beforeAll(async () => {
  client = createClient(service.issuer)
  platform = await startPlatform(service)
  privatePort = createClient(platform.address)
})
afterEach(() => expect(parsedByKoa).not.toHaveBeenCalled())
afterAll(async () => {
  client.close()
  privatePort.close()
  await platform.stop()
})

describe('a query costs no more than its bytes, on a path of every kind and on every public path', () => {
  test.each(Object.entries(names))(
    '%s',
    async (_, query) => {
      const found: unknown[] = []
      for (const path of paths) {
        const send = (length: number): Promise<number> => client.send(`${path}?${query(length)}`)
        expect(await send(longestQuery), path).toBeLessThan(500)
        found.push(await tooCostly({ name: path, length: longestQuery, send }, () => client.send(path)))
      }
      for (const path of ['/livez', '/platform/v1/orders']) {
        const send = (length: number): Promise<number> => privatePort.send(`${path}?${query(length)}`)
        found.push(await tooCostly({ name: path, length: longestQuery, send }, () => privatePort.send(path)))
      }
      expect(found.filter(Boolean)).toEqual([])
    },
    300_000,
  )
})

describe('a form costs no more than its bytes', () => {
  test.each(Object.entries(names))(
    '%s',
    async (_, form) => {
      const found: unknown[] = []
      for (const path of forms) {
        const post = (body: string): Promise<number> => client.send(path, { method: 'POST', headers: urlencoded, body })
        const send = (length: number): Promise<number> => post(form(length))
        expect(await send(longestForm), path).toBeLessThan(500)
        found.push(await tooCostly({ name: path, length: longestForm, send }, () => post('a=1')))
      }
      expect(found.filter(Boolean)).toEqual([])
    },
    120_000,
  )
})

describe('a header costs no more than its bytes, at its limit and above it', () => {
  const limits: Readonly<Record<string, number>> = headerLimits
  test.each([...Object.keys(limits), ...otherHeaders])(
    '%s',
    async (header) => {
      const found: unknown[] = []
      const { [header]: limit = longestHeader } = limits
      for (const { method, path, body } of kinds) {
        const ordinary = (): Promise<number> => client.send(path, { method, body })
        for (const piece of headerPieces) {
          for (const length of new Set([limit, longestHeader])) {
            const send = (size: number): Promise<number> =>
              client.send(path, { method, body, headers: { [header]: filled(piece, Math.max(1, size)) } })
            const status = await send(length)
            if (status >= 500 || (status === 431) !== length > limit) found.push(`${method} ${path} with ${length} of ${piece}: ${status}`)
            found.push(await tooCostly({ name: `${method} ${path}, ${piece}`, length, send }, ordinary))
          }
        }
      }
      expect(found.filter(Boolean)).toEqual([])
    },
    120_000,
  )
})

describe('a query has at most 100 parameters, and a request above a limit is refused before anything parses it', () => {
  const query = (count: number): string => Array.from({ length: count }, () => 'a').join('&')
  const refusal = async (address: string, options: RequestInit = {}): Promise<unknown[]> => {
    const response = await fetch(address, { redirect: 'manual', ...options })
    const { error, error_description: description, request_id: id } = (await response.json()) as Record<string, string>
    expect(id).toMatch(/^req_/)
    return [response.status, error, description]
  }
  const tooMany = [
    400,
    'invalid_request',
    'The query must have at most 100 parameters. Remove some, and separate the values of a list with commas.',
  ]

  test.each(kinds)('$method $path', async ({ method, path, body = null }) => {
    // Twice: the first request stores the response of a document.
    for (let times = 0; times < 2; times += 1)
      expect((await fetch(service.issuer + path, { method, body, redirect: 'manual' })).status).toBeLessThan(500)
    expect(await refusal(`${service.issuer}${path}?${query(101)}`, { method, body })).toEqual(tooMany)
    const allowed = await fetch(`${service.issuer}${path}?${query(100)}`, { method, body, redirect: 'manual' })
    expect([allowed.status, await allowed.text()]).not.toEqual([400, expect.stringContaining('at most 100 parameters')])
    const [status, error, description] = await refusal(service.issuer + path, { method, body, headers: { accept: 'a/b,'.repeat(300) } })
    expect([status, error]).toEqual([431, 'header_too_long'])
    expect(description).toBe('The header accept must have at most 1000 characters, has 1200. Send fewer or shorter values.')
  })

  test.each(['/livez', '/readyz', '/metrics', '/platform/v1/orders', '/operator/v1/run'])('the private port, %s', async (path) => {
    const handlers = [...createPlatformHandler({ app: service.app, database: service.database, log: createLog('silent') }, ['a key'])]
    const admin = createAdmin({
      log: createLog('silent'),
      hosts: [],
      readiness: async () => ({ status: 'ready', checks: {}, degraded: [] }),
      metrics: async () => ({ type: 'text/plain', text: '' }),
      handlers: () => handlers,
    })
    const server = createServer(admin.callback())
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`
    expect(await refusal(`${address}?${query(101)}`)).toEqual(tooMany)
    expect((await refusal(address, { headers: { accept: 'a/b,'.repeat(300) } })).slice(0, 2)).toEqual([431, 'header_too_long'])
    server.close()
  })
})

test('a query is parsed as URLSearchParams does, with all values of a name', () => {
  void fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom('a', 'b[c]', '__proto__', 'constructor', ''), fc.string({ unit: 'grapheme' })), { maxLength: 50 }),
      (pairs) => {
        const parameters = new URLSearchParams(pairs)
        const query = parseQuery(parameters.toString())
        expect(new Set(Object.keys(query))).toEqual(new Set(parameters.keys()))
        for (const name of parameters.keys()) expect([query[name]].flat()).toEqual(parameters.getAll(name))
      },
    ),
  )
  expect(Object.getPrototypeOf(parseQuery('__proto__=a&__proto__=b'))).toBeNull()
  expect(({} as Record<string, unknown>).a).toBeUndefined()
})

test('the quadratic parser of Koa is found', async () => {
  const koa = new Koa()
  koa.use((ctx) => {
    ctx.body = Object.keys(ctx.query).length
  })
  const server = createServer(koa.callback()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const other = createClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const send = (length: number): Promise<number> => other.send(`/?${filled('a&', length)}`)
  expect(await tooCostly({ name: 'planted', length: longestQuery, send }, () => other.send('/'))).toContain('planted')
  other.close()
  server.close()
  expect(parsedByKoa).toHaveBeenCalled()
  parsedByKoa.mockClear()
})
