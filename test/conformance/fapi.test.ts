// Proves FAPI 2.0 Security Profile: The modules of FAPI 2.0 on codes, PKCE, iss and refresh tokens pass; features of the others are not in the metadata

import { afterEach, expect, vi } from 'vitest'
import { get, withToken } from '../support/agent.ts'
import { duringTests } from '../support/duringTests.ts'
import { notOffered, passes, testProfile } from './profile.ts'
import { fapiModules } from './publishedModules.ts'
import { expectErrorPage, startRelyingParty } from './relyingParty.ts'

const party = duringTests(() => startRelyingParty())
afterEach(() => vi.useRealTimers())

const later = (seconds: number): void => void vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + seconds * 1000 })

// The profile as a whole needs sender-constrained tokens, pushed requests and signed assertions, and is not claimed. Its modules on codes,
// PKCE, the issuer and refresh tokens hold for every authorization server, and are tested here.
const dpop = notOffered('DPoP is not in the metadata', async ({ metadata }) => {
  expect(metadata).not.toHaveProperty('dpop_signing_alg_values_supported')
})
const pushed = notOffered('pushed authorization requests are not in the metadata', async ({ metadata, service, authorize }) => {
  expect(metadata).not.toHaveProperty('pushed_authorization_request_endpoint')
  expect(metadata.require_pushed_authorization_requests ?? false).toBe(false)
  expect((await get(`${service.issuer}/request`)).status).toBe(404)
  const { redirect } = await authorize({ request_uri: 'urn:ietf:params:oauth:request_uri:x' })
  expect(redirect.get('error')).toBe('request_uri_not_supported')
})
const assertion = notOffered('clients do not authenticate with assertions', async ({ metadata }) => {
  expect(metadata.token_endpoint_auth_methods_supported).toEqual(['none', 'client_secret_post'])
})
const requestObject = notOffered('request objects are not in the metadata', async ({ metadata, authorize }) => {
  expect(metadata.request_parameter_supported ?? false).toBe(false)
  expect((await authorize({ request: 'a.b.' })).redirect.get('error')).toBe('request_not_supported')
})
const regional = (profile: string) =>
  notOffered(`part of the profile of ${profile}`, async ({ metadata }) => {
    expect(Object.keys(metadata).filter((name) => /purpose|intent|consent|payment|verified_claims/.test(name))).toEqual([])
  })

/** A code whose PKCE verifier is checked: the token request fails, and does not use up the code. */
async function refusesVerifier(verifier: string | undefined): Promise<void> {
  const { page } = await party.authorize()
  const refused = await party.agent.redeem(page.leftFor as URL, { code_verifier: verifier })
  expect([refused.status, refused.body.error]).toEqual([400, 'invalid_grant'])
  expect(refused.body).not.toHaveProperty('access_token')
}

/** An authorization request that fails with an error for the client, with the issuer and the state. */
async function failsWith(parameters: Record<string, string | undefined>, errors: string[]): Promise<void> {
  const { redirect } = await party.authorize(parameters)
  expect(errors).toContain(redirect.get('error'))
  expect([redirect.get('iss'), redirect.get('state'), redirect.get('code')]).toEqual([party.service.issuer, 'a-state', null])
}

