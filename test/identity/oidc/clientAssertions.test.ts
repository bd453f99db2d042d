// Proves RFC 7523 section 3: An integration authenticates by an assertion that it signs, once each; its keys rotate in the file or at `jwks_uri`

import { randomUUID } from 'node:crypto'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Agent, type Answer, agentOf, answer, get, personCalled, withToken } from '../../support/agent.ts'
import { type DocumentHost, startDocumentHost } from '../../support/documentHost.ts'
import { startService, type TestService } from '../../support/service.ts'

type KeyPair = Awaited<ReturnType<typeof generateKeyPair>>

const keySetUrl = 'https://sync.example.com/jwks.json'
const redirectUri = 'https://sync.example.com/callback'
const person = personCalled('learner@example.org')

let first: KeyPair
let second: KeyPair
let host: DocumentHost
let service: TestService
beforeAll(async () => {
  ;[first, second] = await Promise.all([generateKeyPair('ES256'), generateKeyPair('ES256')])
  host = await startDocumentHost(['sync.example.com'])
  service = await startService({ network: host.network, ...(await configured(first)) })
  await service.addPerson({ email: 'learner@example.org' })
})
afterAll(async () => {
  await service.stop()
  await host.stop()
})

const keySet = async (...pairs: KeyPair[]) => ({
  keys: await Promise.all(pairs.map(async ({ publicKey }) => ({ ...(await exportJWK(publicKey)) }))),
})

/** Two integrations: one with its keys in the file, one with an address of its keys. */
const configured = async (...pairs: KeyPair[]) => {
  const common = { redirect_uris: [redirectUri], token_endpoint_auth_method: 'private_key_jwt' }
  return {
    school: {
      integrations: [
        { client_id: 'bank', client_name: 'Bank', ...common, jwks: await keySet(...pairs) },
        { client_id: 'sync', client_name: 'Sync', ...common, jwks_uri: keySetUrl },
        { client_id: 'kiosk', client_name: 'Kiosk', redirect_uris: [redirectUri] },
      ],
    },
  }
}

interface Assertion {
  client?: string
  key?: KeyPair
  alg?: string
  claims?: JWTPayload
  /** Parameters in addition to the assertion. */
  parameters?: Record<string, string>
}

async function assertionOf({ client = 'bank', key = first, alg = 'ES256', claims = {}, parameters = {} }: Assertion = {}) {
  const seconds = Math.floor(Date.now() / 1000)
  const payload = { iss: client, sub: client, aud: service.issuer, jti: randomUUID(), iat: seconds, exp: seconds + 60, ...claims }
  return {
    ...parameters,
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: await new SignJWT(payload).setProtectedHeader({ alg }).sign(key.privateKey),
  }
}

const client = (id = 'bank'): Agent => agentOf(service.issuer, id, undefined, redirectUri)
/** A request without `client_id`: the assertion names the client. */
const send = (path: string, parameters: Record<string, string>): Promise<Answer> =>
  answer(fetch(service.issuer + path, { method: 'POST', body: new URLSearchParams(parameters) }))

async function tokensOf(assertion: Assertion = {}): Promise<Answer> {
  const agent = client(assertion.client)
  const redirect = await agent.send(person)
  return send('/api/oauth/token', {
    grant_type: 'authorization_code',
    code: redirect.searchParams.get('code') ?? '',
    redirect_uri: redirectUri,
    code_verifier: agent.verifier,
    ...(await assertionOf(assertion)),
  })
}

const refresh = async (token: string, assertion: Assertion = {}): Promise<Answer> =>
  send('/api/oauth/token', { grant_type: 'refresh_token', refresh_token: token, ...(await assertionOf(assertion)) })

describe('a client that authenticates by an assertion (RFC 7523)', () => {
  test.each(['issuer', 'token endpoint'])(
    'redeems, calls, refreshes, introspects and revokes; the audience is the %s',
    async (audience) => {
      const aud = audience === 'issuer' ? service.issuer : `${service.issuer}/api/oauth/token`
      const { status, body } = await tokensOf({ claims: { aud } })
      expect([status, body.error_description]).toEqual([200, undefined])
      expect((await withToken(`${service.issuer}/api/v1/account`, body.access_token)).status).toBe(200)
      const refreshed = await refresh(body.refresh_token, { claims: { aud: [aud] } })
      expect(refreshed.status).toBe(200)
      const token = refreshed.body.access_token
      const introspected = await send('/api/oauth/introspect', { token, ...(await assertionOf({ claims: { aud } })) })
      expect(introspected.body).toMatchObject({ active: true, client_id: 'bank' })
      expect((await send('/api/oauth/revoke', { token, ...(await assertionOf({ claims: { aud } })) })).status).toBe(200)
      expect((await withToken(`${service.issuer}/api/v1/account`, token)).status).toBe(401)
    },
  )

  test('may name its client_id too', async () => {
    const { body } = await tokensOf()
    expect((await client().refresh(body.refresh_token, await assertionOf())).status).toBe(200)
  })

  // The engine treats an empty parameter as absent.
  test.each([{ parameters: {} }, { parameters: { client_id: '' } }])(
    'repeats a refresh within the window with $parameters: the grant stays, and the audit trail names the client',
    async ({ parameters }) => {
      const { body } = await tokensOf()
      const [one, two] = await Promise.all([refresh(body.refresh_token, { parameters }), refresh(body.refresh_token, { parameters })])
      expect([one.status, two.status]).toEqual([200, 200])
      expect(two.body).toEqual(one.body)
      expect((await refresh(one.body.refresh_token, { parameters })).status).toBe(200)
      const rows = await service.database.sql.query(
        "SELECT DISTINCT client_id FROM audit_log WHERE event IN ('refresh_token.answered_again', 'refresh_token.reused')",
      )
      expect(rows).toEqual([{ client_id: 'bank' }])
    },
  )

  test('presents each assertion once', async () => {
    const { body } = await tokensOf()
    const assertion = await assertionOf()
    const parameters = { token: body.access_token, ...assertion }
    const answers = await Promise.all(Array.from({ length: 8 }, () => send('/api/oauth/introspect', parameters)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 400 || status === 401)).toHaveLength(7)
  })

  test('rotates its keys in the file: both work, then the new one alone', async () => {
    expect((await tokensOf({ key: second })).body.error).toBe('invalid_client')
    await service.reload(await configured(first, second))
    expect((await tokensOf({ key: second })).status).toBe(200)
    expect((await tokensOf({ key: first })).status).toBe(200)
    await service.reload(await configured(second))
    expect((await tokensOf({ key: first })).body.error).toBe('invalid_client')
    await service.reload(await configured(first))
  })

  test('is not offered in the metadata: clients that register themselves cannot use it', async () => {
    const { body } = await get(`${service.issuer}/.well-known/oauth-authorization-server`)
    expect(body.token_endpoint_auth_methods_supported).toEqual(['none', 'client_secret_post'])
  })
})

