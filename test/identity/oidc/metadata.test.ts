// Proves RFC 9728 section 2: Protected resource metadata name at least one authorization server
// Proves RFC 9728 section 3.1: The metadata are served at the root and at the path of `/mcp`
// Proves RFC 9728 section 3.3: `resource` is exactly the identifier from which the metadata URL was built
// Proves RFC 9728 section 2: The metadata list a baseline of scopes: never an empty list, never `offline_access`
// Proves MCP authorization: The baseline is small, because clients request all of it
// Proves RFC 8414 section 3: Both metadata documents are served at their URLs and at the aliases for `/mcp`, with the same content
// Proves RFC 8414 section 3.3, RFC 9207 section 2.4: The issuer is the same string everywhere and does not depend on headers
// Proves RFC 7636 section 4.2: S256 is the only challenge method, in both documents
// Proves client-id-metadata-document section 5: Client ID metadata documents are advertised exactly when they are enabled
// Proves RFC 8414 section 2: `none` and `client_secret_post` are the authentication methods
// Proves RFC 8414 section 2: Every advertised endpoint answers; the self-check reports a school where one does not
// Proves RFC 8414 section 2, RFC 9728 section 4: The metadata name the authentication methods of revocation and introspection, the protected resources, and existing policy pages

import { describe, expect, test } from 'vitest'
import { allScopes, createAgent, get, personCalled, postJson } from '../../support/agent.ts'
import { duringTests } from '../../support/duringTests.ts'
import { until } from '../../support/poll.ts'
import { startService } from '../../support/service.ts'

const service = duringTests(() => startService())

const authorizationServer = [
  '/.well-known/oauth-authorization-server',
  '/.well-known/openid-configuration',
  '/.well-known/oauth-authorization-server/mcp',
  '/.well-known/openid-configuration/mcp',
]

