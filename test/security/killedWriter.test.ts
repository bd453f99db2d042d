import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Agent, type Answer, agentOf, answer, createAgent, personCalled, withToken } from '../support/agent.ts'
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
  send(writer: Agent, tokens: Tokens): Promise<Answer>
  /** Finds a row once the change has been committed. $1 is the client. */
  committed: string
  /** The response of the other process from then on. */
  expected: object
}

const changes: readonly Change[] = [
  {
    what: 'a new name',
    send: ({ issuer: address }, { access_token: token }) =>
      answer(
        fetch(`${address}/api/v1/account`, {
          method: 'PATCH',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify({ name: 'Juno Tindersley' }),
        }),
      ),
    committed: `SELECT FROM account WHERE name = 'Juno Tindersley' AND $1 <> ''`,
    expected: { status: 200, body: { name: 'Juno Tindersley' } },
  },
  {
    what: 'a revoked grant',
    send: (writer, { refresh_token: token }) => writer.post('/api/oauth/revoke', { token, token_type_hint: 'refresh_token' }),
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

  const start = (redisUrl: string): Promise<ServiceProcess> =>
    startProcess({ home, environment: { DATABASE_URL: postgres.url, REDIS_URL: redisUrl, DEMO: 'on' } })
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
    const writer = await start(`redis://127.0.0.1:${port}`)
    try {
      others = await busyFacts()
      isStarted = true
      const asWriter = agentOf(writer.issuer, agent.clientId, agent.clientSecret, agent.redirectUri)
      const sent = send(asWriter, tokens).catch((error: Error) => error)
      const isCommitted = async (): Promise<boolean> => (await sql.query(committed, [agent.clientId])).rowCount !== 0
      await until(async () => isHeld && (await isCommitted()), { what: 'the commit and a mark that is held' })
      await writer.kill()
      expect(await sent).toMatchObject({ message: 'fetch failed' })
      expect(await userInfo()).toMatchObject(expected)
      expect(await userInfo()).toMatchObject(expected)
    } finally {
      await writer.kill()
      await proxy.close()
    }
  })
})
