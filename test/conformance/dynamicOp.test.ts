// Proves OpenID Connect Registration: The same for Dynamic OP, with registration and key rotation

import { expect } from 'vitest'
import { createKeyring } from '../../src/base/keyring.ts'
import { generateSigningKey, signingAlgorithms } from '../../src/identity/oidc/signingKeys.ts'
import { rotateKeys } from '../../src/operate/cli/rotateKeys.ts'
import { type Answer, createAgent, postJson } from '../support/agent.ts'
import { duringTests } from '../support/duringTests.ts'
import { rootSecret } from '../support/service.ts'
import { notOffered, passes, testProfile } from './profile.ts'
import { dynamicModules } from './publishedModules.ts'
import { expectErrorPage, startRelyingParty } from './relyingParty.ts'

const party = duringTests(() => startRelyingParty())

const callback = 'http://127.0.0.1:53682/callback'
const register = (metadata: object): Promise<Answer> =>
  postJson(party.metadata.registration_endpoint, { client_name: 'A relying party', redirect_uris: [callback], ...metadata })

const assertions = 'token_endpoint_auth_methods_supported names client_secret_post and none'
const noAssertions = notOffered(assertions, async ({ metadata, agent }) => {
  expect(metadata.token_endpoint_auth_methods_supported).toEqual(['none', 'client_secret_post'])
  expect(metadata).not.toHaveProperty('token_endpoint_auth_signing_alg_values_supported')
  const { status, body } = await register({ token_endpoint_auth_method: 'private_key_jwt' })
  expect([status, body.error]).toEqual([400, 'invalid_client_metadata'])
  const asserted = await agent.post('/api/oauth/token', {
    client_secret: undefined,
    grant_type: 'refresh_token',
    refresh_token: 'x',
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: 'a.b.c',
  })
  expect([400, 401]).toContain(asserted.status)
})

/** A member with which the server would link or fetch something is dropped, and is not in the response (RFC 7591 section 2). */
const dropped = (member: string, page: 'is linked' | 'is fetched') =>
  notOffered(`a self-registered client names no URL that ${page}`, async ({ newBrowser }) => {
    const url = `https://rp.example/${member}`
    const { status, body } = await register({ [member]: url })
    expect(status).toBe(201)
    expect(body).not.toHaveProperty(member)
    const agent = await createAgent(party.service.issuer, { [member]: url })
    const { html } = await newBrowser().open(agent.authorizationUrl().href)
    expect(html).toContain('type="password"')
    expect(html).not.toContain(url)
  })

const noRequestUri = notOffered('request_uri_parameter_supported is false', async ({ metadata, authorize }) => {
  expect(metadata.request_uri_parameter_supported).toBe(false)
  expect(metadata).not.toHaveProperty('request_object_signing_alg_values_supported')
  expect((await authorize({ request_uri: 'https://rp.example/request.jwt' })).redirect.get('error')).toBe('request_uri_not_supported')
})

