import { tmpdir } from 'node:os'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../../src/database/connection/openDatabase.ts'
import { createRedis } from '../../src/database/redis/redis.ts'
import { type Agent, type Answer, createAgent, get, personCalled, postJson, withToken } from '../support/agent.ts'
import { availableServices, throwawayPostgres } from '../support/databases.ts'
import type { Person } from '../support/person.ts'
import { until } from '../support/poll.ts'
import { startService, type TestService } from '../support/service.ts'
import { type Gate, openGate } from './gate.ts'

const { postgresql, redis: hasRedis } = await availableServices()
const email = 'learner@example.org'
/** Two seconds by the settings, with an allowance for a machine under load. */
const timeoutMs = 12_000
const killWaiting = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`

describe.runIf(postgresql && hasRedis)('a store that is cut off in mid-flight', () => {
  let gates: { postgresql: Gate; redis: Gate }
  let service: TestService
  let agent: Agent
  let person: Person
  let databaseUrl: string
  const undo: (() => Promise<unknown>)[] = []
  beforeAll(async () => {
    const postgres = await throwawayPostgres()
    undo.push(postgres.drop)
    gates = { postgresql: await openGate(Number(new URL(postgres.url).port || 5432), { spared: 'work_mem' }), redis: await openGate(6379) }
    undo.push(
      () => gates.redis.close(),
      () => gates.postgresql.close(),
    )
    databaseUrl = postgres.url
    const address = new URL(databaseUrl)
    address.host = `127.0.0.1:${gates.postgresql.port}`
    const database = await openDatabase({ databaseUrl: address.href, dataDirectory: tmpdir() })
    undo.push(() => database.close())
    const redis = createRedis(`redis://127.0.0.1:${gates.redis.port}`, { onError: () => undefined })
    await redis.connect()
    undo.push(() => redis.close())
    service = await startService({ database, redis })
    undo.push(() => service.stop())
    await service.addPerson({ email })
    agent = await createAgent(service.issuer)
    person = personCalled(email)
  })
  afterEach(async () => {
    gates.redis.restore()
    gates.postgresql.restore()
    await until(isWell, { what: 'the service to find its stores again' })
  })
  afterAll(async () => {
    for (const step of undo.reverse()) await step()
  })

  const account = (token: string): Promise<Answer> => withToken(`${service.issuer}/api/v1/account`, token)
  const revoke = (token: string): Promise<Answer> => agent.post('/api/oauth/revoke', { token })
  const audits = async (event: string): Promise<number> =>
    (await service.database.sql.query('SELECT 1 FROM audit_log WHERE event = $1', [event])).length
  async function isWell(): Promise<boolean> {
    const answers = await Promise.all([
      agent.post('/api/oauth/introspect', { token: 'x'.repeat(43) }),
      get(`${service.issuer}/api/v1/courses`),
    ])
    return answers.every(({ status }) => status === 200)
  }
  async function timed(work: Promise<Answer>): Promise<Answer> {
    const start = performance.now()
    const answer = await work
    expect(performance.now() - start).toBeLessThan(timeoutMs)
    return answer
  }
  function expectUnavailable({ status, headers, body }: Answer): void {
    expect([status, body.error]).toEqual([503, 'temporarily_unavailable'])
    expect(headers.get('content-type')).toContain('application/json')
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('www-authenticate')).toBeNull()
  }

  const cuts = [
    ['redis', 'refused'],
    ['redis', 'silent'],
    ['postgresql', 'refused'],
  ] as const
  describe.each(cuts)('%s, %s', (store, how) => {
    test('revocation is 503 and nothing is half done: both tokens work afterwards, and the next revocation ends them', async () => {
      for (const kind of ['access_token', 'refresh_token'] as const) {
        const { body: tokens } = await agent.tokens(person)
        const revoked = await audits('token.revoked')
        gates[store].cut(how)
        expectUnavailable(await timed(revoke(tokens[kind])))
        gates[store].restore()
        await until(isWell, { what: 'the service to find its stores again' })
        expect(await audits('token.revoked')).toBe(revoked)
        expect((await account(tokens.access_token)).status).toBe(200)
        const { status, body: next } = await agent.refresh(tokens.refresh_token)
        expect(status).toBe(200)
        expect((await revoke(kind === 'access_token' ? next.access_token : next.refresh_token)).status).toBe(200)
        for (const { access_token, refresh_token } of [tokens, next]) {
          expect((await account(access_token)).status).toBe(401)
          expect((await agent.refresh(refresh_token)).body.error).toBe('invalid_grant')
        }
        expect(await audits('token.revoked')).toBe(revoked + 1)
      }
    })

    test('token, introspection, UserInfo and the API are 503 in JSON, soon', async () => {
      const { body: tokens } = await agent.tokens(person)
      const redirect = await agent.send(person)
      gates[store].cut(how)
      expectUnavailable(await timed(agent.refresh(tokens.refresh_token)))
      expectUnavailable(await timed(agent.redeem(redirect)))
      expectUnavailable(await timed(agent.post('/api/oauth/introspect', { token: tokens.access_token })))
      expectUnavailable(await timed(withToken(`${service.issuer}/api/oauth/userinfo`, tokens.access_token)))
      expectUnavailable(await timed(account(tokens.access_token)))
      expectUnavailable(await timed(account(tokens.access_token)))
      gates[store].restore()
      await until(isWell, { what: 'the service to find its stores again' })
      // Nothing was spent on the way.
      expect((await agent.refresh(tokens.refresh_token)).status).toBe(200)
      expect((await agent.redeem(redirect)).status).toBe(200)
    })

    test('an authorization ends with temporarily_unavailable at the client, or with a page, and gives no code', async () => {
      gates[store].cut(how)
      const response = await fetch(agent.authorizationUrl(), { redirect: 'manual', headers: { accept: 'text/html' } })
      if (response.status === 303) {
        const location = new URL(response.headers.get('location') ?? '', service.issuer)
        if (location.origin === service.issuer) {
          const cookie = response.headers
            .getSetCookie()
            .map((one) => one.split(';')[0])
            .join('; ')
          const page = await fetch(location, { redirect: 'manual', headers: { accept: 'text/html', cookie } })
          expect([page.status, location.searchParams.has('code')]).toEqual([503, false])
          await response.text()
          return
        }
        expect(location.origin + location.pathname).toBe(agent.redirectUri)
        expect(Object.fromEntries(location.searchParams)).toMatchObject({
          error: 'temporarily_unavailable',
          iss: service.issuer,
          state: 'a-state',
        })
      } else {
        expect(response.status).toBe(503)
        expect(response.headers.get('content-type')).toContain('text/html')
      }
      await response.text()
    })
  })

  test('without PostgreSQL, registrations and requests of visitors get 503, and documents are still served', async () => {
    await get(`${service.issuer}/.well-known/openid-configuration`)
    gates.postgresql.cut('refused')
    expectUnavailable(await postJson(`${service.issuer}/api/oauth/register`, { redirect_uris: ['http://127.0.0.1:1/x'] }))
    expectUnavailable(await get(`${service.issuer}/api/v1/courses`))
    // Longer than the keys may go unlooked at.
    const end = performance.now() + 6000
    await until(
      async () => {
        expect((await get(`${service.issuer}/.well-known/openid-configuration`)).status).toBe(200)
        expect((await get(`${service.issuer}/api/oauth/jwks`)).status).toBe(200)
        return performance.now() > end
      },
      { what: 'six seconds to pass' },
    )
  })

  test('without Redis the visitor of the API and the documents notice nothing', async () => {
    gates.redis.cut('refused')
    expect((await timed(get(`${service.issuer}/api/v1/courses`))).status).toBe(200)
    expect((await timed(get(`${service.issuer}/.well-known/openid-configuration`))).status).toBe(200)
    expect((await timed(postJson(`${service.issuer}/api/oauth/register`, { redirect_uris: ['http://127.0.0.1:1/x'] }))).status).toBe(201)
  })

  test('a database connection that dies within a revocation leaves nothing half done', async () => {
    const { body: tokens } = await agent.tokens(person)
    const [blocker, killer] = [new Client({ connectionString: databaseUrl }), new Client({ connectionString: databaseUrl })]
    await Promise.all([blocker.connect(), killer.connect()])
    try {
      await blocker.query('BEGIN')
      await blocker.query('SELECT 1 FROM oidc_grant FOR UPDATE')
      const revoking = revoke(tokens.access_token)
      // The marker in Redis is written, and the statement that ends the grant waits for the row.
      await until(async () => (await killer.query(killWaiting)).rows.length > 0, { what: 'the revocation to wait for the grant' })
      await blocker.query('ROLLBACK')
      expect((await revoking).status).toBe(200)
      expect((await account(tokens.access_token)).status).toBe(401)
      expect((await agent.refresh(tokens.refresh_token)).body.error).toBe('invalid_grant')
    } finally {
      await Promise.all([blocker.end(), killer.end()])
    }
  })

  test('a connection that the network dropped without a word costs one request a few seconds, and the next ones nothing', async () => {
    const { body: tokens } = await agent.tokens(person)
    // The connection that watches the server, which is in use, is not dropped.
    await service.database.ping()
    gates.postgresql.cut('dropped')
    expectUnavailable(await timed(get(`${service.issuer}/api/v1/courses`)))
    expect((await get(`${service.issuer}/api/v1/courses`)).status).toBe(200)
    const refreshed = await timed(agent.refresh(tokens.refresh_token))
    if (refreshed.status !== 200) expectUnavailable(refreshed)
    expect((await agent.refresh(tokens.refresh_token)).status).toBe(200)
  })

  test('no line of the log quotes what was on its way', async () => {
    const { body } = await agent.tokens(person)
    gates.redis.cut('refused')
    await Promise.all([account(body.access_token), revoke(body.refresh_token), agent.refresh(body.refresh_token)])
    for (const value of [body.access_token, body.refresh_token, body.id_token]) expect(service.log()).not.toContain(value)
    expect(service.log()).toMatch(/"level":50.*a store did not answer/)
  })
})