describe('authorization server metadata (RFC 8414, OpenID Connect Discovery)', () => {
  test('are the same bytes at every address', async () => {
    const texts = await Promise.all(authorizationServer.map(async (path) => (await fetch(service.issuer + path)).text()))
    expect(new Set(texts).size).toBe(1)
  })

  test('name the issuer byte-exact and every endpoint under it', async () => {
    const { body } = await get(service.issuer + authorizationServer[0])
    expect(body).toMatchObject({
      issuer: service.issuer,
      registration_endpoint: `${service.issuer}/api/oauth/register`,
      authorization_endpoint: `${service.issuer}/oauth/authorize`,
      token_endpoint: `${service.issuer}/api/oauth/token`,
      userinfo_endpoint: `${service.issuer}/api/oauth/userinfo`,
      revocation_endpoint: `${service.issuer}/api/oauth/revoke`,
      introspection_endpoint: `${service.issuer}/api/oauth/introspect`,
      jwks_uri: `${service.issuer}/api/oauth/jwks`,
      end_session_endpoint: `${service.issuer}/oauth/logout`,
    })
  })

  test('promise exactly what is offered', async () => {
    const { body } = await get(service.issuer + authorizationServer[0])
    expect(body).toMatchObject({
      response_types_supported: ['code'],
      response_modes_supported: ['query', 'form_post'],
      prompt_values_supported: ['none', 'login', 'consent', 'select_account', 'create'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none', 'client_secret_post'],
      revocation_endpoint_auth_methods_supported: ['none', 'client_secret_post'],
      introspection_endpoint_auth_methods_supported: ['none', 'client_secret_post'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: false,
      request_uri_parameter_supported: false,
    })
    expect(body).not.toHaveProperty('agent_auth')
    expect(body).not.toHaveProperty('pushed_authorization_request_endpoint')
    expect(body).not.toHaveProperty('dpop_signing_alg_values_supported')
  })

  test('never leave the authentication method of an endpoint to the default, which is refused here (RFC 8414 section 2)', async () => {
    const { body } = await get(service.issuer + authorizationServer[0])
    for (const endpoint of ['token', 'revocation', 'introspection']) {
      expect(body).toHaveProperty(`${endpoint}_endpoint`)
      const agent = await createAgent(service.issuer, { token_endpoint_auth_method: 'client_secret_post' })
      expect(body[`${endpoint}_endpoint_auth_methods_supported`]).not.toContain('client_secret_basic')
      const credentials = Buffer.from(`${agent.clientId}:${agent.clientSecret}`).toString('base64')
      const basic = await fetch(body[`${endpoint}_endpoint`], {
        method: 'POST',
        headers: { authorization: `Basic ${credentials}` },
        body: new URLSearchParams({ token: 'x' }),
      })
      expect([endpoint, basic.status]).toEqual([endpoint, 401])
      if (endpoint === 'token') continue
      const posted = await agent.post(new URL(body[`${endpoint}_endpoint`]).pathname, { token: 'x' })
      expect([endpoint, posted.status]).toEqual([endpoint, 200])
    }
  })

  test('name the protected resources whose own metadata name this server (RFC 9728 section 4)', async () => {
    const { body } = await get(service.issuer + authorizationServer[0])
    expect(body.protected_resources).toEqual([service.issuer, `${service.issuer}/mcp`])
    for (const resource of body.protected_resources) {
      const { pathname } = new URL(resource)
      const suffix = pathname === '/' ? '' : pathname
      const metadata = (await get(`${service.issuer}/.well-known/oauth-protected-resource${suffix}`)).body
      expect([metadata.resource, metadata.authorization_servers]).toEqual([resource, [service.issuer]])
    }
  })

  test('name a privacy policy and terms where the school publishes them, at addresses that answer, and nowhere else', async () => {
    const links = async () => {
      const { body: server } = await get(service.issuer + authorizationServer[0])
      const { body: resource } = await get(`${service.issuer}/.well-known/oauth-protected-resource/mcp`)
      return [server.op_policy_uri, server.op_tos_uri, resource.resource_policy_uri, resource.resource_tos_uri]
    }
    expect(await links()).toEqual([undefined, undefined, undefined, undefined])
    const owner = personCalled('legal@example.com')
    await service.addPerson({ email: 'legal@example.com', role: 'owner' })
    const agent = await createAgent(service.issuer)
    const { body: tokens } = await agent.tokens(owner, { scope: 'pages:write pages:read school:read school:write' }, { scopes: 'all' })
    const authorization = `Bearer ${tokens.access_token}`
    const pages = `${service.issuer}/api/v1/pages`
    const page = await postJson(pages, { title: 'Privacy', slug: 'legal/privacy', kind: 'legal' }, { authorization })
    expect(page.status).toBe(201)
    // The URL of a draft does not respond.
    expect(await links()).toEqual([undefined, undefined, undefined, undefined])
    expect((await postJson(`${pages}/${page.body.id}/publish`, {}, { authorization })).status).toBe(200)
    const address = `${service.issuer}/pages/legal/privacy`
    await until(async () => JSON.stringify(await links()) === JSON.stringify([address, undefined, address, undefined]), {
      what: 'the published page is linked',
    })
    const shown = await get(address, { accept: 'text/html' })
    expect([shown.status, shown.body]).toEqual([200, expect.stringMatching(/<h1[^>]*>Privacy<\/h1>/)])
    // An address that the school set itself comes first.
    const terms = 'https://legal.example.com/terms'
    const school = await get(`${service.issuer}/api/v1/school`, { authorization })
    const set = await fetch(`${service.issuer}/api/v1/school`, {
      method: 'PATCH',
      headers: { authorization, 'content-type': 'application/json', 'if-match': school.headers.get('etag') as string },
      body: JSON.stringify({ legal: { terms_url: terms } }),
    })
    expect(set.status).toBe(200)
    await until(async () => JSON.stringify(await links()) === JSON.stringify([address, terms, address, terms]), {
      what: 'the terms are linked',
    })
  })

  test('list every scope of the catalogue and no other', async () => {
    const { body } = await get(service.issuer + authorizationServer[0])
    expect(body.scopes_supported).toEqual(allScopes.split(' '))
  })

  test('every advertised endpoint answers something other than 404', async () => {
    const { body } = await get(service.issuer + authorizationServer[0])
    for (const [name, url] of Object.entries(body).filter(([name]) => name.endsWith('_endpoint') || name === 'jwks_uri')) {
      const method = /token|registration|revocation|introspection/.test(name) ? 'POST' : 'GET'
      const { status } = await fetch(url as string, { method, redirect: 'manual' })
      expect([name, status]).not.toEqual([name, 404])
      expect(status).toBeLessThan(500)
    }
  })

  test.each([
    { host: 'evil.example' },
    { 'x-forwarded-host': 'evil.example' },
    { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' },
    { forwarded: 'host=evil.example;proto=https' },
  ])('do not change with the headers %o (D31)', async (headers) => {
    const plain = await (await fetch(service.issuer + authorizationServer[0])).text()
    const spoofed = await (
      await fetch(service.issuer + authorizationServer[0], { headers: headers as unknown as Record<string, string> })
    ).text()
    expect(spoofed).toBe(plain)
  })
})

describe('protected resource metadata (RFC 9728)', () => {
  test.each([
    ['', ''],
    ['/mcp', '/mcp'],
  ])('at %j name exactly the identifier from which the URL was built', async (suffix, resource) => {
    const { status, body } = await get(`${service.issuer}/.well-known/oauth-protected-resource${suffix}`)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      resource: service.issuer + resource,
      authorization_servers: [service.issuer],
      bearer_methods_supported: ['header'],
      scopes_supported: ['openid', 'profile', 'email', 'account:read', 'courses:read'],
    })
    expect(body.scopes_supported).not.toContain('offline_access')
  })

  test('are not served at any other path', async () => {
    expect((await get(`${service.issuer}/.well-known/oauth-protected-resource/other`)).status).toBe(404)
    expect((await get(`${service.issuer}/.well-known/oauth-protected-resource/mcp/other/`)).status).toBe(404)
  })
})

describe.each([...authorizationServer, '/.well-known/oauth-protected-resource', '/api/oauth/jwks'])('%s', (path) => {
  test('can be cached, revalidated and read from any origin', async () => {
    const first = await get(service.issuer + path, { origin: 'https://inspector.example' })
    expect(first.headers.get('cache-control')).toMatch(/^public, max-age=\d+$/)
    expect(first.headers.get('access-control-allow-origin')).toBe('*')
    expect(first.headers.has('access-control-allow-credentials')).toBe(false)
    const again = await get(service.issuer + path, { 'if-none-match': first.headers.get('etag') as string })
    expect(again.status).toBe(304)
  })

  test('answers HEAD as GET without a body, and refuses other methods with Allow', async () => {
    const head = await fetch(service.issuer + path, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    const refused = await fetch(service.issuer + path, { method: 'DELETE' })
    expect(refused.status).toBe(405)
    expect(refused.headers.get('allow')).toContain('GET')
    expect(await refused.json()).toMatchObject({ error: 'method_not_allowed' })
  })
})

test('the published keys are public, and one signs each advertised algorithm (D27)', async () => {
  const { body } = await get(`${service.issuer}/api/oauth/jwks`)
  for (const key of body.keys) {
    expect(key).not.toHaveProperty('d')
    expect(key).not.toHaveProperty('p')
  }
  const { body: metadata } = await get(service.issuer + authorizationServer[0])
  expect(body.keys.map((key: { alg: string }) => key.alg).toSorted()).toEqual(metadata.id_token_signing_alg_values_supported.toSorted())
})
