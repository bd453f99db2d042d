import { Writable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createLog } from '../../../src/base/log/log.ts'
import { OutboundError, type OutboundRequest, type OutboundResponse } from '../../../src/base/net/outboundRequest.ts'
import type { Problem } from '../../../src/base/problem.ts'
import { createRateLimits } from '../../../src/database/redis/rateLimits.ts'
import { createClientDocuments, documentCacheSeconds } from '../../../src/identity/oidc/clientDocuments.ts'

type Respond = (request: OutboundRequest) => Promise<Partial<OutboundResponse>> | Partial<OutboundResponse>

/** A loader whose requests are answered here. */
function loader(respond: Respond, { perMinute = 1000, perHostPerMinute = 1000 } = {}) {
  const requests: OutboundRequest[] = []
  const lines: string[] = []
  const buckets = createRateLimits({ prefix: 'test' })
  const documents = createClientDocuments({
    async send(request) {
      requests.push(request)
      return {
        status: 200,
        body: Buffer.from('{}'),
        ...(await respond(request)),
        headers: { 'content-type': 'application/json', ...(await respond(request)).headers },
      }
    },
    limiter: (policy, key) => buckets.consume(policy, key),
    limits: () => ({ perMinute, perHostPerMinute }),
    log: createLog('debug', new Writable({ write: (chunk, _encoding, done) => done(void lines.push(String(chunk))) })),
  })
  const load = (url: string, isKnown = false) => documents.load(url, { isKnown })
  return { load, requests, log: () => lines.join('') }
}

const url = 'https://app.example.com/client.json'
const problem = (answer: Promise<unknown>): Promise<Problem> =>
  answer.then(
    () => expect.unreachable('was loaded'),
    (error) => error,
  )

describe('documents are cached', () => {
  test('while they are fresh, without another request', async () => {
    const { load, requests } = loader(() => ({ body: Buffer.from('{"a":1}'), headers: { 'cache-control': 'max-age=3600' } }))
    expect([await load(url), await load(url)]).toEqual(['{"a":1}', '{"a":1}'])
    expect(requests).toHaveLength(1)
  })

  test.each<[string, OutboundResponse['headers'], number]>([
    ['max-age', { 'cache-control': 'public, max-age=3600' }, 3600],
    ['max-age minus Age', { 'cache-control': 'max-age=3600', age: '600' }, 3000],
    ['a quoted max-age', { 'cache-control': 'max-age="900"' }, 900],
    ['no header', {}, 300],
    ['no-store', { 'cache-control': 'no-store' }, 60],
    ['no-cache', { 'cache-control': 'no-cache, max-age=3600' }, 60],
    ['max-age=0', { 'cache-control': 'max-age=0' }, 60],
    ['a year', { 'cache-control': 'max-age=31536000, immutable' }, 86_400],
    ['nonsense', { 'cache-control': 'max-age=soon', age: '-1' }, 300],
    ['s-maxage alone', { 'cache-control': 's-maxage=10' }, 300],
  ])('%s: bounded by a minute and a day', (_what, headers, seconds) => {
    expect(documentCacheSeconds(headers)).toBe(seconds)
  })

  test('at most 500 of them', async () => {
    const { load, requests } = loader(() => ({ headers: { 'cache-control': 'max-age=3600' } }))
    for (let at = 0; at <= 500; at += 1) await load(`${url}/${at}`)
    await load(`${url}/500`)
    expect(requests).toHaveLength(501)
    await load(`${url}/0`)
    expect(requests).toHaveLength(502)
  })

  test('parallel requests for one document cause one request', async () => {
    const { load, requests } = loader(() => new Promise((resolve) => setImmediate(() => resolve({}))))
    await Promise.all(Array.from({ length: 20 }, () => load(url)))
    expect(requests).toHaveLength(1)
  })
})

