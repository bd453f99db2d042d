import { tmpdir } from 'node:os'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../src/database/connection/database.ts'
import { openDatabase } from '../../src/database/connection/openDatabase.ts'
import { migrate } from '../../src/database/migrations/migrate.ts'
import { type Agent, type Answer, createAgent, get, personCalled, postJson, withToken } from '../support/agent.ts'
import { type Cluster, postgresPrograms, startCluster } from '../support/cluster.ts'
import { migrationsDirectory } from '../support/databases.ts'
import { until } from '../support/poll.ts'
import { startService, type TestService } from '../support/service.ts'

const programs = await postgresPrograms()
const timeoutMs = 15_000

describe.runIf(programs !== undefined)('PostgreSQL whose connections are all in use by others', () => {
  let cluster: Cluster
  let admin: Client
  let url: string
  let database: Database
  let service: TestService
  let agent: Agent
  let staff: string
  const undo: (() => Promise<unknown>)[] = []
  beforeAll(async () => {
    cluster = await startCluster(programs as string)
    undo.push(() => cluster.stop())
    admin = await connect(cluster.url())
    undo.push(() => admin.end())
    // A superuser could use the connections that the server reserves.
    await admin.query('CREATE ROLE school LOGIN')
    await admin.query('CREATE DATABASE school OWNER school')
    const address = new URL(cluster.url('school'))
    address.username = 'school'
    url = address.href
    database = await openDatabase({ databaseUrl: url, dataDirectory: tmpdir() })
    undo.push(() => database.close())
    await migrate(database, migrationsDirectory)
    service = await startService({ database })
    undo.push(() => service.stop())
    await service.addPerson({ email: 'owner@example.org', role: 'owner' })
    agent = await createAgent(service.issuer)
    staff = (await tokens()).access_token
  })
  afterAll(async () => {
    for (const step of undo.reverse()) await step()
  })

  const tokens = async () =>
    (await agent.tokens(personCalled('owner@example.org'), { scope: 'openid courses:read courses:write account:read' }, { scopes: 'all' }))
      .body
  const account = (): Promise<Answer> => withToken(`${service.issuer}/api/v1/account`, staff)
  const addCourse = (title: string): Promise<Answer> =>
    postJson(`${service.issuer}/api/v1/courses`, { title }, { authorization: `Bearer ${staff}` })

  async function connect(address: string): Promise<Client> {
    const client = new Client({ connectionString: address })
    client.on('error', () => undefined)
    await client.connect()
    return client
  }

  /** Takes every connection that an ordinary role can get, also those that the service had or is about to open. */
  async function exhaust(held: Client[]): Promise<void> {
    const settings = `SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS ordinary`
    const { rows } = await admin.query<{ ordinary: number }>(settings)
    // The connection of the superuser is among them.
    const room = Number(rows[0]?.ordinary) - 1
    const own = async (): Promise<number[]> => {
      const { rows } = await admin.query<{ pid: number }>(
        `SELECT pid FROM pg_stat_activity WHERE usename = 'school' AND application_name <> 'others'`,
      )
      return rows.map(({ pid }) => pid)
    }
    await until(
      async () => {
        for (;;) {
          try {
            held.push(await connect(`${url}?application_name=others`))
          } catch (error) {
            expect(error).toMatchObject({ code: '53300' })
            break
          }
        }
        const pids = await own()
        await admin.query('SELECT pg_terminate_backend(pid) FROM unnest($1::int[]) AS given (pid)', [pids])
        return held.length === room
      },
      { what: 'others to have every connection' },
    )
  }

  async function expectUnavailable(work: Promise<Answer>): Promise<void> {
    const start = performance.now()
    const { status, headers, body } = await work
    expect
      .soft([status, typeof body === 'string' ? 'page' : body.error])
      .toEqual([503, typeof body === 'string' ? 'page' : 'temporarily_unavailable'])
    expect.soft(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect.soft(performance.now() - start).toBeLessThan(timeoutMs)
  }

  test('every request gets 503 with Retry-After, it is not ready, nothing acknowledged is lost, and it recovers without a restart', async () => {
    const { access_token: token, refresh_token: refreshToken } = await tokens()
    const course = await addCourse('Before the crowd')
    expect(course.status).toBe(201)
    const held: Client[] = []
    const acknowledged = [course.body.id]
    let isOver = false
    const writing = (async () => {
      for (let count = 0; !isOver; count += 1) {
        const made = await addCourse(`In the crowd ${count}`)
        if (made.status === 201) acknowledged.push(made.body.id)
        else expect.soft([made.status, made.headers.has('retry-after')]).toEqual([503, true])
      }
    })()
    try {
      await exhaust(held)
      await Promise.all([
        expectUnavailable(get(`${service.issuer}/api/v1/courses`)),
        expectUnavailable(account()),
        expectUnavailable(addCourse('Too late')),
        expectUnavailable(agent.refresh(refreshToken)),
        expectUnavailable(agent.post('/api/oauth/introspect', { token })),
        expectUnavailable(agent.post('/api/oauth/revoke', { token })),
        expectUnavailable(postJson(`${service.issuer}/api/oauth/register`, { redirect_uris: ['http://127.0.0.1:1/x'] })),
        expectUnavailable(get(`${service.issuer}/account/sign-in`, { accept: 'text/html' })),
      ])
      await expect(database.ping()).rejects.toThrow()
      expect((await get(`${service.issuer}/.well-known/openid-configuration`)).status).toBe(200)
    } finally {
      isOver = true
      await Promise.all([writing, ...held.map((client) => client.end())])
    }
    await until(() => database.ping().then(() => true), { what: 'readiness to return' })
    await until(async () => (await account()).status === 200, { what: 'the service to work again without a restart' })
    for (const id of acknowledged) expect((await withToken(`${service.issuer}/api/v1/courses/${id}`, staff)).status).toBe(200)
    expect((await agent.refresh(refreshToken)).status).toBe(200)
    expect((await addCourse('After the crowd')).status).toBe(201)
  })
})
