// Proves RFC 9700 sections 2, 4: Every recommendation has a check, or a link to an existing test

import { decodeJwt } from 'jose'
import { describe, expect, test } from 'vitest'
import { createAgent, get } from '../support/agent.ts'
import { duringTests } from '../support/duringTests.ts'
import { brokenLink, type LinkedTest } from '../support/linkedTests.ts'
import { type RelyingParty, startRelyingParty } from './relyingParty.ts'

const party = duringTests(() => startRelyingParty())

const at = (file: string, ...titles: string[]): LinkedTest[] => titles.map((title) => ({ file: `${file}.test.ts`, title }))

/** A recommendation of RFC 9700 for authorization servers and resource servers, and what proves that the service follows it. */
interface Recommendation {
  section: string
  text: string
  /** Why the recommendation is met in another way, or does not concern this service. */
  note?: string
  tests: readonly LinkedTest[]
  check?(party: RelyingParty): Promise<void>
}

const exactRedirects = at(
  'identity/oidc/authorization',
  'errors without a verified redirect URI stay on a local page: no open redirector (D7)',
  'any port of the loopback address is good, as registered in all else (RFC 8252 section 7.3)',
)
const onlyLoopback = at(
  'identity/oidc/redirectUri',
  "self-registered clients are sent to the person's own machine and nowhere else (RFC 8252 section 7.3)",
)
const pkce = [
  ...at('conformance/fapi', 'par-ensure-pkce-required', 'ensure-pkce-code-verifier-required', 'incorrect-pkce-code-verifier-rejected'),
  ...at('identity/oidc/authorization', 'confidential clients need S256 too'),
]
const codeOnce = at(
  'identity/oidc/token',
  'is good once; presented again without its verifier it ends the tokens that followed (D2, RFC 9700 section 4.5)',
)
const audience = at(
  'identity/oidc/token',
  'a token for /mcp is accepted at UserInfo and not at the API, and the error names the right resource',
)
const notSenderConstrained =
  'tokens are bearer tokens: they are opaque, live for an hour, are bound to a grant that ends with one request, and rotate with detection of reuse'

