// Proves OpenID Connect Core: Every published module of Basic OP passes, or is not offered and not in the metadata

import { decodeJwt } from 'jose'
import { afterEach, expect, vi } from 'vitest'
import { answer, postJson } from '../support/agent.ts'
import { duringTests } from '../support/duringTests.ts'
import { until } from '../support/poll.ts'
import { notOffered, passes, testProfile } from './profile.ts'
import { basicModules } from './publishedModules.ts'
import { email, expectErrorPage, type SignedIn, startRelyingParty } from './relyingParty.ts'

const party = duringTests(() => startRelyingParty())
afterEach(() => vi.useRealTimers())

const later = (seconds: number): void => void vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + seconds * 1000 })

/** A sign-in, and another one in the same browser. */
async function twice(first: Record<string, string>, second: Record<string, string>): Promise<[SignedIn, SignedIn]> {
  const { signIn } = party
  const browser = party.newBrowser()
  const before = await signIn(first, { browser })
  // auth_time is read from the clock of the database, in whole seconds; the age of a session is compared with the clock of the process.
  const clock = 'SELECT floor(extract(epoch FROM now())) > $1::int AS ticked'
  const hasTicked = () => party.service.database.sql.query<{ ticked: boolean }>(clock, [before.claims.auth_time])
  await until(async () => (await hasTicked())[0]?.ticked === true, { what: 'the next second' })
  later(2)
  return [before, await signIn(second, { browser })]
}

/** Requires that a scope is not in the metadata, and that a request with it fails and does not silently drop it. */
const scopeNotOffered = (scope: string) =>
  notOffered('scopes_supported does not name the scope', async ({ metadata, authorize }) => {
    expect(metadata.scopes_supported).not.toContain(scope)
    expect((await authorize({ scope: `openid ${scope}` })).redirect.get('error')).toBe('invalid_scope')
  })

/** Unsigned request objects: by value and by reference. */
const requestObject = (redirectUri: string): string =>
  `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from(
    JSON.stringify({ client_id: party.agent.clientId, response_type: 'code', redirect_uri: redirectUri, scope: 'openid' }),
  ).toString('base64url')}.`

