import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../../src/database/connection/openDatabase.ts'
import { png } from '../school/files/storageService.ts'
import { type Agent, agentOf, createAgent, get, personCalled, postJson, withToken } from '../support/agent.ts'
import { type Cluster, postgresPrograms, startCluster } from '../support/cluster.ts'
import { throwawayPostgres } from '../support/databases.ts'
import { hasOwnServers, ownRedis } from '../support/ownServers.ts'
import { until } from '../support/poll.ts'
import { createHome, freePort, type Home, type ServiceProcess, startProcess } from '../support/process.ts'
import { addPerson } from '../support/service.ts'
import { uploadFile } from '../support/uploadFile.ts'

const run = promisify(execFile)
const programs = await postgresPrograms()
const scope = 'openid account:read courses:read courses:write storage:write'
const owner = 'owner@example.com'

/** The shell commands of docs/deploy.md that are marked with this name. */
async function documented(name: string): Promise<string> {
  const page = await readFile(resolve(import.meta.dirname, '../../docs/deploy.md'), 'utf8')
  const [, commands = ''] = new RegExp(`\`\`\`sh run=${name}\\n(.*?)\`\`\``, 's').exec(page) ?? []
  expect(commands).toMatch(/./)
  return commands
}

describe.runIf(programs !== undefined && (await hasOwnServers()))('a backup, made and restored with the commands of docs/deploy.md', () => {
  let home: Home
  let old: Awaited<ReturnType<typeof throwawayPostgres>>
  let next: Cluster
  let redis: Awaited<ReturnType<typeof ownRedis>>
  let service: ServiceProcess
  let folder: string
  let port: number
  let databaseUrl: string
  const undo: (() => Promise<unknown>)[] = []
  const start = (): Promise<ServiceProcess> =>
    startProcess({ home, port, environment: { DATABASE_URL: databaseUrl, REDIS_URL: redis.url, DEMO: 'off' } })
  /** Runs documented commands in a shell that stops at the first error. */
  const shell = async (name: string): Promise<void> => {
    const address = new URL(next.url())
    const commands = (await documented(name)).replaceAll('NEW_SERVER', `${address.username}@${address.host}`)
    const PATH = `${programs}:${process.env.PATH}`
    await run('sh', ['-euc', commands], { cwd: folder, env: { PATH, DATABASE_URL: old.url, DATA_DIR: home.data } })
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'schoolgate-backup-'))
    undo.push(() => rm(folder, { recursive: true, force: true }))
    ;[old, next, redis] = await Promise.all([throwawayPostgres(), startCluster(programs as string), ownRedis()])
    undo.push(
      () => redis.stop(),
      () => next.stop(),
      () => old.drop(),
    )
    databaseUrl = old.url
    port = await freePort()
    home = await createHome()
    undo.push(() => home.remove())
    service = await start()
    undo.push(() => service.kill())
  })
  afterAll(async () => {
    for (const step of undo.reverse()) await step()
  })

  test('brings back people, clients, refresh tokens, rows and files, and revoked tokens stay revoked', async () => {
    const store = await openDatabase({ databaseUrl, dataDirectory: tmpdir(), poolSize: 1 })
    const [{ id: schoolId } = { id: '' }] = await store.sql.query<{ id: string }>('SELECT id FROM school')
    await addPerson(store, schoolId, owner, 'owner')
    await store.close()
    const { issuer } = service
    // On a loaded machine a store may need longer than its limit: then the sign-in is repeated.
    const signIn = (agent: Agent) =>
      until(async () => (await agent.tokens(personCalled(owner), { scope }, { scopes: 'all' })).body, { what: 'a sign-in' })
    const [agent, other] = [await createAgent(issuer), await createAgent(issuer)]
    const [kept, revoked, used] = [await signIn(agent), await signIn(other), await signIn(await createAgent(issuer))]
    const authorization = `Bearer ${used.access_token}`
    const course = await postJson(`${issuer}/api/v1/courses`, { title: 'Salt glazing' }, { authorization })
    expect(course.status).toBe(201)
    const file = await uploadFile(issuer, used.access_token, png)
    expect((await other.post('/api/oauth/revoke', { token: revoked.refresh_token })).status).toBe(200)
    const keys = (await get(`${issuer}/api/oauth/jwks`)).body
    const account = (await withToken(`${issuer}/api/v1/account`, kept.access_token)).body
    expect(await service.stop()).toBe(0)

    await shell('backup')
    await old.drop()
    await redis.client.flushall()
    await rm(home.data, { recursive: true })
    await shell('restore')

    databaseUrl = next.url('schoolgate')
    service = await start()
    expect((await get(`${issuer}/api/oauth/jwks`)).body).toEqual(keys)
    // Access tokens were in Redis, which is not part of the backup.
    expect((await withToken(`${issuer}/api/v1/account`, kept.access_token)).status).toBe(401)
    const refreshed = await agent.refresh(kept.refresh_token)
    expect(refreshed.status).toBe(200)
    const bearer = refreshed.body.access_token
    expect((await withToken(`${issuer}/api/v1/account`, bearer)).body).toEqual(account)
    expect((await withToken(`${issuer}/api/oauth/userinfo`, bearer)).status).toBe(200)
    const again = await withToken(`${issuer}/api/v1/courses/${course.body.id}`, bearer)
    expect([again.status, again.body, again.headers.get('etag')]).toEqual([200, course.body, course.headers.get('etag')])
    expect(Buffer.from(await (await fetch(file.url)).arrayBuffer())).toEqual(png)

    expect((await other.refresh(revoked.refresh_token)).body.error).toBe('invalid_grant')
    expect((await withToken(`${issuer}/api/v1/account`, revoked.access_token)).status).toBe(401)
    expect((await other.post('/api/oauth/introspect', { token: revoked.refresh_token })).body).toEqual({ active: false })
    // A spent refresh token ends its grant in the restored database as well.
    const later = await agent.refresh(refreshed.body.refresh_token)
    expect(later.status).toBe(200)

    const known = agentOf(issuer, agent.clientId, agent.clientSecret, agent.redirectUri)
    const fresh = await signIn(known)
    const renamed = await fetch(`${issuer}/api/v1/courses/${course.body.id}`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${fresh.access_token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ title: 'Salt glazing at home' }),
    })
    expect(renamed.status).toBe(200)
    expect((await uploadFile(issuer, fresh.access_token, png)).url).not.toBe(file.url)
    expect((await known.post('/api/oauth/revoke', { token: fresh.refresh_token })).status).toBe(200)
    expect((await withToken(`${issuer}/api/v1/account`, fresh.access_token)).status).toBe(401)
  })
})
