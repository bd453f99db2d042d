import * as oauth from 'oauth4webapi'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { withToken } from '../support/agent.ts'
import { type Demo, expectAlive, expectDead, scopesOf, startDemo } from './demo.ts'

let demo: Demo
beforeAll(async () => {
  demo = await startDemo()
})
afterAll(() => demo?.stop())

const insecure = { [oauth.allowInsecureRequests]: true }
const none = oauth.None()

interface Known {
  resource: oauth.ResourceServer
  server: oauth.AuthorizationServer
}

/** From the address of a resource to its authorization server (RFC 9728, then RFC 8414 or OpenID Connect Discovery). */
async function discover(resource: URL, algorithm: 'oauth2' | 'oidc' = 'oauth2'): Promise<Known> {
  const found = await oauth.processResourceDiscoveryResponse(resource, await oauth.resourceDiscoveryRequest(resource, insecure))
  const issuer = new URL(found.authorization_servers?.[0] as string)
  const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, { algorithm, ...insecure }))
  return { resource: found, server }
}

async function register(server: oauth.AuthorizationServer, redirectUri: string): Promise<oauth.Client> {
  const metadata = { client_name: 'oauth4webapi', redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' }
  return oauth.processDynamicClientRegistrationResponse(await oauth.dynamicClientRegistrationRequest(server, metadata, insecure))
}

interface FlowOptions {
  address: URL
  verifier: string
  state: string
  nonce: string
}

async function ask(server: oauth.AuthorizationServer, client: oauth.Client, parameters: Record<string, string>): Promise<FlowOptions> {
  const verifier = oauth.generateRandomCodeVerifier()
  const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()]
  const address = new URL(server.authorization_endpoint as string)
  address.search = new URLSearchParams({
    client_id: client.client_id,
    redirect_uri: demo.callback.redirectUri,
    response_type: 'code',
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    nonce,
    ...parameters,
  }).toString()
  return { address, verifier, state, nonce }
}

async function exchange(
  { server, client }: { server: oauth.AuthorizationServer; client: oauth.Client },
  arrived: URL,
  { asked, resource }: { asked: FlowOptions; resource?: string },
): Promise<oauth.TokenEndpointResponse> {
  const parameters = oauth.validateAuthResponse(server, client, arrived, asked.state)
  const { redirectUri } = demo.callback
  const response = await oauth.authorizationCodeGrantRequest(server, client, none, parameters, redirectUri, asked.verifier, {
    ...insecure,
    ...(resource === undefined ? {} : { additionalParameters: { resource } }),
  })
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
    expectedNonce: asked.nonce,
    requireIdToken: true,
  })
  await oauth.validateApplicationLevelSignature(server, response, insecure)
  return tokens
}

const scope = 'openid email account:read courses:read'

