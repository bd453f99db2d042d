// Proves RFC 6750 section 3, RFC 9728 section 5.1: An invalid token gets 401 `invalid_token` with a pointer to the metadata
// Proves RFC 8707 section 2: A token bound to another resource is rejected
// Proves RFC 9700 section 4.3.2: A token in the query is ignored and not logged
// Proves RFC 6750 section 3.1: Every presented credential has a defined outcome; another scheme counts as an invalid token
// Proves RFC 6750 section 2.1: Tokens look like no JWT, and tokens that were issued with dots stay valid
// Proves RFC 6750 section 2.2: UserInfo accepts the token in the form or in the header, with any body; two tokens are refused
// Proves RFC 9700 section 2.2: Access tokens expire after one hour by default
// Proves RFC 8707 section 2: `resource` is accepted at the authorization and token endpoints; an unknown one is `invalid_target`
// Proves RFC 8707 section 2.2: A refresh with a wrong resource does not consume the token
// Proves RFC 9700 section 4.5: A code works once; a replay without its verifier ends its tokens
// Proves RFC 6749 section 4.1.3: The redirect URI of the token request must equal that of the authorization request
// Proves RFC 6749 section 3.2: The token endpoint accepts POST with forms only; other content types get a JSON error
// Proves RFC 6749 section 5.2: Failed client authentication is `invalid_client`; an expired or revoked refresh token is `invalid_grant`
// Proves RFC 6749 section 2.3.1: Clients authenticate only as registered, never in the query
// Proves RFC 6749 section 5.1: The token response contains type, lifetime and scope

import { createHash } from 'node:crypto'
import { decodeJwt } from 'jose'
import { beforeAll, describe, expect, test } from 'vitest'
import { operationsIn, resources } from '../../../src/school/index.ts'
import { requestBytes, sendRaw } from '../../security/rawHttp.ts'
import { type Answer, answer, createAgent, get, personCalled, withToken } from '../../support/agent.ts'
import { duringTests } from '../../support/duringTests.ts'
import type { Person } from '../../support/person.ts'
import { startService } from '../../support/service.ts'

const service = duringTests(() => startService({ people: [{ email: 'learner@example.org' }] }))
const agent = duringTests(() => createAgent(service.issuer))
let person: Person
beforeAll(() => {
  person = personCalled('learner@example.org')
})

const account = (token: string): Promise<Answer> => withToken(`${service.issuer}/api/v1/account`, token)
const userinfo = (token: string): Promise<Answer> => withToken(`${service.issuer}/api/oauth/userinfo`, token)

describe('a code', () => {
  test('becomes an access token, a refresh token and an ID token, and the answer is not cached', async () => {
    const { status, headers, body } = await agent.tokens(person, { scope: 'openid email courses:read', nonce: 'n-1' })
    expect(status).toBe(200)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 3600, scope: 'openid email courses:read' })
    expect(decodeJwt(body.id_token)).toMatchObject({ iss: service.issuer, aud: agent.clientId, nonce: 'n-1', email: 'learner@example.org' })
    expect(decodeJwt(body.id_token)).not.toHaveProperty('name')
  })

  test('is good once; presented again without its verifier it ends the tokens that followed (D2, RFC 9700 section 4.5)', async () => {
    const redirect = await agent.send(person)
    const { body: tokens } = await agent.redeem(redirect)
    expect((await account(tokens.access_token)).status).toBe(200)
    expect(await agent.redeem(redirect, { code_verifier: undefined })).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    expect((await account(tokens.access_token)).status).toBe(401)
    expect((await agent.refresh(tokens.refresh_token)).body.error).toBe('invalid_grant')
    const [row] = await service.database.sql.query("SELECT count(*)::int AS n FROM audit_log WHERE event = 'code.replayed'")
    expect(row?.n).toBeGreaterThan(0)
  })

  test.each([
    ['a wrong verifier', { code_verifier: 'x'.repeat(43) }, 'invalid_grant', /code_verifier .* does not match/],
    ['no verifier', { code_verifier: undefined }, 'invalid_grant', /code_verifier/],
    ['a malformed verifier', { code_verifier: 'short' }, 'invalid_request', /code_verifier/],
    ['another redirect URI', { redirect_uri: 'http://127.0.0.1:1/callback' }, 'invalid_grant', /redirect_uri/],
    [
      'no redirect URI',
      { redirect_uri: undefined },
      'invalid_request',
      /^redirect_uri is missing\. Send the redirect_uri of the authorization/,
    ],
    ['another code', { code: 'nonsense' }, 'invalid_grant', /Send the person/],
    ['an unknown grant type', { grant_type: 'password' }, 'unsupported_grant_type', /authorization_code or refresh_token/],
    ['no grant type', { grant_type: undefined }, 'invalid_request', /grant_type/],
    ['an unknown resource', { resource: 'https://elsewhere.example' }, 'invalid_target', /./],
  ])('is refused with %s, and is not spent by that', async (_name, parameters, error, description) => {
    const redirect = await agent.send(person)
    const refused = await agent.redeem(redirect, parameters)
    expect([refused.status, refused.body.error]).toEqual([400, error])
    expect(refused.body.error_description).toMatch(description)
    expect(refused.headers.get('cache-control')).toBe('no-store')
    expect((await agent.redeem(redirect)).status).toBe(200)
  })

  test('cannot be redeemed by another client (D20)', async () => {
    const other = await createAgent(service.issuer)
    const redirect = await agent.send(person)
    const stolen = await other.redeem(redirect, { code_verifier: agent.verifier })
    expect([stolen.status, stolen.body.error]).toEqual([400, 'invalid_grant'])
    expect((await agent.redeem(redirect)).status).toBe(200)
  })
})

