import { createHash } from 'node:crypto'
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { fieldsOf, sendAs } from '../security/browsing.ts'
import { type Agent, agentOf, personCalled, withToken } from '../support/agent.ts'
import type { Choice, Person } from '../support/person.ts'
import type { TestService } from '../support/service.ts'
import { scopesOf } from './demo.ts'
import type { Flow, Library } from './libraries.ts'

/** Where a client finds the service, and how the service knows the client. */
export interface Site {
  issuer: string
  /** The integration of the operator. A library that registers itself does not use it. */
  clientId: string
  clientSecret: string
  /** The id of an integration without a secret. */
  publicClientId: string
  /** The redirect URI of the integrations. */
  redirectUri: string
  /** The address to which a sign-out leads back. */
  signedOutUri: string
}

export interface Tokens {
  access_token: string
  refresh_token: string
  /** Absent if the library does not report it. */
  scope?: string | undefined
}

/** One user of a program that is written with the library. Flows that the library does not have are absent. */
export interface LibraryClient {
  credentials: { clientId: string; clientSecret?: string | undefined; redirectUri: string }
  /** Starts a sign-in that asks for this scope. Returns the URL to which the library sends the person. */
  begin(scope: string): Promise<string>
  /** Gives the library the URL at which the person returns. */
  finish(redirect: URL): Promise<void>
  tokens(): Tokens | Promise<Tokens>
  /** Calls the API. Returns the status. */
  call?(url: string): Promise<number>
  /** Throws if the service refuses, with the error code in the message or in a property. */
  refresh?(): Promise<unknown>
  revoke?(): Promise<unknown>
  /** Returns the URL to which the library sends the person who signs out. */
  signOut?(): Promise<string>
  stop?(): Promise<unknown>
}

/** Creates a program for one user. */
export type Adapter = (site: Site) => LibraryClient | Promise<LibraryClient>

const redirectUri = 'https://app.example.com/callback'
const signedOutUri = 'https://app.example.com/signed-out'
// express-openid-connect sends its base address, mod_auth_openidc the address that the app gave it.
const signedOutUris = [signedOutUri, 'https://app.example.com', 'https://app.example.com/']
const [clientId, publicClientId, clientSecret] = ['web-app', 'page-app', 'a secret of an integration that is long enough']
const secretHash = `sha256:${createHash('sha256').update(clientSecret).digest('base64url')}`

/** Returns what a client knows of the service at this address, to which `integrations` were added. */
export const siteAt = (issuer: string): Site => ({ issuer, clientId, clientSecret, publicClientId, redirectUri, signedOutUri })

/** The integrations of the web services, for the file of the school. */
export const integrations = [
  {
    client_id: clientId,
    client_name: 'Web app',
    // The second one is that of Auth.js.
    redirect_uris: [redirectUri, 'https://app.example.com/auth/callback/school'],
    post_logout_redirect_uris: signedOutUris,
    token_endpoint_auth_method: 'client_secret_post',
    secret_hash: secretHash,
  },
  { client_id: publicClientId, client_name: 'Page app', redirect_uris: [redirectUri], post_logout_redirect_uris: signedOutUris },
]

/** The scope that every client requests. */
export const asked = 'openid profile email account:read courses:write'
/** The scope that it requests later. */
export const more = 'orders:read'

const without = (...names: string[]): string[] => asked.split(' ').filter((name) => !names.includes(name))

interface Consent {
  consent: string
  choice: Choice
  granted: readonly string[]
  /** The scopes of an integration, if it gets more: the page proposes everything to an app that the operator approved. */
  ofIntegration?: readonly string[]
}

const consents: Consent[] = [
  { consent: 'everything ticked', choice: { scopes: 'all' }, granted: without() },
  { consent: 'only the button pressed', choice: {}, granted: without('courses:write'), ofIntegration: without() },
  { consent: 'one permission unticked', choice: { scopes: without('account:read') }, granted: without('account:read') },
  { consent: 'nothing optional', choice: { scopes: [] }, granted: ['openid'] },
]

/** Declares the tests of libraries: each runs every flow after each of the four consents. */
export function testFourConsents(libraries: readonly Library[], adapters: Record<string, Adapter>, service: () => TestService): void {
  describe.each(libraries)('$name', (library) => {
    test.each(consents)('signs in, calls, refreshes twice, asks for more and revokes, with $consent', async (consent) => {
      await runLibrary(service(), adapters[library.id] as Adapter, library, consent)
    })
  })
}

/** Runs every flow of a library for a new person, who allows everything unless another consent is given. */
export async function runLibrary(
  { issuer, addPerson }: TestService,
  adapter: Adapter,
  { id, flows }: Library,
  { consent, ...expected }: Consent = consents[0] as Consent,
): Promise<void> {
  const email = `${id}-${consent.replaceAll(' ', '-')}@example.org`.toLowerCase()
  await addPerson({ email, role: 'owner' })
  const client = await adapter(siteAt(issuer))
  try {
    await runFlows(issuer, client, { person: personCalled(email), flows, ...expected })
  } finally {
    await client.stop?.()
  }
}

