// Proves RFC 9110 section 15.5.16, RFC 9112 section 3.2: A body with a content coding is 415, and two Host headers are 400
// Proves RFC 3986 section 2.1, RFC 9207: Redirect URIs with broken escapes or response parameters are rejected
// Proves RFC 6749 section 5.2: Every error of the token endpoint names the fix; a disabled integration is not asked to register again
// Proves WCAG 3.3.1: After a failed sign-in the title says so and both fields are marked invalid

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { beforeAll, describe, expect, test } from 'vitest'
import { mailWarning } from '../../src/operate/serve/mailWarning.ts'
import { createBrowser, field } from '../pages/browser.ts'
import { lecturer, owner, pdf, startStorage } from '../school/files/storageService.ts'
import { agentOf, createAgent, get, personCalled, postJson } from '../support/agent.ts'
import { duringTests } from '../support/duringTests.ts'
import { until } from '../support/poll.ts'
import { requestBytes, sendRaw } from './rawHttp.ts'

describe('requests that are refused, and what is said and logged about them', () => {
  const service = duringTests(() =>
    startStorage({
      school: {
        integrations: [
          { client_id: 'sync', client_name: 'Sync', redirect_uris: ['https://sync.example.com/cb'] },
          { client_id: 'gone', client_name: 'Gone', redirect_uris: ['https://gone.example.com/cb'] },
        ],
      },
    }),
  )
  const agent = duringTests(() => createAgent(service.issuer))
  beforeAll(async () => {
    await service.database.sql.query("UPDATE oidc_client SET disabled_at = now(), disabled_by = 'operator' WHERE id = 'gone'", [])
  })

  const described = async (answer: Promise<{ status: number; body: { error: string; error_description: string } }>) => {
    const { status, body } = await answer
    return `${status} ${body.error} ${body.error_description}`
  }

  test('a body with a content coding is 415 wherever bodies are read (RFC 9110 section 15.5.16)', async () => {
    const { issuer } = service
    const json = { 'content-type': 'application/json' }
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const places: [method: string, path: string, type: Record<string, string>, body: string][] = [
      ['POST', '/api/oauth/register', json, '{"redirect_uris":["http://127.0.0.1/x"]}'],
      ['POST', '/api/oauth/token', form, 'grant_type=authorization_code'],
      ['POST', '/api/oauth/introspect', form, 'token=x'],
      ['POST', '/api/oauth/revoke', form, 'token=x'],
      ['POST', '/mcp', json, '{"jsonrpc":"2.0","id":1,"method":"ping"}'],
      ['PATCH', '/api/v1/account', json, '{}'],
      ['POST', '/api/v1/storage/files', { 'content-type': 'multipart/form-data; boundary=x' }, '--x--'],
      ['PUT', '/api/v1/storage/uploads/upl_01jgwejj00e6srgkpqm2sqf05m/content?expires=1&signature=x', {}, 'bytes'],
      ['POST', '/account/sign-in', form, 'email=x'],
      ['POST', '/oauth/interaction/x/sign-in', form, 'email=x'],
    ]
    for (const [method, path, type, body] of places) {
      for (const encoding of ['gzip', 'BR', 'identity, nonsense']) {
        const answer = await fetch(issuer + path, { method, body, headers: { ...type, 'content-encoding': encoding } })
        expect([path, encoding, answer.status, answer.headers.get('accept-encoding')]).toEqual([path, encoding, 415, 'identity'])
        await answer.text()
      }
      const plain = await fetch(issuer + path, { method, body, headers: { ...type, 'content-encoding': 'Identity' } })
      expect([path, plain.status]).not.toEqual([path, 415])
      await plain.text()
    }
    expect((await get(`${issuer}/api/v1/courses`, { 'content-encoding': 'gzip' })).status).toBe(200)
  })

  test('a request with two Host headers is 400 (RFC 9112 section 3.2)', async () => {
    const host = new URL(service.issuer).host
    for (const second of [host, 'evil.example']) {
      const [answer] = await sendRaw(service.issuer, requestBytes('GET', '/api/v1/courses', service.issuer, [`Host: ${second}`]))
      expect([answer?.status, JSON.parse(answer?.body ?? '{}').error]).toEqual([400, 'invalid_request'])
    }
  })

  test('a client that closes the connection during a download leaves no error in the log', async () => {
    const bytes = pdf(12_000_000)
    const file = await service.bring(owner, bytes, { filename: 'big.pdf', content_type: 'application/pdf', purpose: 'attachment' })
    expect(file.status).toBe(200)
    await service.database.sql.query("UPDATE file SET visibility = 'public'", [])
    const url = new URL(`/files/${file.json.id}/big.pdf`, service.issuer)
    const ways = [(socket: Socket) => socket.destroy(), (socket: Socket) => socket.resetAndDestroy()]
    for (const [count, close] of Array.from({ length: 20 }, () => ways)
      .flat()
      .entries()) {
      const socket = connect(Number(url.port), url.hostname)
      socket.write(requestBytes('GET', url.pathname + url.search, service.issuer))
      await once(socket, 'data')
      close(socket)
      const lines = () => service.log().split('client closed the connection').length - 1
      await until(() => lines() > count, { what: 'a line about the abort' })
    }
    expect(
      service
        .log()
        .split('\n')
        .filter((line) => line.startsWith('{"level":50')),
    ).toEqual([])
  })

  test('a registration is refused with the reason where a redirect URI has a broken escape or a parameter of the response', async () => {
    const register = (uri: string) => described(postJson(`${service.issuer}/api/oauth/register`, { redirect_uris: [uri] }))
    expect(await register('http://127.0.0.1:1/%zz')).toMatch(/^400 invalid_redirect_uri .*has a broken percent escape: write % as %25/)
    expect(await register('http://127.0.0.1:1/?code=x')).toMatch(/^400 invalid_redirect_uri .*has code in its query/)
  })

  test('a code that another client presents is called a code, and a refresh token a refresh token', async () => {
    const other = await createAgent(service.issuer)
    const redirect = await agent.send(personCalled(lecturer))
    const stolen = { code_verifier: agent.verifier }
    expect(await described(other.redeem(redirect, stolen))).toMatch(/^400 invalid_grant The authorization code is unknown/)
    const { body } = await agent.redeem(redirect)
    expect(await described(other.refresh(body.refresh_token))).toMatch(/^400 invalid_grant The refresh token is unknown/)
  })

  test('every error of the token endpoint names the fix', async () => {
    const { issuer } = service
    const nothing = { client_id: undefined }
    expect(await described(agent.post('/api/oauth/token', nothing))).toMatch(/^400 invalid_request client_id is missing\. Send it/)
    const code = { grant_type: 'authorization_code', redirect_uri: agent.redirectUri, code_verifier: agent.verifier }
    expect(await described(agent.post('/api/oauth/token', code))).toMatch(/^400 invalid_request code is missing\. It is in the redirect/)
    const refresh = { grant_type: 'refresh_token' }
    expect(await described(agent.post('/api/oauth/token', refresh))).toBe(
      `400 invalid_request Missing: refresh_token. ${issuer}/auth.md shows each request with its parameters.`,
    )
    const { body } = await agent.tokens(personCalled(lecturer), { scope: 'openid courses:read' })
    const others = agent.refresh(body.refresh_token, { scope: 'courses:write students:read' })
    expect(await described(others)).toMatch(/^400 invalid_scope scope .*Leave scope out/)
    expect((await agent.refresh(body.refresh_token)).status).toBe(200)
  })

  test('the error for a disabled integration does not say to register again', async () => {
    const gone = agentOf(service.issuer, 'gone', undefined, 'https://gone.example.com/cb')
    const refused = await described(gone.post('/api/oauth/token', { grant_type: 'refresh_token', refresh_token: 'x' }))
    expect(refused).toMatch(/^401 invalid_client The school has disabled this client\. .*auth\.md/)
    const page = await get(gone.authorizationUrl().href, { accept: 'text/html' })
    expect([page.status, page.body]).toEqual([400, expect.stringContaining('The school has disabled this app')])
    expect(page.body).not.toMatch(/Claude Code|api\/oauth\/register/)
    const unknown = agentOf(service.issuer, 'nobody', undefined, 'https://gone.example.com/cb')
    expect(await described(unknown.post('/api/oauth/token', { grant_type: 'refresh_token', refresh_token: 'x' }))).toContain(
      'Register again',
    )
  })

  test('the access log does not contain the id of an authorization request', async () => {
    const browser = createBrowser(service.issuer)
    const page = await browser.follow(await browser.get(agent.authorizationUrl().href))
    const uid = page.url.pathname.split('/').at(-1) as string
    await browser.post(`${page.url.pathname}/sign-in`, { csrf: field(page.html, 'csrf'), email: owner, password: 'wrong' })
    await browser.get(`/oauth/authorize/${uid}`)
    await browser.get(`/OAuth/Interaction/${uid}`)
    await until(async () => service.log().includes('/oauth/interaction/[removed]/sign-in'), { what: 'the lines of the requests' })
    expect(service.log()).not.toContain(uid)
  })

  test('after a failed sign-in the title says so and both fields are invalid, on both sign-in pages', async () => {
    const browser = createBrowser(service.issuer)
    const app = await browser.follow(await browser.get(agent.authorizationUrl().href))
    const own = await browser.get('/account/sign-in')
    for (const [page, action] of [
      [app, `${app.url.pathname}/sign-in`],
      [own, '/account/sign-in'],
    ] as const) {
      expect(page.html).not.toContain('aria-invalid')
      const failed = await browser.post(action, { csrf: field(page.html, 'csrf'), email: owner, password: 'wrong' })
      expect(failed.html).toMatch(/<title>Sign-in failed/)
      expect(failed.html.match(/aria-invalid="true"/g)).toHaveLength(2)
    }
  })
})

test('a public issuer without SMTP_URL gets a warning at start, and a loopback one does not', () => {
  expect(mailWarning(['http://127.0.0.1:3000', 'https://school.example.com'], undefined)).toMatch(
    /^SMTP_URL is not set and https:\/\/school\.example\.com is public: .* not sent, .*Set SMTP_URL\.$/,
  )
  expect(mailWarning(['http://127.0.0.1:3000', 'http://localhost:3000'], undefined)).toBeUndefined()
  expect(mailWarning(['https://school.example.com'], 'smtps://mail.example.com')).toBeUndefined()
})