testProfile('Basic OP', basicModules, {
  party: () => party,
  modules: {
    'oidcc-server': passes(async ({ signIn, userinfo, newBrowser }) => {
      const { steps, tokens, claims } = await signIn({}, { browser: newBrowser() })
      expect(steps).toEqual(['sign-in', 'consent'])
      const { status, headers, body } = await userinfo(tokens.body.access_token)
      expect([status, headers.get('content-type'), body.sub]).toEqual([200, expect.stringContaining('application/json'), claims.sub])
    }),
    'oidcc-response-type-missing': passes(async ({ authorize }) => {
      const { redirect } = await authorize({ response_type: undefined })
      expect(['unsupported_response_type', 'invalid_request']).toContain(redirect.get('error'))
    }),
    'oidcc-idtoken-signature': passes(async ({ signIn, keys }) => {
      const { header } = await signIn()
      expect(header.alg).toBe('RS256')
      expect((await keys()).keys.filter(({ kid, alg }) => kid === header.kid && alg === 'RS256')).toHaveLength(1)
    }),
    'oidcc-idtoken-unsigned': notOffered('id_token_signing_alg_values_supported does not name none', async ({ metadata }) => {
      expect(metadata.id_token_signing_alg_values_supported).not.toContain('none')
      const { status, body } = await postJson(metadata.registration_endpoint, {
        redirect_uris: ['http://127.0.0.1/callback'],
        id_token_signed_response_alg: 'none',
      })
      // An algorithm that is not supported is left out (RFC 7591 section 3.2.1).
      expect(status).toBe(201)
      expect(body.id_token_signed_response_alg).not.toBe('none')
    }),
    'oidcc-userinfo-get': passes(async ({ signIn, userinfo }) => {
      const { tokens, claims } = await signIn()
      expect(await userinfo(tokens.body.access_token)).toMatchObject({ status: 200, body: { sub: claims.sub } })
    }),
    'oidcc-userinfo-post-header': passes(async ({ signIn, metadata }) => {
      const { tokens, claims } = await signIn()
      const response = await answer(
        fetch(metadata.userinfo_endpoint, { method: 'POST', headers: { authorization: `Bearer ${tokens.body.access_token}` } }),
      )
      expect(response).toMatchObject({ status: 200, body: { sub: claims.sub } })
    }),
    'oidcc-userinfo-post-body': passes(async ({ signIn, metadata }) => {
      const { tokens, claims } = await signIn()
      const body = new URLSearchParams({ access_token: tokens.body.access_token })
      const response = await answer(fetch(metadata.userinfo_endpoint, { method: 'POST', body }))
      expect(response).toMatchObject({ status: 200, body: { sub: claims.sub } })
    }),
    'oidcc-ensure-request-without-nonce-succeeds-for-code-flow': passes(async ({ signIn }) => {
      expect((await signIn({ nonce: undefined })).claims).not.toHaveProperty('nonce')
    }),
    'oidcc-scope-profile': passes(async ({ signIn, userinfo }) => {
      const { tokens } = await signIn({ scope: 'openid profile' })
      const { body } = await userinfo(tokens.body.access_token)
      expect(body.name).toBe('learner')
      expect(body).not.toHaveProperty('email')
    }),
    'oidcc-scope-email': passes(async ({ signIn, userinfo }) => {
      const { tokens } = await signIn({ scope: 'openid email' })
      const { body } = await userinfo(tokens.body.access_token)
      expect(body).toMatchObject({ email, email_verified: true })
      expect(body).not.toHaveProperty('name')
    }),
    'oidcc-scope-address': scopeNotOffered('address'),
    'oidcc-scope-phone': scopeNotOffered('phone'),
    'oidcc-scope-all': scopeNotOffered('profile email address phone'.split(' ').at(-1) ?? ''),
    'oidcc-alternate-happy-flow': passes(async ({ signIn, userinfo, agent }) => {
      const ordered = [...agent.authorizationUrl({ scope: 'email profile openid', nonce: 'a-nonce' }).searchParams]
      const { tokens, claims } = await signIn(Object.fromEntries(ordered.toReversed()))
      expect(tokens.body.scope.split(' ').toSorted()).toEqual(['email', 'openid', 'profile'])
      expect((await userinfo(tokens.body.access_token)).body).toMatchObject({ sub: claims.sub, email, name: 'learner' })
    }),
    'oidcc-display-page': passes(async ({ signIn, newBrowser }) => {
      expect((await signIn({ display: 'page' }, { browser: newBrowser() })).steps).toEqual(['sign-in', 'consent'])
    }),
    'oidcc-display-popup': passes(async ({ signIn, newBrowser }) => {
      expect((await signIn({ display: 'popup' }, { browser: newBrowser() })).steps).toEqual(['sign-in', 'consent'])
    }),
    'oidcc-prompt-login': passes(async () => {
      const [first, second] = await twice({}, { prompt: 'login' })
      expect(second.steps).toEqual(['sign-in', 'consent'])
      expect(second.claims.sub).toBe(first.claims.sub)
      expect(Number(second.claims.auth_time)).toBeGreaterThan(Number(first.claims.auth_time))
    }),
    'oidcc-prompt-none-not-logged-in': passes(async ({ authorize, newBrowser }) => {
      const { redirect, steps } = await authorize({ prompt: 'none' }, { browser: newBrowser() })
      expect([redirect.get('error'), redirect.get('code'), steps]).toEqual(['login_required', null, []])
    }),
    'oidcc-prompt-none-logged-in': passes(async ({ authorize, signIn, integration }) => {
      const first = await signIn({}, { agent: integration })
      const second = await signIn({ prompt: 'none' }, { agent: integration })
      expect(second.steps).toEqual([])
      expect([second.claims.sub, second.claims.auth_time]).toEqual([first.claims.sub, first.claims.auth_time])
      // An app that redirects to this computer is confirmed on every request (RFC 8252 section 8.6).
      await signIn()
      const { redirect, steps } = await authorize({ prompt: 'none' })
      expect([redirect.get('error'), redirect.get('code'), steps]).toEqual(['interaction_required', null, []])
    }),
    'oidcc-max-age-1': passes(async () => {
      const [first, second] = await twice({}, { max_age: '1' })
      expect(second.steps).toEqual(['sign-in', 'consent'])
      expect(second.claims.sub).toBe(first.claims.sub)
      expect(Number(second.claims.auth_time)).toBeGreaterThan(Number(first.claims.auth_time))
    }),
    'oidcc-max-age-10000': passes(async () => {
      const [first, second] = await twice({ max_age: '15000' }, { max_age: '10000' })
      expect(second.steps).toEqual(['consent'])
      expect([second.claims.sub, second.claims.auth_time]).toEqual([first.claims.sub, first.claims.auth_time])
      expect(first.claims.auth_time).toEqual(expect.any(Number))
    }),
    'oidcc-ensure-request-with-unknown-parameter-succeeds': passes(async ({ signIn }) => {
      expect((await signIn({ extra: 'foobar' })).redirect.has('extra')).toBe(false)
    }),
    'oidcc-id-token-hint': passes(async ({ signIn, newBrowser, integration }) => {
      const browser = newBrowser()
      const { tokens, claims } = await signIn({}, { browser, agent: integration })
      const hint = { id_token_hint: tokens.body.id_token }
      const silent = await signIn({ ...hint, prompt: 'none' }, { browser, agent: integration })
      expect([silent.steps, silent.claims.sub, silent.claims.auth_time]).toEqual([[], claims.sub, claims.auth_time])
      // With a person in front of it the hint leads to the same account, without a second sign-in.
      const again = await signIn(hint, { browser, agent: integration })
      expect([again.steps, again.claims.sub, again.claims.auth_time]).toEqual([['consent'], claims.sub, claims.auth_time])
    }),
    'oidcc-login-hint': passes(async ({ signIn, newBrowser, agent }) => {
      const browser = newBrowser()
      const page = await browser.open(agent.authorizationUrl({ login_hint: email }).href)
      expect(page.html).toContain(`value="${email}"`)
      expect((await signIn({ login_hint: email }, { browser })).steps).toEqual(['sign-in', 'consent'])
    }),
    'oidcc-ui-locales': passes(async ({ signIn, newBrowser, agent, metadata }) => {
      expect(metadata.ui_locales_supported).toContain('de')
      const browser = newBrowser()
      expect((await browser.open(agent.authorizationUrl({ ui_locales: 'de' }).href)).html).toContain('lang="de"')
      expect((await signIn({ ui_locales: 'se' }, { browser })).steps).toEqual(['sign-in', 'consent'])
    }),
    'oidcc-claims-locales': passes(async ({ signIn }) => {
      expect((await signIn({ claims_locales: 'se' })).tokens.status).toBe(200)
    }),
    'oidcc-ensure-request-with-acr-values-succeeds': passes(async ({ signIn, metadata }) => {
      const values = metadata.acr_values_supported
      expect(values.length).toBeGreaterThan(0)
      const { claims } = await signIn({ acr_values: values.join(' ') })
      // The person has a password alone: acr is left out, and no context is claimed that was not reached.
      expect(claims).not.toHaveProperty('acr')
      expect((await signIn({ acr_values: '1 2' })).tokens.status).toBe(200)
    }),
    'oidcc-codereuse': passes(async ({ signIn, agent }) => {
      const { page } = await signIn()
      const second = await agent.redeem(page.leftFor as URL)
      expect([second.status, second.body.error]).toEqual([400, 'invalid_grant'])
    }),
    'oidcc-codereuse-30seconds': passes(async ({ signIn, agent, userinfo }) => {
      const { page, tokens } = await signIn()
      expect((await userinfo(tokens.body.access_token)).status).toBe(200)
      later(30)
      const second = await agent.redeem(page.leftFor as URL)
      expect([second.status, second.body.error]).toEqual([400, 'invalid_grant'])
      expect((await userinfo(tokens.body.access_token)).status).toBe(401)
      expect((await agent.refresh(tokens.body.refresh_token)).body.error).toBe('invalid_grant')
    }),
    'oidcc-ensure-registered-redirect-uri': passes(async ({ authorize }) => {
      for (const redirect_uri of ['http://127.0.0.1:53682/callback/other', 'https://rp.example/callback'])
        expectErrorPage(await authorize({ redirect_uri }), 'error=invalid_redirect_uri')
    }),
    'oidcc-ensure-post-request-succeeds': passes(async ({ agent, metadata, signIn, browser }) => {
      const { searchParams } = agent.authorizationUrl({ scope: 'openid', nonce: 'a-nonce' })
      const sent = { method: 'POST', body: searchParams, redirect: 'manual' } as const
      const response = await fetch(metadata.authorization_endpoint, sent)
      // After 303 the browser sends GET, with the cookies that it keeps from forms of other sites.
      const target = new URL(response.headers.get('location') ?? '', metadata.issuer)
      expect([response.status, `${target.origin}${target.pathname}`]).toEqual([303, metadata.authorization_endpoint])
      expect([...target.searchParams]).toEqual([...searchParams])
      expect((await signIn(Object.fromEntries(target.searchParams), { browser })).steps).toEqual(['consent'])
    }),
    'oidcc-server-client-secret-post': passes(async ({ signIn, agent, metadata }) => {
      expect(metadata.token_endpoint_auth_methods_supported).toContain('client_secret_post')
      expect(metadata.token_endpoint_auth_methods_supported).not.toContain('client_secret_basic')
      const { page } = await signIn()
      for (const client_secret of ['wrong', undefined])
        expect((await agent.redeem(page.leftFor as URL, { client_secret })).body.error).toBe('invalid_client')
    }),
    'oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported': notOffered(
      'request_uri_parameter_supported is false',
      async ({ metadata, authorize }) => {
        expect(metadata.request_uri_parameter_supported).toBe(false)
        expect((await authorize({ request_uri: 'https://rp.example/request.jwt' })).redirect.get('error')).toBe('request_uri_not_supported')
      },
    ),
    'oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported': notOffered(
      'request objects are not in the metadata',
      async ({ metadata, authorize, agent }) => {
        expect(metadata.request_parameter_supported ?? false).toBe(false)
        expect(metadata).not.toHaveProperty('request_object_signing_alg_values_supported')
        expect((await authorize({ request: requestObject(agent.redirectUri) })).redirect.get('error')).toBe('request_not_supported')
      },
    ),
    'oidcc-claims-essential': passes(async ({ signIn, userinfo, metadata }) => {
      expect(metadata.claims_parameter_supported).toBe(true)
      const claims = JSON.stringify({ userinfo: { name: { essential: true } } })
      const { tokens } = await signIn({ claims, scope: 'openid profile' })
      expect((await userinfo(tokens.body.access_token)).body.name).toBe('learner')
      // Without the scope the claim is left out, which the suite accepts with a warning: what a person allowed decides.
      const without = await signIn({ claims, scope: 'openid' })
      expect((await userinfo(without.tokens.body.access_token)).body).not.toHaveProperty('name')
    }),
    'oidcc-ensure-request-object-with-redirect-uri': notOffered('request objects are not in the metadata', async ({ authorize, agent }) => {
      const { redirect, page } = await authorize({ request: requestObject(agent.redirectUri), redirect_uri: 'https://rp.example/other' })
      expect([page.leftFor, redirect.get('code'), page.status]).toEqual([undefined, null, 400])
    }),
    'oidcc-refresh-token': passes(async ({ signIn, agent, other, userinfo, metadata }) => {
      expect(metadata.grant_types_supported).toContain('refresh_token')
      const { tokens, claims } = await signIn()
      expect(tokens.body.refresh_token).toMatch(/^[\x20-\x7e]+$/)
      const refreshed = await agent.refresh(tokens.body.refresh_token)
      expect(refreshed.status).toBe(200)
      expect(refreshed.body.access_token).not.toBe(tokens.body.access_token)
      const second = decodeJwt(refreshed.body.id_token)
      for (const member of ['iss', 'sub', 'aud', 'auth_time'] as const) expect(second[member]).toEqual(claims[member])
      expect((await userinfo(refreshed.body.access_token)).status).toBe(200)
      const stolen = await other.refresh(refreshed.body.refresh_token)
      expect([stolen.status, stolen.body.error]).toEqual([400, 'invalid_grant'])
    }),
    'oidcc-ensure-request-with-valid-pkce-succeeds': passes(async ({ signIn, authorize, agent }) => {
      const { page } = await authorize()
      const wrong = await agent.redeem(page.leftFor as URL, { code_verifier: 'w'.repeat(43) })
      expect([wrong.status, wrong.body.error]).toEqual([400, 'invalid_grant'])
      expect((await signIn()).tokens.status).toBe(200)
    }),
  },
})
