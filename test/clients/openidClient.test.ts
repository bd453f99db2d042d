import * as client from 'openid-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Demo, expectAlive, expectDead, scopesOf, startDemo } from './demo.ts'

let demo: Demo
beforeAll(async () => {
  demo = await startDemo()
})
afterAll(() => demo?.stop())

const scope = 'openid profile email account:read courses:read'

// Plain http is all that differs from the library's defaults: the signature of every ID token is checked besides.
const execute = [client.allowInsecureRequests, client.enableNonRepudiationChecks]

const register = (metadata: Partial<client.ClientMetadata>, authentication?: client.ClientAuth): Promise<client.Configuration> =>
  client.dynamicClientRegistration(
    new URL(demo.issuer),
    { client_name: 'openid-client', redirect_uris: [demo.callback.redirectUri], ...metadata },
    authentication,
    { execute },
  )

/** An authorization request with everything that the library can check afterwards. */
async function ask(config: client.Configuration): Promise<{ address: URL; checks: client.AuthorizationCodeGrantChecks }> {
  const verifier = client.randomPKCECodeVerifier()
  const [expectedState, expectedNonce] = [client.randomState(), client.randomNonce()]
  const address = client.buildAuthorizationUrl(config, {
    redirect_uri: demo.callback.redirectUri,
    scope,
    state: expectedState,
    nonce: expectedNonce,
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  })
  return { address, checks: { pkceCodeVerifier: verifier, expectedState, expectedNonce, idTokenExpected: true } }
}

describe.each([
  ['as a public client with the defaults of the library', {}, 'none'],
  ['as a confidential client with client_secret_post', { token_endpoint_auth_method: 'client_secret_post' }, 'client_secret_post'],
])('openid-client %s', (_name, metadata, method) => {
  let config: client.Configuration
  let tokens: Awaited<ReturnType<typeof client.authorizationCodeGrant>>
  let subject: string

  beforeAll(async () => {
    config = await register(metadata)
    const { address, checks } = await ask(config)
    tokens = await client.authorizationCodeGrant(config, await demo.visit(address), checks)
    subject = tokens.claims()?.sub ?? ''
  })

  test('registers and learns how to authenticate', () => {
    const registered = config.clientMetadata()
    expect(registered.token_endpoint_auth_method).toBe(method)
    expect(typeof registered.client_secret).toBe(method === 'none' ? 'undefined' : 'string')
    expect(config.serverMetadata().supportsPKCE()).toBe(true)
    expect(config.serverMetadata().authorization_response_iss_parameter_supported).toBe(true)
  })

  test('gets tokens and an ID token that passes its checks', () => {
    expect([tokens.token_type, scopesOf(tokens.scope)]).toEqual(['bearer', scopesOf(scope)])
    expect(tokens.expiresIn()).toBeGreaterThan(0)
    expect(tokens.claims()).toMatchObject({ iss: demo.issuer, aud: config.clientMetadata().client_id, email: 'learner001@example.org' })
  })

  test('calls the API and UserInfo', async () => {
    await expectAlive(demo.issuer, tokens.access_token)
    const answer = await client.fetchProtectedResource(config, tokens.access_token, new URL(`${demo.issuer}/api/v1/account`), 'GET')
    expect(answer.status).toBe(200)
    expect(await client.fetchUserInfo(config, tokens.access_token, subject)).toMatchObject({
      sub: subject,
      email: 'learner001@example.org',
    })
    await expect(client.fetchUserInfo(config, tokens.access_token, 'acc_somebody_else')).rejects.toThrow(/unexpected JSON attribute/)
  })

  test('refreshes, gets the same answer for the same token within the window, and refreshes again', async () => {
    const spent = tokens.refresh_token as string
    const second = await client.refreshTokenGrant(config, spent)
    expect(second.refresh_token).not.toBe(spent)
    expect(second.claims()?.sub).toBe(subject)
    const again = await client.refreshTokenGrant(config, spent)
    expect([again.access_token, again.refresh_token]).toEqual([second.access_token, second.refresh_token])
    tokens = await client.refreshTokenGrant(config, again.refresh_token as string)
    expect(scopesOf(tokens.scope)).toEqual(scopesOf(scope))
    await expectAlive(demo.issuer, tokens.access_token)
  })

  test('introspects its tokens', async () => {
    const output = await client.tokenIntrospection(config, tokens.access_token)
    expect(output).toMatchObject({ active: true, sub: subject, client_id: config.clientMetadata().client_id })
    expect(scopesOf(output.scope)).toEqual(scopesOf(scope))
    expect(await client.tokenIntrospection(config, tokens.refresh_token as string)).toMatchObject({ active: true })
    expect(await client.tokenIntrospection(config, 'nonsense')).toEqual({ active: false })
  })

  test('revokes, and everything of the grant is dead', async () => {
    await client.tokenRevocation(config, tokens.refresh_token as string)
    await expectDead(demo.issuer, tokens.access_token)
    expect(await client.tokenIntrospection(config, tokens.access_token)).toEqual({ active: false })
    await expect(client.refreshTokenGrant(config, tokens.refresh_token as string)).rejects.toMatchObject({
      error: 'invalid_grant',
      status: 400,
    })
    const call = client.fetchProtectedResource(config, tokens.access_token, new URL(`${demo.issuer}/api/v1/courses`), 'GET')
    await expect(call).rejects.toMatchObject({
      status: 401,
      cause: [
        {
          scheme: 'bearer',
          parameters: { error: 'invalid_token', resource_metadata: `${demo.issuer}/.well-known/oauth-protected-resource` },
        },
      ],
    })
  })
})

describe('openid-client accepts no redirect but the one it asked for', () => {
  test.each([
    ['another iss (RFC 9207 section 2.4)', 'iss', 'http://127.0.0.1:1'],
    ['no iss', 'iss', undefined],
    ['another state', 'state', 'forged'],
  ])('%s', async (_name, name, value) => {
    const config = await register({})
    const { address, checks } = await ask(config)
    const arrived = await demo.visit(address)
    const forged = new URL(arrived)
    forged.searchParams.delete(name)
    if (value !== undefined) forged.searchParams.set(name, value)
    await expect(client.authorizationCodeGrant(config, forged, checks)).rejects.toMatchObject({ code: 'OAUTH_INVALID_RESPONSE' })
    expect(await client.authorizationCodeGrant(config, arrived, checks)).toHaveProperty('id_token')
  })

  test('the ID token of another request', async () => {
    const config = await register({})
    const { address, checks } = await ask(config)
    const exchange = client.authorizationCodeGrant(config, await demo.visit(address), { ...checks, expectedNonce: client.randomNonce() })
    await expect(exchange).rejects.toMatchObject({ code: 'OAUTH_JWT_CLAIM_COMPARISON_FAILED' })
  })
})

test('openid-client learns that the person declined', async () => {
  const config = await register({})
  const { address, checks } = await ask(config)
  await expect(client.authorizationCodeGrant(config, await demo.visit(address, { refuse: true }), checks)).rejects.toMatchObject({
    error: 'access_denied',
    error_description: expect.stringMatching(/./),
  })
})

test('openid-client gets the reason why a registration with a fixed callback fails', async () => {
  await expect(register({ redirect_uris: ['https://app.example.com/callback'] })).rejects.toMatchObject({
    error: 'invalid_redirect_uri',
    status: 400,
    error_description: expect.stringContaining('https://app.example.com/callback'),
  })
})
