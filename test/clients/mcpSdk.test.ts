import { auth, extractWWWAuthenticateParams, type OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js'
import { withOAuth } from '@modelcontextprotocol/sdk/client/middleware.js'
import type { OAuthClientInformationMixed, OAuthClientMetadata, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { allScopes, postJson, withToken } from '../support/agent.ts'
import { type Demo, expectDead, scopesOf, startDemo } from './demo.ts'

let demo: Demo
beforeAll(async () => {
  demo = await startDemo()
})
afterAll(() => demo?.stop())

/** The storage that an MCP client keeps between runs. */
interface Kept {
  client?: OAuthClientInformationMixed | undefined
  tokens?: OAuthTokens | undefined
  verifier?: string | undefined
  /** Where the SDK last sent the person. */
  address?: URL | undefined
}

interface Provider extends OAuthClientProvider {
  kept: Kept
}

/** A provider as clients write it: everything in memory, no `state`. */
function createProvider(metadata: Partial<OAuthClientMetadata> = {}): Provider {
  const kept: Kept = {}
  return {
    kept,
    redirectUrl: demo.callback.redirectUri,
    clientMetadata: {
      client_name: 'MCP client',
      redirect_uris: [demo.callback.redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      ...metadata,
    },
    clientInformation: () => kept.client,
    saveClientInformation(client) {
      kept.client = client
    },
    tokens: () => kept.tokens,
    saveTokens(tokens) {
      kept.tokens = tokens
    },
    redirectToAuthorization(address) {
      kept.address = address
    },
    saveCodeVerifier(verifier) {
      kept.verifier = verifier
    },
    codeVerifier: () => kept.verifier ?? '',
    invalidateCredentials(what) {
      if (what === 'all' || what === 'client') kept.client = undefined
      if (what === 'all' || what === 'tokens') kept.tokens = undefined
      if (what === 'all' || what === 'verifier') kept.verifier = undefined
    },
  }
}

type Options = Omit<Parameters<typeof auth>[1], 'authorizationCode'>

/** The SDK's flow with a person in the middle: `auth`, the browser, `auth` again with the code. */
async function signIn(provider: Provider, options: Options): Promise<URL> {
  expect(await auth(provider, options)).toBe('REDIRECT')
  const address = provider.kept.address as URL
  const arrived = await demo.visit(address, { scopes: 'all' })
  expect(arrived.searchParams.get('error_description')).toBeNull()
  const authorizationCode = arrived.searchParams.get('code') as string
  expect(await auth(provider, { ...options, authorizationCode })).toBe('AUTHORIZED')
  return address
}

const tokensOf = ({ kept }: Provider): OAuthTokens => kept.tokens as OAuthTokens
const userinfo = (provider: Provider) => withToken(`${demo.issuer}/api/oauth/userinfo`, tokensOf(provider).access_token)

describe.each([
  ['a public client by default', {}, false],
  ['a public client that says so', { token_endpoint_auth_method: 'none' }, false],
  ['a confidential client', { token_endpoint_auth_method: 'client_secret_post' }, true],
])('the MCP SDK for /mcp, as %s', (_name, metadata, hasSecret) => {
  test('discovers by the path, registers, gets a token without state, refreshes twice', async () => {
    const serverUrl = `${demo.issuer}/mcp`
    const provider = createProvider(metadata)
    const address = await signIn(provider, { serverUrl })

    expect(address.searchParams.has('state')).toBe(false)
    expect(address.searchParams.get('resource')).toBe(serverUrl)
    expect(provider.kept.client?.client_secret !== undefined).toBe(hasSecret)
    expect(scopesOf(tokensOf(provider).scope)).toEqual(scopesOf(address.searchParams.get('scope') as string))
    expect((await userinfo(provider)).body.email).toBe('learner001@example.org')
    const refused = await withToken(`${demo.issuer}/api/v1/courses`, tokensOf(provider).access_token)
    expect([refused.status, refused.body.error_description]).toEqual([401, expect.stringContaining(`resource=${demo.issuer} `)])

    for (const _round of [1, 2]) {
      const before = tokensOf(provider)
      expect(await auth(provider, { serverUrl })).toBe('AUTHORIZED')
      expect(tokensOf(provider).access_token).not.toBe(before.access_token)
      expect(tokensOf(provider).refresh_token).not.toBe(before.refresh_token)
      expect((await userinfo(provider)).status).toBe(200)
    }
  })
})

test('two processes of an MCP client that share their store refresh the same token, and both go on', async () => {
  const serverUrl = `${demo.issuer}/mcp`
  const provider = createProvider()
  await signIn(provider, { serverUrl })
  const twin = createProvider()
  Object.assign(twin.kept, provider.kept)
  expect(await Promise.all([auth(provider, { serverUrl }), auth(twin, { serverUrl })])).toEqual(['AUTHORIZED', 'AUTHORIZED'])
  expect(tokensOf(twin).refresh_token).toBe(tokensOf(provider).refresh_token)
  expect(await auth(twin, { serverUrl })).toBe('AUTHORIZED')
  expect((await userinfo(twin)).status).toBe(200)
})

test('an MCP client that registers offline_access and every scope gets what the person may grant, and a refresh token', async () => {
  const scope = `offline_access ${allScopes}`
  const provider = createProvider({ scope, token_endpoint_auth_method: 'none' })
  const address = await signIn(provider, { serverUrl: `${demo.issuer}/mcp`, scope })
  // The SDK requests a new consent if offline_access is among the scopes.
  expect(address.searchParams.get('prompt')).toBe('consent')
  const granted = scopesOf(tokensOf(provider).scope)
  expect(granted).toContain('openid')
  expect(granted).not.toContain('offline_access')
  expect(granted).not.toContain('school:write')
  expect(await auth(provider, { serverUrl: `${demo.issuer}/mcp`, scope })).toBe('AUTHORIZED')
})

describe('the MCP SDK in front of the API', () => {
  test('starts from the pointer of a 401 and its fetch calls the API', async () => {
    const provider = createProvider()
    const refusal = await fetch(`${demo.issuer}/api/v1/courses`, { headers: { authorization: 'Bearer expired' } })
    const { resourceMetadataUrl, error } = extractWWWAuthenticateParams(refusal)
    expect([refusal.status, error]).toEqual([401, 'invalid_token'])
    const address = await signIn(provider, { serverUrl: demo.issuer, resourceMetadataUrl: resourceMetadataUrl as URL })
    expect(address.searchParams.get('resource')).toBe(demo.issuer)
    const call = withOAuth(provider, demo.issuer)(fetch)
    expect((await call(`${demo.issuer}/api/v1/courses`)).status).toBe(200)
    // An access token that died is refreshed on the way: the pointer of the 401 is all that the SDK needs.
    provider.kept.tokens = { ...tokensOf(provider), access_token: 'expired' }
    expect((await call(`${demo.issuer}/api/v1/courses`)).status).toBe(200)
  })

  test('asks for more where a scope is missing, and for exactly what the challenge names', async () => {
    const provider = createProvider()
    await signIn(provider, { serverUrl: demo.issuer })
    const refusal = await fetch(`${demo.issuer}/api/v1/orders`, {
      headers: { authorization: `Bearer ${tokensOf(provider).access_token}` },
    })
    const { scope, error, resourceMetadataUrl } = extractWWWAuthenticateParams(refusal)
    expect([refusal.status, error, scope]).toEqual([403, 'insufficient_scope', 'orders:read'])
    await provider.invalidateCredentials?.('tokens')
    await signIn(provider, { serverUrl: demo.issuer, scope: scope as string, resourceMetadataUrl: resourceMetadataUrl as URL })
    expect((await withToken(`${demo.issuer}/api/v1/orders`, tokensOf(provider).access_token)).status).toBe(200)
  })
})

describe('the MCP SDK finds its way back by itself', () => {
  test('after a revocation it asks the person again', async () => {
    const provider = createProvider()
    await signIn(provider, { serverUrl: demo.issuer })
    const { access_token, refresh_token } = tokensOf(provider)
    const body = new URLSearchParams({ token: refresh_token as string, client_id: provider.kept.client?.client_id as string })
    expect((await fetch(`${demo.issuer}/api/oauth/revoke`, { method: 'POST', body })).status).toBe(200)
    await expectDead(demo.issuer, access_token)
    provider.kept.address = undefined
    await signIn(provider, { serverUrl: demo.issuer })
    expect((await userinfo(provider)).status).toBe(200)
  })

  test('registers again after its registration was deleted', async () => {
    const provider = createProvider()
    await signIn(provider, { serverUrl: demo.issuer })
    provider.kept.client = { ...(provider.kept.client as OAuthClientInformationMixed), client_id: 'cli_gone' }
    await signIn(provider, { serverUrl: demo.issuer })
    expect(provider.kept.client?.client_id).not.toBe('cli_gone')
    expect((await userinfo(provider)).status).toBe(200)
  })
})

test('the registrations of other MCP clients are accepted unchanged', async () => {
  const registrations = [
    {
      client_name: 'Inspector',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      client_uri: 'https://app.example',
    },
    {
      client_name: 'Editor',
      token_endpoint_auth_method: 'none',
      software_id: '2e6dc280-f3c3-4e01-99a7-8181dbd1d23d',
      software_version: '1.0',
    },
    { client_name: 'Tool', application_type: 'native', scope: `openid offline_access ${allScopes}`, contacts: [] },
  ]
  for (const metadata of registrations) {
    const { status, body } = await postJson(`${demo.issuer}/api/oauth/register`, {
      redirect_uris: [demo.callback.redirectUri],
      ...metadata,
    })
    expect([status, body.redirect_uris]).toEqual([201, [demo.callback.redirectUri]])
  }
})
