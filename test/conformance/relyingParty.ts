import { createLocalJWKSet, type decodeProtectedHeader, type JSONWebKeySet, type JWTPayload, jwtVerify } from 'jose'
import { expect } from 'vitest'
import { type Agent, type Answer, agentOf, createAgent, get, personCalled, withToken } from '../support/agent.ts'
import type { Page, Person } from '../support/person.ts'
import { password, startService, type TestService } from '../support/service.ts'

export const email = 'learner@example.org'
export const afterLogout = 'http://127.0.0.1:53682/signed-out'

/** Where an authorization request led: back to the client, or to a page. */
export interface Arrival {
  /** The pages that the person completed. */
  steps: ('sign-in' | 'consent')[]
  page: Page
  /** The parameters of the redirect; empty on a page. */
  redirect: URLSearchParams
}

export interface SignedIn extends Arrival {
  tokens: Answer
  claims: JWTPayload
  /** The JOSE header of the ID token. */
  header: ReturnType<typeof decodeProtectedHeader>
}

type Parameters = Record<string, string | undefined>

/** The relying party of the suite: a registered client, and a browser in which a person is signed in. */
export interface RelyingParty {
  service: TestService
  /** The discovery document. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came
  metadata: any
  agent: Agent
  other: Agent
  /** A client with an https redirect URI, as the suite has: here an operator registers it. */
  integration: Agent
  /** A browser in which the person is signed in. All modules share it. */
  browser: Person
  /** A browser in which nobody is signed in. */
  newBrowser(): Person
  keys(): Promise<JSONWebKeySet>
  /** Sends a browser to the authorization endpoint, and completes the pages. */
  authorize(parameters?: Parameters, how?: How): Promise<Arrival>
  /** Authorizes, redeems the code, and checks the response and the ID token as the suite does after each authorization. */
  signIn(parameters?: Parameters, how?: How): Promise<SignedIn>
  userinfo(accessToken: string): Promise<Answer>
  stop(): Promise<void>
}

export interface How {
  browser?: Person
  agent?: Agent
  isRefused?: boolean
}

/** Starts a service with one person, two confidential clients, and a browser in which the person is signed in. */
export async function startRelyingParty(): Promise<RelyingParty> {
  const callback = 'https://suite.example.com/callback'
  const service = await startService({
    // Modules of code reuse expect what RFC 6749 section 4.1.2 says to the letter.
    oauth: { refresh_window_seconds: 0 },
    school: { integrations: [{ client_id: 'suite', client_name: 'Suite', redirect_uris: [callback] }] },
  })
  await service.addPerson({ email })
  const metadata = (await get(`${service.issuer}/.well-known/openid-configuration`)).body
  const client = { token_endpoint_auth_method: 'client_secret_post', post_logout_redirect_uris: [afterLogout] }
  const [agent, other] = await Promise.all([createAgent(service.issuer, client), createAgent(service.issuer, client)])
  const newBrowser = (): Person => personCalled(email)
  const keys = async (): Promise<JSONWebKeySet> => (await get(metadata.jwks_uri)).body

  const party: RelyingParty = {
    stop: service.stop,
    ...{ service, metadata, agent, other, newBrowser, keys },
    integration: agentOf(service.issuer, 'suite', undefined, callback),
    browser: newBrowser(),
    async authorize(parameters = {}, { browser = party.browser, agent: client = agent, isRefused = false } = {}) {
      const url = client.authorizationUrl({ scope: 'openid profile email', nonce: 'a-nonce', ...parameters })
      return complete(browser, await browser.open(url.href), isRefused)
    },
    async signIn(parameters = {}, how = {}) {
      const arrival = await party.authorize(parameters, how)
      const client = how.agent ?? agent
      expect(arrival.redirect.get('code'), `${arrival.redirect} ${arrival.page.html.slice(0, 500)}`).toBeTruthy()
      expect(arrival.redirect.get('iss')).toBe(service.issuer)
      expect(arrival.redirect.get('state')).toBe('state' in parameters ? (parameters.state ?? null) : 'a-state')
      const tokens = await client.redeem(arrival.page.leftFor as URL)
      expect(tokens).toMatchObject({ status: 200, body: { token_type: 'Bearer', expires_in: expect.any(Number) } })
      expect(tokens.headers.get('cache-control')).toContain('no-store')
      const { payload, protectedHeader } = await jwtVerify(tokens.body.id_token, createLocalJWKSet(await keys()), {
        issuer: service.issuer,
        audience: client.clientId,
        requiredClaims: ['sub', 'exp', 'iat'],
        currentDate: new Date(),
      })
      expect(payload.aud).toBe(client.clientId)
      expect(payload.nonce).toBe('nonce' in parameters ? parameters.nonce : 'a-nonce')
      expect(payload.sub).toMatch(/^[\x20-\x7e]{1,255}$/)
      return { ...arrival, tokens, claims: payload, header: protectedHeader }
    },
    userinfo: (accessToken) => withToken(metadata.userinfo_endpoint, accessToken),
  }
  await party.authorize()
  return party
}

async function complete(browser: Person, first: Page, isRefused: boolean): Promise<Arrival> {
  const steps: Arrival['steps'] = []
  let page = first
  while (!page.leftFor && page.status === 200 && steps.length < 5) {
    const step = page.html.includes('type="password"') ? 'sign-in' : 'consent'
    steps.push(step)
    if (step === 'sign-in') page = await browser.submit(page, /sign-in$/, { email, password })
    else page = await browser.submit(page, isRefused ? /refuse$/ : /consent$/)
  }
  // Errors of other response types are in the fragment.
  const { search = '', hash = '' } = page.leftFor ?? {}
  return { steps, page, redirect: new URLSearchParams(search || hash.slice(1)) }
}

/** Requires a page of the service in place of a redirect (no open redirector). */
export function expectErrorPage({ page, steps }: Arrival, error: string): void {
  expect([page.leftFor, page.status, steps]).toEqual([undefined, 400, []])
  expect(page.html).toContain(error)
}
