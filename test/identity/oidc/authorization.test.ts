// Proves MCP authorization: A write scope does not include the read scope
// Proves RFC 9207 section 2: `iss` is in every redirect, errors included
// Proves RFC 8252 section 7.3: Redirect URIs are compared exactly, except for the port of a loopback address
// Proves RFC 6749 section 3.3: `resource` is optional; a missing or unknown scope is `invalid_scope`
// Proves OpenID Connect Core section 11: `offline_access` is never required
// Proves RFC 9700 section 2.1.1: Every client needs PKCE, and a downgrade is rejected
// Proves RFC 9700 section 2.1.2, 2.4: No implicit grant, no password grant, no response type but `code`
// Proves RFC 9700 section 4.12: Redirects are 302 or 303
// Proves RFC 9700 section 4.11: Errors redirect to registered addresses only
// Proves RFC 6749 section 3.1: A repeated parameter is rejected, except `resource`
// Proves RFC 6749 section 4.1.2: `state` is returned as sent, and not at all if it was absent

import { describe, expect, test } from 'vitest'
import { createAgent, get, personCalled, withToken } from '../../support/agent.ts'
import { duringTests } from '../../support/duringTests.ts'
import { startService } from '../../support/service.ts'

const service = duringTests(() =>
  startService({ people: [{ email: 'learner@example.org' }, { email: 'owner@example.org', role: 'owner' }] }),
)
const agent = duringTests(() => createAgent(service.issuer))

const learner = () => personCalled('learner@example.org')

describe('on the way back to the client', () => {
  test('a success carries code, iss and the state of the request, unchanged (RFC 9207)', async () => {
    const state = 'a+b c/=&#%ü"'
    const redirect = await agent.send(learner(), { state })
    expect(redirect.origin + redirect.pathname).toBe(agent.redirectUri)
    expect(redirect.searchParams.get('iss')).toBe(service.issuer)
    expect(redirect.searchParams.get('state')).toBe(state)
    expect([...redirect.searchParams.keys()].toSorted()).toEqual(['code', 'iss', 'state'])
  })

  test('a missing state stays missing: PKCE alone protects such clients', async () => {
    const redirect = await agent.send(learner(), { state: undefined })
    expect([...redirect.searchParams.keys()].toSorted()).toEqual(['code', 'iss'])
  })

  test('any port of the loopback address is good, as registered in all else (RFC 8252 section 7.3)', async () => {
    const redirect = await agent.send(learner(), { redirect_uri: 'http://127.0.0.1:1/callback' })
    expect(redirect.origin).toBe('http://127.0.0.1:1')
    expect(redirect.searchParams.get('code')).toBeTruthy()
  })

  test('a person who declines sends the client access_denied with iss and state', async () => {
    const redirect = await agent.send(learner(), {}, { refuse: true })
    expect(redirect.searchParams.get('error')).toBe('access_denied')
    expect(redirect.searchParams.get('iss')).toBe(service.issuer)
    expect(redirect.searchParams.get('state')).toBe('a-state')
    expect(redirect.searchParams.has('code')).toBe(false)
  })
})