const recommendations: readonly Recommendation[] = [
  { section: '2.1', text: 'redirect URIs are compared as exact strings, except the port of a loopback address', tests: exactRedirects },
  {
    section: '2.1',
    text: 'the server does not redirect to addresses that a caller chose',
    tests: at('security/signOut', 'where a sign-out leads (D26, OpenID Connect RP-Initiated Logout section 3)'),
  },
  {
    section: '2.1',
    text: 'cross-site request forgery is prevented: PKCE is required, and state is returned as sent',
    tests: [
      ...pkce,
      ...at('identity/oidc/authorization', 'a success carries code, iss and the state of the request, unchanged (RFC 9207)'),
    ],
  },
  {
    section: '2.1',
    text: 'clients can detect a mix-up: iss is in every response, errors included',
    tests: at('identity/oidc/authorization', 'errors reach the client by redirect, with iss and state'),
    check: issuerInEveryResponse,
  },
  {
    section: '2.1',
    text: 'a redirect never repeats a posted password elsewhere',
    tests: at(
      'security/headers',
      'every redirect is 302 or 303 and is kept by no cache: none repeats a posted password elsewhere (D33, RFC 9700 section 4.12)',
    ),
  },
  { section: '2.1.1', text: 'the server supports and requires PKCE', tests: pkce },
  {
    section: '2.1.1',
    text: 'the challenge does not reveal the verifier: S256 only',
    tests: at('conformance/fapi', 'par-plain-pkce-rejected'),
  },
  {
    section: '2.1.1',
    text: 'a code with a challenge needs its verifier',
    tests: at('conformance/fapi', 'ensure-pkce-code-verifier-required'),
  },
  {
    section: '2.1.1',
    text: 'a downgrade of PKCE fails',
    note: 'no code exists without a challenge',
    tests: at('identity/oidc/authorization', 'errors reach the client by redirect, with iss and state'),
  },
  {
    section: '2.1.1',
    text: 'clients can detect the support of PKCE',
    tests: at('identity/oidc/metadata', 'promise exactly what is offered'),
  },
  {
    section: '2.1.2',
    text: 'no response type issues access tokens in the authorization response',
    tests: at('conformance/fapi', 'ensure-response-type-token-fails', 'ensure-response-type-code-idtoken-fails'),
  },
  {
    section: '2.2.1',
    text: 'access tokens should be sender-constrained',
    note: notSenderConstrained,
    tests: at('conformance/fapi', 'ensure-holder-of-key-required'),
    check: noSenderConstraint,
  },
  {
    section: '2.2.2',
    text: 'refresh tokens of public clients rotate',
    tests: at(
      'identity/oidc/refresh',
      'a refresh rotates the token, and the new pair works',
      'after the window the spent token ends the grant',
    ),
  },
  {
    section: '2.3',
    text: 'access tokens have the minimum of privileges: the person can leave out every scope, and the role limits them',
    tests: at(
      'identity/oidc/authorization',
      'each scope can be left out, and the token names the remaining ones',
      'scopes that the role cannot use are never granted, even if the form names them (D18)',
    ),
  },
  { section: '2.3', text: 'access tokens are restricted to resource servers, which check it', tests: audience },
  {
    section: '2.3',
    text: 'resource servers check the scope of every request',
    tests: at(
      'identity/oidc/authorization',
      'a write scope does not bring the read scope along: the challenge names the scope that is missing',
    ),
  },
  { section: '2.4', text: 'no password grant', tests: [], check: noPasswordGrant },
  {
    section: '2.5',
    text: 'clients with credentials authenticate, in the registered way only',
    tests: at('identity/oidc/token', 'clients authenticate as registered, and in no other way'),
  },
  {
    section: '2.5',
    text: 'asymmetric methods are recommended',
    note: 'clients on the machine of a person keep no better secret; confidential clients have 256 random bits that rotate with an overlap',
    tests: at('conformance/fapi', 'ensure-client-assertion-in-token-endpoint'),
  },
  {
    section: '2.6',
    text: 'the server publishes metadata',
    tests: at('identity/oidc/metadata', 'name the issuer byte-exact and every endpoint under it'),
  },
  {
    section: '2.6',
    text: 'clients influence neither client_id nor sub',
    tests: at('identity/oidc/registration', 'returns 201 with every registered value, and must not be cached'),
    check: clientsChooseNoIds,
  },
  { section: '2.6', text: 'redirects to http are for loopback addresses only', tests: onlyLoopback },
  { section: '2.6', text: 'the authorization endpoint does not support CORS', tests: [], check: noCorsAtAuthorization },
  {
    section: '4.1.3',
    text: 'patterns of redirect URIs are not supported, and URIs are validated at registration',
    tests: [...onlyLoopback, ...at('conformance/dynamicOp', 'oidcc-redirect-uri-query-added', 'oidcc-redirect-uri-query-mismatch')],
  },
  {
    section: '4.2.4',
    text: 'pages of the authorization load nothing from elsewhere and send no referrer',
    tests: at(
      'security/headers',
      'every HTML answer, errors included (D11, RFC 9700 section 4.16 and 4.2.4)',
      'holds no handler, no inline style and nothing embedded',
    ),
  },
  {
    section: '4.2.4',
    text: 'a leaked code is useless: it needs the verifier and works once',
    tests: [...codeOnce, ...at('conformance/fapi', 'incorrect-pkce-code-verifier-rejected')],
  },
  {
    section: '4.3.1',
    text: 'a code from the history of the browser cannot be used again',
    tests: [...codeOnce, ...at('conformance/fapi', 'ensure-token-endpoint-fails-with-expired-auth-code')],
  },
  {
    section: '4.3.2',
    text: 'access tokens in a query are not accepted',
    tests: at('identity/oidc/token', 'a token in the address is not looked at'),
  },
  {
    section: '4.4.2',
    text: 'mix-up: iss is in the authorization response, and equals the issuer of the metadata',
    tests: at('identity/oidc/authorization', 'a success carries code, iss and the state of the request, unchanged (RFC 9207)'),
  },
  {
    section: '4.5.3',
    text: 'an injected code fails: PKCE binds it to the session of the client, and the nonce is in the ID token',
    tests: [
      ...at('conformance/fapi', 'incorrect-pkce-code-verifier-rejected', 'ensure-authorization-code-is-bound-to-client'),
      ...at('conformance/basicOp', 'oidcc-server'),
    ],
  },
  {
    section: '4.6',
    text: 'no access token is in an authorization response, so none can be injected there',
    tests: at('conformance/fapi', 'ensure-response-type-token-fails'),
  },
  { section: '4.7.1', text: 'cross-site request forgery on the redirect URI: PKCE, nonce and state', tests: pkce },
  {
    section: '4.7.1',
    text: 'forms of other sites give no consent and end no session',
    tests: at('security/interactions', 'forms of other sites (D10)'),
  },
  {
    section: '4.8.2',
    text: 'PKCE downgrade: a token request with a verifier succeeds only if the request had a challenge',
    note: 'no code exists without a challenge',
    tests: pkce,
  },
  { section: '4.9.1', text: 'a counterfeit resource server cannot use a token elsewhere: audience restriction', tests: audience },
  {
    section: '4.9.2',
    text: 'a compromised resource server: tokens are neither stored nor logged',
    tests: at(
      'security/secrets',
      'the stores hold no token, code, secret, verifier, cookie or password (D4)',
      'the log at its most talkative holds none either, nor a query, an address or an answer of an authorization (D22)',
    ),
  },
  {
    section: '4.10.1',
    text: 'stolen tokens: sender-constrained tokens are recommended',
    note: notSenderConstrained,
    tests: at('identity/oidc/revocation', 'of an %s revokes the grant: both tokens are immediately invalid'),
  },
  { section: '4.10.2', text: 'stolen tokens: audience restriction', tests: audience },
  {
    section: '4.11.2',
    text: 'errors redirect to trusted addresses only',
    note: 'the operator registered the address, or it is on the machine of the person',
    tests: [...exactRedirects, ...onlyLoopback],
  },
  {
    section: '4.11.2',
    text: 'a person confirms every authorization before a redirect with a code',
    tests: at('identity/oidc/authorization', 'a native client is confirmed every time, and prompt=none never gives a code (D25)'),
  },
  {
    section: '4.12',
    text: 'after a form the service redirects with 303, never with 307',
    tests: at('identity/oidc/authorization', 'redirects are 302 or 303, never 307, and are not cached'),
  },
  {
    section: '4.13',
    text: 'headers of a reverse proxy are believed from configured proxies only',
    tests: at(
      'security/signInLimits',
      'forwarded headers of a peer that is not a trusted proxy (D31)',
      'behind a trusted proxy the nearest address that no proxy vouched for counts, not the first that the caller wrote',
    ),
  },
  {
    section: '4.14.2',
    text: 'refresh tokens are bound to client, scope and resource',
    tests: at(
      'identity/oidc/refresh',
      'a token of one client is nothing to another (D20)',
      'a refresh with scope=%j gets what was requested and granted (RFC 6749 section 6)',
    ),
  },
  {
    section: '4.14.2',
    text: 'reuse of a refresh token is detected and ends the grant',
    tests: at(
      'identity/oidc/refresh',
      'after the window the spent token ends the grant',
      'the spent token from another client is reuse: refused, and the grant ends',
    ),
  },
  {
    section: '4.14.2',
    text: 'refresh tokens end after a security event',
    tests: [
      ...at('pages/account/password', 'leaves apps connected, or ends them where the box is ticked'),
      ...at('identity/oidc/refresh', 'a disabled person cannot refresh, and the access token is immediately invalid (D34)'),
    ],
  },
  { section: '4.14.2', text: 'refresh tokens expire', tests: [], check: refreshTokensExpire },
  {
    section: '4.15',
    text: 'a client cannot pass for a person: client_id and sub have different forms, and there is no client credentials grant',
    tests: [],
    check: clientsAreNoPeople,
  },
  {
    section: '4.16',
    text: 'no page can be framed',
    tests: at('security/headers', 'every HTML answer, errors included (D11, RFC 9700 section 4.16 and 4.2.4)'),
  },
  {
    section: '4.17',
    text: 'no response is passed on with postMessage',
    note: 'the response modes are redirects only',
    tests: [],
    check: responsesAreRedirects,
  },
]

