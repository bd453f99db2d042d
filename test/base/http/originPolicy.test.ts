// Proves Fetch, CORS protocol: A preflight says yes exactly where the request is accepted, for every origin and school

import { beforeAll, describe, expect, test } from 'vitest'
import { createOriginPolicy } from '../../../src/base/http/originPolicy.ts'
import { post, request } from '../../engine/mcp/rpc.ts'
import { requestBytes, sendRaw } from '../../security/rawHttp.ts'
import { duringTests } from '../../support/duringTests.ts'
import { rootSecret, startService } from '../../support/service.ts'

const foreign = ['https://claude.ai', 'null', 'chrome-extension://abcdefghijklmnop', 'app://obsidian.md', 'file://', 'x', '']
const local = ['http://localhost:6274', 'http://127.0.0.1:1', 'http://[::1]:80', 'tauri://localhost']
const imitated = [
  'http://127.0.0.1.evil.example',
  'http://localhost.evil.example',
  'http://evil.example/localhost',
  'https://evil.example:localhost',
]

describe('the policy for pages of other origins', () => {
  const at = (issuer: string | undefined, allowedOrigins: string[], path = '/mcp') => {
    const policy = createOriginPolicy({ allowedOrigins, guardedPath: '/mcp' })
    return (origin: string) => policy(origin, { path, school: issuer === undefined ? undefined : { issuer } })
  }

  test('lets every page call a public https school, if the configuration allows every origin', () => {
    const allowed = at('https://school.example.com', ['*'])
    for (const origin of [...foreign, ...local, ...imitated]) expect([origin, allowed(origin)]).toEqual([origin, '*'])
  })

  test.each([
    'http://127.0.0.1:3000',
    'http://localhost:3000',
    'http://[::1]:3000',
    'https://localhost',
    'https://school.localhost',
    'https://10.1.2.3',
    'https://192.168.1.1:8443',
    'https://[fd00::1]',
    'https://school',
    'https://school.local',
    'https://school.internal',
    'https://school.home.arpa',
    undefined,
  ])('lets pages of other machines call nothing at %s, where a page could attack its visitor, also if * is configured', (issuer) => {
    const allowed = at(issuer, ['*'])
    for (const origin of [...foreign, ...imitated]) expect([origin, allowed(origin)]).toEqual([origin, undefined])
    for (const origin of [...local, ...(issuer === undefined ? [] : [issuer])]) expect([origin, allowed(origin)]).toEqual([origin, origin])
    // The API has no such attack: its tokens are in no browser.
    expect(at(issuer, ['*'], '/api/v1/courses')('https://claude.ai')).toBe('*')
  })

  test('lets the listed pages call, whatever their scheme, and no others', () => {
    const listed = ['https://console.example.com', 'chrome-extension://abcdefghijklmnop']
    for (const issuer of ['https://school.example.com', 'http://127.0.0.1:3000']) {
      for (const path of ['/mcp', '/api/v1/courses']) {
        const allowed = at(issuer, listed, path)
        for (const origin of listed) expect(allowed(origin)).toBe(origin)
        for (const origin of [
          'https://claude.ai',
          'https://console.example.com.evil.example',
          'https://console.example.com/',
          'null',
          ...imitated,
        ])
          expect([origin, allowed(origin)]).toEqual([origin, undefined])
      }
    }
  })
})

const ping = request('ping')
const publicSchool = { school: { issuer: 'https://school.example.com' }, variables: { SECRET_KEY: rootSecret } }
const configured: [name: string, options: Parameters<typeof startService>[0]][] = [
  ['a school on this machine', {}],
  ['a school on this machine with a list', { server: { cors: { allowed_origins: ['https://console.example.com'] } } }],
  ['a public school', publicSchool],
  ['a public school with a list', { ...publicSchool, server: { cors: { allowed_origins: ['https://console.example.com'] } } }],
]

describe.each(configured)('%s', (name, options) => {
  const service = duringTests(() => startService(options))
  let base: string
  beforeAll(() => {
    base = service.issuer
  })
  const preflight = (path: string, headers: Record<string, string>) =>
    fetch(base + path, { method: 'OPTIONS', headers: { 'access-control-request-method': 'POST', ...headers } })

  test('allows in the preflight of /mcp exactly the origins whose requests it accepts', async () => {
    const own = name.startsWith('a public') ? 'https://school.example.com' : base
    let accepted = 0
    for (const origin of [...foreign.filter((one) => one !== ''), ...local, ...imitated, own, 'https://console.example.com']) {
      const allowed = (await preflight('/mcp', { origin })).headers.get('access-control-allow-origin')
      const { status, headers } = await post(base, ping, { origin })
      const isAllowed = allowed === '*' || allowed === origin
      expect([origin, isAllowed, status, headers.get('access-control-allow-origin')]).toEqual([
        origin,
        status === 200,
        isAllowed ? 200 : 403,
        allowed,
      ])
      expect([origin, headers.get('access-control-allow-credentials')]).toEqual([origin, null])
      if (isAllowed) accepted += 1
      if (allowed !== '*') expect(headers.get('vary')).toMatch(/\bOrigin\b/i)
    }
    expect(accepted).toBeGreaterThan(4)
    expect((await post(base, ping)).status).toBe(200)
  })

  test('allows the headers that a page names, of bounded number and length, and none that a gateway writes', async () => {
    const allowedFor = async (names: string) => {
      const { headers } = await preflight('/api/oauth/token', {
        origin: 'https://console.example.com',
        'access-control-request-headers': names,
      })
      return (headers.get('access-control-allow-headers') ?? '').split(', ')
    }
    expect(await allowedFor('traceparent,Sentry-Trace, x-requested-with')).toEqual(
      expect.arrayContaining(['authorization', 'traceparent', 'sentry-trace', 'x-requested-with']),
    )
    const plain = await allowedFor('')
    for (const names of [
      '*',
      'x-forwarded-for, Forwarded, X-Forwarded-Host,x-real-ip',
      'a b, c(d, "e", f:g, h/i, {j}, é, <k>',
      'a'.repeat(101),
      ',,,, ,',
    ])
      expect([names, await allowedFor(names)]).toEqual([names, plain])
    expect((await allowedFor(Array.from({ length: 200 }, (_, at) => `x-${at}`).join(','))).length).toBe(plain.length + 50)
    expect((await preflight('/mcp', { origin: 'https://x.example' })).headers.get('vary')).toMatch(/Access-Control-Request-Headers/i)
  })

  test('writes no header of a page into its own, however the page breaks the line', async () => {
    for (const value of [
      'x-a\r\nSet-Cookie: a=b',
      'x-a\nset-cookie: a=b',
      'x-a\rset-cookie: a=b',
      'x-a%0d%0aSet-Cookie: a=b',
      'x-a\u0000b',
      'x-a;b=c',
    ]) {
      const lines = [
        'Origin: https://console.example.com',
        'Access-Control-Request-Method: POST',
        `Access-Control-Request-Headers: ${value}`,
      ]
      const [answer] = await sendRaw(base, requestBytes('OPTIONS', '/api/oauth/token', base, lines))
      expect([value, answer?.head]).not.toEqual([value, expect.stringMatching(/^set-cookie:/im)])
      expect([value, /^access-control-allow-headers: .*(?:x-a|%0d)/im.test(answer?.head ?? '')]).toEqual([value, value.includes('\r\n')])
    }
  })
})
