// Proves RFC 8252 section 7: An integration of an installed app gets codes at loopback (any port), https and private-use addresses, and at no other

import { decodeProtectedHeader } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { integration } from '../../../src/config/integration.ts'
import { readClientDocument } from '../../../src/identity/clients/clientDocument.ts'
import { type RegisteredMetadata, readMetadata } from '../../../src/identity/clients/registrationError.ts'
import { metadataOf } from '../../../src/identity/oidc/syncIntegrations.ts'
import { agentOf, get, personCalled } from '../../support/agent.ts'
import { duringTests } from '../../support/duringTests.ts'
import { createPerson } from '../../support/person.ts'
import { password, startService, type TestService } from '../../support/service.ts'

const [https, loopback, cursor] = ['https://vscode.dev/redirect', 'http://127.0.0.1:33418/', 'cursor://anysphere.cursor-mcp/oauth/callback']
const person = 'ada@example.org'

const service = duringTests(() =>
  startService({
    school: {
      integrations: [
        { client_id: 'editor', client_name: 'Editor', redirect_uris: [https, loopback, cursor, 'http://localhost:8787/callback'] },
      ],
    },
  }),
)
beforeAll(async () => {
  await service.addPerson({ email: person, role: 'owner' })
})

describe('an integration of an installed app (RFC 8252)', () => {
  test.each([
    ['its HTTPS address', https],
    ['its loopback address', loopback],
    ['another port of its loopback address', 'http://127.0.0.1:59656/'],
    ['another port of its localhost address', 'http://localhost:1/callback'],
    ['its private-use scheme', cursor],
  ])('gets a code at %s and redeems it', async (_what, redirectUri) => {
    const agent = agentOf(service.issuer, 'editor', undefined, redirectUri)
    const redirect = await agent.send(personCalled(person))
    expect(redirect.href.startsWith(redirectUri)).toBe(true)
    expect(redirect.searchParams.get('iss')).toBe(service.issuer)
    const { status, body } = await agent.redeem(redirect, { redirect_uri: redirectUri })
    expect([status, body.token_type]).toEqual([200, 'Bearer'])
  })

  test.each([
    'http://127.0.0.1:33418/other',
    'http://[::1]:33418/',
    'http://localhost:33418/',
    'https://vscode.dev:444/redirect',
    'cursor://anysphere.cursor-mcp/oauth/callback2',
    'cursor://evil/oauth/callback',
    'claude://anysphere.cursor-mcp/oauth/callback',
  ])('is not redirected to %s', async (redirectUri) => {
    const answer = await get(agentOf(service.issuer, 'editor', undefined, redirectUri).authorizationUrl().href, {
      accept: 'application/json',
    })
    expect([answer.status, answer.headers.get('location'), answer.body.error]).toEqual([400, null, 'invalid_redirect_uri'])
  })

  test('its consent page says that another program can pretend to be it, and write permissions start unticked', async () => {
    for (const [redirectUri, source] of [
      [loopback, 'http://127.0.0.1:33418'],
      [cursor, 'cursor:'],
      [https, 'https://vscode.dev'],
    ] as const) {
      const visitor = createPerson({ email: person, password })
      const agent = agentOf(service.issuer, 'editor', undefined, redirectUri)
      const signIn = await visitor.open(agent.authorizationUrl({ scope: 'openid courses:read courses:write' }).href)
      const page = await visitor.submit(signIn, /sign-in$/, { email: person, password })
      const isInstalled = redirectUri !== https
      expect(page.html.includes('another program can pretend to be this app')).toBe(isInstalled)
      expect(/value="courses:write"[^>]*\schecked/.test(page.html)).toBe(!isInstalled)
      expect(page.headers.get('content-security-policy')).toContain(`form-action 'self' ${source};`)
    }
  })
})

test('a client id that is a URL gets a page about metadata documents, not about lost registrations', async () => {
  const agent = agentOf(service.issuer, 'https://editor.example.com/client.json', undefined, loopback)
  const json = await get(agent.authorizationUrl().href, { accept: 'application/json' })
  expect([json.status, json.body.error]).toEqual([400, 'invalid_client'])
  expect(json.body.error_description).toContain('client_id_metadata_document_supported is false')
  const neither = await get(agent.authorizationUrl().href, { accept: 'application/x-ndjson' })
  expect([neither.status, neither.body.error]).toEqual([400, 'invalid_client'])
  const page = await get(agent.authorizationUrl().href, { accept: 'text/html' })
  expect(page.body).toContain('without signing in')
  expect(page.body).not.toContain('Clear authentication')
})

/** A registration with every member that has an effect: a new member does not compile until it is here. */
const registered: Required<RegisteredMetadata> = {
  client_name: 'App',
  application_type: 'native',
  redirect_uris: ['http://127.0.0.1/callback'],
  post_logout_redirect_uris: ['http://127.0.0.1/signed-out'],
  token_endpoint_auth_method: 'none',
  grant_types: ['authorization_code'],
  response_types: ['code'],
  id_token_signed_response_alg: 'ES256',
}

describe('an integration can have whatever a client can register itself', () => {
  const rules = { loopbackHosts: ['127.0.0.1'], maxRedirectUris: 5, docsUrl: 'https://school.example', issuer: 'https://school.example' }
  // The kind of the client follows from its redirect URIs, and code is the only response type.
  const { application_type: _kind, response_types: _responses, ...own } = registered

  test('each member is a key of the file, and is stored as the registration stores it', () => {
    expect(readMetadata(registered, rules)).toEqual({ metadata: registered })
    expect(Object.keys(own).filter((name) => !Object.hasOwn(integration.shape, name))).toEqual([])
    expect(metadataOf(integration.parse({ ...own, client_id: 'app' }))).toEqual({ ...registered, client_id: 'app' })
  })

  test('and so can a client with a metadata document', () => {
    const id = 'https://app.example.com/client.json'
    const documentRules = { ...rules, trustedHosts: ['app.example.com'], privateUseSchemes: [] }
    expect(readClientDocument(id, JSON.stringify({ ...registered, client_id: id }), documentRules)).toEqual({
      metadata: { ...registered, client_id: id },
    })
    const elsewhere = [
      ...registered.post_logout_redirect_uris,
      'https://app.example.com/bye',
      'https://evil.example/',
      'http://evil.example/',
    ]
    const read = readClientDocument(
      id,
      JSON.stringify({ ...registered, client_id: id, post_logout_redirect_uris: elsewhere }),
      documentRules,
    )
    expect(read).toMatchObject({ metadata: { post_logout_redirect_uris: elsewhere.slice(0, 2) } })
  })
})

describe('the members of an integration have an effect', () => {
  const redirectUri = 'https://app.example.com/callback'
  let service: TestService
  beforeAll(async () => {
    const own = { id_token_signed_response_alg: 'ES256', grant_types: ['authorization_code'] }
    const integrations = [{ client_id: 'web', client_name: 'Web', redirect_uris: [redirectUri], ...own }]
    service = await startService({ school: { integrations } })
    await service.addPerson({ email: 'ada@example.org' })
  })
  afterAll(() => service?.stop())

  test('its ID tokens have the algorithm, and it gets no refresh token without the grant type', async () => {
    const { body } = await agentOf(service.issuer, 'web', undefined, redirectUri).tokens(personCalled('ada@example.org'))
    expect(decodeProtectedHeader(body.id_token).alg).toBe('ES256')
    expect(body.refresh_token).toBeUndefined()
  })
})
