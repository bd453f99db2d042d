// Proves RFC 9110 section 13: A repeated request for a document reads no store and gets the same response; stored responses belong to one school and are dropped by a change or a reload

import { request as httpRequest } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { createResponseTable, type StoredResponse } from '../../../src/base/http/responseTable.ts'
import { requestBytes, sendRaw } from '../../security/rawHttp.ts'
import { createAgent, personCalled, withToken } from '../../support/agent.ts'
import { availableServices, openTestDatabase } from '../../support/databases.ts'
import { duringTests } from '../../support/duringTests.ts'
import { countStoreRequests, type RequestCounter } from '../../support/roundTrips.ts'
import { startService, type TestService } from '../../support/service.ts'

const { postgresql } = await availableServices()

const stored = (content: string): StoredResponse => ({
  headers: ['Cache-Control', 'public'],
  contentHeaders: ['Content-Type', 'text/plain', 'Content-Length', String(content.length)],
  etag: `"${content}"`,
  operation: 'document',
  body: Buffer.from(content),
})

describe('the response table', () => {
  const put = (table: ReturnType<typeof createResponseTable>, school: string, path: string, content = 'x') =>
    table.put(school, path, stored(content), { freshMilliseconds: 60_000, builtSince: table.moment() })

  test('returns a response for its school and path only', () => {
    const table = createResponseTable({ maxBytes: 100_000 })
    put(table, 'a', '/one', 'of a')
    put(table, 'b', '/one', 'of b')
    expect(table.get('a', '/one')?.body.toString()).toBe('of a')
    expect(table.get('b', '/one')?.body.toString()).toBe('of b')
    expect(table.get('a', '/two')).toBeUndefined()
  })

  test('drops the responses of one school, and does not store one that was built before', () => {
    const table = createResponseTable({ maxBytes: 100_000 })
    put(table, 'a', '/one')
    put(table, 'b', '/one')
    const builtSince = table.moment()
    table.clear('a')
    table.put('a', '/one', stored('outdated'), { freshMilliseconds: 60_000, builtSince })
    expect(table.get('a', '/one')).toBeUndefined()
    expect(table.get('b', '/one')).toBeDefined()
    put(table, 'a', '/one', 'current')
    expect(table.get('a', '/one')?.body.toString()).toBe('current')
    table.clear()
    expect([table.get('a', '/one'), table.get('b', '/one')]).toEqual([undefined, undefined])
  })

  test('drops a response when its time is over', () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    try {
      const table = createResponseTable({ maxBytes: 100_000 })
      table.put('a', '/one', stored('x'), { freshMilliseconds: 1000, builtSince: table.moment() })
      vi.advanceTimersByTime(900)
      expect(table.get('a', '/one')).toBeDefined()
      vi.advanceTimersByTime(200)
      expect(table.get('a', '/one')).toBeUndefined()
    } finally {
      vi.useRealTimers()
    }
  })

  test('holds a limited number of bytes, whatever is requested', () => {
    const table = createResponseTable({ maxBytes: 20_000 })
    for (let n = 0; n < 500; n += 1) put(table, 'a', `/${n}`, 'x'.repeat(1000))
    const held = Array.from({ length: 500 }, (_, n) => table.get('a', `/${n}`)).filter((one) => one !== undefined)
    expect(held.length).toBeGreaterThan(0)
    expect(held.length).toBeLessThanOrEqual(20)
  })
})

