import { tmpdir } from 'node:os'
import * as client from 'openid-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../../src/store/openDatabase.ts'
import { type Agent, type Answer, answer, createAgent, get, personCalled, postJson, withToken } from '../support/agent.ts'
import { availableServices, throwawayPostgres } from '../support/databases.ts'
import { hasNginx, type Nginx, startNginx } from '../support/nginx.ts'
import { until } from '../support/poll.ts'
import { createHome, freePort, type Home, type ServiceProcess, startProcess } from '../support/process.ts'
import { addPerson } from '../support/service.ts'

const { postgresql, redis: hasRedis } = await availableServices()
const redisUrl = process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379'
const scope = 'openid profile email account:read courses:read courses:write'

/** A request that has to succeed: what it is, and what came. */
type Attempt = (name: string, status: number, work: () => Promise<Answer>) => Promise<Answer | undefined>

describe.runIf(postgresql && hasRedis && (await hasNginx()))('two processes behind nginx that are restarted in turn', () => {
  let home: Home
  let database: Awaited<ReturnType<typeof throwawayPostgres>>
  let nginx: Nginx
  let issuer: string
  const [ports, processes]: [number[], ServiceProcess[]] = [[], []]
  const undo: (() => Promise<unknown>)[] = []
  const start = (index: number): Promise<ServiceProcess> =>
    startProcess({ home, port: ports[index] as number, environment: { DATABASE_URL: database.url, REDIS_URL: redisUrl, DEMO: 'off' } })

  beforeAll(async () => {
    database = await throwawayPostgres()
    undo.push(() => database.drop())
    const port = await freePort()
    issuer = `https://127.0.0.1:${port}`
    home = await createHome({ issuer, server: { drain_seconds: 1, trusted_proxies: ['loopback'] } })
    undo.push(() => home.remove())
    ports.push(await freePort(), await freePort())
    nginx = await startNginx({ port, plainPort: await freePort(), upstreams: ports })
    undo.push(() => nginx.stop())
    processes.push(await start(0))
    processes.push(await start(1))
    undo.push(async () => {
      for (const service of processes) await service.kill()
    })
    const store = await openDatabase({ databaseUrl: database.url, dataDirectory: tmpdir(), poolSize: 1 })
    const [{ id } = { id: '' }] = await store.sql.query<{ id: string }>('SELECT id FROM school')
    for (const name of ['writer', 'refresher', 'exchanger', 'visitor', 'library'])
      await addPerson(store, id, `${name}@example.com`, 'owner')
    await store.close()
  })
  afterAll(async () => {
    for (const step of undo.reverse()) await step()
  })

  const signedIn = async (name: string): Promise<{ agent: Agent; tokens: { access_token: string; refresh_token: string } }> => {
    const agent = await createAgent(issuer)
    const { status, body } = await agent.tokens(personCalled(`${name}@example.com`), { scope }, { scopes: 'all' })
    expect(status).toBe(200)
    return { agent, tokens: body }
  }
  const userInfo = (token: string): Promise<Answer> => withToken(`${issuer}/api/oauth/userinfo`, token)

  test('no request of a mixed load fails, no acknowledged change is lost, and no token is lost', async () => {
    const [writer, refresher, exchanger] = [await signedIn('writer'), await signedIn('refresher'), await signedIn('exchanger')]
    const failures: string[] = []
    const counts: Record<string, number> = {}
    let isOver = false
    const attempt: Attempt = async (name, status, work) => {
      counts[name] = (counts[name] ?? 0) + 1
      const reply = await work().catch((error: Error) => void failures.push(`${name}: ${error.message} ${String(error.cause ?? '')}`))
      if (reply && reply.status !== status) failures.push(`${name}: ${reply.status} ${JSON.stringify(reply.body).slice(0, 300)}`)
      return reply?.status === status ? reply : undefined
    }
    const repeat = async (work: () => Promise<unknown>): Promise<void> => {
      while (!isOver) await work()
    }

    const courses = new Map<string, string>()
    const write = async (): Promise<void> => {
      const authorization = `Bearer ${writer.tokens.access_token}`
      const made = await attempt('create', 201, () =>
        postJson(`${issuer}/api/v1/courses`, { title: `Course ${counts.create}` }, { authorization }),
      )
      if (!made) return
      courses.set(made.body.id, made.body.title)
      const title = `${made.body.title}, changed`
      const headers = { authorization, 'content-type': 'application/json', 'if-match': String(made.headers.get('etag')) }
      const changed = await attempt('change', 200, () =>
        answer(fetch(`${issuer}/api/v1/courses/${made.body.id}`, { method: 'PATCH', headers, body: JSON.stringify({ title }) })),
      )
      if (changed) courses.set(made.body.id, title)
    }
    let latest = refresher.tokens
    const refresh = async (): Promise<void> => {
      const next = await attempt('refresh', 200, () => refresher.agent.refresh(latest.refresh_token))
      if (next) latest = next.body
      await attempt('userinfo', 200, () => userInfo(latest.access_token))
    }
    const issued: { access_token: string; refresh_token: string }[] = []
    const person = personCalled('exchanger@example.com')
    const exchange = async (): Promise<void> => {
      const redirect = await exchanger.agent
        .send(person, { scope }, { scopes: 'all' })
        .catch((error: Error) => void failures.push(`sign-in: ${error.message}`))
      const redeemed = redirect && (await attempt('code', 200, () => exchanger.agent.redeem(redirect)))
      if (redeemed) issued.push(redeemed.body)
    }
    const read = async (): Promise<void> => {
      const token = writer.tokens.access_token
      await attempt('list', 200, () => withToken(`${issuer}/api/v1/courses?limit=5`, token))
      await attempt('account', 200, () => withToken(`${issuer}/api/v1/account`, token))
      await attempt('introspection', 200, () => writer.agent.post('/api/oauth/introspect', { token }))
    }
    const visit = async (): Promise<void> => {
      for (const path of ['/account/sign-in', '/auth.md', '/openapi.json', '/.well-known/oauth-authorization-server', '/api/v1/school'])
        await attempt('page', 200, () => get(issuer + path, { accept: '*/*' }))
      await attempt('authorize', 303, () => get(exchanger.agent.authorizationUrl().href, { accept: 'text/html' }))
      const tools = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
      await attempt('mcp', 200, () => postJson(`${issuer}/mcp`, tools, { accept: 'application/json, text/event-stream' }))
    }
    const flows: string[] = []
    const library = async (): Promise<void> => {
      await openIdFlow(issuer).then(
        (subject) => void flows.push(subject),
        (error: Error) => void failures.push(`openid-client: ${error.message} ${String(error.cause ?? '')}`),
      )
    }
    const loops = [write, write, refresh, exchange, read, read, visit, library].map(repeat)

    try {
      await until(() => flows.length > 0, { what: 'the first flow of openid-client' })
      for (const index of [0, 1]) {
        expect(await processes[index]?.stop()).toBe(0)
        const restarted = await start(index)
        processes[index] = restarted
        await until(() => restarted.output().includes('/api/oauth/userinfo'), { what: 'nginx to use the process again' })
      }
    } finally {
      isOver = true
      await Promise.all(loops)
    }
    expect(failures, await nginx.errors()).toEqual([])
    for (const [name, count] of Object.entries(counts)) expect([name, count]).toEqual([name, expect.toSatisfy((made: number) => made >= 3)])
    expect(flows.length).toBeGreaterThan(1)

    const store = await openDatabase({ databaseUrl: database.url, dataDirectory: tmpdir(), poolSize: 1 })
    const stored = await store.sql.query<{ title: string }>('SELECT title FROM course')
    await store.close()
    expect(stored.map(({ title }) => title).toSorted()).toEqual([...courses.values()].toSorted())
    for (const { access_token: token } of [latest, writer.tokens, ...issued.slice(-20)]) expect((await userInfo(token)).status).toBe(200)
    for (const { refresh_token: token } of issued.slice(-20)) expect((await exchanger.agent.refresh(token)).status).toBe(200)
    expect((await refresher.agent.refresh(latest.refresh_token)).status).toBe(200)
  })
})

