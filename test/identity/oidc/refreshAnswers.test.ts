// Proves RFC 9700 section 4.14: A used refresh token whose response Redis has lost is refused within its window, and ends its grant after it

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRedis, type RedisConnection } from '../../../src/database/redis/redis.ts'
import { type Agent, createAgent, personCalled, withToken } from '../../support/agent.ts'
import { availableServices, openTestDatabase, redisUrl } from '../../support/databases.ts'
import { duringTests } from '../../support/duringTests.ts'
import { until } from '../../support/poll.ts'
import { startService, type TestService } from '../../support/service.ts'

const { postgresql, redis: hasRedis } = await availableServices()
const email = 'learner@example.org'
const refreshes = 120

describe.runIf(postgresql && hasRedis)('responses to refreshes in Redis', () => {
  const held = duringTests(openTestDatabase)
  let redis: RedisConnection
  let service: TestService
  let agent: Agent
  beforeAll(async () => {
    redis = createRedis(redisUrl, { onError: () => undefined })
    await redis.connect()
    service = await startService({ database: held.database, redis, oauth: { refresh_window_seconds: 60 } })
    await service.addPerson({ email })
    agent = await createAgent(service.issuer)
  })
  afterAll(async () => {
    await service.stop()
    await loseKeys('*')
    await redis.close()
  })

  const newTokens = async () => (await agent.tokens(personCalled(email))).body
  const loseKeys = async (names: string): Promise<number> => {
    const keys = await redis.client.keys(`sg:{${service.schoolId()}}:${names}`)
    return keys.length === 0 ? 0 : await redis.client.del(...keys)
  }
  const reuses = async () =>
    (await held.database.sql.query("SELECT 1 FROM audit_log WHERE event = 'refresh_token.reused' AND school_id = $1", [service.schoolId()]))
      .length
  const endWindows = () =>
    held.database.sql.query("UPDATE oidc_artifact SET consumed_at = consumed_at - interval '61 seconds' WHERE consumed_at IS NOT NULL")

  test('a repetition within the window gets the response, and the database does not contain it', async () => {
    const first = await newTokens()
    const second = await agent.refresh(first.refresh_token)
    expect((await agent.refresh(first.refresh_token)).body).toEqual(second.body)
    const rows = await held.database.sql.query<{ payload: string; successor: string; successor_until: Date | null }>(
      "SELECT payload, successor, successor_until FROM oidc_artifact WHERE model = 'RefreshToken' AND consumed_at IS NOT NULL",
    )
    expect(rows).toEqual([{ payload: '', successor: expect.stringMatching(/^[\w-]{16}$/), successor_until: null }])
    expect(await service.app.jobs.find(({ name }) => name === 'forget_answers')?.run()).toEqual({ forgotten: 0 })
  })

  test('a repetition after Redis has lost the response is refused and ends nothing; after the window it ends the grant', async () => {
    const first = await newTokens()
    const { body: second } = await agent.refresh(first.refresh_token)
    const before = await reuses()
    expect(await loseKeys('RefreshAnswer:*')).toBeGreaterThan(0)
    const refused = await agent.refresh(first.refresh_token)
    expect([refused.status, refused.body.error]).toEqual([400, 'invalid_grant'])
    expect(await reuses()).toBe(before)
    expect((await withToken(`${service.issuer}/api/v1/account`, second.access_token)).status).toBe(200)
    const third = await agent.refresh(second.refresh_token)
    expect(third.status).toBe(200)

    await endWindows()
    expect((await agent.refresh(first.refresh_token)).body.error).toBe('invalid_grant')
    expect(await reuses()).toBe(before + 1)
    expect((await withToken(`${service.issuer}/api/v1/account`, third.body.access_token)).status).toBe(401)
    expect((await agent.refresh(third.body.refresh_token)).body.error).toBe('invalid_grant')
  })

  test('after the window a used token ends the grant, also while Redis still has the response', async () => {
    const first = await newTokens()
    const { body: second } = await agent.refresh(first.refresh_token)
    await endWindows()
    expect((await agent.refresh(first.refresh_token)).body.error).toBe('invalid_grant')
    expect((await agent.refresh(second.refresh_token)).body.error).toBe('invalid_grant')
  })

  test('another client that presents a used token ends the grant, also after Redis has lost the response', async () => {
    const first = await newTokens()
    const { body: second } = await agent.refresh(first.refresh_token)
    await loseKeys('RefreshAnswer:*')
    expect((await (await createAgent(service.issuer)).refresh(first.refresh_token)).body.error).toBe('invalid_grant')
    expect((await agent.refresh(second.refresh_token)).body.error).toBe('invalid_grant')
  })

  test('concurrent requests with one token each store a response, and all get that of the request which used it', async () => {
    for (let round = 0; round < 5; round += 1) {
      const first = await newTokens()
      const answers = await Promise.all(Array.from({ length: 10 }, () => agent.refresh(first.refresh_token)))
      expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1)
      expect((await agent.refresh(answers[0]?.body.refresh_token)).status).toBe(200)
    }
  })

  test('nearly every use of a refresh token changes its row alone, and no index', async () => {
    const updates = async () => {
      const [row] = await held.database.sql.query<{ all: number; hot: number }>(
        `SELECT n_tup_upd::int AS all, n_tup_hot_upd::int AS hot FROM pg_stat_user_tables WHERE relname = 'oidc_artifact'`,
      )
      return row ?? { all: 0, hot: 0 }
    }
    const before = await updates()
    let { refresh_token: token } = await newTokens()
    for (let sent = 0; sent < refreshes; sent += 1) token = (await agent.refresh(token)).body.refresh_token
    // PostgreSQL reports the figures of a connection a second after they change, when it is used again.
    const after = await until(
      async () => {
        await Promise.all(Array.from({ length: 8 }, () => held.database.lane('authorization').sql.query('SELECT 1')))
        const now = await updates()
        return now.all - before.all >= refreshes * 0.9 ? now : undefined
      },
      { what: 'the statistics of the refreshes' },
    )
    expect((after.hot - before.hot) / (after.all - before.all)).toBeGreaterThan(0.9)
  })
})