async function issuerInEveryResponse({ authorize, service, metadata }: RelyingParty): Promise<void> {
  expect(metadata.authorization_response_iss_parameter_supported).toBe(true)
  const failing = [
    { scope: 'nonsense' },
    { response_type: 'token' },
    { code_challenge_method: 'plain' },
    { prompt: 'none' },
    { request: 'x' },
  ]
  for (const parameters of [{}, ...failing]) expect((await authorize(parameters)).redirect.get('iss')).toBe(service.issuer)
}

async function noSenderConstraint({ signIn, metadata, agent, userinfo }: RelyingParty): Promise<void> {
  expect(metadata).not.toHaveProperty('tls_client_certificate_bound_access_tokens')
  const { tokens } = await signIn()
  expect(() => decodeJwt(tokens.body.access_token)).toThrow()
  expect(tokens.body.expires_in).toBeLessThanOrEqual(3600)
  expect((await agent.post('/api/oauth/revoke', { token: tokens.body.access_token })).status).toBe(200)
  expect((await userinfo(tokens.body.access_token)).status).toBe(401)
  expect((await agent.refresh(tokens.body.refresh_token)).body.error).toBe('invalid_grant')
}

async function noPasswordGrant({ agent, metadata }: RelyingParty): Promise<void> {
  for (const grant_type of ['password', 'client_credentials', 'implicit', 'urn:ietf:params:oauth:grant-type:device_code']) {
    expect(metadata.grant_types_supported).not.toContain(grant_type)
    const { status, body } = await agent.post('/api/oauth/token', {
      grant_type,
      username: 'learner@example.org',
      password: 'x',
      scope: 'openid',
    })
    expect([status, body.error]).toEqual([400, 'unsupported_grant_type'])
  }
}