describe('clients authenticate as registered, and in no other way', () => {
  test('a confidential client by its secret in the form', async () => {
    const confidential = await createAgent(service.issuer, { token_endpoint_auth_method: 'client_secret_post' })
    const redirect = await confidential.send(person)
    expect(await confidential.redeem(redirect, { client_secret: undefined })).toMatchObject({
      status: 401,
      body: { error: 'invalid_client' },
    })
    expect(await confidential.redeem(redirect, { client_secret: 'wrong' })).toMatchObject({
      status: 401,
      body: { error: 'invalid_client' },
    })
    expect(await confidential.redeem(redirect)).toMatchObject({ status: 200 })
  })

  test('a public client does not invent a secret', async () => {
    expect(await agent.redeem(await agent.send(person), { client_secret: 'invented' })).toMatchObject({
      status: 401,
      body: { error: 'invalid_client' },
    })
  })

  test('Basic is refused at every endpoint that authenticates', async () => {
    const confidential = await createAgent(service.issuer, { token_endpoint_auth_method: 'client_secret_post' })
    const authorization = `Basic ${Buffer.from(`${confidential.clientId}:${confidential.clientSecret}`).toString('base64')}`
    for (const path of ['/api/oauth/token', '/api/oauth/revoke', '/api/oauth/introspect']) {
      const refused = await answer(
        fetch(service.issuer + path, {
          method: 'POST',
          body: new URLSearchParams({ token: 'x', grant_type: 'refresh_token', refresh_token: 'x' }),
          headers: { authorization },
        }),
      )
      expect([path, refused.status, refused.body.error]).toEqual([path, 401, 'invalid_client'])
      expect(refused.headers.get('www-authenticate')).toMatch(/^Basic /)
      expect(refused.body.error_description).toContain('form body')
    }
  })

  test('any other scheme in the Authorization header authenticates no client and is ignored (RFC 6749 section 2.3)', async () => {
    const confidential = await createAgent(service.issuer, { token_endpoint_auth_method: 'client_secret_post' })
    const post = (path: string, parameters: Record<string, string>, authorization: string) =>
      confidential.post(path, parameters, { authorization })
    let { body: tokens } = await confidential.tokens(person)
    for (const authorization of [
      `Bearer ${tokens.access_token}`,
      'Bearer expired',
      'bearer',
      '',
      'Negotiate YII',
      'DPoP x',
      'Basically x',
    ]) {
      const refreshed = await post('/api/oauth/token', { grant_type: 'refresh_token', refresh_token: tokens.refresh_token }, authorization)
      expect([authorization, refreshed.status]).toEqual([authorization, 200])
      tokens = refreshed.body
      const introspected = await post('/api/oauth/introspect', { token: tokens.access_token }, authorization)
      expect([authorization, introspected.body.active]).toEqual([authorization, true])
    }
    // It is not a credential either: the form decides alone.
    for (const client_secret of ['', 'wrong']) {
      const refused = await post('/api/oauth/introspect', { token: 'x', client_secret }, `Bearer ${tokens.access_token}`)
      expect([refused.status, refused.body.error]).toEqual([401, 'invalid_client'])
    }
    expect((await post('/api/oauth/revoke', { token: tokens.refresh_token }, 'Bearer expired')).status).toBe(200)
  })

  test('two ways to authenticate are refused, also in two headers (RFC 6749 section 2.3)', async () => {
    const confidential = await createAgent(service.issuer, { token_endpoint_auth_method: 'client_secret_post' })
    const credentials = Buffer.from(`${confidential.clientId}:${confidential.clientSecret}`).toString('base64')
    const form = new URLSearchParams({ token: 'x', client_id: confidential.clientId, client_secret: String(confidential.clientSecret) })
    for (const path of ['/api/oauth/token', '/api/oauth/revoke', '/api/oauth/introspect']) {
      for (const lines of [
        [`Authorization: Basic ${credentials}`],
        [`Authorization: bAsIc\t${credentials}`],
        ['Authorization: Basic'],
        ['Authorization: Bearer x', `Authorization: Basic ${credentials}`],
      ]) {
        const type = 'Content-Type: application/x-www-form-urlencoded'
        const [refused] = await sendRaw(service.issuer, requestBytes('POST', path, service.issuer, [type, ...lines], `${form}`))
        expect([path, lines, refused?.status, refused?.head]).toEqual([
          path,
          lines,
          401,
          expect.stringMatching(/^www-authenticate: Basic /im),
        ])
      }
      const twice = await confidential.post(path, {
        token: 'x',
        client_assertion: 'x',
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      })
      expect([path, twice.status >= 400]).toEqual([path, true])
    }
  })

  test('introspection of a token of somebody else is inactive, whatever its form, and not of a client without credentials (RFC 7662 section 2.2)', async () => {
    const confidential = await createAgent(service.issuer, { token_endpoint_auth_method: 'client_secret_post' })
    const { body: tokens } = await confidential.tokens(person)
    const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
    const foreign = `${part({ alg: 'RS256', typ: 'at+jwt' })}.${part({ iss: 'https://elsewhere.example', sub: '1' })}.c2ln`
    const respelled = tokens.access_token.replaceAll('~', '.')
    for (const token of [
      tokens.id_token,
      foreign,
      `${foreign}.x.y`,
      respelled,
      `${tokens.access_token}.`,
      'a.b.c',
      '.',
      'x'.repeat(20_000),
    ]) {
      const { status, body } = await confidential.post('/api/oauth/introspect', { token })
      expect([token.slice(0, 40), status, body]).toEqual([token.slice(0, 40), 200, { active: false }])
      const refused = await confidential.post('/api/oauth/introspect', { token, client_secret: 'wrong' })
      expect([refused.status, refused.body.error]).toEqual([401, 'invalid_client'])
    }
    expect((await confidential.post('/api/oauth/introspect', { token: tokens.access_token })).body.active).toBe(true)
    const twice = new URLSearchParams([
      ['token', foreign],
      ['token', tokens.access_token],
      ['client_id', confidential.clientId],
    ])
    twice.set('client_secret', String(confidential.clientSecret))
    expect((await fetch(`${service.issuer}/api/oauth/introspect`, { method: 'POST', body: twice })).status).toBe(400)
  })

  test('the error for an unknown client says to register again', async () => {
    const refused = await agent.post('/api/oauth/token', { grant_type: 'refresh_token', refresh_token: 'x', client_id: 'cli_gone' })
    expect([refused.status, refused.body.error]).toEqual([401, 'invalid_client'])
    expect(refused.body.error_description).toContain('/api/oauth/register')
  })
})

