// Proves RFC 9110 section 15.6.4: A locked row delays only changes of that row; they get 503 with Retry-After, and everybody else has connections
// Proves RFC 7009 section 2: With a full Redis no token is issued and no refresh token consumed, revocation works, and readiness is off
// Proves RFC 7009 section 2.1: A revoked access token, or one of a disabled client, stays invalid when Redis loses its marker
// Proves RFC 7009 section 2.2.1: A revocation that fails halfway changes nothing, and the repeated request ends both tokens

import { tmpdir } from 'node:os'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../../src/database/connection/openDatabase.ts'
import { migrate } from '../../src/database/migrations/migrate.ts'
import { createRedis, type RedisConnection } from '../../src/database/redis/redis.ts'
import { type Agent, type Answer, answer, createAgent, get, personCalled, postJson, withToken } from '../support/agent.ts'
import { migrationsDirectory } from '../support/databases.ts'
import { hasOwnServers, ownPostgres, ownRedis } from '../support/ownServers.ts'
import type { Person } from '../support/person.ts'
import { until } from '../support/poll.ts'
import { startService, type TestService } from '../support/service.ts'

/** How long a caller may wait when a store fails, with an allowance for a machine under load. */
const timeoutMs = 15_000

describe.runIf(await hasOwnServers())('a store that is full, read-only, frozen or forgetful', () => {
  let postgres: Awaited<ReturnType<typeof ownPostgres>>
  let ownedRedis: Awaited<ReturnType<typeof ownRedis>>
  let redis: RedisConnection
  let service: TestService
  let agent: Agent
  let admin: Agent
  let person: Person
  let staff: string
  const undo: (() => Promise<unknown>)[] = []
  beforeAll(async () => {
    ;[postgres, ownedRedis] = await Promise.all([ownPostgres(), ownRedis()])
    undo.push(
      () => postgres.stop(),
      () => ownedRedis.stop(),
    )
    const database = await openDatabase({ databaseUrl: postgres.url, dataDirectory: tmpdir() })
    undo.push(() => database.close())
    await migrate(database, migrationsDirectory)
    redis = createRedis(ownedRedis.url, { onError: () => undefined })
    await redis.connect()
    undo.push(() => redis.close())
    service = await startService({ database, redis })
    undo.push(() => service.stop())
    await service.addPerson({ email: 'learner@example.org' })
    await service.addPerson({ email: 'owner@example.org', role: 'owner' })
    ;[agent, admin] = await Promise.all([createAgent(service.issuer), createAgent(service.issuer)])
    person = personCalled('learner@example.org')
    staff = (await admin.tokens(personCalled('owner@example.org'), { scope: 'openid courses:read courses:write' }, { scopes: 'all' })).body
      .access_token
  })
  afterEach(async () => {
    postgres.thaw()
    await ownedRedis.client.config('SET', 'maxmemory', '0')
    await postgres.admin.query('ALTER DATABASE school RESET default_transaction_read_only')
    const externalServices = new Client({ connectionString: postgres.url })
    await externalServices.connect()
    await externalServices.query('DROP TABLE IF EXISTS filler')
    await externalServices.end()
    await until(isWell, recovery)
  })
  afterAll(async () => {
    for (const step of undo.reverse()) await step()
  })

  const account = (token: string): Promise<Answer> => withToken(`${service.issuer}/api/v1/account`, token)
  const revoke = (token: string): Promise<Answer> => agent.post('/api/oauth/revoke', { token })
  const addCourse = (): Promise<Answer> =>
    postJson(`${service.issuer}/api/v1/courses`, { title: `A course ${Math.random()}` }, { authorization: `Bearer ${staff}` })
  const page = (path: string): Promise<Answer> => get(service.issuer + path, { accept: 'text/html' })

  async function expectUnavailable(work: Promise<Answer>): Promise<void> {
    const start = performance.now()
    const { status, headers, body } = await work
    expect.soft([status, typeof body === 'string' ? 'page' : body.error]).toEqual([503, 'temporarily_unavailable'])
    expect.soft(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect.soft(performance.now() - start).toBeLessThan(timeoutMs)
  }
  /** Checks that the page describes the failure, without the heading of a rate limit. */
  async function expectUnavailablePage(work: Promise<Answer>): Promise<void> {
    const start = performance.now()
    const { status, headers, body } = await work
    expect.soft(status).toBe(503)
    expect.soft(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect.soft(body).toContain('<h1>The school is temporarily unavailable</h1>')
    expect.soft(performance.now() - start).toBeLessThan(timeoutMs)
  }
  /** Asks again and again until something is refused: tables have some room left on a disk that is full. */
  async function untilRefused(work: () => Promise<Answer>): Promise<Answer> {
    for (let tries = 0; tries < 60; tries += 1) {
      const answer = await work()
      if (answer.status >= 300) return answer
    }
    throw new Error('nothing was refused')
  }
  const isWell = async (): Promise<boolean> => {
    const answers = await Promise.all([
      addCourse(),
      page('/account/sign-in'),
      agent.post('/api/oauth/introspect', { token: 'x'.repeat(43) }),
    ])
    if (answers.some(({ status }) => status >= 300))
      throw new Error(answers.map(({ status, body }) => `${status} ${JSON.stringify(body).slice(0, 200)}`).join('\n'))
    return true
  }
  const recovery = { what: 'the service to work again without a restart' }

  describe('Redis that lost the marker of a revocation', () => {
    test('a revoked access token stays dead at the API, UserInfo, introspection and MCP', async () => {
      const { body: tokens } = await agent.tokens(person)
      expect((await account(tokens.access_token)).status).toBe(200)
      expect((await revoke(tokens.access_token)).status).toBe(200)
      for (const key of await ownedRedis.client.keys('*grant-ended*')) await ownedRedis.client.del(key)
      await expectDead(tokens)
    })

    test('a token of a client that was disabled stays dead', async () => {
      const disabled = await createAgent(service.issuer)
      const { body: tokens } = await disabled.tokens(person)
      await service.database.sql.query('UPDATE oidc_client SET disabled_at = now() WHERE id = $1', [disabled.clientId])
      expect((await account(tokens.access_token)).status).toBe(401)
    })
  })

  async function expectDead(tokens: { access_token: string; refresh_token: string }): Promise<void> {
    const bearer = { authorization: `Bearer ${tokens.access_token}` }
    expect((await account(tokens.access_token)).status).toBe(401)
    expect((await withToken(`${service.issuer}/api/oauth/userinfo`, tokens.access_token)).status).toBe(401)
    expect((await postJson(`${service.issuer}/mcp`, { jsonrpc: '2.0', id: 1, method: 'tools/list' }, bearer)).status).toBe(401)
    expect((await agent.post('/api/oauth/introspect', { token: tokens.access_token })).body).toEqual({ active: false })
    expect((await agent.refresh(tokens.refresh_token)).body.error).toBe('invalid_grant')
  }

  describe('Redis that is full', () => {
    const fill = (): Promise<unknown> => ownedRedis.client.config('SET', 'maxmemory', '1')
    const empty = (): Promise<unknown> => ownedRedis.client.config('SET', 'maxmemory', '0')

    test('issues no tokens, consumes no refresh token, revokes immediately, is not ready, and works again when there is room', async () => {
      const [{ body: revoked }, { body: kept }] = [await agent.tokens(person), await agent.tokens(person)]
      const redirect = await agent.send(person)
      const keys = await ownedRedis.client.dbsize()
      await fill()
      await expectUnavailable(agent.refresh(kept.refresh_token))
      await expectUnavailable(agent.redeem(redirect))
      expect(await ownedRedis.client.dbsize()).toBeLessThanOrEqual(keys)
      await expect(redis.ping()).rejects.toThrow('Redis')
      for (const kind of ['access_token', 'refresh_token'] as const) expect((await revoke(revoked[kind])).status).toBe(200)
      await expectDead(revoked)
      expect(await ownedRedis.client.keys('*grant-ended*')).not.toEqual([])
      expect((await account(kept.access_token)).status).toBe(200)
      await empty()
      await redis.ping()
      expect((await agent.refresh(kept.refresh_token)).status).toBe(200)
      expect((await agent.redeem(redirect)).status).toBe(200)
    })
  })

  describe('PostgreSQL that fails in the middle of a revocation', () => {
    test('answers 503 with both tokens alive, and the same request repeated ends both', async () => {
      const { body: tokens } = await agent.tokens(person)
      await postgres.admin.query('ALTER DATABASE school SET default_transaction_read_only = on')
      await cutConnections()
      await expectUnavailable(revoke(tokens.access_token))
      expect((await account(tokens.access_token)).status).toBe(200)
      await postgres.admin.query('ALTER DATABASE school RESET default_transaction_read_only')
      await until(async () => (await revoke(tokens.access_token)).status === 200, recovery)
      await expectDead(tokens)
    })
  })

  /** Ends every session of the service, and waits until it has noticed. */
  async function cutConnections(): Promise<void> {
    await postgres.admin.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'school'`)
    await until(async () => (await account(staff)).status < 500 && (await page('/account/sign-in')).status === 200, recovery)
  }

  describe.each([
    {
      state: 'read-only',
      begin: async () => {
        await postgres.admin.query('ALTER DATABASE school SET default_transaction_read_only = on')
        await cutConnections()
      },
      end: () => postgres.admin.query('ALTER DATABASE school RESET default_transaction_read_only'),
      reads: 200,
    },
    {
      state: 'full',
      begin: async () => {
        await service.database.sql.query('CREATE TABLE filler (text text); ALTER TABLE filler ALTER COLUMN text SET STORAGE EXTERNAL')
        const fill = async (bytes: number): Promise<never> => {
          for (;;) await service.database.sql.query(`INSERT INTO filler SELECT repeat('x', $1::int) FROM generate_series(1, 8)`, [bytes])
        }
        for (const bytes of [1_000_000, 1000]) await expect(fill(bytes)).rejects.toMatchObject({ code: '53100' })
      },
      end: () => service.database.sql.query('DROP TABLE filler'),
      reads: 200,
    },
  ])('PostgreSQL that is $state', ({ begin, end, reads }) => {
    test('answers writes, sign-ins and refreshes with 503, goes on reading, is not ready, and works again without a restart', async () => {
      const { body: tokens } = await agent.tokens(person)
      expect(await isWell()).toBe(true)
      await service.database.ping()
      await begin()
      await until(
        () =>
          service.database.ping().then(
            () => false,
            () => true,
          ),
        { what: 'readiness to notice' },
      )
      await expectUnavailable(untilRefused(addCourse))
      let latest = tokens.refresh_token
      const refresh = async (): Promise<Answer> => {
        const answer = await agent.refresh(latest)
        if (answer.status === 200) latest = answer.body.refresh_token
        return answer
      }
      await expectUnavailable(untilRefused(refresh))
      await expectUnavailable(
        untilRefused(() => postJson(`${service.issuer}/api/oauth/register`, { redirect_uris: ['http://127.0.0.1:1/x'] })),
      )
      expect((await get(`${service.issuer}/api/v1/courses`)).status).toBe(reads)
      await end()
      await until(() => service.database.ping().then(() => true), { what: 'readiness to return' })
      expect(await isWell()).toBe(true)
      expect((await agent.refresh(latest)).status).toBe(200)
    })
  })

  describe('PostgreSQL with a row that somebody keeps locked', () => {
    test('delays the changes of that row alone, answers them with 503 and Retry-After, and leaves connections to everybody else', async () => {
      const { body: tokens } = await agent.tokens(person)
      const { body: course } = await addCourse()
      const locker = new Client({ connectionString: postgres.url })
      await locker.connect()
      await locker.query('BEGIN; SELECT 1 FROM course FOR UPDATE')
      const rename = (): Promise<Answer> =>
        answer(
          fetch(`${service.issuer}/api/v1/courses/${course.id}`, {
            method: 'PATCH',
            headers: { authorization: `Bearer ${staff}`, 'content-type': 'application/merge-patch+json' },
            body: JSON.stringify({ title: 'Another title' }),
          }),
        )
      try {
        const renames = Array.from({ length: 20 }, rename)
        const waiting = `SELECT count(*)::int AS waiting FROM pg_stat_activity WHERE wait_event_type = 'Lock'`
        const count = async () => (await postgres.admin.query<{ waiting: number }>(waiting)).rows[0]?.waiting
        await until(async () => (await count()) === 6, { what: 'as many changes as may run at a time to wait for the row' })
        const others = await Promise.all([
          get(`${service.issuer}/api/v1/courses`),
          account(tokens.access_token),
          agent.refresh(tokens.refresh_token),
          agent.post('/api/oauth/introspect', { token: tokens.access_token }),
          page('/account/sign-in'),
          page(`/oauth/authorize?${agent.authorizationUrl().searchParams}`),
          get(`${service.issuer}/.well-known/openid-configuration`),
          get(`${service.issuer}/openapi.json`),
          postJson(`${service.issuer}/api/oauth/register`, { redirect_uris: ['http://127.0.0.1:1/x'] }),
        ])
        expect(others.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 303, 200, 200, 201])
        await service.database.ping()
        // Fewer on a loaded machine: some have reached the limit for locks meanwhile.
        expect(await count()).toBeLessThanOrEqual(6)
        await Promise.all(renames.map(expectUnavailable))
      } finally {
        await locker.end()
      }
      expect((await rename()).status).toBe(200)
    })
  })

  describe('PostgreSQL that is frozen', () => {
    test('answers every request within five seconds, and works again when it is thawed', async () => {
      const { body: tokens } = await agent.tokens(person)
      const stranger = await createAgent(service.issuer)
      expect(await isWell()).toBe(true)
      postgres.freeze()
      try {
        await Promise.all([
          expectUnavailable(get(`${service.issuer}/api/v1/courses`)),
          expectUnavailable(account(tokens.access_token)),
          expectUnavailable(addCourse()),
          expectUnavailable(agent.refresh(tokens.refresh_token)),
          expectUnavailable(agent.post('/api/oauth/introspect', { token: tokens.access_token })),
          expectUnavailable(postJson(`${service.issuer}/api/oauth/register`, { redirect_uris: ['http://127.0.0.1:1/x'] })),
          expectUnavailable(get(`${service.issuer}/api/v1/courses`, { accept: 'text/csv', authorization: `Bearer ${staff}` })),
          expectUnavailablePage(page('/account/sign-in')),
          // The client of `agent` is in memory, and its versions in Redis.
          expectUnavailablePage(page(`/oauth/authorize?${stranger.authorizationUrl().searchParams}`)),
        ])
        await expect(service.database.ping()).rejects.toThrow()
        // After the service has detected the failure, no request waits.
        await expectUnavailablePage(page('/account/sign-up'))
        expect((await get(`${service.issuer}/.well-known/openid-configuration`)).status).toBe(200)
      } finally {
        postgres.thaw()
      }
      await until(isWell, recovery)
      expect((await agent.refresh(tokens.refresh_token)).status).toBe(200)
    })
  })
})