async function clientsChooseNoIds({ service }: RelyingParty): Promise<void> {
  const sent = { client_id: 'acc_01jgwejj00e5nv8sj6kwgy2x0p', sub: 'acc_01jgwejj00e5nv8sj6kwgy2x0p', client_secret: 'chosen' }
  const agent = await createAgent(service.issuer, sent)
  expect(agent.clientId).not.toBe(sent.client_id)
  expect(agent.clientSecret).toBeUndefined()
}

async function clientsAreNoPeople(setup: RelyingParty): Promise<void> {
  const { claims } = await setup.signIn()
  const prefix = (id: string | undefined): string => /^[a-z]+(?=_)/.exec(id ?? '')?.[0] ?? ''
  expect([prefix(setup.agent.clientId), prefix(claims.sub)]).toEqual(['cli', 'acc'])
  await noPasswordGrant(setup)
}

async function noCorsAtAuthorization({ metadata, agent }: RelyingParty): Promise<void> {
  const origin = 'https://app.example'
  const { headers } = await get(agent.authorizationUrl().href, { origin })
  const preflight = await fetch(metadata.authorization_endpoint, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'GET' },
  })
  for (const sent of [headers, preflight.headers]) expect([...sent.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
  // At the token endpoint it is allowed, for apps in browsers.
  const token = await fetch(metadata.token_endpoint, { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'POST' } })
  expect(token.headers.get('access-control-allow-origin')).toBeTruthy()
}

async function refreshTokensExpire({ service, signIn, agent }: RelyingParty): Promise<void> {
  const { tokens } = await signIn()
  const rows = await service.database.sql.query<{ seconds: number }>(
    `SELECT extract(epoch FROM max(expires_at) - now())::int AS seconds FROM oidc_artifact WHERE model = 'RefreshToken'`,
  )
  expect(rows[0]?.seconds).toBeGreaterThan(3600)
  await service.database.sql.query(`UPDATE oidc_artifact SET expires_at = now() - interval '1 second' WHERE model = 'RefreshToken'`)
  expect((await agent.refresh(tokens.body.refresh_token)).body.error).toBe('invalid_grant')
}

async function responsesAreRedirects({ metadata, authorize }: RelyingParty): Promise<void> {
  expect(metadata.response_modes_supported).toEqual(['query', 'form_post'])
  for (const response_mode of ['web_message', 'form_post', 'fragment'])
    expect((await authorize({ response_mode })).redirect.get('code')).toBeNull()
}

/** The sections that give recommendations to authorization servers and resource servers. */
const sections = [
  ...[
    '2.1',
    '2.1.1',
    '2.1.2',
    '2.2.1',
    '2.2.2',
    '2.3',
    '2.4',
    '2.5',
    '2.6',
    '4.1.3',
    '4.2.4',
    '4.3.1',
    '4.3.2',
    '4.4.2',
    '4.5.3',
    '4.6',
    '4.7.1',
  ],
  ...['4.8.2', '4.9.1', '4.9.2', '4.10.1', '4.10.2', '4.11.2', '4.12', '4.13', '4.14.2', '4.15', '4.16', '4.17'],
]

describe('RFC 9700, Best Current Practice for OAuth 2.0 Security', () => {
  test('every section with recommendations has a row', () => {
    expect([...new Set(recommendations.map(({ section }) => section))]).toEqual(sections)
  })

  for (const { section, text, note, tests, check } of recommendations) {
    test(`section ${section}: ${text}${note === undefined ? '' : ` (${note})`}`, async () => {
      expect(tests.length > 0 || check !== undefined).toBe(true)
      expect(tests.map(brokenLink).filter((link) => link !== undefined)).toEqual([])
      await check?.(party)
    })
  }

  test('a link to a test that was renamed, removed or skipped is found', () => {
    const [first] = pkce as [LinkedTest]
    expect(brokenLink(first)).toBeUndefined()
    expect(brokenLink({ ...first, title: `${first.title} no longer` })).toContain('no test has the title')
    expect(brokenLink({ ...first, file: 'conformance/gone.test.ts' })).toContain('does not exist')
  })
})
