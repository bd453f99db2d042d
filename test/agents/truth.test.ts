import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { claims, type Expected } from '../../src/agents/claims.ts'
import { readEnvironment } from '../../src/config/environment.ts'
import type { Ask } from '../../src/http/inProcess.ts'
import { createLog } from '../../src/lib/log.ts'
import type { Database } from '../../src/store/database.ts'
import { documentReadiness } from '../../src/wiring/readiness.ts'
import { type Service, serve } from '../../src/wiring/serve.ts'
import { migrationsDirectory } from '../../src/wiring/start.ts'
import { allScopes, get } from '../support/agent.ts'
import { until } from '../support/poll.ts'
import { freePort } from '../support/process.ts'
import { loadTestConfig, rootSecret, startService, type TestService, writeConfig } from '../support/service.ts'

const undo: (() => Promise<unknown>)[] = []
let two: TestService
beforeAll(async () => {
  two = await startService({ schools: 2 })
  undo.push(two.stop)
  await spoilKeys(two.database, 'second')
})
afterAll(async () => {
  for (const step of undo.splice(0).reverse()) await step()
})

async function spoilKeys({ sql }: Database, slug: string): Promise<void> {
  for (const alg of ['RS256', 'ES256']) {
    await sql.query(
      `INSERT INTO signing_key (school_id, kid, alg, private_jwk, active_at) SELECT id, $1, $1, 'spoiled', now() FROM school WHERE slug = $2`,
      [alg, slug],
    )
  }
}

const catalogue = (issuer: string) => get(`${issuer}/api/v1/courses`)

test('a school whose documents are not true of it answers 503 while another lives, and is named', async () => {
  const { issuer, other, app } = two
  expect((await catalogue(issuer)).status).toBe(200)
  const closed = await catalogue(other)
  expect([closed.status, closed.body.error]).toEqual([503, 'temporarily_unavailable'])
  expect(Number(closed.headers.get('retry-after'))).toBeGreaterThan(0)
  for (const path of ['/auth.md', '/.well-known/oauth-authorization-server', '/oauth/authorize', '/account/apps'])
    expect([path, (await get(other + path)).status]).toEqual([path, 503])
  expect((await catalogue(issuer)).status).toBe(200)

  const { checks, closedSchools } = documentReadiness(app)
  await expect(checks.documents?.()).resolves.toBeUndefined()
  expect(Object.keys(closedSchools())).toEqual(['second'])
  expect(closedSchools().second?.join()).toContain('/.well-known/oauth-authorization-server answers 500')
})

describe('where the only school says what is not so', () => {
  let service: Service
  let issuer: string
  let ready: () => ReturnType<typeof get>
  beforeAll(async () => {
    const directory = await mkdtemp(join(tmpdir(), 'schoolgate-truth-'))
    undo.push(() => rm(directory, { recursive: true, force: true }))
    const [port, admin] = [await freePort(), await freePort()]
    issuer = `http://127.0.0.1:${port}`
    await writeConfig(directory, {}, [issuer])
    service = await serve({
      environment: readEnvironment({ PORT: String(port), ADMIN_PORT: String(admin), DATA_DIR: join(directory, 'data') }),
      config: await loadTestConfig(directory),
      rootSecrets: [rootSecret],
      log: createLog('silent'),
      migrations: migrationsDirectory,
      prepare: (database) => spoilKeys(database, 'first'),
    })
    undo.push(() => service.stop())
    ready = () => get(`http://127.0.0.1:${admin}/readyz`)
  }, 90_000)

  test('the process is never ready, /readyz says why, and nobody is served', async () => {
    const { status, body } = await ready()
    expect([status, body.status]).toEqual([503, 'not ready'])
    expect(body.checks.documents).toContain('first: /.well-known/oauth-authorization-server answers 500')
    expect((await catalogue(issuer)).status).toBe(503)
  })

  test('it opens by itself once that is mended', async () => {
    await service.database.sql.query('DELETE FROM signing_key')
    await until(async () => (await catalogue(issuer)).status === 200, { what: 'the school to open', deadlineMs: 20_000 })
    expect(await ready()).toMatchObject({ status: 200, body: { checks: { documents: 'ok' } } })
  })
})