/** Registers with openid-client, signs in, calls UserInfo, refreshes and revokes. Returns the subject. */
async function openIdFlow(issuer: string): Promise<string> {
  const redirectUri = 'http://127.0.0.1:53682/callback'
  const metadata = { client_name: 'openid-client', redirect_uris: [redirectUri] }
  const config = await client.dynamicClientRegistration(new URL(issuer), metadata, undefined, {
    execute: [client.enableNonRepudiationChecks],
  })
  const pkceCodeVerifier = client.randomPKCECodeVerifier()
  const [expectedState, expectedNonce] = [client.randomState(), client.randomNonce()]
  const address = client.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: 'openid email',
    state: expectedState,
    nonce: expectedNonce,
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  })
  const redirect = await personCalled('library@example.com').authorize(address.href, { scopes: 'all' })
  const tokens = await client.authorizationCodeGrant(config, redirect, {
    pkceCodeVerifier,
    expectedState,
    expectedNonce,
    idTokenExpected: true,
  })
  const subject = tokens.claims()?.sub ?? ''
  await client.fetchUserInfo(config, tokens.access_token, subject)
  const next = await client.refreshTokenGrant(config, tokens.refresh_token ?? '')
  await client.tokenRevocation(config, next.refresh_token ?? '')
  const { active } = await client.tokenIntrospection(config, next.access_token)
  if (active) throw new Error('a revoked token is active')
  return subject
}
