// Proves D22, L7: Malformed HTTP is an error of the client: the log has neither a warning nor a secret of its headers, chunks and body

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createAdmin } from '../../src/base/http/admin.ts'
import { createLog } from '../../src/base/log/log.ts'
import { createAgent, personCalled } from '../support/agent.ts'
import { startService, type TestService } from '../support/service.ts'
import { brokenRequests, privateTargets, publicTargets } from './brokenRequests.ts'
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
  let service: TestService
  const secrets: IssuedSecret[] = []
  beforeAll(async () => {
    service = await startService()
    await service.addPerson({ email: 'owner@example.com', role: 'owner' })
    const person = personCalled('owner@example.com')
    const agent = await createAgent(service.issuer)
    const { body } = await agent.tokens(person, { scope: 'openid account:read courses:write' }, { scopes: 'all' })
    const [, cookie = ''] = [...person.cookies].find(([name]) => /session/.test(name)) ?? []
    expect(cookie).toMatch(/.{10,}/)
    secrets.push({ kind: 'token', value: body.access_token, hasEnded: false }, { kind: 'cookie', value: cookie, hasEnded: false })
  })
  afterAll(() => service.stop())

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