describe('the token endpoint', () => {
  test('answers other methods with 405 and Allow, in JSON', async () => {
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const refused = await answer(fetch(`${service.issuer}/api/oauth/token`, { method, headers: { accept: 'text/html' } }))
      expect([refused.status, refused.body.error]).toEqual([405, 'method_not_allowed'])
      expect(refused.headers.get('allow')).toContain('POST')
    }
  })

  test.each(['application/json', 'text/plain', 'multipart/form-data', 'a/b, c/d', ';;;', ''])(
    'refuses content type %j in JSON, whatever Accept says',
    async (type) => {
      const headers: Record<string, string> = { accept: 'text/html', ...(type ? { 'content-type': type } : {}) }
      const refused = await answer(fetch(`${service.issuer}/api/oauth/token`, { method: 'POST', body: Buffer.from('{}'), headers }))
      expect([refused.status, refused.body.error]).toEqual([400, 'invalid_request'])
    },
  )

  test('refuses secrets in the address, and does not log them (D23)', async () => {
    const response = await fetch(`${service.issuer}/api/oauth/token?refresh_token=planted-in-the-address&client_id=${agent.clientId}`, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'refresh_token' }),
    })
    expect(response.status).toBe(400)
    expect(service.log()).not.toContain('planted-in-the-address')
  })

  test('refuses a repeated parameter', async () => {
    const body = new URLSearchParams([
      ['grant_type', 'refresh_token'],
      ['refresh_token', 'a'],
      ['refresh_token', 'b'],
      ['client_id', agent.clientId],
    ])
    const refused = await answer(fetch(`${service.issuer}/api/oauth/token`, { method: 'POST', body }))
    expect([refused.status, refused.body.error]).toEqual([400, 'invalid_request'])
  })

  test('refuses a body above its limit with 413', async () => {
    expect((await agent.post('/api/oauth/token', { grant_type: 'x'.repeat(40_000) })).status).toBe(413)
  })

  test('lets a browser of any origin ask', async () => {
    const preflight = await fetch(`${service.issuer}/api/oauth/token`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://inspector.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type',
      },
    })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*')
    const refused = await agent.post(
      '/api/oauth/token',
      { grant_type: 'refresh_token', refresh_token: 'x' },
      { origin: 'https://inspector.example' },
    )
    expect(refused.headers.get('access-control-allow-origin')).toBe('*')
    expect(refused.headers.has('access-control-allow-credentials')).toBe(false)
  })
})

