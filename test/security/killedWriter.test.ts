import { request } from 'node:http'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Agent, type Answer, createAgent, personCalled, withToken } from '../support/agent.ts'
import { throwawayPostgres } from '../support/databases.ts'
import { hasOwnServers, ownRedis } from '../support/ownServers.ts'
import { until } from '../support/poll.ts'
import { createHome, freePort, type Home, type ServiceProcess, startProcess } from '../support/process.ts'
import { openTcpProxy } from '../support/tcpProxy.ts'

const email = 'learner001@example.org'

interface Tokens {
  access_token: string
  refresh_token: string
}

interface Change {
  what: string
  /** Sends the change to the process that is killed. */
  send(agent: Agent, tokens: Tokens): { method: string; path: string; headers: Record<string, string>; body: string }
  /** Finds a row once the change has been committed. $1 is the client. */
  committed: string
  /** The response of the other process from then on. */
  expected: object
}

const changes: readonly Change[] = [
  {
    what: 'a new name',
    send: (_agent, { access_token: token }) => ({
      ...{ method: 'PATCH', path: '/api/v1/account', body: JSON.stringify({ name: 'Juno Tindersley' }) },
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    }),
    committed: `SELECT FROM account WHERE name = 'Juno Tindersley' AND $1 <> ''`,
    expected: { status: 200, body: { name: 'Juno Tindersley' } },
  },
  {
    what: 'a revoked grant',
    send: ({ clientId }, { refresh_token: token }) => ({
      ...{ method: 'POST', path: '/api/oauth/revoke' },
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: String(new URLSearchParams({ token, token_type_hint: 'refresh_token', client_id: clientId })),
    }),
    committed: 'SELECT FROM oidc_grant WHERE client_id = $1 AND revoked_at IS NOT NULL',
    expected: { status: 401 },
  },
]

describe.runIf(await hasOwnServers())('a process that is killed after it has committed a change, before it has marked it in Redis', () => {
  let redis: Awaited<ReturnType<typeof ownRedis>>
  let postgres: Awaited<ReturnType<typeof throwawayPostgres>>
  let home: Home
  let reader: ServiceProcess
  let sql: Client
  beforeAll(async () => {
    ;[redis, postgres, home] = await Promise.all([ownRedis(), throwawayPostgres(), createHome()])
    reader = await start(redis.url)
    sql = new Client(postgres.url)
    await sql.connect()
  })
  afterAll(async () => {
    await reader.stop()
    await sql.end()
    await Promise.all([redis.stop(), postgres.drop(), home.remove()])
  })

  const start = (redisUrl: string, more: Record<string, string> = {}): Promise<ServiceProcess> =>
    startProcess({ home, environment: { DATABASE_URL: postgres.url, REDIS_URL: redisUrl, DEMO: 'on', ...more } })
  /** Sends a request to the process at this address, as a gateway does: with the host of the school. */
  const sendTo = (process: string, { method, path, headers, body }: ReturnType<Change['send']>): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const host = new URL(reader.issuer).host
      const sent = request(`${process}${path}`, { method, headers: { ...headers, host } }, ({ statusCode }) => resolve(statusCode))
      sent.on('error', reject).end(body)
    })
  const busyFacts = async (): Promise<string[]> => {
    const keys = await redis.client.keys('*fact:*')
    const markers = keys.length === 0 ? [] : await redis.client.mget(keys)
    return keys.filter((_, index) => markers[index]?.startsWith('busy '))
  }

  test.each(changes)('other processes show the change immediately: $what', async ({ send, committed, expected }) => {
    const agent = await createAgent(reader.issuer)
    const { body: tokens } = await agent.tokens(personCalled(email), { scope: 'openid profile account:write' }, { scopes: 'all' })
    const userInfo = (): Promise<Answer> => withToken(`${reader.issuer}/api/oauth/userinfo`, tokens.access_token)
    // The reader now holds the facts of the token in memory.
    for (const _time of [1, 2]) expect((await userInfo()).status).toBe(200)

    let isStarted = false
    let isHeld = false
    // The fact of the test before can still be busy.
    let others: string[] = []
    // A fact is busy from before the commit until the writer marks it again. From then on nothing of the writer reaches Redis.
    const mayPass = async (): Promise<boolean> => {
      isHeld ||= isStarted && (await busyFacts()).some((fact) => !others.includes(fact))
      return !isHeld
    }
    const port = await freePort()
    const proxy = await openTcpProxy(port, { host: '127.0.0.1', port: Number(new URL(redis.url).port) }, { mayPass })
    const writer = await start(`redis://127.0.0.1:${port}`, { BASE_URL: reader.issuer })
    try {
      others = await busyFacts()
      isStarted = true
      const sent = sendTo(writer.issuer, send(agent, tokens)).catch((error: Error) => error)
      const isCommitted = async (): Promise<boolean> => (await sql.query(committed, [agent.clientId])).rowCount !== 0
      await until(async () => isHeld && (await isCommitted()), { what: 'the commit and a mark that is held' })
      await writer.kill()
      expect(await sent).toBeInstanceOf(Error)
      expect(await userInfo()).toMatchObject(expected)
      expect(await userInfo()).toMatchObject(expected)
    } finally {
      await writer.kill()
      await proxy.close()
    }
  })
})
