import { createHash, randomBytes } from 'node:crypto'
import { createBrowser } from './browser.ts'
import type { Client, Reply } from './client.ts'

export const credentials = { email: 'bench@example.com', password: 'correct horse battery staple' }

/** An authorization server under measurement, with the kind of its sign-in. */
export interface AuthorizationServer {
  origin: string
  client: Client
  credentials: { email: string; password: string }
  /** Paths of the endpoints, from the server's metadata. */
  paths: Record<'authorization' | 'token' | 'userinfo' | 'introspection' | 'revocation' | 'registration' | 'metadata', string>
  scope: string
  /**
   * `forms` for pages with forms; `json` for better-auth, whose pages are the application's and call its JSON API; `api` for Glewlwyd, whose
   * pages call its own API.
   */
  pages: 'forms' | 'json' | 'api'
  /** The person allows every scope, also those that the page does not preselect. */
  allowsAll?: boolean
}

export interface RegisteredClient {
  client_id: string
  client_secret: string
}

export interface Tokens {
  access_token: string
  refresh_token: string
}

const redirectUri = 'http://127.0.0.1:53682/callback'
const verifier = randomBytes(32).toString('base64url')
const challenge = createHash('sha256').update(verifier).digest('base64url')

/** Reads the endpoints from the server's metadata. */
export async function discover(client: Client, path = '/.well-known/openid-configuration'): Promise<AuthorizationServer['paths']> {
  const metadata = parse(expectStatus(await client.send(path), 200))
  const at = (name: string): string => new URL(String(metadata[name])).pathname
  return {
    authorization: at('authorization_endpoint'),
    token: at('token_endpoint'),
    userinfo: at('userinfo_endpoint'),
    introspection: at('introspection_endpoint'),
    revocation: at('revocation_endpoint'),
    registration: at('registration_endpoint'),
    metadata: path,
  }
}

/** Registers a client that authenticates with `client_secret_post`, which every server supports. */
export async function register({ client, paths, scope }: AuthorizationServer): Promise<RegisteredClient> {
  const metadata = {
    client_name: 'Bench',
    application_type: 'native',
    redirect_uris: [redirectUri],
    token_endpoint_auth_method: 'client_secret_post',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    scope,
  }
  const reply = await client.send(paths.registration, { json: metadata })
  if (reply.status !== 200 && reply.status !== 201) throw new Error(`registration: ${reply.status} ${reply.text.slice(0, 300)}`)
  const { client_id, client_secret } = parse(reply) as unknown as RegisteredClient
  return { client_id, client_secret }
}

/** The browser of a person, which signs in with the first authorization. */
export interface SignedInBrowser {
  /** Returns a code. With `login consent`, the person signs in again. */
  authorize(registered: RegisteredClient, prompt?: 'consent' | 'login consent'): Promise<string>
}

/** Signs in and consents in a new browser. Returns the code, and a function that authorizes again within the session. */
export function openBrowser(server: AuthorizationServer): SignedInBrowser {
  const { client, origin, paths, scope, allowsAll } = server
  const browser = createBrowser(client, origin)
  let isSignedIn = false
  return {
    async authorize({ client_id }, prompt = 'consent') {
      const query = new URLSearchParams({
        response_type: 'code',
        client_id,
        redirect_uri: redirectUri,
        scope,
        state: 'a-state-that-is-long-enough',
        code_challenge: challenge,
        code_challenge_method: 'S256',
        ...(server.pages === 'api' ? { nonce: 'a-nonce-that-is-long-enough' } : { prompt }),
      })
      let page = await browser.open(`${paths.authorization}?${query}`)
      for (let steps = 0; steps < 6 && !page.leftFor; steps += 1) page = await step(page)
      const code = page.leftFor?.searchParams.get('code')
      if (!code)
        throw new Error(`no code at ${origin}: ${page.leftFor ?? `${page.path} ${page.reply.status} ${page.reply.text.slice(0, 300)}`}`)
      return code

      async function step(current: typeof page): Promise<typeof page> {
        if (server.pages === 'api') {
          const { email: username, password } = server.credentials
          if (!isSignedIn) await browser.open('/api/auth/', { json: { username, password } })
          isSignedIn = true
          await browser.open(`/api/auth/grant/${client_id}`, { method: 'PUT', json: { scope } })
          const target = new URL(new URL(current.path, origin).searchParams.get('callback_url') ?? '', origin)
          return browser.open(`${target.pathname}${target.search}&g_continue`)
        }
        if (server.pages === 'json') {
          const { pathname, search } = new URL(current.path, origin)
          const isSignIn = pathname === '/sign-in'
          const body = isSignIn ? { ...server.credentials, oauth_query: search.slice(1) } : { accept: true, oauth_query: search.slice(1) }
          const reply = await browser.open(isSignIn ? '/api/auth/sign-in/email' : '/api/auth/oauth2/consent', {
            json: body,
            headers: { origin },
          })
          const target = new URL(String(parse(reply.reply).url), origin)
          return target.origin === origin ? browser.open(target.pathname + target.search) : { ...reply, leftFor: target }
        }
        return current.reply.text.includes('name="password"')
          ? browser.submit(current, 'password', server.credentials)
          : browser.submit(current, current.reply.text.includes('name="decision"') ? 'decision' : 'csrf', { decision: 'allow' }, allowsAll)
      }
    },
  }
}

/** Redeems a code. */
export async function exchange({ client, paths }: AuthorizationServer, registered: RegisteredClient, code: string): Promise<Tokens> {
  const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier, ...registered }
  return parse(expectStatus(await client.send(paths.token, { form }), 200)) as unknown as Tokens
}

export async function refresh({ client, paths }: AuthorizationServer, registered: RegisteredClient, refreshToken: string): Promise<Tokens> {
  const form = { grant_type: 'refresh_token', refresh_token: refreshToken, ...registered }
  return parse(expectStatus(await client.send(paths.token, { form }), 200)) as unknown as Tokens
}

export function expectStatus(reply: Reply, status: number): Reply {
  if (reply.status !== status) throw new Error(`status ${reply.status} instead of ${status}: ${reply.text.slice(0, 300)}`)
  return reply
}

export const parse = ({ text }: Reply): Record<string, unknown> => JSON.parse(text)
