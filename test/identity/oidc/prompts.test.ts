// Proves OpenID Connect Core section 3.1.2.1: `prompt` accepts select_account and create, alone and combined; a long `state` comes back unchanged
// Proves OpenID Connect Core section 3.1.2.1: The authorization and the sign-out endpoint take forms of other sites, and redirect them to themselves alone

import { describe, expect, test } from 'vitest'
import { fieldsOf, sendAs, toConsent } from '../../security/browsing.ts'
import { createAgent, get, personCalled } from '../../support/agent.ts'
import { duringTests } from '../../support/duringTests.ts'
import { startService } from '../../support/service.ts'

const email = 'learner@example.org'
const service = duringTests(() => startService({ people: [{ email }] }))
const agent = duringTests(() => createAgent(service.issuer))

/** Returns the first page of a new browser, or of one in which the person is signed in. */
const firstPage = async (prompt: string, { isSignedIn = false } = {}) => {
  const person = personCalled(email)
  if (isSignedIn) await agent.tokens(person)
  return person.open(agent.authorizationUrl({ prompt }).href)
}

describe('prompt (OpenID Connect Core section 3.1.2.1)', () => {
  test('the metadata list its values (OpenID Connect Prompt Create section 4.1)', async () => {
    const { body } = await get(`${service.issuer}/.well-known/openid-configuration`)
    expect(body.prompt_values_supported).toEqual(['none', 'login', 'consent', 'select_account', 'create'])
  })

  test.each(['select_account', 'select_account consent', 'consent select_account', ' select_account  consent '])(
    '%j shows the account with a link to another sign-in, and leads to a code',
    async (prompt) => {
      const page = await firstPage(prompt, { isSignedIn: true })
      expect(page.html).toContain(email)
      expect(page.html).toContain('?account=other')
      expect((await firstPage(prompt)).html).toContain('type="password"')
      const redirect = await agent.send(personCalled(email), { prompt })
      expect(redirect.searchParams.get('code')).toBeTruthy()
    },
  )

  test('"login select_account" asks for the password again', async () => {
    expect((await firstPage('login select_account', { isSignedIn: true })).html).toContain('type="password"')
  })

  test.each(['create', 'create consent', 'select_account create'])('%j begins with the sign-up, which leads back', async (prompt) => {
    for (const isSignedIn of [false, true]) {
      const page = await firstPage(prompt, { isSignedIn })
      expect(page.url.pathname).toBe('/account/sign-up')
      const back = page.url.searchParams.get('return_to') ?? ''
      expect(back).toMatch(/^\/oauth\/interaction\/[\w-]+$/)
    }
    const person = personCalled(email)
    const signUp = await person.open(agent.authorizationUrl({ prompt }).href)
    const signIn = await person.open(new URL(signUp.url.searchParams.get('return_to') ?? '', service.issuer).href)
    expect(signIn.html).toContain('type="password"')
  })

  test.each(['none create', 'none select_account', 'select_account none', 'none login'])(
    '%j is an error: none is used alone',
    async (prompt) => {
      const { headers } = await get(agent.authorizationUrl({ prompt }).href)
      const redirect = new URL(headers.get('location') ?? '')
      expect([redirect.searchParams.get('error'), redirect.searchParams.get('state')]).toEqual(['invalid_request', 'a-state'])
    },
  )

  test.each(['selectAccount', 'admin', 'login admin'])('%j is not a value: the error reaches the app', async (prompt) => {
    const { headers } = await get(agent.authorizationUrl({ prompt }).href)
    expect(new URL(headers.get('location') ?? '').searchParams.get('error')).toBe('invalid_request')
  })
})

test.each([2372, 5000])('a state of %i characters comes back unchanged: the limit of the whole request decides', async (length) => {
  const state = 's'.repeat(length)
  const redirect = await agent.send(personCalled(email), { state, scope: 'openid' })
  expect(redirect.searchParams.get('state')).toBe(state)
  expect(redirect.searchParams.get('code')).toBeTruthy()
})