describe('errors reach the client by redirect, with iss and state', () => {
  test.each([
    ['no scope', { scope: undefined }, 'invalid_scope', /scope is required/],
    ['an empty scope', { scope: ' ' }, 'invalid_scope', /scope is required/],
    ['offline_access alone', { scope: 'offline_access' }, 'invalid_scope', /scope is required/],
    ['an unknown scope', { scope: 'openid courses:reed' }, 'invalid_scope', /courses:reed/],
    ['no challenge', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request', /PKCE/],
    ['a challenge without its method', { code_challenge_method: undefined }, 'invalid_request', /./],
    ['the method plain', { code_challenge_method: 'plain' }, 'invalid_request', /code_challenge_method/],
    ['an empty challenge', { code_challenge: '' }, 'invalid_request', /./],
    ['a challenge of 42 characters', { code_challenge: 'a'.repeat(42) }, 'invalid_request', /./],
    ['a challenge of 129 characters', { code_challenge: 'a'.repeat(129) }, 'invalid_request', /./],
    ['a challenge with other characters', { code_challenge: '!'.repeat(43) }, 'invalid_request', /./],
    ['no response type', { response_type: undefined }, 'invalid_request', /response_type/],
    ['another response mode', { response_mode: 'fragment' }, 'unsupported_response_mode', /query/],
    ['an unknown resource', { resource: 'https://elsewhere.example' }, 'invalid_target', /issues tokens for/],
    ['a resource that is not a URI', { resource: 'courses' }, 'invalid_target', /./],
    ['prompt=none before anybody signed in (D25)', { prompt: 'none' }, 'login_required', /./],
  ])('%s', async (_name, parameters, error, description) => {
    const { status, headers } = await get(agent.authorizationUrl(parameters).href)
    const redirect = new URL(headers.get('location') as string)
    expect([302, 303]).toContain(status)
    expect(redirect.href.startsWith(agent.redirectUri)).toBe(true)
    expect(redirect.searchParams.get('error')).toBe(error)
    expect(redirect.searchParams.get('error_description')).toMatch(description)
    expect(redirect.searchParams.get('iss')).toBe(service.issuer)
    expect(redirect.searchParams.get('state')).toBe('a-state')
  })

  test('response_type token gets nothing', async () => {
    const { headers } = await get(agent.authorizationUrl({ response_type: 'token' }).href)
    expect(headers.get('location')).toContain('error=unsupported_response_type')
  })

  test('and reach the operator in the log, with the error and the request', async () => {
    const before = service.log().length
    const { headers } = await get(agent.authorizationUrl({ scope: 'openid courses:reed' }).href)
    const lines = service.log().slice(before).split('\n')
    const line = lines.find((one) => one.includes('authorization refused')) ?? '{}'
    expect(JSON.parse(line)).toMatchObject({ error: 'invalid_scope', request_id: headers.get('request-id') })
  })

  test('confidential clients need S256 too', async () => {
    const confidential = await createAgent(service.issuer, { token_endpoint_auth_method: 'client_secret_post' })
    const { headers } = await get(confidential.authorizationUrl({ code_challenge: undefined, code_challenge_method: undefined }).href)
    expect(headers.get('location')).toContain('error=invalid_request')
  })

  test('with require_state a missing state is one of them', async () => {
    const strict = await startService({ oauth: { require_state: true } })
    try {
      const other = await createAgent(strict.issuer)
      const { headers } = await get(other.authorizationUrl({ state: undefined }).href)
      expect(new URL(headers.get('location') as string).searchParams.get('error')).toBe('invalid_request')
      const fine = await get(other.authorizationUrl().href)
      expect(fine.headers.get('location')).toContain('/oauth/interaction/')
    } finally {
      await strict.stop()
    }
  })
})

describe('errors without a verified redirect URI stay on a local page: no open redirector (D7)', () => {
  test.each([
    ['an unknown client', { client_id: 'cli_nobody' }, 'invalid_client'],
    ['no client', { client_id: undefined }, 'invalid_request'],
    ['another redirect URI', { redirect_uri: 'https://evil.example/cb' }, 'invalid_redirect_uri'],
    ['another path on loopback', { redirect_uri: 'http://127.0.0.1:53682/other' }, 'invalid_redirect_uri'],
    ['localhost for 127.0.0.1', { redirect_uri: 'http://localhost:53682/callback' }, 'invalid_redirect_uri'],
    ['no redirect URI', { redirect_uri: undefined }, 'invalid_request'],
    ['userinfo in front', { redirect_uri: 'http://127.0.0.1:53682@evil.example/callback' }, 'invalid_redirect_uri'],
  ])('%s', async (_name, parameters, error) => {
    for (const more of [{}, { scope: 'nonsense' }, { code_challenge: undefined }, { response_type: 'token' }]) {
      const { status, headers, body } = await get(agent.authorizationUrl({ ...more, ...parameters }).href, { accept: 'text/html' })
      expect([status, headers.get('location')]).toEqual([400, null])
      expect(headers.get('content-type')).toContain('text/html')
      if (Object.keys(more).length === 0) expect(body).toContain(`error=${error}`)
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    }
  })

  test('the page for another redirect URI shows what was asked for and what is registered', async () => {
    const { body } = await get(agent.authorizationUrl({ redirect_uri: 'http://127.0.0.1:1/other' }).href, { accept: 'text/html' })
    expect(body).toContain('http://127.0.0.1:1/other')
    expect(body).toContain(agent.redirectUri)
  })

  test('a repeated parameter is refused', async () => {
    const url = agent.authorizationUrl()
    url.searchParams.append('scope', 'openid')
    const { status, headers } = await get(url.href)
    expect(status === 400 || headers.get('location')?.includes('error=invalid_request')).toBe(true)
  })
})

describe('the scopes that a person grants', () => {
  test('scopes that the role cannot use are never granted, even if the form names them (D18)', async () => {
    const { status, body } = await agent.tokens(
      learner(),
      { scope: 'openid school:read school:write courses:write orders:read' },
      { scopes: 'all' },
    )
    expect(status).toBe(200)
    expect(body.scope.split(' ').toSorted()).toEqual(['openid', 'orders:read', 'school:read'])
    const owner = await agent.tokens(personCalled('owner@example.org'), { scope: 'openid school:write courses:write' }, { scopes: 'all' })
    expect(owner.body.scope.split(' ').toSorted()).toEqual(['courses:write', 'openid', 'school:write'])
  })

  test('each scope can be left out, and the token names the remaining ones', async () => {
    const { body } = await agent.tokens(learner(), { scope: 'openid profile email courses:read' }, { scopes: ['openid', 'courses:read'] })
    expect(body.scope.split(' ').toSorted()).toEqual(['courses:read', 'openid'])
  })

  test('nothing left is access_denied', async () => {
    const redirect = await agent.send(learner(), { scope: 'courses:read' }, { scopes: [] })
    expect(redirect.searchParams.get('error')).toBe('access_denied')
  })

  test('offline_access is tolerated, and neither shown nor granted', async () => {
    const person = learner()
    const page = await person.open(agent.authorizationUrl({ scope: 'openid  offline_access courses:read' }).href)
    expect(page.html).not.toContain('offline_access')
    const { body } = await agent.tokens(person, { scope: 'openid  offline_access courses:read' }, { scopes: 'all' })
    expect(body.scope.split(' ').toSorted()).toEqual(['courses:read', 'openid'])
    expect(body.refresh_token).toBeTruthy()
  })

  test('a write scope does not bring the read scope along: the challenge names the scope that is missing', async () => {
    const { body } = await agent.tokens(personCalled('owner@example.org'), { scope: 'courses:write' }, { scopes: 'all' })
    const refused = await withToken(`${service.issuer}/api/v1/courses`, body.access_token)
    expect([refused.status, refused.body.error]).toEqual([403, 'insufficient_scope'])
    expect(refused.headers.get('www-authenticate')).toContain('scope="courses:read"')
  })

  test('a native client is confirmed every time, and prompt=none never gives a code (D25)', async () => {
    const person = learner()
    await agent.tokens(person)
    const page = await person.open(agent.authorizationUrl().href)
    expect(page.leftFor).toBeUndefined()
    const silent = await person.open(agent.authorizationUrl({ prompt: 'none' }).href)
    expect(silent.leftFor?.searchParams.has('code')).toBe(false)
    expect(silent.leftFor?.searchParams.get('error')).toMatch(/interaction_required|consent_required/)
  })
})

test('redirects are 302 or 303, never 307, and are not cached', async () => {
  const { status, headers } = await get(agent.authorizationUrl().href)
  expect([302, 303]).toContain(status)
  expect(headers.get('cache-control')).toContain('no-store')
  expect(headers.get('referrer-policy')).toBe('no-referrer')
})
