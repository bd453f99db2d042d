import { tmpdir } from 'node:os'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { migrate } from '../../src/store/migrate.ts'
import { openDatabase } from '../../src/store/openDatabase.ts'
import { createReadReplica, type ReadReplica } from '../../src/store/readReplica.ts'
import { type Agent, type Answer, answer, createAgent, get, personCalled, withToken } from '../support/agent.ts'
import { type Cluster, postgresPrograms, startCluster } from '../support/cluster.ts'
import { migrationsDirectory } from '../support/databases.ts'
import { until, untilServed } from '../support/poll.ts'
import { freePort } from '../support/process.ts'
import { startService, type TestService } from '../support/service.ts'
import { newCourse } from '../support/shop.ts'
import { openTcpProxy } from '../support/tcpProxy.ts'
import { completeJourney } from './journey.ts'

const programs = await postgresPrograms()

describe.runIf(programs !== undefined)('on PostgreSQL with a streaming replica', () => {
  let primary: Cluster
  let copy: Cluster
  let onCopy: Client
  let proxy: Awaited<ReturnType<typeof openTcpProxy>>
  let address: number
  let replica: ReadReplica
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
    replica = createReadReplica({
      primary: database,
      replica: await openDatabase({ databaseUrl: copy.url(), dataDirectory: tmpdir(), poolSize: 2 }),
    })
    undo.push(() => replica.close())
    service = await startService({ database, replica, redis: false })
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

  const isUsed = (): boolean => replica.figures().isUsable
  const visit = (): Promise<Answer> => get(`${service.issuer}/api/v1/courses`)
  const titles = ({ body }: Answer): string[] => body.data.map(({ title }: { title: string }) => title)
  /** Returns how many statements on courses the replica has run. */
  async function readsOnCopy(): Promise<number> {
    await onCopy.query('SELECT pg_stat_force_next_flush()')
    const { rows } = await onCopy.query(
      "SELECT coalesce(idx_scan, 0) + coalesce(seq_scan, 0) AS reads FROM pg_stat_user_tables WHERE relname = 'course'",
    )
    return Number(rows[0].reads)
  }
  const setTitle = async (token: string, title: string): Promise<Answer> => {
    const { body } = await withToken(`${service.issuer}/api/v1/courses`, token)
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'if-match': '*' }
    return answer(
      fetch(`${service.issuer}/api/v1/courses/${body.data[0].id}`, { method: 'PATCH', headers, body: JSON.stringify({ title }) }),
    )
  }
  const ownerToken = async (): Promise<string> =>
    (await agent.tokens(personCalled('owner@example.org'), { scope: 'openid courses:read courses:write account:read' }, { scopes: 'all' }))
      .body.access_token

  test('visitors read from the replica, and people who are signed in from the primary', async () => {
    await until(isUsed, { what: 'the replica to be used' })
    await until(async () => titles(await visit()).length === 1, { what: 'a course' })
    const before = await readsOnCopy()
    // PostgreSQL counts the reads of a session up to a second later.
    await until(async () => (await visit()).status === 200 && (await readsOnCopy()) > before, { what: 'a read on the replica' })
    await completeJourney(service, service.issuer, 'owner@example.org')
  })

  test('a visitor sees a change immediately although the replica has not replayed it, and a replica that falls behind is not used', async () => {
    await until(isUsed, { what: 'the replica to be used' })
    const token = await ownerToken()
    await onCopy.query('SELECT pg_wal_replay_pause()')
    try {
      for (const title of ['Tides', 'Winds', 'Stars']) {
        expect((await setTitle(token, title)).status).toBe(200)
        expect(titles(await visit())).toEqual([title])
        expect(titles(await withToken(`${service.issuer}/api/v1/courses`, token))).toEqual([title])
      }
      await until(() => replica.figures().reason?.includes('behind'), { what: 'the lag to be noticed' })
      expect(titles(await visit())).toEqual(['Stars'])
    } finally {
      await onCopy.query('SELECT pg_wal_replay_resume()')
    }
    await until(isUsed, { what: 'the replica to be used again' })
    expect(titles(await visit())).toEqual(['Stars'])
  })

  test('visitors read on while the primary is down, changes get 503, and the promoted replica takes over with nothing lost', async () => {
    const token = await ownerToken()
    const { body: revoked } = await agent.tokens(personCalled('owner@example.org'))
    expect((await agent.post('/api/oauth/revoke', { token: revoked.refresh_token })).status).toBe(200)
    const { body: kept } = await agent.tokens(personCalled('owner@example.org'))
    expect((await setTitle(token, 'Before the failure')).status).toBe(200)
    await until(async () => isUsed() && (await onCopy.query('SELECT title FROM course')).rows[0].title === 'Before the failure', {
      what: 'the replica to have everything',
    })
    const stored = performance.now()
    const reachedAt = (): number => performance.now() - (replica.figures().lagSeconds ?? Number.POSITIVE_INFINITY) * 1000
    await until(() => reachedAt() > stored + 1000, { what: 'the service to know that the replica has everything' })

    await primary.crash()
    const refused = await withToken(`${service.issuer}/api/v1/courses`, token)
    expect(refused.status).toBe(503)
    expect((await visit()).status).toBe(200)
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
    await until(isUsed, { what: 'the promoted server to serve visitors too' })
  })
})