const post = (path: string, body: string | URLSearchParams, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(service.issuer + path, { method: 'POST', body, redirect: 'manual', headers: { accept: 'text/html', ...headers } })

describe('a form at an endpoint for browsers (OpenID Connect Core section 3.1.2.1, RP-Initiated Logout section 2)', () => {
  test('leads a signed-in browser to the consent page, although forms of other sites carry no SameSite cookie', async () => {
    const person = personCalled(email)
    await toConsent(agent, person, { email })
    const { status, headers } = await post('/oauth/authorize', agent.authorizationUrl().searchParams, {
      origin: 'https://rp.example',
      'sec-fetch-site': 'cross-site',
    })
    expect([status, headers.get('cache-control'), headers.getSetCookie()]).toEqual([303, 'no-store', []])
    const page = await person.open(new URL(headers.get('location') ?? '', service.issuer).href)
    expect(page.html).toContain('consent')
    expect(page.html).not.toContain('type="password"')
  })

  test('ends no session by itself: the person confirms, as after a link', async () => {
    const person = personCalled(email)
    await toConsent(agent, person, { email })
    const { headers } = await post('/oauth/logout', new URLSearchParams({ logout: 'yes', state: 'x' }), { origin: 'https://rp.example' })
    const page = await person.open(new URL(headers.get('location') ?? '', service.issuer).href)
    const { address, fields } = fieldsOf(page, /confirm$/)
    expect((await person.open(agent.authorizationUrl().href)).html).not.toContain('type="password"')
    fields.set('logout', 'yes')
    await sendAs(person, address, { fields })
    expect((await person.open(agent.authorizationUrl().href)).html).toContain('type="password"')
  })

  test.each(['/oauth/authorize', '/oauth/logout'])('never leaves the service: %s is redirected to itself alone', async (path) => {
    for (const body of [
      'redirect_uri=https://evil.example/',
      '@evil.example',
      '//evil.example/',
      '\r\nLocation: https://evil.example/\r\n\r\n',
      '%0d%0aSet-Cookie: a=b',
      '#https://evil.example',
      '',
    ]) {
      const { status, headers } = await post(path, body, { 'content-type': 'application/x-www-form-urlencoded' })
      const target = new URL(headers.get('location') ?? '', service.issuer)
      expect([status, target.origin, target.pathname, target.hash]).toEqual([303, service.issuer, path, ''])
      expect(headers.getSetCookie()).toEqual([])
    }
  })

  test('keeps repeated parameters, which are rejected then', async () => {
    const body = new URLSearchParams([...agent.authorizationUrl().searchParams, ['scope', 'openid']])
    const { headers } = await post('/oauth/authorize', body)
    const target = new URL(headers.get('location') ?? '', service.issuer)
    expect(target.searchParams.getAll('scope')).toHaveLength(2)
    const answer = await fetch(target, { redirect: 'manual' })
    expect(answer.status === 400 || answer.headers.get('location')?.includes('error=invalid_request')).toBe(true)
  })

  const unreadable: [string, unknown, string][] = [
    ['long', new URLSearchParams({ state: 'x'.repeat(6000) }), 'application/x-www-form-urlencoded'],
    ['very long', new URLSearchParams({ state: 'x'.repeat(100_000) }), 'application/x-www-form-urlencoded'],
    ...['application/json', 'text/plain', 'multipart/form-data; boundary=x'].map((type): [string, unknown, string] => [
      type,
      '{"client_id":"x"}',
      type,
    ]),
  ]

  test.each(unreadable)('of an authorization is limited in size and type, with a page or JSON: %s', async (_what, body, type) => {
    const status = body instanceof URLSearchParams ? 413 : 400
    for (const [accept, shown] of [
      ['text/html', 'html'],
      ['application/json', 'json'],
    ] as const) {
      const answer = await post('/oauth/authorize', String(body), { 'content-type': type, accept })
      expect([answer.status, answer.headers.get('content-type'), answer.headers.get('location')]).toEqual([
        status,
        expect.stringContaining(shown),
        null,
      ])
    }
  })

  test.each(unreadable)('of a sign-out leads to the confirmation, also if it cannot be read: %s', async (_what, body, type) => {
    const { status, headers } = await post('/oauth/logout', String(body), { 'content-type': type })
    expect([status, headers.get('location')]).toEqual([303, '/oauth/logout?'])
  })
})