describe.runIf(postgresql)('a document of a school', () => {
  const held = duringTests(openTestDatabase)
  let counter: RequestCounter
  let service: TestService
  beforeAll(async () => {
    counter = countStoreRequests({ postgresql: Number(new URL(held.url ?? '').port) || 5432, redis: 1 })
    service = await startService({ database: held.database, schools: 2 })
  })
  beforeEach(() => service.reload({}))
  afterAll(async () => {
    counter.stop()
    await service.stop()
  })

  interface Sent {
    method?: string
    origin?: string
    headers?: Record<string, string>
  }
  /** Sends a request and returns everything that the response contains, except its id and its time. */
  const send = async (path: string, { method = 'GET', origin = service.issuer, headers = {} }: Sent = {}) => {
    const { promise, resolve, reject } = Promise.withResolvers<Awaited<ReturnType<typeof read>>>()
    const read = async (response: import('node:http').IncomingMessage) => ({
      status: response.statusCode,
      headers: Object.fromEntries(
        Object.entries(response.headers).filter(([name]) => !['request-id', 'date', 'keep-alive', 'connection'].includes(name)),
      ),
      requestId: response.headers['request-id'],
      body: await text(response),
    })
    httpRequest(new URL(path, origin), { method, headers }, (response) => resolve(read(response)))
      .on('error', reject)
      .end()
    return await promise
  }
  const same = ({ status, headers, body }: Awaited<ReturnType<typeof send>>) => ({ status, headers, body })

  const paths = [
    '/.well-known/openid-configuration',
    '/.well-known/oauth-authorization-server/mcp',
    '/.well-known/oauth-protected-resource',
    '/.well-known/api-catalog',
    '/api/oauth/jwks',
    '/openapi.json',
    '/llms.txt',
    '/auth.md',
    '/pricing.md',
    '/api/v1',
  ]
  // A document with several forms, such as /docs, depends on Accept: it is built for each request.

  test.each(paths)('%s: a repeated request reads no store, and gets the same response', async (path) => {
    let built = await send(path)
    let again = built
    let statements: unknown[] = ['none was counted']
    // A response is built again after a second, which passes between two requests on a busy machine.
    for (let attempt = 0; attempt < 20 && statements.length > 0; attempt += 1) {
      built = await send(path)
      const counted = await counter.during(async () => {
        again = await send(path)
      })
      statements = counted.statements
    }
    expect(statements).toEqual([])
    expect(built.status).toBe(200)
    expect(same(again)).toEqual(same(built))
    expect(again.requestId).toMatch(/^req_[0-7][0-9a-hjkmnp-tv-z]{25}$/)
    expect(again.requestId).not.toBe(built.requestId)
  })

  const etagOf = async (path: string): Promise<string> => String((await send(path)).headers.etag)
  const kinds: [what: string, kind: (etag: string) => Sent][] = [
    ['HEAD', () => ({ method: 'HEAD' })],
    ['If-None-Match', (etag) => ({ headers: { 'if-none-match': etag } })],
    ['If-None-Match of another response', () => ({ headers: { 'if-none-match': '"another"' } })],
    ['HEAD with If-None-Match', (etag) => ({ method: 'HEAD', headers: { 'if-none-match': `W/${etag}` } })],
    ['an Origin', () => ({ headers: { origin: 'https://app.example', authorization: 'Bearer no-token-at-all-but-long' } })],
  ]

  test.each(kinds)('%s gets what the first response to it contains, also with a query, for each document', async (_what, kind) => {
    const etags = new Map<string, string>()
    for (const path of paths) etags.set(path, await etagOf(path))
    // Drops the responses that the requests for the ETags have stored.
    await service.reload({})
    for (const [path, etag] of etags) {
      const built = await send(path, kind(etag))
      const stored = await send(path, kind(etag))
      expect([path, same(stored)]).toEqual([path, same(built)])
      expect([path, same(await send(`${path}?v=1`, kind(etag)))]).toEqual([path, same(built)])
    }
  })

  test.each(paths)('%s: its ETag is confirmed with 304', async (path) => {
    const headers = { 'if-none-match': await etagOf(path) }
    expect((await send(path, { headers })).status).toBe(304)
  })

  test('differs between schools, and is logged and counted as any other request', async () => {
    const path = '/.well-known/openid-configuration'
    await send(path)
    await send(path, { origin: service.other })
    expect((await send(path)).body).toContain(`"issuer":"${service.issuer}"`)
    const { body, requestId } = await send(path, { origin: service.other })
    expect(body).toContain(`"issuer":"${service.other}"`)
    const line = service
      .log()
      .split('\n')
      .find((one) => one.includes(String(requestId)))
    expect(JSON.parse(String(line))).toMatchObject({
      msg: 'request',
      school: 'second',
      method: 'GET',
      path,
      status: 200,
      address: '127.0.0.1',
    })
    const { text: figures } = await service.app.metrics.render()
    expect(figures).toMatch(/schoolgate_request_seconds_count\{area="well_known"\} [1-9]/)
    expect(figures).toMatch(/schoolgate_requests_total\{operation="oauth.metadata",outcome="success"\} [1-9]/)
  })

  test('is not served to a request that the pipeline rejects', async () => {
    const path = '/auth.md'
    await send(path)
    await send(path)
    const { host } = new URL(service.issuer)
    const [twoHosts] = await sendRaw(service.issuer, requestBytes('GET', path, service.issuer, [`host: ${host}`]))
    expect(twoHosts?.status).toBe(400)
    expect((await send(path, { headers: { host: 'elsewhere.example' } })).status).toBe(421)
    expect((await send(path, { method: 'POST' })).status).toBe(405)
  })

  test('shows a change that the same process has acknowledged', async () => {
    await service.addPerson({ email: 'owner@example.org', role: 'owner' })
    const agent = await createAgent(service.issuer)
    const { access_token: token } = (
      await agent.tokens(personCalled('owner@example.org'), { scope: 'school:read school:write' }, { scopes: 'all' })
    ).body as { access_token: string }
    const path = '/.well-known/oauth-protected-resource'
    for (const name of ['Lanternfield', 'Elsewhere', 'Lanternfield again']) {
      await send(path)
      const school = await withToken(`${service.issuer}/api/v1/school`, token)
      const changed = await fetch(`${service.issuer}/api/v1/school`, {
        method: 'PATCH',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'if-match': String(school.headers.get('etag')),
        },
        body: JSON.stringify({ name }),
      })
      expect(changed.status).toBe(200)
      expect(JSON.parse((await send(path)).body)).toMatchObject({ resource_name: name })
    }
  })

  test('shows the configuration of a reload', async () => {
    await send('/auth.md')
    await service.reload({ school: { docs_url: 'https://changed.example/docs' } })
    const body = JSON.parse((await send('/.well-known/oauth-protected-resource')).body)
    expect(body).toMatchObject({ resource_documentation: 'https://changed.example/docs' })
  })
})
