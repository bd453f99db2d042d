import { randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRedis, type RedisConnection } from '../../../src/database/redis/redis.ts'
import { type Agent, createAgent, get, personCalled, postJson, withToken } from '../../support/agent.ts'
import { availableServices, openTestDatabase, type TestDatabase, throwawayRedis } from '../../support/databases.ts'
import type { Person } from '../../support/person.ts'
import { countStoreRequests, type RequestCounter, type StoreRequests } from '../../support/roundTrips.ts'
import { startService, type TestService } from '../../support/service.ts'
import { newCourse } from '../../support/shop.ts'

const { postgresql, redis: hasRedis } = await availableServices()

/** Statements of PostgreSQL and round trips to Redis. */
interface Figures {
  statements: number
  redisTrips: number
}

/** One operation. `limit` is what it costs now, so that one more request fails the test; `budget` is the most that it may ever cost. */
interface Row {
  operation: string
  limit: Figures
  budget: Figures
  /** Does what the operation needs, uncounted. Returns the operation. */
  prepare(): Promise<() => Promise<unknown>>
}

/** Delete what has reached its budget. */
const stillAbove: string[] = ['API call with a token that this process has not seen']

const email = 'learner@example.org'
/** Limits that are counted and never reached. */
const unreachable = Object.fromEntries(
  [
    ...['registration', 'authorize', 'token', 'introspection', 'default', 'anonymous', 'anonymous_per_network'],
    ...['password_uses_per_account', 'password_uses_per_network'],
  ].map((name) => [name, { requests: 100_000, window_seconds: 3600 }]),
)
const portOf = (url: string | undefined, usual: number): number => Number(new URL(url ?? '').port) || usual

