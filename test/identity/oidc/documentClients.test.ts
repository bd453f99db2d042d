// Proves draft-ietf-oauth-client-id-metadata-document: Client ID metadata documents: off by default and then as if they did not exist; URL, members and redirect URIs are checked; cached within bounds; used for a day while its host fails; known clients have a separate budget

import { beforeEach, describe, expect, test } from 'vitest'
import { agentOf, get, personCalled, postJson, withToken } from '../../support/agent.ts'
import { startDocumentHost } from '../../support/documentHost.ts'
import { duringTests } from '../../support/duringTests.ts'
import { createPerson } from '../../support/person.ts'
import { password, startService } from '../../support/service.ts'

const id = 'https://app.example.com/client.json'
const document = {
  client_id: id,
  client_name: 'Example App',
  redirect_uris: ['http://127.0.0.1/callback', 'https://app.example.com/callback'],
}
const person = 'ada@example.org'
const trusting = (...hosts: string[]) => ({ client_metadata_documents: { trusted_hosts: hosts } })
const loopback = 'http://127.0.0.1:50123/callback'

const host = duringTests(() => startDocumentHost(['app.example.com', 'other.example.com']))
const service = duringTests(() =>
  startService({ network: host.network, oauth: trusting('app.example.com'), people: [{ email: person, role: 'owner' }] }),
)
beforeEach(() => host.pages.set(id, document))

const client = (clientId = id, redirectUri = loopback, at = service) => agentOf(at.issuer, clientId, undefined, redirectUri)
const ask = async (clientId = id, redirectUri = loopback, at = service) =>
  get(client(clientId, redirectUri, at).authorizationUrl().href, { accept: 'application/json' })
const row = async (at = service) =>
  (
    await at.database.sql.query<Record<string, unknown>>('SELECT registered_via, metadata, disabled_by FROM oidc_client WHERE id = $1', [
      id,
    ])
  )[0]

describe('a client that names the URL of its document', () => {
  test('is advertised', async () => {
    const { body } = await get(`${service.issuer}/.well-known/oauth-authorization-server`)
    expect(body.client_id_metadata_document_supported).toBe(true)
  })

  test.each([
    ['a loopback address, at any port', loopback],
    ['an https address', 'https://app.example.com/callback'],
  ])('gets tokens with PKCE at %s, refreshes and revokes them', async (_what, redirectUri) => {
    const agent = client(id, redirectUri)
    const redirect = await agent.send(personCalled(person))
    expect(redirect.href.startsWith(redirectUri)).toBe(true)
    const requests = host.requests.length
    const { status, body } = await agent.redeem(redirect)
    expect([status, body.token_type]).toEqual([200, 'Bearer'])
    const api = `${service.issuer}/api/v1/account`
    expect((await withToken(api, body.access_token)).status).toBe(200)
    const refreshed = await agent.refresh(body.refresh_token)
    expect(refreshed.status).toBe(200)
    expect((await withToken(`${service.issuer}/api/oauth/userinfo`, refreshed.body.access_token)).status).toBe(200)
    expect((await agent.post('/api/oauth/introspect', { token: refreshed.body.access_token })).body).toMatchObject({
      active: true,
      client_id: id,
    })
    expect((await agent.post('/api/oauth/revoke', { token: refreshed.body.refresh_token })).status).toBe(200)
    expect((await withToken(api, refreshed.body.access_token)).status).toBe(401)
    // Only authorization requests load the document.
    expect(host.requests.length).toBe(requests)
  })

  test('needs PKCE, and a verifier that fits', async () => {
    const agent = client()
    const without = await get(agent.authorizationUrl({ code_challenge: undefined, code_challenge_method: undefined }).href)
    expect(without.headers.get('location')).toContain('error=invalid_request')
    const redirect = await agent.send(personCalled(person))
    expect((await agent.redeem(redirect, { code_verifier: 'x'.repeat(43) })).body.error).toBe('invalid_grant')
  })

  test('is shown with the host of its document, as unverified, and write permissions start unticked', async () => {
    const visitor = createPerson({ email: person, password })
    const show = async (redirectUri: string) => {
      const first = await visitor.open(client(id, redirectUri).authorizationUrl({ scope: 'openid courses:read courses:write' }).href)
      return first.html.includes('type="password"') ? visitor.submit(first, /sign-in$/, { email: person, password }) : first
    }
    const installed = await show(loopback)
    expect(installed.html).toContain('“<bdi>Example App</bdi>” wants access to your account')
    expect(installed.html).toContain('another program can pretend to be it')
    expect(installed.html).toMatch(/<div class="warning">\s*<dt>Who made it/)
    expect(installed.html).not.toMatch(/value="courses:write"[^>]*\schecked/)
    const hosted = await show('https://app.example.com/callback')
    expect(hosted.html).toContain('The website <bdi>app.example.com</bdi> describes this app.')
    expect(hosted.headers.get('content-security-policy')).toContain("form-action 'self' https://app.example.com;")
  })

  test('with the name of the school is shown with a warning', async () => {
    host.pages.set('https://app.example.com/fake.json', {
      ...document,
      client_id: 'https://app.example.com/fake.json',
      client_name: 'Fіrst School',
    })
    const visitor = createPerson({ email: person, password })
    const page = await visitor.submit(await visitor.open(client('https://app.example.com/fake.json').authorizationUrl().href), /sign-in$/, {
      email: person,
      password,
    })
    expect(page.html).toMatch(/<p class="error">[^<]*<bdi>First School/)
  })

  test('is in the audit log, once while its document stays the same', async () => {
    const events = () =>
      service.database.sql.query<{ event: string }>('SELECT event FROM audit_log WHERE client_id = $1 AND event LIKE $2', [id, 'client.%'])
    await ask()
    expect(await events()).toEqual([{ event: 'client.document_accepted' }])
  })

  test('is one of the connected apps, with its host, and can be removed there', async () => {
    const agent = client()
    const { body } = await agent.tokens(personCalled(person))
    const visitor = createPerson({ email: person, password })
    const signIn = await visitor.open(`${service.issuer}/account/sign-in?return_to=/account/apps`)
    const page = await visitor.submit(signIn, /sign-in$/, { email: person, password })
    expect(page.html).toContain('The website <bdi>app.example.com</bdi> describes this app')
    const removed = await visitor.submit(page, '/account/apps/remove')
    expect(removed.status).toBe(200)
    expect((await agent.refresh(body.refresh_token)).status).toBe(400)
  })
})

