import type { Client } from './client.ts'
import type { Operation } from './measure.ts'
import { type AuthorizationServer, exchange, expectStatus, openBrowser, refresh, register, type SignedInBrowser } from './oauth.ts'

type Refusal = 'no route (404)' | 'malformed token (401)' | 'unknown token (401)'

export type OperationName =
  | 'sign-in, returning browser'
  | 'sign-in, new browser'
  | 'code exchange'
  | 'refresh'
  | 'UserInfo'
  | 'introspection'
  | 'revocation'
  | 'registration'
  | 'discovery'
  | 'discovery, If-None-Match'
  | 'list of courses'
  | 'one course'
  | 'list of courses, token'
  | 'one course, token'
  | 'MCP list_courses'
  | Refusal

export type Operations = Partial<Record<OperationName, Operation>>

/** Calls of a sign-in before it is measured. Each one costs a password hash, which is most of its CPU. */
const signIns = 200

const repeat =
  (request: () => Promise<void>): Operation['prepare'] =>
  async (count) =>
    Array.from({ length: count }, () => request)

/** The operations of an authorization server. `scale` multiplies the requests of a round. */
export async function authorizationOperations(server: AuthorizationServer, scale: number): Promise<Operations> {
  const { client, paths } = server
  const registered = await register(server)
  const session = openBrowser(server)
  // Each sign-in costs a password hash, so the codes and tokens that requests consume come from one session.
  await session.authorize(registered)

  const codes = async (count: number): Promise<string[]> => {
    const all: string[] = []
    for (let made = 0; made < count; made += 1) all.push(await session.authorize(registered))
    return all
  }
  const tokens = async (count: number) => {
    const all = []
    for (const code of await codes(count)) all.push(await exchange(server, registered, code))
    return all
  }
  /** Repeats a request with a new token. */
  const withToken =
    (request: (token: string) => Promise<void>): Operation['prepare'] =>
    async (count) => {
      const [{ access_token: token } = { access_token: '' }] = await tokens(1)
      return Array.from({ length: count }, () => () => request(token))
    }
  const etag = expectStatus(await client.send(paths.metadata), 200).headers.etag
  const known: SignedInBrowser[] = []

  return {
    'sign-in, returning browser': {
      count: 24 * scale,
      warmUp: signIns,
      // Each browser belongs to one worker: its requests are one after the other.
      prepare: async (count) => {
        while (known.length < 8) {
          const browser = openBrowser(server)
          await browser.authorize(registered)
          known.push(browser)
        }
        return Array.from({ length: count }, () => async () => {
          const browser = known.pop()
          if (browser === undefined) throw new Error('every browser is in use')
          await browser.authorize(registered, 'login consent')
          known.unshift(browser)
        })
      },
    },
    'sign-in, new browser': {
      count: 24 * scale,
      warmUp: signIns,
      prepare: repeat(async () => void (await openBrowser(server).authorize(registered))),
    },
    'code exchange': {
      count: 60 * scale,
      prepare: async (count) => (await codes(count)).map((code) => async () => void (await exchange(server, registered, code))),
    },
    refresh: {
      count: 160 * scale,
      // Each chain of rotations belongs to one worker, because a refresh token can be used only once.
      async prepare(count) {
        const chains = await tokens(8)
        const free = chains.map(({ refresh_token }) => refresh_token)
        return Array.from({ length: count }, () => async () => {
          const current = free.pop()
          if (current === undefined) throw new Error('every refresh token is in use')
          free.unshift((await refresh(server, registered, current)).refresh_token)
        })
      },
    },
    UserInfo: {
      count: 400 * scale,
      prepare: withToken(async (token) => {
        expectStatus(await client.send(paths.userinfo, { headers: { authorization: `Bearer ${token}` } }), 200)
      }),
    },
    introspection: {
      count: 300 * scale,
      prepare: withToken(async (token) => {
        const reply = expectStatus(await client.send(paths.introspection, { form: { token, ...registered } }), 200)
        if (!reply.text.includes('"active":true')) throw new Error(`introspection: ${reply.text}`)
      }),
    },
    revocation: {
      count: 40 * scale,
      prepare: async (count) =>
        (await tokens(count)).map(({ refresh_token }) => async () => {
          const form = { token: refresh_token, token_type_hint: 'refresh_token', ...registered }
          expectStatus(await client.send(paths.revocation, { form }), 200)
        }),
    },
    registration: { count: 100 * scale, prepare: repeat(async () => void (await register(server))) },
    discovery: { count: 600 * scale, prepare: repeat(async () => void expectStatus(await client.send(paths.metadata), 200)) },
    // A server without entity tags returns 200 for the same request.
    'discovery, If-None-Match': {
      count: 600 * scale,
      prepare: repeat(async () => {
        const reply = await client.send(paths.metadata, { headers: { 'if-none-match': typeof etag === 'string' ? etag : '"none"' } })
        expectStatus(reply, typeof etag === 'string' ? 304 : 200)
      }),
    },
  }
}

/** The operations of a catalogue: the paths of its list and of one row, and a token if the server accepts one. */
export function catalogueOperations(
  client: Client,
  { list, one, token }: { list: string; one: string; token?: string },
  scale: number,
): Operations {
  const get = (path: string, headers: Record<string, string> = {}): Operation => ({
    count: 200 * scale,
    prepare: repeat(async () => void expectStatus(await client.send(path, { headers }), 200)),
  })
  const bearer = { authorization: `Bearer ${token}` }
  return {
    'list of courses': get(list),
    'one course': get(one),
    ...(token === undefined ? {} : { 'list of courses, token': get(list, bearer), 'one course, token': get(one, bearer) }),
  }
}

/** One MCP tool call of the current protocol revision. */
export function mcpOperation(client: Client, scale: number): Operation {
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_courses', arguments: { limit: 20 } } }
  const headers = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' }
  return {
    count: 120 * scale,
    prepare: repeat(async () => {
      const reply = expectStatus(await client.send('/mcp', { json: call, headers }), 200)
      if (!reply.text.includes('"result"')) throw new Error(`tools/call: ${reply.text.slice(0, 300)}`)
    }),
  }
}

/** Requests that are refused. A server without tokens responds with 404 to each. */
export function refusals(
  client: Client,
  { unknown, known }: { unknown: string; known?: string },
  scale: number,
): Record<Refusal, Operation> {
  const refused = (path: string, status: number, headers: Record<string, string> = {}): Operation => ({
    count: 400 * scale,
    prepare: repeat(async () => void expectStatus(await client.send(path, { headers }), status)),
  })
  const [path, status] = known === undefined ? [unknown, 404] : [known, 401]
  return {
    'no route (404)': refused(unknown, 404),
    'malformed token (401)': refused(path, status, { authorization: 'Bearer x' }),
    'unknown token (401)': refused(path, status, { authorization: `Bearer ${'unknown'.repeat(6)}` }),
  }
}
