// Proves RP-Initiated Logout sections 2, 3: Every module of RP-Initiated OP passes: registered addresses only, no session ends without the person

import { generateKeyPair, SignJWT } from 'jose'
import { expect } from 'vitest'
import { fieldsOf, sendAs } from '../security/browsing.ts'
import { duringTests } from '../support/duringTests.ts'
import type { Page, Person } from '../support/person.ts'
import { passes, testProfile } from './profile.ts'
import { logoutModules } from './publishedModules.ts'
import { afterLogout, startRelyingParty } from './relyingParty.ts'

const party = duringTests(() => startRelyingParty())

interface Session {
  browser: Person
  idToken: string
}

/** A normal authorization, with which every module begins. */
async function newSession(): Promise<Session> {
  const browser = party.newBrowser()
  const { tokens } = await party.signIn({}, { browser })
  return { browser, idToken: tokens.body.id_token }
}

const logout = ({ browser }: Session, parameters: Record<string, string>): Promise<Page> =>
  browser.open(`${party.metadata.end_session_endpoint}?${new URLSearchParams(parameters)}`)

/** The person confirms the sign-out. Returns where the browser is sent. */
async function confirmed({ browser }: Session, page: Page): Promise<URL> {
  const { address, fields } = fieldsOf(page, /confirm$/)
  fields.set('logout', 'yes')
  const { headers } = await sendAs(browser, address, { fields })
  return new URL(headers.get('location') ?? '', page.url)
}

/** Returns the error of prompt=none, with which the suite checks whether the browser is signed in. */
const silentError = async ({ browser }: Session): Promise<string | null> =>
  (await party.authorize({ prompt: 'none' }, { browser })).redirect.get('error')

/** The sign-out with these parameters leads to the registered address. */
async function endsAt(parameters: (idToken: string) => Record<string, string>, target: string): Promise<void> {
  const session = await newSession()
  expect((await confirmed(session, await logout(session, parameters(session.idToken)))).href).toBe(target)
  expect(await silentError(session)).toBe('login_required')
}

/** The service shows an error or asks for confirmation, and never redirects to the requested address. */
async function staysHere(parameters: (idToken: string) => Promise<Record<string, string>> | Record<string, string>): Promise<void> {
  const session = await newSession()
  const page = await logout(session, await parameters(session.idToken))
  expect(page.leftFor).toBeUndefined()
  expect([200, 400]).toContain(page.status)
  // A request alone ends no session.
  expect(await silentError(session)).toBe('interaction_required')
  if (page.status !== 200) return
  expect((await confirmed(session, page)).href).toBe(`${party.service.issuer}/oauth/logout/success`)
}

/** Without an address the sign-out ends on a page of the service. */
async function endsHere(parameters: (idToken: string) => Record<string, string>): Promise<void> {
  const session = await newSession()
  const end = await confirmed(session, await logout(session, parameters(session.idToken)))
  expect(end.href).toBe(`${party.service.issuer}/oauth/logout/success`)
  expect((await session.browser.open(end.href)).status).toBe(200)
  expect(await silentError(session)).toBe('login_required')
}

const target = { post_logout_redirect_uri: afterLogout }

testProfile('RP-Initiated OP', logoutModules, {
  party: () => party,
  modules: {
    'oidcc-rp-initiated-logout-discovery-endpoint-verification': passes(async ({ metadata, browser }) => {
      expect(metadata.end_session_endpoint).toMatch(new RegExp(`^${metadata.issuer}/`))
      // GET and POST (RP-Initiated Logout section 2). A form is redirected to the same parameters.
      const body = new URLSearchParams({ state: 'a b' })
      const response = await fetch(metadata.end_session_endpoint, { method: 'POST', body, redirect: 'manual' })
      const query = new URL(response.headers.get('location') ?? '', metadata.issuer)
      expect([response.status, query.href]).toEqual([303, `${metadata.end_session_endpoint}?state=a+b`])
      expect((await browser.open(query.href)).status).toBe(200)
    }),
    'oidcc-rp-initiated-logout': passes(async () =>
      endsAt((idToken) => ({ ...target, id_token_hint: idToken, state: 'a state' }), `${afterLogout}?state=a+state`),
    ),
    'oidcc-rp-initiated-logout-bad-post-logout-redirect-uri': passes(async () =>
      staysHere((idToken) => ({ id_token_hint: idToken, post_logout_redirect_uri: 'https://rp.example/other', state: 'x' })),
    ),
    'oidcc-rp-initiated-logout-modified-id-token-hint': passes(async () =>
      staysHere((idToken) => {
        const [, payload] = idToken.split('.')
        const none = Buffer.from('{"alg":"none"}').toString('base64url')
        return { ...target, id_token_hint: `${none}.${payload}.`, state: 'x' }
      }),
    ),
    'oidcc-rp-initiated-logout-no-id-token-hint': passes(async () => staysHere(() => ({ ...target, state: 'x' }))),
    'oidcc-rp-initiated-logout-no-params': passes(async () => endsHere(() => ({}))),
    'oidcc-rp-initiated-logout-no-post-logout-redirect-uri': passes(async () =>
      endsHere((idToken) => ({ id_token_hint: idToken, state: 'x' })),
    ),
    'oidcc-rp-initiated-logout-no-state': passes(async () => endsAt((idToken) => ({ ...target, id_token_hint: idToken }), afterLogout)),
    'oidcc-rp-initiated-logout-only-state': passes(async () => endsHere(() => ({ state: 'x' }))),
    'oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri': passes(async () =>
      staysHere((idToken) => ({ id_token_hint: idToken, post_logout_redirect_uri: `${afterLogout}?foo=bar`, state: 'x' })),
    ),
    'oidcc-rp-initiated-logout-bad-id-token-hint': passes(async ({ metadata, agent }) => {
      const { privateKey } = await generateKeyPair('RS256')
      const forged = await new SignJWT({ sub: 'a', nonce: 'a' })
        .setProtectedHeader({ alg: 'RS256', kid: 'forged' })
        .setIssuer(metadata.issuer)
        .setAudience(agent.clientId)
        .setIssuedAt()
        .setExpirationTime('5m')
        .sign(privateKey)
      await staysHere(() => ({ ...target, id_token_hint: forged, state: 'x' }))
    }),
  },
})