describe('a document that is not accepted gets a page for people and JSON for programs, and no redirect', () => {
  test.each<[string, string, object | undefined, string]>([
    ['of a host that is not trusted', 'https://other.example.com/client.json', document, 'invalid_client'],
    ['that does not exist', 'https://app.example.com/missing.json', undefined, 'invalid_client'],
    ['with another client_id', 'https://app.example.com/b.json', document, 'invalid_client'],
    ['with no usable redirect URI', 'https://app.example.com/c.json', { redirect_uris: ['https://evil.example/'] }, 'invalid_redirect_uri'],
    ['with a secret', 'https://app.example.com/d.json', { client_secret: 'x' }, 'invalid_client'],
    ['with a query', 'https://app.example.com/client.json?a=b', document, 'invalid_client'],
    ['with a fragment', 'https://app.example.com/client.json#a', document, 'invalid_client'],
  ])('%s', async (_what, url, content, error) => {
    if (content) host.pages.set(url, content === document ? document : { ...document, client_id: url, ...content })
    const { status, body, headers } = await ask(url)
    expect([status, body.error, headers.get('location')]).toEqual([400, error, null])
    const page = await get(client(url).authorizationUrl().href, { accept: 'text/html' })
    expect(page.body).toContain('The school cannot accept this app')
    expect(page.body).not.toContain('Clear authentication')
  })

  test('a host that is not trusted is neither resolved nor connected to', async () => {
    const [resolved, connections] = [host.resolved.length, host.connections()]
    for (const url of ['https://other.example.com/x.json', 'https://localhost/x', 'https://127.0.0.1/x', 'https://app.example.com:8443/x'])
      await ask(url)
    expect([host.resolved.length, host.connections()]).toEqual([resolved, connections])
  })

  test('a trusted name with a private address is not connected to', async () => {
    host.names.set('app.example.com', ['10.0.0.5'])
    const connections = host.connections()
    const { status, body } = await ask('https://app.example.com/private.json')
    host.names.delete('app.example.com')
    expect([status, body.error, host.connections()]).toEqual([400, 'invalid_client', connections])
    expect(body.error_description).not.toContain('10.0.0.5')
    expect(service.log()).toContain('10.0.0.5')
  })

  test('a redirect URI that is not in the document', async () => {
    expect((await ask(id, 'https://app.example.com/other')).body.error).toBe('invalid_redirect_uri')
    expect((await ask(id, 'http://localhost:1/callback')).body.error).toBe('invalid_redirect_uri')
  })
})

test('a document that changes applies to the next authorization, never to a code that was issued', async () => {
  const url = 'https://app.example.com/changing.json'
  const version = (redirectUri: string) =>
    host.pages.set(url, ((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', etag: `"${redirectUri}"` })
      response.end(JSON.stringify({ ...document, client_id: url, redirect_uris: [redirectUri] }))
    }) satisfies Parameters<typeof host.pages.set>[1])
  version('http://127.0.0.1/callback')
  const agent = client(url)
  const redirect = await agent.send(personCalled(person))
  version('https://app.example.com/moved')
  // A service that has not cached the document loads the new version.
  const fresh = await startService({ network: host.network, oauth: trusting('app.example.com'), database: service.database })
  try {
    expect((await ask(url, 'https://app.example.com/moved', fresh)).status).toBe(303)
    expect((await agent.redeem(redirect, { redirect_uri: 'https://app.example.com/moved' })).body.error).toBe('invalid_grant')
    expect((await ask(url, loopback, fresh)).body.error).toBe('invalid_redirect_uri')
  } finally {
    await fresh.stop()
  }
})

