// Proves RFC 8414 section 2: The registration endpoint is advertised exactly when registration is enabled
// Proves RFC 7591 section 3.2.1: 201, not cached, with every effective value and the redirect URIs as sent
// Proves RFC 7591 section 3.2.1: A secret and its expiry for `client_secret_post`, none for `none`
// Proves RFC 7591 section 3.2.2: A redirect URI that is not loopback is `invalid_redirect_uri`, naming the URI and the fix
// Proves RFC 7591 section 3.2.2: Other errors are `invalid_client_metadata`; every input gets a JSON response and never 500
// Proves RFC 7591 section 3.2.1: Unsupported optional metadata are left out, and empty values count as absent
// Proves RFC 7591 section 2: Unknown members, ids and secrets in the request are ignored
// Proves RFC 7591 section 3: A credential sent with the request is ignored
// Proves OpenID Connect Registration section 2: The type is inferred as native; `web` is coerced to native and returned as such
// Proves RFC 7591 section 2: A registered scope does not limit later requests
// Proves RFC 7592: No registration access token is issued, and no management endpoint exists
// Proves RFC 6585 section 4: Too many registrations get 429 with Retry-After
// Proves RFC 7591 section 3.2.2: Every redirect URI that is not accepted is named with the fix for its kind

import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { registrationError } from '../../../src/identity/clients/registrationError.ts'
import { createAgent, get, postJson } from '../../support/agent.ts'
import { duringTests } from '../../support/duringTests.ts'
import { startService } from '../../support/service.ts'

const service = duringTests(() => startService())
let url: string
beforeAll(() => {
  url = `${service.issuer}/api/oauth/register`
})

const loopback = ['http://127.0.0.1:8765/callback']

