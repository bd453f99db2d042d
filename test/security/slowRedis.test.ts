import { tmpdir } from 'node:os'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../../src/database/connection/openDatabase.ts'
import { createRedis } from '../../src/database/redis/redis.ts'
import { type Agent, type Answer, createAgent, get, personCalled, withToken } from '../support/agent.ts'
import { availableServices, throwawayPostgres } from '../support/databases.ts'
import { until } from '../support/poll.ts'
import { startService, type TestService } from '../support/service.ts'
import { type Gate, openGate } from './gate.ts'

const { postgresql, redis: hasRedis } = await availableServices()
const redisUrl = new URL(process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379')
const email = 'learner@example.org'
/** A request makes several commands of up to two seconds each. */
const timeoutMs = 20_000

describe.runIf(postgresql && hasRedis)('Redis that answers slowly', () => {
  let gate: Gate
  let service: TestService
  let agent: Agent
  const undo: (() => Promise<unknown>)[] = []
  beforeAll(async () => {
    const postgres = await throwawayPostgres()
    gate = await openGate(Number(redisUrl.port || 6379))
    undo.push(postgres.drop, () => gate.close())
    const database = await openDatabase({ databaseUrl: postgres.url, dataDirectory: tmpdir() })
    undo.push(() => database.close())
    const redis = createRedis(`redis://127.0.0.1:${gate.port}`, { onError: () => undefined })
    await redis.connect()
    undo.push(() => redis.close())
    service = await startService({ database, redis })
    undo.push(() => service.stop())
    await service.addPerson({ email })
    agent = await createAgent(service.issuer)
  })
  afterEach(() => gate.restore())
  afterAll(async () => {
    for (const step of undo.reverse()) await step()
  })

  const account = (token: string): Promise<Answer> => withToken(`${service.issuer}/api/v1/account`, token)
  const signIn = async () => (await agent.tokens(personCalled(email))).body as { access_token: string; refresh_token: string }
  /** Checks that the answer is the expected one, or 503 with Retry-After, in time. Returns true for the expected one. */
  async function served(work: Promise<Answer>, expected: number): Promise<boolean> {
    const start = performance.now()
    const { status, headers, body } = await work
    expect(performance.now() - start).toBeLessThan(timeoutMs)
    if (status === expected) return true
    expect([status, body.error]).toEqual([503, 'temporarily_unavailable'])
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    return false
  }

  test.each([
    { delayMs: 200, isServed: true },
    { delayMs: 700, isServed: undefined },
    { delayMs: 1500, isServed: false },
    { delayMs: 5000, isServed: false },
  ])('by $delayMs ms in each direction: slow success or 503 in time, and what was acknowledged holds', async ({ delayMs, isServed }) => {
    const [kept, revoked, refreshed] = [await signIn(), await signIn(), await signIn()]
    const redirect = await agent.send(personCalled(email))
    let latest = refreshed
    gate.slow(delayMs)
    const refresh = async (): Promise<Answer> => {
      const reply = await agent.refresh(latest.refresh_token)
      if (reply.status === 200) latest = reply.body
      return reply
    }
    const results = await Promise.all([
      served(account(kept.access_token), 200),
      served(withToken(`${service.issuer}/api/oauth/userinfo`, kept.access_token), 200),
      served(refresh(), 200),
      served(agent.post('/api/oauth/revoke', { token: revoked.refresh_token }), 200),
      served(agent.post('/api/oauth/introspect', { token: kept.access_token }), 200),
    ])
    // Near the limit of two seconds for a command, either is right.
    if (isServed !== undefined) expect(results).toEqual(results.map(() => isServed))
    // Visitors and documents need no answer of Redis.
    expect((await get(`${service.issuer}/api/v1/courses`)).status).toBe(200)
    expect((await get(`${service.issuer}/.well-known/openid-configuration`)).status).toBe(200)
    const isRevoked = results[3]

    gate.restore()
    await until(async () => (await account(kept.access_token)).status === 200, { what: 'the service to work without a restart' })
    expect((await account(latest.access_token)).status).toBe(200)
    expect((await agent.refresh(latest.refresh_token)).status).toBe(200)
    expect((await agent.redeem(redirect)).status).toBe(200)
    if (!isRevoked) expect((await agent.post('/api/oauth/revoke', { token: revoked.refresh_token })).status).toBe(200)
    expect((await account(revoked.access_token)).status).toBe(401)
    expect((await agent.refresh(revoked.refresh_token)).body.error).toBe('invalid_grant')
  })

  test('for a moment, many requests wait and none fails', async () => {
    const { access_token: token } = await signIn()
    gate.slow(300)
    const replies = Promise.all(Array.from({ length: 40 }, () => account(token)))
    expect((await replies).map(({ status }) => status)).toEqual(Array.from({ length: 40 }, () => 200))
  })
})
