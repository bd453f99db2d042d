import { tmpdir } from 'node:os'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../../src/database/connection/openDatabase.ts'
import { migrate } from '../../src/database/migrations/migrate.ts'
import { type Agent, type Answer, answer, createAgent, get, personCalled, withToken } from '../../test/support/agent.ts'
import { type Cluster, postgresPrograms, startCluster } from '../../test/support/cluster.ts'
import { migrationsDirectory } from '../../test/support/databases.ts'
import { until, untilServed } from '../../test/support/poll.ts'
import { freePort } from '../../test/support/process.ts'
import { startService, type TestService } from '../../test/support/service.ts'
import { newCourse } from '../../test/support/shop.ts'
import { openTcpProxy } from '../../test/support/tcpProxy.ts'

const programs = await postgresPrograms()

describe.runIf(programs !== undefined)('on a PostgreSQL that fails over to its streaming replica', () => {
  let primary: Cluster
  let copy: Cluster
  let onCopy: Client
  let proxy: Awaited<ReturnType<typeof openTcpProxy>>
  let address: number
  let service: TestService
  let agent: Agent
  const undo: (() => Promise<unknown>)[] = []
  beforeAll(async () => {
    primary = await startCluster(programs ?? '')
    undo.push(() => primary.stop())
    copy = await startCluster(programs ?? '', { replicaOf: primary })
    undo.push(() => copy.stop())
    // The address that moves with the primary, as operators have it in front of two servers.
    address = await freePort()
    proxy = await openTcpProxy(address, { host: '127.0.0.1', port: primary.port })
    undo.push(() => proxy.close())
    const database = await openDatabase({
      databaseUrl: `postgres://postgres@127.0.0.1:${address}/postgres`,
      dataDirectory: tmpdir(),
      poolSize: 5,
    })
    undo.push(() => database.close())
    await migrate(database, migrationsDirectory)
    service = await startService({ database, redis: false })
    undo.push(() => service.stop())
    await service.addPerson({ email: 'owner@example.org', role: 'owner' })
    await newCourse(service.database.sql, service.schoolId())
    agent = await createAgent(service.issuer)
    onCopy = new Client({ connectionString: copy.url() })
    onCopy.on('error', () => undefined)
    await onCopy.connect()
    undo.push(() => onCopy.end())
  })
  afterAll(async () => {
    for (const step of undo.reverse()) await step()
  })

  const visit = (): Promise<Answer> => get(`${service.issuer}/api/v1/courses`)
  const titles = ({ body }: Answer): string[] => body.data.map(({ title }: { title: string }) => title)
  const setTitle = async (token: string, title: string): Promise<Answer> => {
    const { body } = await withToken(`${service.issuer}/api/v1/courses`, token)
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'if-match': '*' }
    return answer(
      fetch(`${service.issuer}/api/v1/courses/${body.data[0].id}`, { method: 'PATCH', headers, body: JSON.stringify({ title }) }),
    )
  }

  test('requests get 503 while the primary is down, and its promoted replica takes over with nothing lost', async () => {
    const owner = personCalled('owner@example.org')
    const scope = 'openid courses:read courses:write account:read'
    const token = (await agent.tokens(owner, { scope }, { scopes: 'all' })).body.access_token
    const { body: revoked } = await agent.tokens(owner)
    expect((await agent.post('/api/oauth/revoke', { token: revoked.refresh_token })).status).toBe(200)
    const { body: kept } = await agent.tokens(owner)
    expect((await setTitle(token, 'Before the failure')).status).toBe(200)
    await until(async () => (await onCopy.query('SELECT title FROM course')).rows[0].title === 'Before the failure', {
      what: 'the replica to have everything',
    })

    await primary.crash()
    const refused = await withToken(`${service.issuer}/api/v1/courses`, token)
    expect(refused.status).toBe(503)
    const down = await withToken(`${service.issuer}/api/v1/account`, kept.access_token)
    expect([down.status, Number(down.headers.get('retry-after')) > 0]).toEqual([503, true])

    await copy.promote()
    await proxy.close()
    proxy = await openTcpProxy(address, { host: '127.0.0.1', port: copy.port })

    await until(async () => (await withToken(`${service.issuer}/api/v1/account`, kept.access_token)).status === 200, {
      what: 'the new primary',
    })
    expect((await withToken(`${service.issuer}/api/v1/account`, revoked.access_token)).status).toBe(401)
    expect((await agent.refresh(revoked.refresh_token)).body.error).toBe('invalid_grant')
    const answers = await Promise.all(Array.from({ length: 10 }, () => untilServed(() => agent.refresh(kept.refresh_token))))
    expect(new Set(answers.map(({ status, body }) => `${status} ${JSON.stringify(body)}`)).size).toBe(1)
    expect(answers[0]?.status).toBe(200)
    const changed = await untilServed(() => setTitle(token, 'After the failure'))
    expect(changed.status).toBe(200)
    expect(titles(await visit())).toEqual(['After the failure'])
  })
})