describe('self-service registration (RFC 7591)', () => {
  test('returns 201 with every registered value, and must not be cached', async () => {
    const sent = { client_name: 'My CLI', application_type: 'native', redirect_uris: loopback, token_endpoint_auth_method: 'none' }
    const { status, headers, body } = await postJson(url, sent)
    expect(status).toBe(201)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(body).toEqual({
      ...sent,
      client_id: expect.stringMatching(/^cli_[0-9a-z]{26}$/),
      client_id_issued_at: expect.any(Number),
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      id_token_signed_response_alg: 'RS256',
    })
  })

  test.each([
    ['Claude Code, without a port', { client_name: 'Claude Code', redirect_uris: ['http://127.0.0.1/callback'] }],
    [
      'opencode',
      {
        client_name: 'opencode',
        redirect_uris: ['http://127.0.0.1:19876/mcp/oauth/callback'],
        client_uri: 'https://opencode.ai',
        software_id: 'x',
      },
    ],
    ['Copilot CLI', { client_name: 'GitHub Copilot CLI', redirect_uris: ['http://127.0.0.1:49152/'], scope: 'openid' }],
    [
      'an MCP client that registers all scopes and offline_access',
      { redirect_uris: loopback, scope: ' offline_access openid courses:read' },
    ],
    ['explicit nulls', { redirect_uris: loopback, client_name: null, logo_uri: null, scope: null }],
    [
      'a client that fills in every member with the empty value of its language',
      {
        redirect_uris: loopback,
        post_logout_redirect_uris: [],
        client_name: '',
        token_endpoint_auth_method: '',
        application_type: '',
        id_token_signed_response_alg: '',
        grant_types: [],
        response_types: [],
        scope: '',
      },
    ],
  ])('takes what %s sends', async (_name, metadata) => {
    expect(await postJson(url, metadata)).toMatchObject({ status: 201 })
  })

  test.each([
    [
      'a grant type for other deployments',
      { grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:jwt-bearer'] },
    ],
    ['device codes', { grant_types: ['urn:ietf:params:oauth:grant-type:device_code', 'authorization_code', 'refresh_token'] }],
    ['client credentials', { grant_types: ['client_credentials', 'refresh_token', 'authorization_code', 'authorization_code'] }],
    ['other response types', { response_types: ['code', 'none', 'code id_token'] }],
    ['another application type', { application_type: 'spa' }],
    ['an algorithm that the school does not sign with', { id_token_signed_response_alg: 'EdDSA' }],
    ['members of the wrong type that have no effect', { application_type: 7, id_token_signed_response_alg: {}, scope: ['openid'] }],
  ])('leaves out %s, and the response shows what applies (RFC 7591 section 3.2.1)', async (_name, metadata) => {
    const { status, body } = await postJson(url, { redirect_uris: loopback, ...metadata })
    expect([status, body]).toEqual([
      201,
      {
        client_id: expect.any(String),
        client_id_issued_at: expect.any(Number),
        application_type: 'native',
        redirect_uris: loopback,
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        id_token_signed_response_alg: 'RS256',
      },
    ])
  })

  test('does not add refresh tokens to a client that asks for codes only', async () => {
    const { body } = await postJson(url, { redirect_uris: loopback, grant_types: ['authorization_code', 'implicit'] })
    expect(body.grant_types).toEqual(['authorization_code'])
  })

  test('takes as many redirect URIs and as long a name as the limits say, and not one more', () => {
    const rules = {
      loopbackHosts: ['127.0.0.1'],
      maxRedirectUris: 5,
      docsUrl: 'https://school.example/auth.md',
      issuer: 'https://school.example',
    }
    const uris = (count: number) => Array.from({ length: count }, (_, index) => `http://127.0.0.1:8765/${index}`)
    expect(registrationError({ redirect_uris: uris(5) }, rules)).toBeUndefined()
    expect(registrationError({ redirect_uris: uris(6) }, rules)).toMatchObject({ error: 'invalid_redirect_uri' })
    const redirect_uris = uris(1)
    expect(registrationError({ redirect_uris, client_name: 'n'.repeat(200) }, rules)).toBeUndefined()
    expect(registrationError({ redirect_uris, client_name: 'n'.repeat(201) }, rules)).toMatchObject({ error: 'invalid_client_metadata' })
    expect(registrationError({ redirect_uris, post_logout_redirect_uris: uris(6) }, rules)).toMatchObject({
      error: 'invalid_client_metadata',
    })
  })

  test('echoes redirect URIs exactly', async () => {
    const redirect_uris = ['http://127.0.0.1/', 'http://127.0.0.1:80/', 'http://127.0.0.1:1/a%20b?x=1&y=2']
    expect((await postJson(url, { redirect_uris })).body.redirect_uris).toEqual(redirect_uris)
  })

  test('returns a secret once to a client that requests client_secret_post, and to no other client', async () => {
    const { body } = await postJson(url, { redirect_uris: loopback, token_endpoint_auth_method: 'client_secret_post' })
    expect(body.client_secret).toMatch(/^[\w-]{43}$/)
    expect(body.client_secret_expires_at).toBe(0)
    expect((await postJson(url, { redirect_uris: loopback })).body).not.toHaveProperty('client_secret')
    const [row] = await service.database.sql.query('SELECT metadata::text AS text FROM oidc_client WHERE id = $1', [body.client_id])
    expect(row?.text).not.toContain(body.client_secret)
    expect(row?.text).toContain('sha256:')
  })

  test('web is coerced to native, and said so', async () => {
    expect((await postJson(url, { redirect_uris: loopback, application_type: 'web' })).body.application_type).toBe('native')
  })

  test('issues no registration access token, and nothing answers below the endpoint', async () => {
    const { body } = await postJson(url, { redirect_uris: loopback })
    expect(body).not.toHaveProperty('registration_access_token')
    expect(body).not.toHaveProperty('registration_client_uri')
    for (const method of ['GET', 'PUT', 'DELETE']) {
      expect((await fetch(`${url}/${body.client_id}`, { method, headers: { authorization: 'Bearer x' } })).status).toBe(404)
    }
  })

  test('ignores a credential that is sent along', async () => {
    for (const authorization of ['Bearer garbage', 'Bearer', 'Basic eDp5', 'x'.repeat(3000)]) {
      expect((await postJson(url, { redirect_uris: loopback }, { authorization })).status).toBe(201)
    }
  })

  test('neither stores nor echoes members that make the server fetch or link something (D12)', async () => {
    const { status, body } = await postJson(url, {
      redirect_uris: loopback,
      client_id: 'mine',
      client_secret: 'mine',
      jwks_uri: 'http://127.0.0.1:9/',
      sector_identifier_uri: 'http://127.0.0.1:9/',
      logo_uri: 'javascript:alert(1)',
      client_uri: 'http://169.254.169.254/',
      initiate_login_uri: 'https://evil.example',
      default_max_age: 0,
      require_auth_time: true,
      __proto__: { polluted: true },
    })
    expect(status).toBe(201)
    expect(Object.keys(body).filter((name) => /uri$|max_age|auth_time|polluted/.test(name))).toEqual([])
    expect(body.client_id).not.toBe('mine')
  })
})

describe('errors name the cause and the fix', () => {
  test.each([
    [
      'a fixed HTTPS callback',
      { redirect_uris: ['https://app.example.com/cb'] },
      'invalid_redirect_uri',
      /https:\/\/app\.example\.com\/cb.*docs\.example\.com/,
    ],
    [
      'a mixed list',
      { redirect_uris: ['https://vscode.dev/redirect', 'http://127.0.0.1/'] },
      'invalid_redirect_uri',
      /vscode\.dev.*remove them and register the others/,
    ],
    ['localhost, which is not on by default', { redirect_uris: ['http://localhost:1/cb'] }, 'invalid_redirect_uri', /127\.0\.0\.1:<port>/],
    ['no redirect URI', {}, 'invalid_redirect_uri', /at least one loopback address such as http:\/\/127\.0\.0\.1:8765\/callback/],
    ['an empty list', { redirect_uris: [] }, 'invalid_redirect_uri', /at least one/],
    ['text for a list', { redirect_uris: 'http://127.0.0.1/' }, 'invalid_redirect_uri', /must be a list/],
    ['too many', { redirect_uris: Array(200).fill('http://127.0.0.1/') }, 'invalid_redirect_uri', /at most \d+/],
    [
      'another auth method',
      { redirect_uris: loopback, token_endpoint_auth_method: 'client_secret_basic' },
      'invalid_client_metadata',
      /none .* or client_secret_post/,
    ],
    ['only another response type', { redirect_uris: loopback, response_types: ['token'] }, 'invalid_client_metadata', /code/],
    ['text for the response types', { redirect_uris: loopback, response_types: 'code' }, 'invalid_client_metadata', /list/],
    ['an empty text for the redirect URIs', { redirect_uris: '' }, 'invalid_redirect_uri', /must be a list/],
    ['another grant type', { redirect_uris: loopback, grant_types: ['password'] }, 'invalid_client_metadata', /authorization_code/],
    ['a name of 50 kB', { redirect_uris: loopback, client_name: 'x'.repeat(20_000) }, 'invalid_client_metadata', /client_name/],
    ['a name that is not text', { redirect_uris: loopback, client_name: { toString: 1 } }, 'invalid_client_metadata', /client_name/],
    [
      'a logout address elsewhere',
      { redirect_uris: loopback, post_logout_redirect_uris: ['https://evil.example'] },
      'invalid_client_metadata',
      /post_logout/,
    ],
  ])('%s', async (_name, metadata, error, description) => {
    const { status, headers, body } = await postJson(url, metadata, { accept: 'text/html' })
    expect([status, body.error]).toEqual([400, error])
    expect(body.error_description).toMatch(description)
    expect(body.error_description).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/)
    expect(headers.get('content-type')).toContain('application/json')
  })

  test('every redirect URI that is not accepted is named, with a way out for its kind', async () => {
    const { status, body } = await postJson(url, {
      redirect_uris: [
        'http://localhost:54545/callback',
        'http://[::1]:54545/callback',
        'https://app.example.com/cb',
        'https://vscode.dev/redirect',
        'http://app.example.com/cb',
        'cursor://anysphere.cursor-mcp/oauth/callback',
        'javascript:alert(1)',
        'http://127.0.0.1:8765/callback#done',
        'http://127.0.0.1:8765/callback',
      ],
    })
    expect([status, body.error]).toEqual([400, 'invalid_redirect_uri'])
    const text: string = body.error_description
    expect(text).toContain('contains 8 addresses')
    for (const part of [
      "'http://localhost:54545/callback', 'http://[::1]:54545/callback': this school does not accept the loopback host localhost and [::1]. Use 127.0.0.1 instead, or ask the school to add the host to registration.loopback_hosts",
      "'https://app.example.com/cb', 'https://vscode.dev/redirect': an HTTPS callback needs a registered integration. Ask the school",
      "'http://app.example.com/cb': http:// leads to another computer",
      "'cursor://anysphere.cursor-mcp/oauth/callback': any app can claim a private-use scheme, so it needs a registered integration",
      "'javascript:alert(1)': this scheme cannot receive a redirect",
      "'http://127.0.0.1:8765/callback#done': has a fragment. Correct the address",
      'remove them and register the others',
      `MCP clients: ${service.issuer}/mcp needs no sign-in, so connect without one`,
      `${service.issuer}/docs/apps`,
    ])
      expect(text).toContain(part)
    expect(text.match(/'http:\/\/127\.0\.0\.1:8765\/callback'/g)).toBeNull()
  })

  test.each([
    ['http://localhost:1/cb#x', /has a fragment/],
    ['https://localhost:1/cb', /has https:\/\/ before a loopback host/],
    ['http://127.0.0.2:1/cb', /is not of the form http:\/\/127\.0\.0\.1/],
    ['http://127.0.0.1.evil.example/cb', /leads to another computer/],
    ['no address', /Correct the address/],
    ['urn:ietf:wg:oauth:2.0:oob', /this scheme cannot receive a redirect/],
    ['com.example.app:/callback', /private-use scheme/],
  ])('the text for %s names its error', async (uri, text) => {
    expect((await postJson(url, { redirect_uris: [uri] })).body.error_description).toMatch(text)
  })

  test('the texts name the loopback hosts that the operator has allowed', async () => {
    const open = await startService({ oauth: { registration: { loopback_hosts: ['127.0.0.1', 'localhost'] } } })
    try {
      const { body } = await postJson(`${open.issuer}/api/oauth/register`, {
        redirect_uris: ['http://localhost:1/cb', 'http://[::1]:1/cb', 'https://a.example/'],
      })
      expect(body.error_description).toContain('http://127.0.0.1:<port>/<path> or http://localhost:<port>/<path>')
      expect(body.error_description).toContain("'http://[::1]:1/cb': this school does not accept the loopback host [::1]")
      expect(body.error_description).not.toContain("'http://localhost:1/cb'")
    } finally {
      await open.stop()
    }
  })

  test.each([
    ['', 400],
    ['{', 400],
    ['null', 400],
    ['[]', 400],
    ['"text"', 400],
    ['7', 400],
    ['{"redirect_uris":', 400],
    [`{"client_name":"${'x'.repeat(60_000)}"}`, 413],
    [`{"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}`, 400],
  ])('body %j', async (body, status) => {
    const got = await postJson(url, body)
    expect(got.status).toBe(status)
    expect(got.body.error).toMatch(/^[a-z_]+$/)
  })

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', ''])('content type %j', async (type) => {
    const response = await fetch(url, {
      method: 'POST',
      body: Buffer.from(JSON.stringify({ redirect_uris: loopback })),
      headers: type ? { 'content-type': type } : {},
    })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      error: 'invalid_request',
      error_description: expect.stringContaining('application/json'),
    })
  })

  test('whatever is sent, the answer is 201 or a 4xx in JSON, and the service lives (D15, CVE-2026-9803)', async () => {
    const wild = fc.oneof(
      fc.json(),
      fc.string({ unit: 'binary' }),
      fc
        .record({
          redirect_uris: fc.oneof(fc.constant(loopback), fc.array(fc.string({ unit: 'binary' })), fc.anything()),
          client_name: fc.anything(),
          grant_types: fc.anything(),
        })
        .map((value) => JSON.stringify(value)),
      fc
        .dictionary(fc.constantFrom('__proto__', 'constructor', 'toString', 'redirect_uris', 'scope'), fc.anything())
        .map((value) => JSON.stringify(value)),
    )
    await fc.assert(
      fc.asyncProperty(wild, fc.constantFrom('Bearer', 'Bearer \u0001', 'Basic ====', 'x'), async (body, authorization) => {
        const response = await fetch(url, {
          method: 'POST',
          body,
          headers: { 'content-type': 'application/json', authorization: authorization.replace('\u0001', '%') },
        })
        expect(response.status === 201 || (response.status >= 400 && response.status < 500)).toBe(true)
        await response.json()
      }),
      { numRuns: 150 },
    )
    expect((await get(`${service.issuer}/.well-known/openid-configuration`)).status).toBe(200)
  })
})