describe('resource indicators (RFC 8707)', () => {
  const introspect = (token: string) => agent.post('/api/oauth/introspect', { token })

  test.each([
    ['in neither request', undefined, undefined, undefined],
    ['at authorization only', '', undefined, ''],
    ['at the token request only', undefined, '', ''],
    ['in both', '', '', ''],
    ['in both, for /mcp', '/mcp', '/mcp', '/mcp'],
    ['with a slash and upper case', 'SLASH', 'SLASH', ''],
  ])('%s', async (_name, atAuthorization, atToken, bound) => {
    const resourceOf = (path: string | undefined) =>
      path === undefined ? undefined : path === 'SLASH' ? `${service.issuer.replace('http', 'HTTP')}/` : service.issuer + path
    const redirect = await agent.send(person, { resource: resourceOf(atAuthorization) })
    const { status, body } = await agent.redeem(redirect, { resource: resourceOf(atToken) })
    expect(status).toBe(200)
    const { body: output } = await introspect(body.access_token)
    expect(output.aud).toBe(bound === undefined ? undefined : service.issuer + bound)
    const refreshed = await agent.refresh(body.refresh_token)
    expect((await introspect(refreshed.body.access_token)).body.aud).toBe(output.aud)
  })

  test('a token for /mcp is accepted at UserInfo and not at the API, and the error names the right resource', async () => {
    const { body } = await agent.tokens(person, { resource: `${service.issuer}/mcp` })
    expect((await userinfo(body.access_token)).status).toBe(200)
    const refused = await account(body.access_token)
    expect([refused.status, refused.body.error]).toEqual([401, 'invalid_token'])
    expect(refused.body.error_description).toContain(`resource=${service.issuer} `)
  })

  test('a refresh for another resource is invalid_target and does not burn the token', async () => {
    const { body } = await agent.tokens(person, { resource: service.issuer })
    const refused = await agent.refresh(body.refresh_token, { resource: `${service.issuer}/mcp` })
    expect([refused.status, refused.body.error]).toEqual([400, 'invalid_target'])
    expect((await agent.refresh(body.refresh_token)).status).toBe(200)
  })
})