describe('errors are not cached, and their repetition is bounded', () => {
  test.each<[string, Partial<OutboundResponse>, RegExp]>([
    ['404', { status: 404 }, /status 200, without a redirect. It responded with 404/],
    ['204', { status: 204 }, /204/],
    ['201', { status: 201 }, /201/],
    ['a redirect', { status: 302, headers: { location: 'https://169.254.169.254/' } }, /302/],
    ['a permanent redirect', { status: 308, headers: { location: url } }, /308/],
    ['304 without a known document', { status: 304 }, /304/],
    ['500', { status: 500 }, /500/],
    ['HTML', { headers: { 'content-type': 'text/html; charset=utf-8' } }, /content type application\/json/],
    ['no type', { headers: { 'content-type': '' } }, /content type/],
    ['plain text', { headers: { 'content-type': 'text/plain' } }, /content type/],
    ['broken UTF-8', { body: Buffer.from([0x7b, 0xff, 0x7d]) }, /UTF-8/],
  ])('%s', async (_what, response, text) => {
    const { load, requests } = loader(() => response)
    for (let time = 0; time < 2; time += 1)
      expect(await problem(load(url))).toMatchObject({ code: 'invalid_client', description: expect.stringMatching(text) })
    expect(requests).toHaveLength(2)
  })

  test('application/…+json is a content type of documents', async () => {
    const { load } = loader(() => ({ headers: { 'content-type': 'application/oauth-client+json; charset=utf-8' } }))
    expect(await load(url)).toBe('{}')
  })

  test('every failure of the network has the same description, and the log has the cause', async () => {
    const causes = [
      new OutboundError('forbidden', 'resolves to 10.0.0.1'),
      new OutboundError('failed', 'connection refused'),
      new OutboundError('failed', 'no answer in time'),
      new OutboundError('invalid', 'too long'),
    ]
    const seen = new Set<string>()
    for (const cause of causes) {
      const { load, log } = loader(() => Promise.reject(cause))
      seen.add((await problem(load(url))).description)
      expect(log()).toContain(cause.message)
    }
    expect([...seen]).toEqual([expect.not.stringMatching(/10\.0\.0\.1|refused|in time|too long/)])
  })

  test('a host that does not respond gets no further request immediately, other hosts do', async () => {
    const { load, requests } = loader(({ url }) => (url.host === 'app.example.com' ? Promise.reject(new OutboundError('failed', 'x')) : {}))
    for (let time = 0; time < 5; time += 1) await problem(load(`${url}/${time}`))
    await load('https://other.example.com/c')
    expect(requests.map(({ url }) => url.host)).toEqual(['app.example.com', 'other.example.com'])
  })

  test('requests are limited for each host and in total', async () => {
    const { load, requests } = loader(() => ({}), { perHostPerMinute: 3, perMinute: 5 })
    const codes: string[] = []
    for (const host of ['a.example', 'b.example', 'c.example'])
      for (let at = 0; at < 4; at += 1)
        codes.push(
          await load(`https://${host}/${at}`).then(
            () => 'loaded',
            (error: Problem) => error.code,
          ),
        )
    expect(codes.filter((code) => code === 'loaded')).toHaveLength(5)
    expect(codes.slice(0, 4)).toEqual(['loaded', 'loaded', 'loaded', 'rate_limited'])
    expect(requests).toHaveLength(5)
  })

  test('at most eight requests run at a time, six of them for clients that are not known', async () => {
    const open = Promise.withResolvers<object>()
    const { load, requests } = loader(() => open.promise)
    const loads = Array.from({ length: 6 }, (_, at) => load(`https://h${at}.example/c`))
    expect(await problem(load('https://stranger.example/c'))).toMatchObject({ code: 'temporarily_unavailable' })
    loads.push(...[6, 7].map((at) => load(`https://h${at}.example/c`, true)))
    expect(await problem(load('https://h8.example/c', true))).toMatchObject({
      code: 'temporarily_unavailable',
      headers: { 'Retry-After': '2' },
    })
    open.resolve({})
    expect(await Promise.all(loads)).toHaveLength(8)
    expect(requests).toHaveLength(8)
  })
})

describe('a document that was loaded before', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'], now: Date.now() }))
  afterEach(() => void vi.useRealTimers())
  const minutes = (count: number): void => void vi.advanceTimersByTime(count * 60_000)

  test.each<[string, Respond]>([
    ['its host does not respond', () => Promise.reject(new OutboundError('failed', 'connection refused'))],
    ['its host has no public address', () => Promise.reject(new OutboundError('forbidden', 'resolves to 10.0.0.1'))],
    ['its host fails', () => ({ status: 503 })],
    ['its host refuses too many requests', () => ({ status: 429 })],
  ])('is used for a day while %s, and not longer', async (_what, fail) => {
    let respond: Respond = () => ({ body: Buffer.from('{"a":1}') })
    const { load, requests } = loader((request) => respond(request))
    await load(url)
    respond = fail
    minutes(6)
    expect(await load(url)).toBe('{"a":1}')
    expect(requests).toHaveLength(2)
    minutes(23 * 60)
    expect(await load(url, true)).toBe('{"a":1}')
    minutes(60)
    expect(await problem(load(url, true))).toMatchObject({ code: 'invalid_client' })
    respond = () => ({ body: Buffer.from('{"a":2}') })
    minutes(1)
    expect(await load(url)).toBe('{"a":2}')
  })

  test.each<[string, Respond]>([
    ['was removed', () => ({ status: 404 })],
    ['was replaced by another page', () => ({ headers: { 'content-type': 'text/html' } })],
    ['became too long', () => Promise.reject(new OutboundError('invalid', 'too long'))],
  ])('is not used after it %s', async (_what, replaced) => {
    let respond: Respond = () => ({})
    const { load } = loader((request) => respond(request))
    await load(url)
    respond = replaced
    minutes(6)
    expect(await problem(load(url, true))).toMatchObject({ code: 'invalid_client' })
  })

  test('is used, and loaded again by a process that does not have it, while a stranger uses up the budget of the host and of all', async () => {
    let served = '{"a":1}'
    const { load } = loader(() => ({ body: Buffer.from(served) }), { perHostPerMinute: 3, perMinute: 5 })
    expect(await load(url, true)).toBe('{"a":1}')
    minutes(6)
    const codes: string[] = []
    for (let at = 0; at < 12; at += 1) {
      const invented = `https://${at % 2 === 0 ? 'app' : `other${at}`}.example.com/x${at}.json`
      codes.push(
        await load(invented).then(
          () => 'loaded',
          (error: Problem) => error.code,
        ),
      )
    }
    expect(codes).toContain('rate_limited')
    expect(await load(url)).toBe('{"a":1}')
    served = '{"a":2}'
    expect(await load(url, true)).toBe('{"a":2}')
    expect(await load('https://app.example.com/second.json', true)).toBe('{"a":2}')
  })
})