describe('the operator decides', () => {
  test('off by default: nothing is requested, and no document or response differs but for the flag', async () => {
    const off = await startService({ network: host.network })
    const metadata = ['oauth-authorization-server', 'openid-configuration', 'oauth-protected-resource'].map(
      (name) => `/.well-known/${name}`,
    )
    const paths = [...metadata, '/auth.md', '/llms.txt', '/openapi.json', '/api/v1']
    const texts = () => Promise.all(paths.map(async (path) => (await fetch(off.issuer + path)).text()))
    try {
      const before = [host.resolved.length, host.connections()]
      await texts()
      const plain = await texts()
      await off.reload({ oauth: trusting('app.example.com') })
      await texts()
      const flag = '"client_id_metadata_document_supported":'
      expect((await texts()).map((text) => text.replace(`${flag}true`, `${flag}false`))).toEqual(plain)
      await off.reload({ oauth: {} })
      const { body } = await get(`${off.issuer}/.well-known/oauth-authorization-server`)
      expect(body.client_id_metadata_document_supported).toBe(false)
      const refused = await ask(id, loopback, off)
      expect([refused.status, refused.body.error, refused.headers.get('location')]).toEqual([400, 'invalid_client', null])
      expect(refused.body.error_description).toContain('client_id_metadata_document_supported is false')
      const token = await client(id, loopback, off).post('/api/oauth/token', {
        grant_type: 'authorization_code',
        code: 'x',
        code_verifier: 'y'.repeat(43),
      })
      expect([token.status, token.body.error]).toEqual([401, 'invalid_client'])
      expect(await row(off)).toBeUndefined()
      expect([host.resolved.length, host.connections()]).toEqual(before)
      // Self-registration is not affected.
      expect((await postJson(`${off.issuer}/api/oauth/register`, { redirect_uris: [loopback] })).status).toBe(201)
    } finally {
      await off.stop()
    }
  })

  test('a reload turns documents on and off: tokens of a host that is no longer trusted end, and new ones can be had when it is again', async () => {
    const own = await startService({ network: host.network })
    try {
      await own.addPerson({ email: person })
      expect((await ask(id, loopback, own)).status).toBe(400)
      await own.reload({ oauth: trusting('app.example.com') })
      const agent = client(id, loopback, own)
      const { body } = await agent.tokens(personCalled(person))
      const api = `${own.issuer}/api/v1/account`
      expect((await withToken(api, body.access_token)).status).toBe(200)
      await own.reload({ oauth: trusting('other.example.com') })
      expect((await withToken(api, body.access_token)).status).toBe(401)
      expect((await agent.refresh(body.refresh_token)).body.error).toMatch(/invalid_(client|grant)/)
      expect(await row(own)).toMatchObject({ registered_via: 'document', disabled_by: 'file' })
      await own.reload({ oauth: trusting('any') })
      expect((await withToken(api, body.access_token)).status).toBe(401)
      const again = await agent.tokens(personCalled(person))
      expect((await withToken(api, again.body.access_token)).status).toBe(200)
      await own.reload({ oauth: trusting() })
      expect((await withToken(api, again.body.access_token)).status).toBe(401)
    } finally {
      await own.stop()
    }
  })

  test('a service whose address guard does not work refuses to start with documents, and keeps running without them', async () => {
    const network = { ...host.network, forbiddenReason: () => undefined }
    await expect(startService({ network, oauth: trusting('app.example.com') })).rejects.toThrow('let 0.0.0.0 through')
    const own = await startService({ network })
    try {
      await expect(own.reload({ oauth: trusting('any') })).rejects.toThrow('let 0.0.0.0 through')
      const { body } = await get(`${own.issuer}/.well-known/oauth-authorization-server`)
      expect(body.client_id_metadata_document_supported).toBe(false)
      expect((await ask(id, loopback, own)).body.error_description).toContain('client_id_metadata_document_supported is false')
    } finally {
      await own.stop()
    }
  })

  test('requests for documents are limited, with Retry-After, and known clients keep working', async () => {
    const own = await startService({
      network: host.network,
      isLimited: true,
      oauth: { client_metadata_documents: { trusted_hosts: ['app.example.com'], fetches_per_host_per_minute: 2 } },
    })
    try {
      expect((await ask(id, loopback, own)).status).toBe(303)
      await ask('https://app.example.com/one.json', loopback, own)
      const limited = await ask('https://app.example.com/two.json', loopback, own)
      expect([limited.status, limited.body.error]).toEqual([429, 'rate_limited'])
      expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0)
      expect((await ask(id, loopback, own)).status).toBe(303)
    } finally {
      await own.stop()
    }
  })
})