describe('UserInfo', () => {
  test('says what profile and email name, and nothing else', async () => {
    const { body } = await agent.tokens(person, { scope: 'openid profile email' })
    const { body: claims } = await userinfo(body.access_token)
    expect(claims).toEqual({
      sub: expect.stringMatching(/^acc_/),
      name: 'learner',
      updated_at: expect.any(Number),
      email: 'learner@example.org',
      email_verified: true,
    })
    const { body: little } = await agent.tokens(person, { scope: 'openid' })
    expect((await userinfo(little.access_token)).body).toEqual({ sub: claims.sub })
  })

  test('without a token: 403 without a challenge, naming the scope', async () => {
    const refused = await get(`${service.issuer}/api/oauth/userinfo`)
    expect([refused.status, refused.body.error, refused.headers.has('www-authenticate')]).toEqual([403, 'access_denied', false])
    expect(refused.body.details[0].meta.required_scope).toBe('openid')
  })

  test('without openid: 403 insufficient_scope with the pointer', async () => {
    const { body } = await agent.tokens(person, { scope: 'courses:read' })
    const refused = await userinfo(body.access_token)
    expect([refused.status, refused.body.error]).toEqual([403, 'insufficient_scope'])
    expect(refused.headers.get('www-authenticate')).toContain('scope="openid"')
    expect(refused.headers.get('www-authenticate')).toContain(`resource_metadata="${service.issuer}/.well-known/oauth-protected-resource"`)
  })
})

describe('UserInfo by POST', () => {
  const posted = (init: RequestInit) => answer(fetch(`${service.issuer}/api/oauth/userinfo`, { method: 'POST', ...init }))
  const form = (...tokens: string[]) => new URLSearchParams(tokens.map((token): [string, string] => ['access_token', token]))
  let token: string
  let other: string
  beforeAll(async () => {
    token = (await agent.tokens(person)).body.access_token
    other = (await agent.tokens(person)).body.access_token
  })

  test('accepts the token in the form (RFC 6750 section 2.2), and in the header with a body of any kind', async () => {
    const authorization = `Bearer ${token}`
    const requests: RequestInit[] = [
      { body: form(token) },
      { body: form('', token) },
      { body: form(token, token), headers: { authorization } },
      { headers: { authorization } },
      ...['application/json', 'application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data', 'no type'].map((type) => ({
        headers: { authorization, 'content-type': type },
        body: '{"scope":',
      })),
      { headers: { authorization }, body: new FormData() },
    ]
    for (const request of requests) expect(await posted(request)).toMatchObject({ status: 200, body: { email: 'learner@example.org' } })
  })

  test('refuses two tokens, and a token of the form that is malformed, unknown or in a body of another type', async () => {
    for (const request of [{ body: form(token, other) }, { body: form(other), headers: { authorization: `Bearer ${token}` } }]) {
      const { status, body } = await posted(request)
      expect([status, body.error]).toEqual([400, 'invalid_request'])
      expect(body.error_description).toMatch(/access_token names several tokens/)
    }
    for (const wrong of ['garbage', 'garbagegarbagegarbage', `${token} `, `${token}\r\nx: y`, 'é'.repeat(20)]) {
      const { status, body, headers } = await posted({ body: form(wrong) })
      expect([wrong, status, body.error]).toEqual([wrong, 401, 'invalid_token'])
      expect(headers.get('www-authenticate')).toContain('resource_metadata=')
    }
    const json = await posted({ body: JSON.stringify({ access_token: token }), headers: { 'content-type': 'application/json' } })
    expect([json.status, json.headers.has('www-authenticate')]).toEqual([403, false])
    expect((await posted({ body: form('x'.repeat(40_000)) })).status).toBe(413)
  })

  test('the API accepts tokens in the header alone', async () => {
    const { status } = await answer(fetch(`${service.issuer}/api/v1/account`, { method: 'PATCH', body: form(token) }))
    expect(status).not.toBe(200)
  })
})