describe('oauth4webapi, from the address of the API to its data', () => {
  let known: Known
  let client: oauth.Client
  let tokens: oauth.TokenEndpointResponse

  beforeAll(async () => {
    known = await discover(new URL(demo.issuer))
    // No port: any port of this computer, at the time of the request (RFC 8252 section 7.3).
    client = await register(known.server, 'http://127.0.0.1/callback')
    const { resource } = known.resource
    const asked = await ask(known.server, client, { scope, resource })
    tokens = await exchange({ server: known.server, client }, await demo.visit(asked.address), { asked, resource })
  })

  const refresh = async (token: string, parameters = {}): Promise<oauth.TokenEndpointResponse> => {
    const options = { ...insecure, additionalParameters: parameters }
    const response = await oauth.refreshTokenGrantRequest(known.server, client, none, token, options)
    return oauth.processRefreshTokenResponse(known.server, client, response)
  }
  const introspect = async (token: string): Promise<oauth.IntrospectionResponse> => {
    const response = await oauth.introspectionRequest(known.server, client, none, token, insecure)
    return oauth.processIntrospectionResponse(known.server, client, response)
  }

  test('both discovery documents lead to the same server', async () => {
    expect((await discover(new URL(demo.issuer), 'oidc')).server).toEqual(known.server)
  })

  test('the token is bound to the resource that was discovered (RFC 8707)', async () => {
    expect(scopesOf(tokens.scope)).toEqual(scopesOf(scope))
    expect(await introspect(tokens.access_token)).toMatchObject({ active: true, aud: known.resource.resource })
    await expectAlive(demo.issuer, tokens.access_token)
  })

  test('UserInfo is about the person of the ID token', async () => {
    const subject = oauth.getValidatedIdTokenClaims(tokens)?.sub as string
    const response = await oauth.userInfoRequest(known.server, client, tokens.access_token, insecure)
    expect(await oauth.processUserInfoResponse(known.server, client, subject, response)).toMatchObject({ email: 'learner001@example.org' })
  })

  test('a refresh keeps the resource, the same token gets the same answer, and the next one refreshes again', async () => {
    const spent = tokens.refresh_token as string
    const second = await refresh(spent, { resource: known.resource.resource })
    expect(await refresh(spent, { resource: known.resource.resource })).toEqual(second)
    tokens = await refresh(second.refresh_token as string)
    expect((await introspect(tokens.access_token)).aud).toBe(known.resource.resource)
    await expectAlive(demo.issuer, tokens.access_token)
  })

  test('a refresh for a resource that is not ours is invalid_target and does not spend the token', async () => {
    await expect(refresh(tokens.refresh_token as string, { resource: 'https://elsewhere.example' })).rejects.toMatchObject({
      error: 'invalid_target',
      status: 400,
    })
    expect((await introspect(tokens.refresh_token as string)).active).toBe(true)
  })

  test('revocation of the access token revokes the grant, and the API says where to start again', async () => {
    const response = await oauth.revocationRequest(known.server, client, none, tokens.access_token, insecure)
    await oauth.processRevocationResponse(response)
    await expectDead(demo.issuer, tokens.access_token)
    await expect(refresh(tokens.refresh_token as string)).rejects.toMatchObject({ error: 'invalid_grant' })
    const address = new URL(`${demo.issuer}/api/v1/account`)
    const call = oauth.protectedResourceRequest(tokens.access_token, 'GET', address, undefined, null, insecure)
    const challenge = await call.catch((error: oauth.WWWAuthenticateChallengeError) => error.cause[0]?.parameters)
    expect(challenge).toMatchObject({
      error: 'invalid_token',
      resource_metadata: `${demo.issuer}/.well-known/oauth-protected-resource`,
    })
  })
})

describe('oauth4webapi rejects a redirect', () => {
  test.each([
    ['from another issuer', 'http://127.0.0.1:1', 'unexpected "iss" (issuer) response parameter value'],
    ['from our issuer with a slash behind it', 'SLASH', 'unexpected "iss" (issuer) response parameter value'],
    ['that lost its issuer', undefined, 'response parameter "iss" (issuer) missing'],
  ])('%s, for the metadata promise one (RFC 9207 section 2.4, D16)', async (_name, iss, message) => {
    const { server } = await discover(new URL(demo.issuer))
    const client = await register(server, demo.callback.redirectUri)
    for (const choice of [{}, { refuse: true }]) {
      const asked = await ask(server, client, { scope })
      const arrived = await demo.visit(asked.address, choice)
      arrived.searchParams.delete('iss')
      if (iss !== undefined) arrived.searchParams.set('iss', iss === 'SLASH' ? `${demo.issuer}/` : iss)
      expect(() => oauth.validateAuthResponse(server, client, arrived, asked.state)).toThrow(message)
    }
  })
})

test('oauth4webapi, starting at the address of /mcp, gets a token that is valid there and not for the API', async () => {
  const { resource, server } = await discover(new URL(`${demo.issuer}/mcp`))
  expect(resource.resource).toBe(`${demo.issuer}/mcp`)
  const client = await register(server, demo.callback.redirectUri)
  const asked = await ask(server, client, { scope: (resource.scopes_supported as string[]).join(' '), resource: resource.resource })
  const arrived = await demo.visit(asked.address)
  const tokens = await exchange({ server, client }, arrived, { asked, resource: resource.resource })
  const response = await oauth.introspectionRequest(server, client, none, tokens.access_token, insecure)
  expect(await oauth.processIntrospectionResponse(server, client, response)).toMatchObject({ active: true, aud: resource.resource })
  const refused = await withToken(`${demo.issuer}/api/v1/courses`, tokens.access_token)
  expect([refused.status, refused.body.error]).toEqual([401, 'invalid_token'])
  expect(refused.body.error_description).toContain(`resource=${demo.issuer} `)
})