describe.runIf(postgresql && hasRedis)('requests to the stores', () => {
  let held: TestDatabase
  let redis: RedisConnection
  let service: TestService
  let agent: Agent
  let counter: RequestCounter
  /** Runs at the start of each HTTP request: an extra request that a test plants. */
  let planted: () => Promise<unknown> = async () => undefined

  beforeAll(async () => {
    const { url } = await throwawayRedis()
    held = await openTestDatabase()
    counter = countStoreRequests({ postgresql: portOf(held.url, 5432), redis: portOf(url, 6379) })
    redis = createRedis(url, { onError: () => undefined })
    await redis.connect()
    service = await startService({
      database: held.database,
      redis,
      isLimited: true,
      server: { rate_limits: unreachable },
      onRequest: () => planted(),
    })
    await service.addPerson({ email })
    await newCourse(held.database.sql, service.schoolId())
    agent = await createAgent(service.issuer)
  })
  afterAll(async () => {
    counter.stop()
    await service.stop()
    const keys = await redis.client.keys(`sg:{${service.schoolId()}}:*`)
    for (const key of keys) await redis.client.del(key)
    await redis.close()
    await held.drop()
  })

  const ok = async (answer: Promise<{ status: number }>): Promise<void> => {
    const { status } = await answer
    if (status >= 300) throw new Error(`the operation was answered with ${status}`)
  }
  const sendForCode = async (person: Person): Promise<void> => {
    const redirect = await agent.send(person)
    if (!redirect.searchParams.has('code')) throw new Error(`no code: ${redirect}`)
  }
  const newTokens = async () => (await agent.tokens(personCalled(email))).body as Record<'access_token' | 'refresh_token', string>

  /** Operations that check an access token, and how many statements they need for other things. */
  const checksOfTokens: { operation: string; statements: number; send(token: string): Promise<{ status: number }> }[] = [
    { operation: 'UserInfo with a token', statements: 0, send: (token) => withToken(`${service.issuer}/api/oauth/userinfo`, token) },
    { operation: 'introspection of a token', statements: 0, send: (token) => agent.post('/api/oauth/introspect', { token }) },
    { operation: 'API call with a token', statements: 1, send: (token) => withToken(`${service.issuer}/api/v1/courses`, token) },
  ]

  const rows: Row[] = [
    ...checksOfTokens.flatMap(({ operation, statements, send }): Row[] => [
      {
        operation,
        limit: { statements, redisTrips: 1 },
        budget: { statements, redisTrips: 1 },
        async prepare() {
          const { access_token: token } = await newTokens()
          await ok(send(token))
          return () => ok(send(token))
        },
      },
      {
        operation: `${operation} that this process has not seen`,
        // The limit of an API call counts by the holder of the token, who is unknown until it has been read.
        limit: { statements: statements + 1, redisTrips: operation.startsWith('API') ? 2 : 1 },
        budget: { statements: statements + 1, redisTrips: 1 },
        async prepare() {
          const { access_token: token } = await newTokens()
          return () => ok(send(token))
        },
      },
    ]),
    {
      operation: 'code exchange',
      limit: { statements: 2, redisTrips: 2 },
      budget: { statements: 2, redisTrips: 2 },
      async prepare() {
        const redirect = await agent.send(personCalled(email))
        return () => ok(agent.redeem(redirect))
      },
    },
    {
      operation: 'refresh',
      limit: { statements: 2, redisTrips: 1 },
      budget: { statements: 2, redisTrips: 1 },
      async prepare() {
        const { refresh_token: token } = await newTokens()
        return () => ok(agent.refresh(token))
      },
    },
    {
      operation: 'revocation',
      limit: { statements: 1, redisTrips: 2 },
      budget: { statements: 1, redisTrips: 2 },
      async prepare() {
        const { refresh_token: token } = await newTokens()
        return () => ok(agent.post('/api/oauth/revoke', { token, token_type_hint: 'refresh_token' }))
      },
    },
    {
      operation: 'revocation of an access token, without a hint',
      limit: { statements: 2, redisTrips: 2 },
      budget: { statements: 2, redisTrips: 2 },
      async prepare() {
        const { access_token: token } = await newTokens()
        return () => ok(agent.post('/api/oauth/revoke', { token }))
      },
    },
    {
      operation: 'registration',
      limit: { statements: 1, redisTrips: 1 },
      budget: { statements: 1, redisTrips: 1 },
      prepare: async () => () => ok(postJson(`${service.issuer}/api/oauth/register`, { redirect_uris: [agent.redirectUri] })),
    },
    {
      operation: 'whole sign-in with consent, in a browser that has signed in before',
      // The password's version, with which a known browser ends, the account, the sign-in, earlier consents, the consent, and the facts for the code.
      limit: { statements: 6, redisTrips: 25 },
      budget: { statements: 6, redisTrips: 25 },
      async prepare() {
        const person = personCalled(email)
        await agent.send(person)
        for (const name of person.cookies.keys()) if (name.startsWith('sg_session')) person.cookies.delete(name)
        await service.app.drained()
        return () => sendForCode(person)
      },
    },
    {
      operation: 'consent in a browser that is signed in',
      limit: { statements: 3, redisTrips: 17 },
      budget: { statements: 3, redisTrips: 17 },
      async prepare() {
        const person = personCalled(email)
        await agent.send(person)
        await service.app.drained()
        return () => sendForCode(person)
      },
    },
    {
      operation: 'whole sign-in with consent in a new browser, with the e-mail about it',
      // Six as above, and for the e-mail: its row, two polls, whether deliveries are held, the claim, the recipient and the outcome.
      limit: { statements: 13, redisTrips: 27 },
      budget: { statements: 13, redisTrips: 27 },
      async prepare() {
        const newcomer = `${randomUUID()}@example.org`
        await service.addPerson({ email: newcomer })
        // The first consent sends another e-mail.
        await agent.send(personCalled(newcomer))
        await service.app.drained()
        return async () => {
          await sendForCode(personCalled(newcomer))
          await service.app.drained()
        }
      },
    },
    {
      operation: 'public list after a change',
      limit: { statements: 1, redisTrips: 1 },
      budget: { statements: 1, redisTrips: 1 },
      async prepare() {
        await held.database.sql.query(`UPDATE course SET title = title || ' again' WHERE school_id = $1`, [service.schoolId()])
        return () => ok(get(`${service.issuer}/api/v1/courses`))
      },
    },
  ]

  /** Runs an operation once, in a process that has run it before. */
  async function measure({ prepare }: Row): Promise<StoreRequests> {
    for (let warm = 0; warm < 2; warm += 1) await (await prepare())()
    const operation = await prepare()
    const sent = await counter.during(async () => {
      await operation()
      await setImmediate()
    })
    // Every few seconds each engine compares its keys in the background. The databases of earlier test files are dropped in the background.
    const others = /signing_key|^DROP DATABASE /
    return { ...sent, statements: sent.statements.filter(({ text }) => !others.test(text)) }
  }

  /** @throws Error that lists what was sent, if it is more than the limit */
  function requireWithin({ operation, limit }: Row, { statements, redisTrips }: StoreRequests): void {
    if (statements.length <= limit.statements && redisTrips.length <= limit.redisTrips) return
    const sent = [
      ...statements.map(({ text }) => text.replace(/\s+/g, ' ').slice(0, 300)),
      ...redisTrips.map((commands) => commands.join(' ')),
    ]
    const figures = `${statements.length} statements and ${redisTrips.length} round trips to Redis, the limit is ${limit.statements} and ${limit.redisTrips}`
    throw new Error(`${operation}: ${figures}\n${sent.join('\n')}`)
  }

  test('these operations still cost more than their budget', () => {
    const isAbove = ({ limit, budget }: Row): boolean => limit.statements > budget.statements || limit.redisTrips > budget.redisTrips
    expect(rows.filter(isAbove).map(({ operation }) => operation)).toEqual(stillAbove)
  })

  test.each(['courses', 'courses?limit=1&expand=lecturers', 'posts', 'events'])(
    'a visitor who reads %s again causes no statement while nothing changes',
    async (path) => {
      const read = () => ok(get(`${service.issuer}/api/v1/${path}`))
      const again = async () => {
        await read()
        const { statements, redisTrips } = await counter.during(read)
        return { statements: statements.length, redisTrips: redisTrips.length }
      }
      // A response is kept for a second.
      await expect.poll(again).toEqual({ statements: 0, redisTrips: 1 })
    },
  )

  test('a tool call of MCP that reads the same again causes no statement while nothing changes', async () => {
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_courses', arguments: { limit: 3 } } }
    const read = () => ok(postJson(`${service.issuer}/mcp`, call, { accept: 'application/json, text/event-stream' }))
    const again = async () => {
      await read()
      const { statements, redisTrips } = await counter.during(read)
      return { statements: statements.length, redisTrips: redisTrips.length }
    }
    await expect.poll(again).toEqual({ statements: 0, redisTrips: 1 })
  })

  describe.each(rows)('$operation', (row) => {
    test('stays within its limit', async () => {
      const isAbove = ({ statements, redisTrips }: StoreRequests): boolean =>
        statements.length > row.limit.statements || redisTrips.length > row.limit.redisTrips
      const sent = await measure(row)
      // On a slow machine, the twenty seconds for which rows are kept may have ended.
      requireWithin(row, isAbove(sent) ? await measure(row) : sent)
    })

    test('runs named statements only', async () => {
      const { statements } = await measure(row)
      expect(statements.filter(({ name }) => name === '').map(({ text }) => text)).toEqual([])
    })

    test.each([
      ['statement', () => held.database.sql.query('SELECT 1 AS planted')],
      ['command of Redis', () => redis.client.exists('sg:planted')],
    ])('one more %s exceeds the limit', async (_name, extra) => {
      let isPlanted = false
      const prepared = await row.prepare()
      planted = async () => {
        if (isPlanted) return
        isPlanted = true
        await extra()
      }
      try {
        const sent = await counter.during(prepared)
        expect(isPlanted).toBe(true)
        expect(() => requireWithin(row, sent)).toThrow(row.operation)
      } finally {
        planted = async () => undefined
      }
    })
  })
})
