import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hashedId } from '../../../src/base/ids.ts'
import { openDatabase } from '../../../src/database/connection/openDatabase.ts'
import { addPersonTo } from '../../support/addPersonTo.ts'
import { type Agent, agentOf, createAgent, personCalled, withToken } from '../../support/agent.ts'
import { availableServices, redisUrl, throwawayPostgres } from '../../support/databases.ts'
import { until } from '../../support/poll.ts'
import { createHome, freePort, type Home, type ServiceProcess, startProcess } from '../../support/process.ts'

const { postgresql, redis } = await availableServices()
const email = 'learner@example.org'

describe.runIf(postgresql && redis)('an app over two processes on PostgreSQL and Redis', () => {
  let home: Home
  let processes: [ServiceProcess, ServiceProcess]
  let url: string
  let drop: () => Promise<void>
  let agent: Agent
  let token: string

  beforeAll(async () => {
    const port = await freePort()
    const postgres = await throwawayPostgres()
    url = postgres.url
    drop = postgres.drop
    home = await createHome({ oauth: { lifetimes: { access_token_seconds: 86_400 } }, issuer: `http://127.0.0.1:${port}` })
    const environment = { DATABASE_URL: url, REDIS_URL: redisUrl, DEMO: 'off' }
    processes = [await startProcess({ home, port, environment }), await startProcess({ home, environment })]
    await addPersonTo(url, { email })
    agent = await createAgent(processes[0].issuer)
    token = (await agent.tokens(personCalled(email), { scope: 'openid account:read courses:read' }, { scopes: 'all' })).body.access_token
  })
  afterAll(async () => {
    await Promise.all(processes.map((one) => one.stop()))
    await drop()
    await home.remove()
  })

  const get = (at: 0 | 1, path: string) => withToken(`${processes[at].issuer}/api/v1${path}`, token)
  const query = async <Row>(text: string): Promise<Row[]> => {
    const database = await openDatabase({ databaseUrl: url, dataDirectory: '/nowhere', poolSize: 1 })
    try {
      return await database.sql.query<Row & object>(text)
    } finally {
      await database.close()
    }
  }

  test('that its person pauses at one is refused by the other with the next call, also if that has just used its access', async () => {
    const [{ id = '' } = {}] = await query<{ id: string }>('SELECT id FROM oidc_grant')
    const person = personCalled(email)
    await person.submit(await person.open(`${processes[0].issuer}/account/sign-in`), /sign-in$/, {
      email,
      password: 'correct horse battery staple',
    })
    const path = `${processes[0].issuer}/account/apps/${hashedId('aut', id)}`
    for (let round = 0; round < 5; round += 1) {
      expect((await get(1, '/account')).status).toBe(200)
      await person.submit(await person.open(path), /pause$/)
      const refused = await get(1, '/account')
      expect([refused.status, refused.body.error]).toEqual([403, 'access_denied'])
      await person.submit(await person.open(path), /continue$/)
    }
    expect((await get(1, '/account')).status).toBe(200)
  })

  test('that gets less time at one process has less time at the other too, also with a token that lives longer', async () => {
    const [{ id = '' } = {}] = await query<{ id: string }>('SELECT id FROM oidc_grant')
    const person = personCalled(email)
    await person.submit(await person.open(`${processes[0].issuer}/account/sign-in`), /sign-in$/, {
      email,
      password: 'correct horse battery staple',
    })
    const secondsLeft = async (): Promise<number> => {
      const { body } = await agentOf(processes[1].issuer, agent.clientId, undefined, agent.redirectUri).post('/api/oauth/introspect', {
        token,
      })
      return body.exp - Date.now() / 1000
    }
    expect(await secondsLeft()).toBeGreaterThan(80_000)
    const page = await person.open(`${processes[0].issuer}/account/apps/${hashedId('aut', id)}`)
    await person.submit(page, /\/end$/, { duration: '1_hour' })
    expect(await secondsLeft()).toBeLessThanOrEqual(3601)
    await person.submit(page, /\/end$/, { duration: 'until_removed' })
    expect(await secondsLeft()).toBeGreaterThan(80_000)
  })

  test('is counted by both, exactly, and the last use is the true one', async () => {
    const counts = () =>
      query<{ operation: string; calls: number; rows: number; refused: number }>(
        'SELECT operation, sum(calls)::int AS calls, sum(rows)::int AS rows, sum(refused)::int AS refused FROM grant_use GROUP BY operation',
      )
    const sent = { calls: 0, refused: 0 }
    const before = Date.now()
    await Promise.all(
      Array.from({ length: 200 }, async (_, at) => {
        const isAllowed = at % 3 > 0
        const { status } = await get(at % 2 === 0 ? 0 : 1, isAllowed ? '/courses' : '/orders')
        expect(status).toBe(isAllowed ? 200 : 403)
        sent[isAllowed ? 'calls' : 'refused'] += 1
      }),
    )
    // Each process stores its counts by itself, every ten seconds.
    await until(
      async () => {
        const found = new Map((await counts()).map(({ operation, ...numbers }) => [operation, numbers]))
        return found.get('listCourses')?.calls === sent.calls && found.get('listOrders')?.refused === sent.refused
      },
      { what: 'the counts of both processes' },
    )
    const found = new Map((await counts()).map(({ operation, ...numbers }) => [operation, numbers]))
    expect(found.get('listCourses')).toEqual({ calls: sent.calls, rows: 0, refused: 0 })
    // Five pauses were refused, and six calls were not.
    expect(found.get('getAccount')).toEqual({ calls: 6, rows: 6, refused: 5 })
    const [grant] = await query<{ at: Date }>('SELECT last_used_at AS at FROM oidc_grant')
    expect(Number(grant?.at)).toBeGreaterThanOrEqual(before)
    expect(Number(grant?.at)).toBeLessThanOrEqual(Date.now())
  })

  test('is counted to the end by a process that stops', async () => {
    await get(1, '/account/activity')
    await processes[1].stop()
    const [use] = await query<{ calls: number }>("SELECT calls::int FROM grant_use WHERE operation = 'listActivity'")
    expect(use?.calls).toBe(1)
  })
})