describe('what is checked before a school opens', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startService()
    undo.push(service.stop)
  })

  /** The faults that are found where `change` stands between the check and the true service. */
  async function faultsWith(change: (path: string, text: string) => string, expected: Partial<Expected> = {}): Promise<string[]> {
    const ask: Ask = async (address, { method = 'GET', headers = {}, body } = {}) => {
      const response = await fetch(address, { method, headers, redirect: 'manual', ...(body === undefined ? {} : { body }) })
      const text = change(new URL(address).pathname, await response.text())
      return { status: response.status, headers: Object.fromEntries(response.headers), text }
    }
    const all: Expected = {
      issuer: service.issuer,
      scopes: allScopes.split(' '),
      baselineScopes: ['openid', 'profile', 'email', 'school:read', 'courses:read'],
      metadataPaths: ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'],
      isRegistrationOpen: true,
      ...expected,
    }
    return (await Promise.all(claims.map((claim) => claim(ask, all)))).flat()
  }

  test('a service that says what is so has no fault', async () => {
    expect(await faultsWith((_path, text) => text)).toEqual([])
  })

  const edited = (wanted: string, edit: (text: string) => string) => (path: string, text: string) => (path === wanted ? edit(text) : text)
  const metadata = '/.well-known/oauth-authorization-server'
  const inAll = (from: string | RegExp, to: string) => (path: string, text: string) =>
    path.startsWith('/.well-known/o') ? text.replace(from, to) : text

  test.each([
    ['another issuer', inAll(/"issuer":"[^"]*"/, '"issuer":"https://other.example"'), 'name the issuer https://other.example'],
    ['an endpoint that is not there', inAll('/api/oauth/revoke', '/api/oauth/revocation'), 'revocation_endpoint answers 404'],
    [
      'an endpoint of another origin',
      inAll(/"token_endpoint":"http:\/\//, '"token_endpoint":"http://other.'),
      'token_endpoint is not an address of',
    ],
    [
      'an endpoint nobody built',
      inAll('"issuer"', '"device_authorization_endpoint":"x","issuer"'),
      'device_authorization_endpoint is not an address',
    ],
    ['a scope more', inAll('"openid"', '"openid","grades:read"'), 'scopes_supported is not the catalogue'],
    ['a scope less', inAll('"account:write"', '"account:read"'), 'scopes_supported is not the catalogue'],
    ['agent_auth', inAll('"issuer"', '"agent_auth":{},"issuer"'), 'promise agent_auth'],
    ['other metadata at an alias', edited('/.well-known/openid-configuration', (text) => `${text} `), 'or other metadata than'],
    ['an algorithm without a key', edited(metadata, (text) => text.replace('"RS256"', '"RS256","PS256"')), 'no published key is for PS256'],
    ['a private key', edited('/api/oauth/jwks', (text) => text.replace('"kty"', '"d":"secret","kty"')), 'a published key is private'],
    [
      'another resource',
      edited('/.well-known/oauth-protected-resource/mcp', (text) => text.replace('/mcp"', '/mcp/"')),
      'names the resource',
    ],
    ['a dead link in the index', edited('/llms.txt', (text) => text.replace('/openapi.json', '/openapi.yaml')), 'which answers 404'],
    [
      'a dead address in the walkthrough',
      edited('/auth.md', (text) => text.replace('/api/v1/account', '/api/v1/acount')),
      'which answers 404',
    ],
    [
      'a description of another origin',
      edited('/openapi.json', (text) => text.replace('"servers":[{"url":"', '"servers":[{"url":"https://x.')),
      '/openapi.json answers 200',
    ],
    ['a document that is no JSON', edited('/.well-known/oauth-protected-resource', () => '<html>'), 'names the resource undefined'],
  ])('finds %s', async (_what, change, fault) => {
    expect((await faultsWith(change)).join('\n')).toContain(fault)
  })

  test('finds a registration that is promised and closed', async () => {
    expect(await faultsWith((_path, text) => text, { isRegistrationOpen: false })).toEqual([
      'registration_endpoint does not follow the configuration',
    ])
  })
})

test('a look leaves nothing behind: no audit row, and of the log nothing but that the school is as it says', async () => {
  const service = await startService()
  try {
    expect((await catalogue(service.issuer)).status).toBe(200)
    const [school] = service.app.schools.all.map(({ school }) => school)
    service.app.truth.clear()
    expect(await service.app.truth.check(school as NonNullable<typeof school>)).toEqual([])
    expect(await service.database.sql.query('SELECT event FROM audit_log')).toEqual([])
    const said = service
      .log()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line).msg)
    expect(said.filter((message) => !['request', 'what this school says of itself is so'].includes(message))).toEqual([])
    expect(said.filter((message) => message === 'request')).toHaveLength(1)
  } finally {
    await service.stop()
  }
})