testProfile('FAPI 2.0 Security Profile, shared modules', fapiModules, {
  party: () => party,
  modules: {
    'discovery-end-point-verification': passes(async ({ metadata, service }) => {
      expect(metadata).toMatchObject({
        issuer: service.issuer,
        authorization_response_iss_parameter_supported: true,
        code_challenge_methods_supported: ['S256'],
        response_types_supported: ['code'],
      })
      expect(metadata.grant_types_supported).toContain('authorization_code')
    }),
    'happy-flow': passes(async ({ signIn, userinfo }) => {
      // signIn checks iss, state, nonce, the ID token, the token type and no-store.
      const { tokens, claims } = await signIn()
      expect((await userinfo(tokens.body.access_token)).body.sub).toBe(claims.sub)
      // At least 128 bits.
      for (const name of ['access_token', 'refresh_token']) expect(tokens.body[name].length).toBeGreaterThanOrEqual(22)
    }),
    'user-rejects-authentication': passes(async ({ authorize, service }) => {
      const { redirect } = await authorize({}, { isRefused: true })
      expect([redirect.get('error'), redirect.get('iss'), redirect.get('state')]).toEqual(['access_denied', service.issuer, 'a-state'])
    }),
    'ensure-authorization-request-without-state-success': passes(async ({ signIn }) => {
      expect((await signIn({ state: undefined })).redirect.has('state')).toBe(false)
    }),
    'ensure-authorization-request-without-nonce-success': passes(async ({ signIn }) => {
      expect((await signIn({ nonce: undefined })).claims).not.toHaveProperty('nonce')
    }),
    'ensure-authorization-request-with-64-char-nonce-success': passes(async ({ signIn }) => {
      expect((await signIn({ nonce: 'n'.repeat(64) })).claims.nonce).toHaveLength(64)
    }),
    'ensure-other-scope-order-succeeds': passes(async ({ signIn }) => {
      const { tokens } = await signIn({ scope: 'email openid profile' })
      expect(tokens.body.scope.split(' ').toSorted()).toEqual(['email', 'openid', 'profile'])
    }),
    'test-claims-parameter-identity-claims': passes(async ({ signIn, userinfo, metadata }) => {
      const names: string[] = metadata.claims_supported
      const wanted = Object.fromEntries([...names, 'a_claim_that_nobody_knows'].map((name) => [name, null]))
      delete wanted.acr
      const { tokens } = await signIn({ claims: JSON.stringify({ id_token: wanted, userinfo: wanted }) })
      const { body } = await userinfo(tokens.body.access_token)
      expect(body).toMatchObject({ sub: expect.any(String), name: 'learner', email: expect.any(String) })
      expect(body).not.toHaveProperty('a_claim_that_nobody_knows')
    }),
    'access-token-type-header-case-sensitivity': passes(async ({ signIn, metadata }) => {
      const { tokens } = await signIn()
      for (const scheme of ['Bearer', 'bearer', 'BEARER'])
        expect((await get(metadata.userinfo_endpoint, { authorization: `${scheme} ${tokens.body.access_token}` })).status).toBe(200)
    }),
    'check-dpop-proof-nbf-exp': dpop,
    'ensure-dpopproof-with-iat-10seconds-before-succeeds': dpop,
    'ensure-dpopproof-with-iat-10seconds-after-succeeds': dpop,
    'ensure-mismatched-dpop-jkt-fails': dpop,
    'ensure-token-endpoint-fails-with-mismatched-dpop-proof-jkt': dpop,
    'ensure-token-endpoint-fails-with-mismatched-dpop-jkt': dpop,
    'ensure-dpopproof-at-par-endpoint-binding-success': dpop,
    'ensure-dpop-auth-code-binding-success': dpop,
    'ensure-different-nonce-inside-and-outside-request-object': requestObject,
    'ensure-different-state-inside-and-outside-request-object': requestObject,
    'ensure-authorization-request-with-long-nonce': passes(async ({ signIn }) => {
      expect((await signIn({ nonce: 'n'.repeat(384) })).claims.nonce).toBe('n'.repeat(384))
    }),
    'ensure-authorization-request-with-long-state': passes(async ({ authorize }) => {
      for (const state of ['s'.repeat(128), 's'.repeat(1000)]) expect((await authorize({ state })).redirect.get('state')).toBe(state)
      // Longer ones fail on a page and are never cut.
      const { page } = await authorize({ state: 's'.repeat(8000) })
      expect([page.leftFor, page.status]).toEqual([undefined, 414])
    }),
    'state-only-outside-request-object-not-used': requestObject,
    'ensure-request-object-without-redirect-uri-fails': requestObject,
    'ensure-registered-redirect-uri': passes(async ({ authorize }) => {
      expectErrorPage(await authorize({ redirect_uri: 'https://rp.example/callback' }), 'error=invalid_redirect_uri')
    }),
    'plain-fapi-tolerate-unregistered-redirect-uri': passes(async ({ authorize }) => {
      expectErrorPage(await authorize({ redirect_uri: 'https://rp.example/callback/other' }), 'error=invalid_redirect_uri')
    }),
    'ensure-unsigned-authorization-request-without-using-par-fails': pushed,
    'ensure-redirect-uri-in-authorization-request': passes(async ({ authorize }) => {
      expectErrorPage(await authorize({ redirect_uri: undefined }), 'error=invalid_request')
    }),
    'ensure-response-type-code-idtoken-fails': passes(async () =>
      failsWith({ response_type: 'code id_token' }, ['unsupported_response_type', 'invalid_request', 'unauthorized_client']),
    ),
    'australia-connectid-ensure-invalid-purpose-fails': regional('Australia'),
    'ensure-response-type-token-fails': passes(async () =>
      failsWith({ response_type: 'token' }, ['unsupported_response_type', 'invalid_request', 'unauthorized_client']),
    ),
    'ensure-client-id-in-token-endpoint': passes(async ({ authorize, agent, other }) => {
      const { page } = await authorize()
      const refused = await agent.redeem(page.leftFor as URL, { client_id: other.clientId })
      expect([refused.status, refused.body.error]).toEqual([401, 'invalid_client'])
    }),
    'ensure-holder-of-key-required': dpop,
    'ensure-authorization-code-is-bound-to-client': passes(async ({ authorize, agent, other }) => {
      const { page } = await authorize()
      const code = page.leftFor as URL
      const stolen = await other.redeem(code, { code_verifier: agent.verifier })
      expect([stolen.status, stolen.body.error]).toEqual([400, 'invalid_grant'])
      expect(stolen.body).not.toHaveProperty('access_token')
    }),
    'attempt-reuse-authorization-code-after-one-second': passes(async ({ signIn, agent, userinfo }) => {
      const { page, tokens } = await signIn()
      later(1)
      const second = await agent.redeem(page.leftFor as URL)
      expect([second.status, second.body.error]).toEqual([400, 'invalid_grant'])
      expect((await userinfo(tokens.body.access_token)).status).toBe(401)
    }),
    'ensure-token-endpoint-fails-with-expired-auth-code': passes(async ({ authorize, agent }) => {
      const { page } = await authorize()
      later(61)
      const late = await agent.redeem(page.leftFor as URL)
      expect([late.status, late.body.error]).toEqual([400, 'invalid_grant'])
    }),
    'ensure-signed-client-assertion-with-RS256-fails': assertion,
    'ensure-client-assertion-in-token-endpoint': assertion,
    'ensure-client-assertion-with-exp-is-5-minutes-in-past-fails': assertion,
    'ensure-client-assertion-with-wrong-aud-fails': assertion,
    'ensure-client-assertion-with-no-sub-fails': assertion,
    'dpop-negative-tests': dpop,
    'refresh-token': passes(async ({ signIn, agent, other, service }) => {
      const { tokens } = await signIn()
      const token = tokens.body.refresh_token
      // Without client authentication, with the wrong one, and by another client.
      for (const client_secret of [undefined, 'wrong']) {
        const refused = await agent.refresh(token, { client_secret })
        expect([refused.status, refused.body.error]).toEqual([401, 'invalid_client'])
      }
      const refreshed = await agent.refresh(token)
      expect(refreshed.status).toBe(200)
      expect((await withToken(`${service.issuer}/api/oauth/userinfo`, refreshed.body.access_token)).status).toBe(200)
      const stolen = await other.refresh(refreshed.body.refresh_token)
      expect([stolen.status, stolen.body.error]).toEqual([400, 'invalid_grant'])
    }),
    'ensure-server-handles-non-matching-intent-id': regional('the United Kingdom and Brazil'),
    'test-essential-acr-sca-claim': passes(async ({ newBrowser, signIn, authorize }) => {
      const browser = newBrowser()
      await signIn({}, { browser })
      const acr = { essential: true, values: ['urn:openbanking:psd2:sca'] }
      const { redirect } = await authorize({ claims: JSON.stringify({ id_token: { acr } }) }, { browser })
      expect([redirect.get('error'), redirect.get('code')]).toEqual(['unmet_authentication_requirements', null])
    }),
    'brazil-ensure-bad-payment-signature-fails': regional('Brazil'),
    'australia-connectid-test-claims-parameter-idtoken-identity-claims': regional('Australia'),
    'par-ensure-reused-request-uri-prior-to-auth-completion-succeeds': pushed,
    'par-attempt-reuse-request_uri': pushed,
    'par-attempt-to-use-expired-request_uri': pushed,
    'par-ensure-jwt-client-assertions-nbf-8-seconds-in-the-future-is-accepted': assertion,
    'par-ensure-jwt-client-assertions-nbf-over-60-seconds-in-the-future-fails': assertion,
    'par-attempt-to-use-request_uri-for-different-client': pushed,
    'par-authorization-request-containing-request_uri-form-param': pushed,
    'par-attempt-invalid-http-method': pushed,
    // The suite sends these to the endpoint of pushed requests; here they arrive at the authorization endpoint.
    'par-ensure-pkce-required': passes(async () =>
      failsWith({ code_challenge: undefined, code_challenge_method: undefined }, ['invalid_request']),
    ),
    'ensure-pkce-code-verifier-required': passes(async () => refusesVerifier(undefined)),
    'incorrect-pkce-code-verifier-rejected': passes(async () => refusesVerifier('w'.repeat(43))),
    'par-plain-pkce-rejected': passes(async ({ agent }) =>
      failsWith({ code_challenge: agent.verifier, code_challenge_method: 'plain' }, ['invalid_request']),
    ),
    'par-without-duplicate-parameters': pushed,
    'par-test-array-as-audience-fails': assertion,
    'par-test-par-endpoint-url-as-audience-fails': assertion,
    'par-test-token-endpoint-url-as-audience-fails': assertion,
  },
})
