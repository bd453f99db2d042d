// Proves D22, L7: Malformed HTTP is an error of the client: the log has neither a warning nor a secret of its headers, chunks and body

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeAll, describe, expect, test } from 'vitest'
import { createAdmin } from '../../src/base/http/admin.ts'
import { createLog } from '../../src/base/log/log.ts'
import { parsePasskeyResponse } from '../../src/identity/factors/passkeys.ts'
import { bothTypes } from '../engine/mcp/rpc.ts'
import { type Agent, createAgent, get, personCalled } from '../support/agent.ts'
import { duringTests } from '../support/duringTests.ts'
import { startService } from '../support/service.ts'
import { brokenRequests, privateTargets, publicTargets } from './brokenRequests.ts'
import { fieldsOf, sendAs, toConsent } from './browsing.ts'
import { sendRaw } from './rawHttp.ts'
import { type IssuedSecret, secretsIn } from './secretSpellings.ts'

/** The bytes of a text as the log would write those of a Buffer. */
const asNumbers = (text: string): string[] => {
  const bytes = [...Buffer.from(text).subarray(0, 8)]
  return [bytes.join(','), bytes.map((byte, index) => `"${index}":${byte}`).join(',')]
}

function expectQuiet(log: string, secrets: readonly IssuedSecret[]): void {
  expect(secretsIn(log, secrets)).toEqual([])
  for (const { value } of secrets) for (const numbers of asNumbers(value)) expect(log).not.toContain(numbers)
  expect(log).not.toContain('rawPacket')
  const lines = log.split('\n').filter(Boolean)
  expect(lines.filter((line) => Buffer.byteLength(line) > 16_384)).toEqual([])
  const warnings = lines.filter((line) => JSON.parse(line).level >= 40)
  // A slow machine blocks the event loop while the first request loads modules.
  expect(warnings.filter((line) => JSON.parse(line).msg !== 'event loop blocked')).toEqual([])
}

describe('malformed HTTP', () => {
  const service = duringTests(() => startService({ people: [{ email: 'owner@example.com', role: 'owner' }] }))
  const secrets: IssuedSecret[] = []
  beforeAll(async () => {
    const person = personCalled('owner@example.com')
    const agent = await createAgent(service.issuer)
    const { body } = await agent.tokens(person, { scope: 'openid account:read courses:write' }, { scopes: 'all' })
    const [, cookie = ''] = [...person.cookies].find(([name]) => /session/.test(name)) ?? []
    expect(cookie).toMatch(/.{10,}/)
    secrets.push({ kind: 'token', value: body.access_token, hasEnded: false }, { kind: 'cookie', value: cookie, hasEnded: false })
  })

  test.each(publicTargets)('at $method $path is an error of the client: no warning, no secret, no long line', async (target) => {
    const before = service.log().length
    const [token = '', cookie = ''] = secrets.map(({ value }) => value)
    for (const { name, bytes } of brokenRequests(service.issuer, target, { token, cookie: `sg_session=${cookie}` })) {
      const answers = await sendRaw(service.issuer, bytes, { quietMs: 150 })
      expect([name, answers.filter(({ status }) => status >= 500)]).toEqual([name, []])
    }
    expectQuiet(service.log().slice(before), secrets)
    expect((await fetch(`${service.issuer}/robots.txt`)).status).toBe(200)
  })
})

test('malformed HTTP leaves no warning and no secret of the private port either', async () => {
  const lines: string[] = []
  const log = createLog('debug', { write: (line) => void lines.push(line) })
  const admin = createAdmin({
    log,
    hosts: [],
    readiness: async () => ({ status: 'ready', checks: {}, degraded: [] }),
    metrics: async () => ({ type: 'text/plain', text: '' }),
    handlers: () => [],
  })
  const server = createServer(admin.callback()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const token = 'a-platform-key-that-somebody-sends'
    for (const target of privateTargets)
      for (const { bytes } of brokenRequests(address, target, { token, cookie: 'x=y' })) await sendRaw(address, bytes, { quietMs: 150 })
    expectQuiet(lines.join(''), [{ kind: 'platform key', value: token, hasEnded: false }])
    expect((await fetch(`${address}/livez`)).status).toBe(200)
  } finally {
    server.closeAllConnections()
    server.close()
  }
})

const email = 'learner@example.org'