testProfile('Dynamic OP', dynamicModules, {
  party: () => party,
  modules: {
    'oidcc-idtoken-rs256': passes(async ({ signIn, service }) => {
      for (const id_token_signed_response_alg of ['RS256', 'ES256']) {
        const agent = await createAgent(service.issuer, { id_token_signed_response_alg })
        expect((await signIn({}, { agent })).header.alg).toBe(id_token_signed_response_alg)
      }
    }),
    'oidcc-idtoken-unsigned': notOffered('id_token_signing_alg_values_supported does not name none', async ({ metadata }) => {
      expect(metadata.id_token_signing_alg_values_supported.toSorted()).toEqual(['ES256', 'RS256'])
      const { status, body } = await register({ id_token_signed_response_alg: 'none' })
      // An algorithm that is not supported is left out (RFC 7591 section 3.2.1).
      expect(status).toBe(201)
      expect(body.id_token_signed_response_alg).not.toBe('none')
    }),
    'oidcc-userinfo-rs256': notOffered('UserInfo responds with JSON', async ({ metadata }) => {
      expect(metadata).not.toHaveProperty('userinfo_signing_alg_values_supported')
      const { body } = await register({ userinfo_signed_response_alg: 'RS256' })
      expect(body).not.toHaveProperty('userinfo_signed_response_alg')
    }),
    'oidcc-ensure-redirect-uri-in-authorization-request': passes(async ({ authorize, service }) => {
      const agent = await createAgent(service.issuer, { redirect_uris: [callback, `${callback}/other`] })
      expectErrorPage(await authorize({ redirect_uri: undefined }, { agent }), 'error=invalid_request')
    }),
    'oidcc-redirect-uri-query-OK': passes(async ({ authorize, service }) => {
      const redirect_uri = `${callback}?foo=bar`
      const agent = await createAgent(service.issuer, { redirect_uris: [redirect_uri] })
      const { redirect, page } = await authorize({ redirect_uri }, { agent })
      expect([redirect.get('foo'), redirect.get('error')]).toEqual(['bar', null])
      const tokens = await agent.redeem(page.leftFor as URL, { redirect_uri })
      expect(tokens.status).toBe(200)
    }),
    'oidcc-redirect-uri-query-mismatch': passes(async ({ authorize, service }) => {
      const agent = await createAgent(service.issuer, { redirect_uris: [`${callback}?foo=bar`] })
      for (const query of ['?bar=foo', '?foo=bar&foo=bar', '', '?'])
        expectErrorPage(await authorize({ redirect_uri: callback + query }, { agent }), 'error=invalid_redirect_uri')
    }),
    'oidcc-redirect-uri-query-added': passes(async ({ authorize }) => {
      expectErrorPage(await authorize({ redirect_uri: `${callback}?foo=bar` }), 'error=invalid_redirect_uri')
    }),
    'oidcc-redirect-uri-regfrag': passes(async () => {
      const { status, body } = await register({ redirect_uris: [`${callback}#foobar`] })
      expect([status, body.error]).toEqual([400, 'invalid_redirect_uri'])
    }),
    // configOp.test.ts has the conditions of this module; dynamic registration adds two.
    'oidcc-discovery-endpoint-verification': passes(async ({ metadata }) => {
      expect(metadata.registration_endpoint).toBe(`${metadata.issuer}/api/oauth/register`)
      // A dynamic provider of the suite must also offer the implicit response types, which RFC 9700 section 2.1.2 rules out.
      expect(metadata.response_types_supported).toEqual(['code'])
      expect(metadata.grant_types_supported).not.toContain('implicit')
    }),
    'oidcc-server': passes(async ({ signIn, service, userinfo }) => {
      const { status, headers, body } = await register({ token_endpoint_auth_method: 'client_secret_post' })
      expect([status, headers.get('cache-control')]).toEqual([201, expect.stringContaining('no-store')])
      expect(body).toMatchObject({ client_id: expect.any(String), client_secret: expect.any(String), redirect_uris: [callback] })
      expect(body.client_secret_expires_at).toEqual(expect.any(Number))
      const agent = await createAgent(service.issuer, { token_endpoint_auth_method: 'client_secret_post' })
      const { tokens, claims } = await signIn({}, { agent })
      expect((await userinfo(tokens.body.access_token)).body.sub).toBe(claims.sub)
    }),
    'oidcc-registration-logo-uri': dropped('logo_uri', 'is linked'),
    'oidcc-registration-policy-uri': dropped('policy_uri', 'is linked'),
    'oidcc-registration-tos-uri': dropped('tos_uri', 'is linked'),
    'oidcc-registration-jwks-uri': dropped('jwks_uri', 'is fetched'),
    'oidcc-registration-sector-uri': dropped('sector_identifier_uri', 'is fetched'),
    'oidcc-registration-sector-bad': notOffered('subject_types_supported names public alone', async ({ metadata }) => {
      expect(metadata.subject_types_supported).toEqual(['public'])
      const { body } = await register({ sector_identifier_uri: 'https://rp.example/sector.json', subject_type: 'pairwise' })
      expect(body).not.toHaveProperty('sector_identifier_uri')
      expect(body.subject_type ?? 'public').toBe('public')
    }),
    'oidcc-server-rotate-keys': passes(async ({ keys, service, signIn }) => {
      const before = (await keys()).keys.map(({ kid }) => kid)
      const made = await Promise.all(signingAlgorithms.map(generateSigningKey))
      const rotation = { schoolId: service.schoolId(), keyring: createKeyring([rootSecret]), made, publishSeconds: 0 }
      await service.database.transaction((writer) => rotateKeys(writer, rotation))
      await service.reload({})
      const after = (await keys()).keys.map(({ kid }) => kid)
      // The suite compares the documents before and after: a new key, and still the old one.
      expect(after).toEqual(expect.arrayContaining(before))
      expect(after.length).toBeGreaterThan(before.length)
      expect(made.map(({ kid }) => kid)).toContain((await signIn()).header.kid)
    }),
    'oidcc-refresh-token-rp-key-rotation': noAssertions,
    'oidcc-request-uri-unsigned': noRequestUri,
    'oidcc-request-uri-signed-rs256': noRequestUri,
    'oidcc-ensure-request-object-with-redirect-uri': notOffered(
      'request objects are not in the metadata',
      async ({ authorize, metadata }) => {
        expect(metadata.request_parameter_supported ?? false).toBe(false)
        expect((await authorize({ request: 'a.b.' })).redirect.get('error')).toBe('request_not_supported')
      },
    ),
    'oidcc-refresh-token': passes(async ({ signIn, agent, other, metadata }) => {
      // offline_access is not advertised: a refresh token follows the grant type, as the registration says.
      expect(metadata.scopes_supported).not.toContain('offline_access')
      const { tokens } = await signIn({ scope: 'openid offline_access', prompt: 'consent' })
      const refreshed = await agent.refresh(tokens.body.refresh_token)
      expect(refreshed).toMatchObject({ status: 200, body: { token_type: 'Bearer', id_token: expect.any(String) } })
      expect((await other.refresh(refreshed.body.refresh_token)).body.error).toBe('invalid_grant')
    }),
    'oidcc-ensure-client-assertion-with-iss-aud-succeeds': noAssertions,
  },
})