test('a registered scope is not a limit: the client can request any scope later', async () => {
  const { body } = await postJson(url, { redirect_uris: loopback, scope: 'openid nonsense courses:read' })
  expect(body.scope).toBe('openid courses:read')
  const agent = await createAgent(service.issuer, { scope: 'openid' })
  const response = await get(agent.authorizationUrl({ scope: 'openid school:read' }).href)
  expect(response.headers.get('location')).toContain('/oauth/interaction/')
})

test('where registration is off it is neither advertised nor served', async () => {
  const closed = await startService({ oauth: { registration: { enabled: false } } })
  try {
    expect((await get(`${closed.issuer}/.well-known/openid-configuration`)).body).not.toHaveProperty('registration_endpoint')
    expect((await postJson(`${closed.issuer}/api/oauth/register`, { redirect_uris: loopback })).status).toBe(404)
  } finally {
    await closed.stop()
  }
})

test('a flood from one address meets 429 with Retry-After, and another address is not held up (D14)', async () => {
  const limited = await startService({
    isLimited: true,
    server: { trusted_proxies: ['loopback'], rate_limits: { registration: { requests: 5, window_seconds: 60 } } },
  })
  try {
    const register = (from: string) =>
      postJson(`${limited.issuer}/api/oauth/register`, { redirect_uris: loopback }, { 'x-forwarded-for': from })
    const flood = await Promise.all(Array.from({ length: 12 }, () => register('198.51.100.7')))
    expect(flood.filter(({ status }) => status === 201)).toHaveLength(5)
    const refused = flood.find(({ status }) => status === 429)
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(refused?.body.error).toBe('rate_limited')
    expect((await register('203.0.113.9')).status).toBe(201)
  } finally {
    await limited.stop()
  }
})