describe('one answered interaction leaves one grant at most', () => {
  const service = duringTests(() => startService({ people: [{ email }] }))
  let agent: Agent

  const begin = async () => {
    agent = await createAgent(service.issuer)
    const person = personCalled(email)
    const page = await toConsent(agent, person, { email })
    return { person, consent: fieldsOf(page, /consent$/), refuse: fieldsOf(page, /refuse$/) }
  }
  const grants = (): Promise<{ id: string }[]> =>
    service.database.sql.query('SELECT id FROM oidc_grant WHERE client_id = $1', [agent.clientId])
  const audits = async (): Promise<string[]> => {
    const rows = await service.database.sql.query<{ event: string }>(
      `SELECT event FROM audit_log WHERE client_id = $1 AND event LIKE 'consent.%'`,
      [agent.clientId],
    )
    return rows.map(({ event }) => event)
  }
  const locations = (answers: Response[]) => new Set(answers.map(({ headers }) => headers.get('location')))

  test('five forms sent concurrently create one grant', async () => {
    const { person, consent } = await begin()
    const answers = await Promise.all(Array.from({ length: 5 }, () => sendAs(person, consent.address, { fields: consent.fields })))
    expect(locations(answers).size).toBe(1)
    expect(await grants()).toHaveLength(1)
  })

  test('the first submission counts: ticking more in a second window has no effect', async () => {
    const { person, consent } = await begin()
    const less = new URLSearchParams([...consent.fields].filter(([name, value]) => name !== 'scope' || value === 'openid'))
    const first = await sendAs(person, consent.address, { fields: less })
    await sendAs(person, consent.address, { fields: consent.fields })
    const resume = new URL(first.headers.get('location') ?? '', service.issuer).href
    const { body } = await agent.redeem(new URL((await sendAs(person, resume)).headers.get('location') ?? ''))
    expect(body.scope).toBe('openid')
    expect(await grants()).toHaveLength(1)
    expect(await audits()).toEqual(['consent.granted'])
  })

  test('after declining, a second window grants nothing, and after a grant, declining leaves the grant as it is', async () => {
    const refused = await begin()
    await sendAs(refused.person, refused.refuse.address, { fields: refused.refuse.fields })
    await sendAs(refused.person, refused.consent.address, { fields: refused.consent.fields })
    expect([await grants(), await audits()]).toEqual([[], ['consent.refused']])

    const granted = await begin()
    await sendAs(granted.person, granted.consent.address, { fields: granted.consent.fields })
    const answer = await sendAs(granted.person, granted.refuse.address, { fields: granted.refuse.fields })
    const resume = new URL(answer.headers.get('location') ?? '', service.issuer).href
    expect((await sendAs(granted.person, resume)).headers.get('location')).toContain('code=')
    expect([(await grants()).length, await audits()]).toEqual([1, ['consent.granted']])
  })
})

const service = duringTests(() => startService({ people: [{ email: 'owner@example.com', role: 'owner' }] }))
const agent = duringTests(() => createAgent(service.issuer))
let token: string
beforeAll(async () => {
  const { body } = await agent.tokens(
    personCalled('owner@example.com'),
    { scope: 'openid courses:write courses:read school:write' },
    { scopes: 'all' },
  )
  token = body.access_token
})

/** Gateways and services that read another one of two members would see another request (RFC 8259 section 4). */
describe('JSON that names a member of an object twice is refused', () => {
  test.each([
    ['POST', '/api/v1/courses', 'application/json', '{"title":"First","title":"Second"}', 'invalid_json'],
    ['POST', '/api/v1/courses', 'application/json', '{"title":"First","price":{"amount":0,"currency":"EUR","amount":5}}', 'invalid_json'],
    ['PATCH', '/api/v1/school', 'application/merge-patch+json', '{"name":"First","\\u006eame":"Second"}', 'invalid_json'],
    [
      'POST',
      '/api/oauth/register',
      'application/json',
      '{"redirect_uris":["http://127.0.0.1/a"],"redirect_uris":["http://127.0.0.1/b"]}',
      'invalid_request',
    ],
  ])('%s %s as %s: %s', async (method, path, type, body, error) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': type, 'if-match': '*' }
    const response = await fetch(service.issuer + path, { method, body, headers })
    const json = (await response.json()) as { error: string; error_description: string }
    expect([response.status, json.error, json.error_description]).toEqual([400, error, expect.stringContaining('occurs twice')])
  })

  test('by /mcp, with a parse error', async () => {
    const body = '{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}'
    const response = await fetch(`${service.issuer}/mcp`, { method: 'POST', body, headers: bothTypes })
    const { error } = (await response.json()) as { error: { code: number; message: string } }
    expect([response.status, error.code, error.message]).toEqual([400, -32700, expect.stringContaining('method occurs twice')])
  })

  test('in the parameter claims', async () => {
    const claims = '{"id_token":{"acr":{"essential":true},"acr":null}}'
    const response = await get(agent.authorizationUrl({ claims }).href, { accept: 'application/json' })
    const location = response.headers.get('location')
    const text = location === null ? JSON.stringify(response.body) : new URL(location).searchParams.get('error_description')
    expect(text).toContain('the member acr twice')
  })

  test('in the response of a passkey', () => {
    const response = '{"id":"YQ","rawId":"YQ","type":"public-key","response":{"clientDataJSON":"YQ"}}'
    expect(parsePasskeyResponse(response)).toMatchObject({ id: 'YQ' })
    expect(parsePasskeyResponse(response.replace('"id":"YQ"', '"id":"YQ","id":"YQ"'))).toBeUndefined()
  })
})
