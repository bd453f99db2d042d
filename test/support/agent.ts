import { createHash, randomBytes } from 'node:crypto'
import { resources, scopeCatalogue } from '../../src/school/index.ts'
import { type Choice, createPerson, type Person } from './person.ts'
import { password } from './service.ts'

export interface Answer {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came
  body: any
}

/** A client as its own code sees the service: register, send a person, redeem, refresh, call. Raw HTTP, so that it can also do it wrong. */
export interface Agent {
  issuer: string
  clientId: string
  clientSecret: string | undefined
  redirectUri: string
  /** The address to send a person to. A value of `undefined` leaves the parameter out. */
  authorizationUrl(parameters?: Record<string, string | undefined>): URL
  /** Signs a person in and consents. Returns the final URL of the browser. */
  send(person: Person, parameters?: Record<string, string | undefined>, choice?: Choice): Promise<URL>
  /** Redeems the code of a redirect. */
  redeem(redirect: URL, parameters?: Record<string, string | undefined>): Promise<Answer>
  refresh(refreshToken: string, parameters?: Record<string, string | undefined>): Promise<Answer>
  /** A form request as this client. */
  post(path: string, parameters: Record<string, string | undefined>, headers?: Record<string, string>): Promise<Answer>
  /** Runs the whole flow and returns the tokens. */
  tokens(person: Person, parameters?: Record<string, string | undefined>, choice?: Choice): Promise<Answer>
  verifier: string
}

export const allScopes = scopeCatalogue(resources)
  .map(({ name }) => name)
  .join(' ')

/** Registers a client and returns it. */
export async function createAgent(issuer: string, metadata: object = {}): Promise<Agent> {
  const redirectUri = 'http://127.0.0.1:53682/callback'
  const registration = await postJson(`${issuer}/api/oauth/register`, {
    client_name: 'Test agent',
    redirect_uris: [redirectUri],
    ...metadata,
  })
  if (registration.status !== 201) throw new Error(`registration failed: ${registration.status} ${JSON.stringify(registration.body)}`)
  return agentOf(issuer, registration.body.client_id, registration.body.client_secret, redirectUri)
}

/** A client that is already registered. */
export function agentOf(issuer: string, clientId: string, clientSecret: string | undefined, redirectUri: string): Agent {
  const verifier = randomBytes(32).toString('base64url')
  const credentials = { client_id: clientId, client_secret: clientSecret }
  const agent: Agent = {
    issuer,
    clientId,
    clientSecret,
    redirectUri,
    verifier,
    authorizationUrl(parameters = {}) {
      const all = {
        response_type: 'code',
        client_id: clientId,
        redirect_uri: redirectUri,
        scope: 'openid profile email school:read courses:read account:read',
        code_challenge: challengeOf(verifier),
        code_challenge_method: 'S256',
        state: 'a-state',
        ...parameters,
      }
      return new URL(`${issuer}/oauth/authorize?${new URLSearchParams(defined(all))}`)
    },
    send: (person, parameters, choice) => person.authorize(agent.authorizationUrl(parameters).href, choice),
    redeem: (redirect, parameters = {}) =>
      agent.post('/api/oauth/token', {
        grant_type: 'authorization_code',
        code: redirect.searchParams.get('code') ?? undefined,
        redirect_uri: redirectUri,
        code_verifier: verifier,
        ...parameters,
      }),
    refresh: (refreshToken, parameters = {}) =>
      agent.post('/api/oauth/token', { grant_type: 'refresh_token', refresh_token: refreshToken, ...parameters }),
    post: (path, parameters, headers = {}) =>
      answer(fetch(issuer + path, { method: 'POST', body: new URLSearchParams(defined({ ...credentials, ...parameters })), headers })),
    async tokens(person, parameters, choice) {
      const redirect = await agent.send(person, parameters, choice)
      if (!redirect.searchParams.get('code')) throw new Error(`no code: ${redirect}`)
      return agent.redeem(redirect)
    },
  }
  return agent
}

/** Creates a person who signs in with the password of every test account. */
export const personCalled = (email: string, more: { userAgent?: string } = {}): Person => createPerson({ email, password, ...more })

const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url')

export function postJson(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  return answer(
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    }),
  )
}

export function get(url: string, headers: Record<string, string> = {}): Promise<Answer> {
  return answer(fetch(url, { headers, redirect: 'manual' }))
}

export const withToken = (url: string, token: string): Promise<Answer> => get(url, { authorization: `Bearer ${token}` })

/** Parses a response: JSON by its content type, otherwise text. */
export async function answer(response: Promise<Response>): Promise<Answer> {
  const { status, headers, ...rest } = await response.then(async (got) => ({
    status: got.status,
    headers: got.headers,
    text: await got.text(),
  }))
  return { status, headers, body: headers.get('content-type')?.includes('json') ? JSON.parse(rest.text) : rest.text }
}

function defined(parameters: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined))
}