interface Run extends Omit<Consent, 'consent'> {
  person: Person
  flows: readonly Flow[]
}

/** Flows that the library does not have are requested without it, so that its tokens are proven all the same. */
async function runFlows(issuer: string, client: LibraryClient, { person, choice, granted, ofIntegration, flows }: Run): Promise<void> {
  const own: [Flow, unknown][] = [
    [flows.includes('token check') ? 'token check' : 'API call', client.call],
    ['refresh', client.refresh],
    ['revocation', client.revoke],
    ['sign-out', client.signOut],
  ]
  for (const [flow, method] of own) expect([flow, flows.includes(flow)]).toEqual([flow, method !== undefined])
  // A library that registers itself has an id after the first sign-in has begun.
  const agentOfClient = (): Agent => {
    const { clientId: id, clientSecret: secret, redirectUri: uri } = client.credentials
    return agentOf(issuer, id, secret, uri)
  }
  const statusOf = async (path: string): Promise<number> => {
    const { access_token: token } = await client.tokens()
    const { status } = await withToken(issuer + path, token)
    if (client.call) expect(await client.call(issuer + path)).toBe(status)
    return status
  }
  const expectGranted = async (scopes: readonly string[]): Promise<void> => {
    const { access_token: token, scope } = await client.tokens()
    const { body } = await agentOfClient().post('/api/oauth/introspect', { token })
    expect([body.active, scopesOf(body.scope)]).toEqual([true, new Set(scopes)])
    if (scope !== undefined) expect(scopesOf(scope)).toEqual(new Set(scopes))
    expect(await statusOf('/api/v1/account')).toBe(scopes.includes('account:read') ? 200 : 403)
    expect(await statusOf('/api/v1/orders')).toBe(scopes.includes(more) ? 200 : 403)
  }
  const signIn = async (scope: string, how: Choice): Promise<void> => {
    const redirect = await person.authorize(await client.begin(scope), how)
    expect(redirect.searchParams.get('error')).toBeNull()
    await client.finish(redirect)
  }

  await signIn(asked, choice)
  const agent = agentOfClient()
  const given = integrations.some(({ client_id: id }) => id === agent.clientId) ? (ofIntegration ?? granted) : granted
  await expectGranted(given)
  for (const _round of [1, 2]) {
    const before = await client.tokens()
    if (!client.refresh) continue
    await client.refresh()
    const after = await client.tokens()
    expect(after.access_token).not.toBe(before.access_token)
    expect(after.refresh_token).not.toBe(before.refresh_token)
    await expectGranted(given)
  }

  if (!client.refresh) {
    let { refresh_token: current } = await client.tokens()
    for (const _round of [1, 2]) {
      const { status, body } = await refreshWithScope(agent, current)
      expect([status, scopesOf(body.scope)]).toEqual([200, new Set(given)])
      current = body.refresh_token
    }
  }

  await signIn(`${asked} ${more}`, { scopes: 'all' })
  await expectGranted([...without(), more])

  const { access_token: token, refresh_token: refreshToken } = await client.tokens()
  if (client.revoke) await client.revoke()
  else expect((await agent.post('/api/oauth/revoke', { token: refreshToken })).status).toBe(200)
  expect((await withToken(`${issuer}/api/v1/account`, token)).status).toBe(401)
  if (flows.includes('token check')) expect(await client.call?.(`${issuer}/api/v1/account`)).toBe(401)
  expect((await refreshWithScope(agent, refreshToken)).body.error).toBe('invalid_grant')
  if (client.refresh) {
    const reason = await client.refresh().then(
      () => 'refreshed',
      (error: unknown) => inspect(error, { depth: 6 }),
    )
    expect(reason).toContain('invalid_grant')
  }
  if (client.signOut) await expectSignedOut(agent, person, await client.signOut())
}

/** The person confirms the sign-out, is led back to the app, and is signed in nowhere. */
async function expectSignedOut(agent: Agent, person: Person, address: string): Promise<void> {
  const asked = new URL(address).searchParams.get('post_logout_redirect_uri')
  const { address: action, fields } = fieldsOf(await person.open(address), /confirm$/)
  fields.set('logout', 'yes')
  const { headers } = await sendAs(person, action, { fields })
  expect(headers.get('location')?.split('?')[0]).toBe(asked && new URL(asked).href)
  expect((await person.open(agent.authorizationUrl().href)).html).toContain('type="password"')
}

/** Refreshes as libraries do that repeat the requested scope. */
const refreshWithScope = (agent: Agent, token: string) => agent.refresh(token, { scope: asked })
