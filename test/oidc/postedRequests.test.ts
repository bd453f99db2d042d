// Proves OpenID Connect Core section 3.1.2.1: The authorization and the sign-out endpoint take forms of other sites, and redirect them to themselves alone

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fieldsOf, sendAs, toConsent } from '../security/browsing.ts'
import { type Agent, createAgent, personCalled } from '../support/agent.ts'
import { startService, type TestService } from '../support/service.ts'

const email = 'learner@example.org'
let service: TestService
let agent: Agent
beforeAll(async () => {
  service = await startService()
  await service.addPerson({ email })
  agent = await createAgent(service.issuer)
})
afterAll(() => service.stop())

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

  test.each(['/oauth/authorize', '/oauth/logout'])('is limited in size and type at %s, with a page or JSON', async (path) => {
    const long = await post(path, new URLSearchParams({ state: 'x'.repeat(6000) }))
    expect([long.status, long.headers.get('content-type'), long.headers.get('location')]).toEqual([
      413,
      expect.stringContaining('html'),
      null,
    ])
    expect((await post(path, new URLSearchParams({ state: 'x'.repeat(100_000) }))).status).toBe(413)
    for (const type of ['application/json', 'text/plain', 'multipart/form-data; boundary=x']) {
      const answer = await post(path, '{"client_id":"x"}', { 'content-type': type, accept: 'application/json' })
      expect([answer.status, ((await answer.json()) as { error: string }).error]).toEqual([400, 'invalid_request'])
    }
  })
})