describe('the keys of jwks_uri', () => {
  test('are requested once for many assertions', async () => {
    host.pages.set(keySetUrl, await keySet(first))
    const before = host.requests.length
    const { status, body } = await tokensOf({ client: 'sync' })
    expect(status).toBe(200)
    expect((await refresh(body.refresh_token, { client: 'sync' })).status).toBe(200)
    expect(host.requests.slice(before).map(({ url }) => url)).toEqual([keySetUrl])
  })

  test('that cannot be loaded reject the client, and their host is left alone for a while', async () => {
    await service.reload({
      school: {
        integrations: [
          {
            client_id: 'sync',
            client_name: 'Sync',
            redirect_uris: [redirectUri],
            token_endpoint_auth_method: 'private_key_jwt',
            jwks_uri: 'https://sync.example.com/gone.json',
          },
        ],
      },
    })
    const before = host.requests.length
    for (let attempt = 0; attempt < 5; attempt++) {
      const { status, body } = await refresh('unknown', { client: 'sync' })
      expect([status, body.error]).toEqual([401, 'invalid_client'])
    }
    expect(host.requests.length - before).toBe(1)
    await service.reload(await configured(first))
  })

  test('are not requested from this network', async () => {
    host.names.set('sync.example.com', ['127.0.0.1'])
    await service.reload({
      school: {
        integrations: [
          {
            client_id: 'sync',
            client_name: 'Sync',
            redirect_uris: [redirectUri],
            token_endpoint_auth_method: 'private_key_jwt',
            jwks_uri: 'https://sync.example.com/inside.json',
          },
        ],
      },
    })
    const before = host.connections()
    expect((await refresh('unknown', { client: 'sync' })).body.error).toBe('invalid_client')
    expect(host.connections()).toBe(before)
    host.names.delete('sync.example.com')
    await service.reload(await configured(first))
  })
})

describe('an assertion is refused', () => {
  const past = Math.floor(Date.now() / 1000) - 10
  test.each<[string, Assertion]>([
    ['with the signature of another key', { client: 'bank', claims: {} }],
    ['for another audience', { claims: { aud: 'https://elsewhere.example.com' } }],
    ['that has expired', { claims: { exp: past } }],
    ['without an end', { claims: { exp: undefined as never } }],
    ['that lives a day', { claims: { exp: past + 86_400 } }],
    ['without jti', { claims: { jti: undefined as never } }],
    ['with a huge jti', { claims: { jti: 'j'.repeat(5000) } }],
    ['of another issuer', { claims: { iss: 'sync' } }],
    ['of a client with another method', { client: 'kiosk' }],
    ['of an unknown client', { client: 'nobody' }],
  ])('%s', async (what, assertion) => {
    const { body } = await tokensOf()
    const key = what.includes('another key') ? second : first
    const refused = await refresh(body.refresh_token, { ...assertion, key })
    expect([refused.status, refused.body.error]).toEqual([401, 'invalid_client'])
    expect(refused.body.error_description).toMatch(/client_assertion|client_id|token_endpoint_auth_method/)
    expect((await refresh(body.refresh_token)).status).toBe(200)
  })

  test.each(['none', 'HS256'])('with the algorithm %s', async (alg) => {
    const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
    const exp = Math.floor(Date.now() / 1000) + 60
    const parts = [encode({ alg }), encode({ iss: 'bank', sub: 'bank', aud: service.issuer, jti: randomUUID(), exp })]
    const forged = `${parts.join('.')}.${alg === 'none' ? '' : 'c2lnbmF0dXJl'}`
    const { body } = await send('/api/oauth/introspect', { token: 't', ...(await assertionOf()), client_assertion: forged })
    expect(body.error).toBe('invalid_client')
  })

  test.each<[string, Record<string, string>]>([
    ['that is not a JWT', { client_assertion: 'nonsense' }],
    ['with another client_id', { client_id: 'kiosk' }],
    ['with a secret', { client_secret: 'secret' }],
    ['of another type', { client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:saml2-bearer' }],
  ])('%s', async (_what, changed) => {
    const { status, body } = await send('/api/oauth/introspect', { token: 't', ...(await assertionOf()), ...changed })
    expect([status, body.error]).toEqual([400, 'invalid_request'])
    expect(body.error_description).toMatch(/client_assertion|one way/)
  })

  test('in the URL', async () => {
    const url = `/api/oauth/token?${new URLSearchParams(await assertionOf())}`
    expect((await send(url, { grant_type: 'refresh_token', refresh_token: 't' })).body.error_description).toMatch(/must not be in the URL/)
  })
})