describe.each(['/api/oauth/userinfo', '/api/v1/account', '/mcp'])('the header of a request to %s', (path) => {
  test('may have several spaces after Bearer (RFC 9110 section 11.4), and Bearer in any case', async () => {
    const { body } = await agent.tokens(person)
    const message = path === '/mcp' ? { method: 'POST', body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' } : {}
    for (const start of ['Bearer  ', 'bearer     ', 'BEARER ']) {
      const authorization = start + body.access_token
      const headers = { authorization, 'content-type': 'application/json' }
      expect([start, (await fetch(service.issuer + path, { headers, ...message })).status]).toEqual([start, 200])
    }
  })
})

describe('tokens', () => {
  test('look like no JWT: no token and no code has a dot', async () => {
    const redirect = await agent.send(person)
    const { body } = await agent.redeem(redirect)
    for (const value of [redirect.searchParams.get('code'), body.access_token, body.refresh_token]) {
      expect(value).toMatch(/^[\w-]+~[\w-]+~[\w-]+$/)
      expect(() => decodeJwt(value)).toThrow()
    }
  })

  test('that were issued with dots stay valid until they expire, and are revoked like others', async () => {
    // Such tokens are made here by renaming rows, so all of them must be in the database.
    const own = await startService({ redis: false })
    try {
      await own.addPerson({ email: 'learner@example.org' })
      const client = await createAgent(own.issuer)
      const { body } = await client.tokens(personCalled('learner@example.org'))
      const earlier = async (token: string): Promise<string> => {
        const dotted = token.replaceAll('~', '.')
        const ids = [token, dotted].map((text) => createHash('sha256').update(text).digest('base64url'))
        expect(await own.database.sql.query('UPDATE oidc_artifact SET id = $2 WHERE id = $1 RETURNING 1 AS one', ids)).toHaveLength(1)
        return dotted
      }
      const statusAt = async (path: string, token: string) => (await withToken(`${own.issuer}${path}`, token)).status
      const [access, refresh] = [await earlier(body.access_token), await earlier(body.refresh_token)]
      expect([await statusAt('/api/v1/account', access), await statusAt('/api/oauth/userinfo', access)]).toEqual([200, 200])
      expect((await client.post('/api/oauth/introspect', { token: refresh })).body.active).toBe(true)
      const { body: next } = await client.refresh(refresh)
      expect(next.refresh_token).toContain('~')
      expect((await client.post('/api/oauth/revoke', { token: access })).status).toBe(200)
      expect([await statusAt('/api/v1/account', access), await statusAt('/api/v1/account', next.access_token)]).toEqual([401, 401])
    } finally {
      await own.stop()
    }
  })
})

describe.each(['/api/oauth/userinfo', '/api/v1/account', '/api/v1/courses', '/api/v1/school'])(
  'a bad credential at %s is 401 with the pointer (D24)',
  (path) => {
    test.each([
      'Bearer',
      'Bearer ',
      'Bearer garbage',
      'bearer garbagegarbagegarbage',
      'Bearer a b',
      'Basic eDp5',
      'Digest x',
      'x',
      'Bearer é',
      `Bearer ${'x'.repeat(5000)}`,
    ])('%j', async (authorization) => {
      const refused = await get(service.issuer + path, { authorization })
      expect([refused.status, refused.body.error]).toEqual([401, 'invalid_token'])
      expect(refused.headers.get('www-authenticate')).toMatch(/^Bearer error="invalid_token", /)
      expect(refused.headers.get('www-authenticate')).toContain(
        `resource_metadata="${service.issuer}/.well-known/oauth-protected-resource"`,
      )
    })
  },
)

test('a bad token is 401 with the pointer at every operation, whatever else is wrong', async () => {
  for (const { method, path } of operationsIn(resources)) {
    const response = await fetch(`${service.issuer}${path.replaceAll(/\{\w+\}/g, 'x')}?no_such=1`, {
      method,
      headers: { authorization: 'Bearer garbage', 'if-match': 'unquoted', 'content-type': 'text/plain' },
      ...(method !== 'GET' && { body: '{' }),
    })
    const { error } = (await response.json()) as { error: string }
    expect([method, path, response.status, error]).toEqual([method, path, 401, 'invalid_token'])
    expect(response.headers.get('www-authenticate')).toMatch(/^Bearer error="invalid_token", .*resource_metadata="/)
  }
})

test('a token in the address is not looked at', async () => {
  const { body } = await agent.tokens(person)
  const anonymous = await get(`${service.issuer}/api/oauth/userinfo?access_token=${body.access_token}`)
  expect([anonymous.status, anonymous.headers.has('www-authenticate')]).toEqual([403, false])
  expect(service.log()).not.toContain(body.access_token)
})
