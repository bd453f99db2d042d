import { tmpdir } from 'node:os'
import * as client from 'openid-client'
import { openDatabase } from '../../src/database/connection/openDatabase.ts'
import { type Agent, type Answer, answer, createAgent, get, personCalled, postJson, withToken } from '../support/agent.ts'
import { addPerson } from '../support/service.ts'

const scope = 'openid profile email account:read courses:read courses:write'

/** Sends a request that has to succeed with this status. */
type Attempt = (name: string, status: number, work: () => Promise<Answer>) => Promise<Answer | undefined>

export interface MixedLoad {
  /** Failures so far. */
  failures: readonly string[]
  /** How often each kind of request was sent so far. */
  counts(): Readonly<Record<string, number>>
  /** Ends the load after the requests in flight. */
  stop(): Promise<void>
  /** Returns acknowledged changes that are lost, and tokens that do not work. */
  lost(): Promise<string[]>
}

/** Adds the people as whom the load signs in. */
export async function addLoadPeople(databaseUrl: string): Promise<void> {
  const store = await openDatabase({ databaseUrl, dataDirectory: tmpdir(), poolSize: 1 })
  const [{ id } = { id: '' }] = await store.sql.query<{ id: string }>('SELECT id FROM school')
  for (const name of ['writer', 'refresher', 'exchanger', 'visitor', 'library']) await addPerson(store, id, `${name}@example.com`, 'owner')
  await store.close()
}

/** Sends requests of every kind without a pause: sign-ins, tokens, changes, lists, pages, documents and MCP. */
export async function startMixedLoad(issuer: string, databaseUrl: string): Promise<MixedLoad> {
  const signedIn = async (name: string): Promise<{ agent: Agent; tokens: { access_token: string; refresh_token: string } }> => {
    const agent = await createAgent(issuer)
    const { status, body } = await agent.tokens(personCalled(`${name}@example.com`), { scope }, { scopes: 'all' })
    if (status !== 200) throw new Error(`${name} gets no tokens: ${status}`)
    return { agent, tokens: body }
  }
  const userInfo = (token: string): Promise<Answer> => withToken(`${issuer}/api/oauth/userinfo`, token)
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
  const library = async (): Promise<void> => {
    const failure = await openIdFlow(issuer).then(
      () => undefined,
      (error: Error) => `openid-client: ${error.message} ${String(error.cause ?? '')}`,
    )
    if (failure === undefined) counts.flow = (counts.flow ?? 0) + 1
    else failures.push(failure)
  }
  const loops = [write, write, refresh, exchange, read, read, visit, library].map(repeat)
  return {
    failures,
    counts: () => counts,
    async stop() {
      isOver = true
      await Promise.all(loops)
    },
    async lost() {
      const store = await openDatabase({ databaseUrl, dataDirectory: tmpdir(), poolSize: 1 })
      const stored = await store.sql.query<{ title: string }>('SELECT title FROM course')
      await store.close()
      const titles = new Set(stored.map(({ title }) => title))
      const changes = [...courses.values()].filter((title) => !titles.has(title)).map((title) => `course: ${title}`)
      const expectOk = async (name: string, reply: Promise<Answer>): Promise<string[]> => {
        const { status } = await reply
        return status === 200 ? [] : [`${name}: ${status}`]
      }
      const tokens = [latest, writer.tokens, ...issued.slice(-20)].map(({ access_token: token }) =>
        expectOk('access token', userInfo(token)),
      )
      const refreshes = issued.slice(-20).map(({ refresh_token: token }) => expectOk('refresh token', exchanger.agent.refresh(token)))
      const last = expectOk('latest refresh token', refresher.agent.refresh(latest.refresh_token))
      return [...changes, ...(await Promise.all([...tokens, ...refreshes, last])).flat()]
    },
  }
}

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
