import * as fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { createAgent, get, personCalled, withToken } from '../support/agent.ts'
import { duringTests } from '../support/duringTests.ts'
import { startService } from '../support/service.ts'
import { fieldsOf, sendAs } from './browsing.ts'
import { requestBytes, sendRaw } from './rawHttp.ts'

const email = 'learner@example.org'
const service = duringTests(() => startService({ people: [{ email }] }))
const agent = duringTests(() => createAgent(service.issuer))
let token: string
beforeAll(async () => {
  token = (await agent.tokens(personCalled(email))).body.access_token
})

/** The service still does its work. */
async function expectAlive(): Promise<void> {
  expect((await withToken(`${service.issuer}/api/v1/account`, token)).status).toBe(200)
}

/** Returns the logged failures of the service: none may be caused by input. */
const failures = (): string[] =>
  service
    .log()
    .split('\n')
    .filter((line) => line.includes('"level":50'))

const nasty = [
  '',
  '\0',
  'a\0b',
  '\ud800',
  'a\udfffb',
  '\uffff',
  '\u202egnp.exe',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  "'; DROP TABLE account; --",
  '{{7*7}}',
  '<%= 7 %>',
  '<script>alert(1)</script>',
  '../../etc/passwd',
  'x'.repeat(5000),
  '%',
  '%zz',
  '%00',
  '\r\nSet-Cookie: a=b',
  '[object Object]',
  'null',
  '-1',
  '1e999',
  '😀'.repeat(500),
]
const text = fc.oneof(fc.constantFrom(...nasty), fc.string({ unit: 'binary', maxLength: 60 }))
// Halves of surrogate pairs and NUL as well, which a string of fast-check may hold and an encoder would repair.
const wild = fc.oneof(
  text,
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 20 }).map((units) => String.fromCharCode(...units)),
)

const names = [
  'client_id',
  'client_secret',
  'grant_type',
  'code',
  'code_verifier',
  'redirect_uri',
  'refresh_token',
  'scope',
  'resource',
  'token',
  'token_type_hint',
  'state',
  'nonce',
  'prompt',
  'max_age',
  'ui_locales',
  'login_hint',
  'id_token_hint',
  'acr_values',
  'display',
  'response_type',
  'response_mode',
  'code_challenge',
  'code_challenge_method',
  'request',
  'request_uri',
  'claims',
  'registration',
  'dpop_jkt',
  'authorization_details',
  'client_assertion',
  'client_assertion_type',
  'post_logout_redirect_uri',
  'logout_hint',
  'xsrf',
  'logout',
  '__proto__',
  'constructor',
  'a[b]',
  '',
]
const parameters = fc.array(fc.tuple(fc.constantFrom(...names), wild), { maxLength: 6 })
const encode = (value: string): string => encodeURIComponent(value.toWellFormed())
const query = (pairs: [string, string][]): string => pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&')
const runs = { numRuns: 150 }

describe('no input causes a 5xx or a logged failure (D15)', () => {
  test.each(['/api/oauth/token', '/api/oauth/revoke', '/api/oauth/introspect'])(
    'form parameters of %s',
    async (path) => {
      await fc.assert(
        fc.asyncProperty(parameters, fc.boolean(), async (pairs, asClient) => {
          const body = query(asClient ? [['client_id', agent.clientId], ...pairs.filter(([name]) => name !== 'client_id')] : pairs)
          const response = await fetch(service.issuer + path, {
            method: 'POST',
            body,
            headers: { 'content-type': 'application/x-www-form-urlencoded' },
          })
          const answer = await response.text()
          expect(response.status).toBeLessThan(500)
          if (answer !== '') expect(JSON.parse(answer)).toBeTypeOf('object')
        }),
        runs,
      )
      expect(failures()).toEqual([])
      await expectAlive()
    },
    60_000,
  )

  test.each([
    '/oauth/authorize',
    '/oauth/logout',
    '/oauth/logout/success',
    '/oauth/interaction/x',
    '/api/v1/courses',
    '/api/oauth/userinfo',
    '/.well-known/openid-configuration',
  ])(
    'the query of %s',
    async (path) => {
      await fc.assert(
        fc.asyncProperty(parameters, fc.boolean(), async (pairs, isHonest) => {
          const honest = isHonest && path === '/oauth/authorize' ? `${agent.authorizationUrl().search.slice(1)}&` : ''
          const response = await fetch(
            `${service.issuer}${path}?${honest}${query(pairs.filter(([name]) => !honest.includes(name)))}`.slice(0, 8000),
            { redirect: 'manual', headers: { accept: 'text/html' } },
          )
          await response.text()
          expect(response.status).toBeLessThan(500)
          const location = response.headers.get('location')
          if (location) expect(['127.0.0.1']).toContain(new URL(location, service.issuer).hostname)
        }),
        runs,
      )
      expect(failures()).toEqual([])
      await expectAlive()
    },
    60_000,
  )

  test('registration: any JSON, with any text in any member, __proto__ and duplicate keys included', async () => {
    const members = [
      'client_name',
      'redirect_uris',
      'post_logout_redirect_uris',
      'grant_types',
      'response_types',
      'scope',
      'application_type',
      'token_endpoint_auth_method',
      'id_token_signed_response_alg',
      'jwks_uri',
      'software_statement',
      '__proto__',
      'constructor',
      'toJSON',
      'contacts',
    ]
    const value = fc.oneof(
      wild,
      fc.array(wild, { maxLength: 3 }),
      fc.integer(),
      fc.constant(null),
      fc.boolean(),
      fc.constant({ __proto__: null, length: 1 }),
    )
    const member = fc
      .tuple(fc.constantFrom(...members), value)
      .map(([name, content]) => `${JSON.stringify(name)}:${JSON.stringify(content)}`)
    const honest = '"redirect_uris":["http://127.0.0.1:1/x"]'
    await fc.assert(
      fc.asyncProperty(fc.array(member, { maxLength: 6 }), fc.boolean(), async (list, isHonest) => {
        const body = `{${[...list, ...(isHonest ? [honest] : [])].join(',')}}`
        const response = await fetch(`${service.issuer}/api/oauth/register`, {
          method: 'POST',
          body,
          headers: { 'content-type': 'application/json' },
        })
        expect([201, 400, 413]).toContain(response.status)
        expect(await response.json()).toBeTypeOf('object')
      }),
      runs,
    )
    expect(failures()).toEqual([])
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })

  test('the forms of sign-in and consent, with any text in any field', async () => {
    const person = personCalled(email)
    const page = await person.open(agent.authorizationUrl().href)
    const { address, fields } = fieldsOf(page, /sign-in$/)
    const csrf = fields.get('csrf') ?? ''
    const pair = fc.tuple(fc.constantFrom('email', 'scope', 'account', '__proto__', 'a[b]', 'csrf2'), wild)
    await fc.assert(
      fc.asyncProperty(fc.array(pair, { maxLength: 4 }), fc.constantFrom('sign-in', 'consent', 'refused'), async (pairs, step) => {
        // Without an address no password is hashed, because its cost is not part of this test.
        const body = new URLSearchParams([
          ['csrf', csrf],
          ...pairs.map(
            ([name, value]) => [name, name === 'email' ? `${value.toWellFormed()} x` : value.toWellFormed()] as [string, string],
          ),
        ])
        const response = await sendAs(person, address.replace(/sign-in$/, step), { fields: body })
        await response.text()
        expect(response.status).toBeLessThan(500)
      }),
      { numRuns: 80 },
    )
    expect(failures()).toEqual([])
    await expectAlive()
  })

  test('headers: bytes of any kind in those that are read', async () => {
    const names = [
      'Authorization',
      'Cookie',
      'Content-Type',
      'Accept',
      'Accept-Language',
      'Origin',
      'Sec-Fetch-Site',
      'If-None-Match',
      'X-Forwarded-For',
      'Forwarded',
      'X-Request-Id',
      'Content-Encoding',
      'Expect',
      'Upgrade',
      'Access-Control-Request-Method',
      'Range',
      'DPoP',
    ]
    const value = fc.oneof(
      fc.string({ unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)), maxLength: 80 }),
      fc.constantFrom(
        'Bearer',
        'Bearer ',
        'Basic Og==',
        'Basic %%%',
        'sg_session=%zz; sg_session.sig=x',
        '__proto__=1; =; ;;;',
        'a/b;charset=nonsense',
        'text/html;q=nonsense',
        'gzip',
        'x'.repeat(9000),
      ),
    )
    const paths = [
      '/api/oauth/token',
      '/api/oauth/register',
      '/api/oauth/userinfo',
      '/oauth/authorize',
      '/oauth/interaction/x',
      '/api/v1/courses',
      '/.well-known/openid-configuration',
    ]
    const entry = fc.tuple(fc.constantFrom(...names), value)
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('GET', 'POST', 'OPTIONS'),
        fc.constantFrom(...paths),
        fc.array(entry, { maxLength: 4 }),
        async (method, path, headers) => {
          const lines = headers.filter(([name]) => name !== 'Expect' && name !== 'Upgrade').map(([name, content]) => `${name}: ${content}`)
          const bytes = Buffer.from(requestBytes(method, path, service.issuer, lines, method === 'POST' ? 'a=b' : ''), 'latin1')
          const [answer] = await sendRaw(service.issuer, bytes)
          expect(answer?.status).toBeGreaterThanOrEqual(200)
          expect(answer?.status).toBeLessThan(500)
        },
      ),
      { numRuns: 200 },
    )
    expect(failures()).toEqual([])
    await expectAlive()
  })

  test.each([
    ['malformed percent-encoding', 'a=%&client_id=%zz&token=%E0%A4%A'],
    ['invalid UTF-8', Buffer.from([0x63, 0x6c, 0x69, 0x3d, 0xff, 0xfe, 0x26, 0xc3, 0x28])],
    ['half a surrogate pair in UTF-8', Buffer.from('client_id=\xed\xa0\x80&token=\xed\xb0\x80', 'latin1')],
    ['NUL in every place', '\0=\0&client_id=%00&token=%00&scope=%00&code=%00&redirect_uri=%00'],
    ['two thousand parameters', Array.from({ length: 2000 }, (_, at) => `p${at}=1`).join('&')],
    ['no pairs at all', '&&&&===&=&'],
  ])('a body of %s at every form endpoint', async (_, body) => {
    for (const path of ['/api/oauth/token', '/api/oauth/revoke', '/api/oauth/introspect']) {
      const response = await fetch(service.issuer + path, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      })
      expect([400, 401]).toContain(response.status)
      expect(await response.json()).toMatchObject({ error: expect.stringMatching(/^invalid_/) })
    }
    expect(failures()).toEqual([])
  })

  test.each(['%', '%zz', '%E0%A4%A', '%00', '%ff', '%2e%2e', '%2f', '\xff'])('a path with %j', async (piece) => {
    for (const path of [
      '/',
      '/oauth/interaction/',
      '/oauth/authorize/',
      '/api/v1/courses/',
      '/api/v1/',
      '/assets/',
      '/.well-known/',
      '/account/',
    ]) {
      for (const method of ['GET', 'POST', 'DELETE']) {
        const [answer] = await sendRaw(
          service.issuer,
          Buffer.from(requestBytes(method, path + piece, service.issuer, ['Accept: text/html']), 'latin1'),
        )
        expect([path, answer?.status]).toEqual([path, expect.toSatisfy((status: number) => status >= 300 && status < 500)])
      }
    }
    expect(failures()).toEqual([])
  })

  test.each([
    ['headers above 16 KiB', (issuer: string) => requestBytes('GET', '/api/v1/courses', issuer, [`X-Filler: ${'x'.repeat(20_000)}`]), 431],
    ['an address above 8 KiB', (issuer: string) => requestBytes('GET', `/api/v1/courses?${'x'.repeat(9000)}`, issuer), 414],
    [
      'three hundred headers',
      (issuer: string) =>
        requestBytes(
          'GET',
          '/api/v1/courses',
          issuer,
          Array.from({ length: 300 }, (_, at) => `X-${at}: 1`),
        ),
      200,
    ],
    ['a line break in a header', (issuer: string) => requestBytes('GET', '/api/v1/courses', issuer, ['X-A: a\rb']), 400],
    ['no HTTP', () => 'hello\r\n\r\n', 400],
  ])('%s', async (_, bytes, status) => {
    expect((await sendRaw(service.issuer, bytes(service.issuer)))[0]?.status).toBe(status)
    await expectAlive()
  })
})

describe('text that reaches the database is kept or refused, never a failure (D15)', () => {
  test('nonce, state and ui_locales with NUL and unpaired surrogates come through a whole flow', async () => {
    const person = personCalled(email)
    for (const odd of ['a\0b', '\uffff\u0000', '%00', '\ud83d']) {
      const redirect = await agent.send(person, { nonce: odd, state: odd, ui_locales: odd, login_hint: odd })
      expect(redirect.searchParams.get('state')).toBe(odd.toWellFormed())
      const { status, body } = await agent.redeem(redirect)
      expect(status).toBe(200)
      const payload = JSON.parse(Buffer.from(body.id_token.split('.')[1], 'base64url').toString())
      expect(payload.nonce).toBe(odd.toWellFormed())
      expect((await agent.refresh(body.refresh_token)).status).toBe(200)
    }
  })

  test('an unknown client is rejected without a query, whatever its id contains', async () => {
    for (const client_id of ['\0', 'a\0b', '\ud800', '__proto__', 'x'.repeat(3000)]) {
      const page = await get(agent.authorizationUrl({ client_id }).href, { accept: 'text/html' })
      expect([page.status, String(page.body).includes('error=invalid_client')]).toEqual([400, true])
      for (const path of ['/api/oauth/token', '/api/oauth/revoke', '/api/oauth/introspect']) {
        const answer = await agent.post(path, { client_id, token: 'x', grant_type: 'refresh_token', refresh_token: 'x' })
        expect([answer.status, answer.body.error]).toEqual([401, 'invalid_client'])
      }
      // A sign-out counts it as absent: nobody is signed in, so nothing has to be confirmed.
      const signedOut = await get(`${service.issuer}/oauth/logout?client_id=${encodeURIComponent(client_id.toWellFormed())}`, {
        accept: 'text/html',
      })
      expect([signedOut.status, signedOut.headers.get('location')]).toEqual([303, `${service.issuer}/oauth/logout/success`])
    }
    expect(failures()).toEqual([])
  })

  test('rejected values are stored in the audit trail in a storable form', async () => {
    await agent.post('/api/oauth/token', { client_id: 'odd\0\ud800id', grant_type: 'refresh_token', refresh_token: 'x' })
    const rows = await service.database.sql.query<{ client_id: string }>(
      "SELECT client_id FROM audit_log WHERE event = 'token.refused' AND client_id LIKE 'odd%'",
    )
    expect(rows).toEqual([{ client_id: 'odd??id' }])
  })
})

describe('the Authorization header (D24, RFC 6750 section 3.1)', () => {
  test.each<[string, string[], number]>([
    ['Bearer without a token', ['Authorization: Bearer'], 401],
    ['Bearer with blanks', ['Authorization: Bearer   '], 401],
    ['two headers', ['Authorization: Bearer {token}', 'Authorization: Bearer {token}'], 401],
    ['a header in two cases', ['authorization: Bearer {token}', 'AUTHORIZATION: Basic eDp5'], 401],
    ['two tokens in one', ['Authorization: Bearer {token}, Bearer {token}'], 401],
    ['two tokens with a blank', ['Authorization: Bearer {token} {token}'], 401],
    ['a tab', ['Authorization: Bearer\t{token}'], 401],
    ['Basic with bad encoding', ['Authorization: Basic %%%'], 401],
    ['Basic with a token', ['Authorization: Basic {token}'], 401],
    ['the bare token', ['Authorization: {token}'], 401],
    ['DPoP', ['Authorization: DPoP {token}'], 401],
    ['Digest', ['Authorization: Digest username="x"'], 401],
    ['a token and more text', ['Authorization: Bearer {token}x'], 401],
    ['an empty header', ['Authorization: '], 401],
    ['lower case', ['authorization: bearer {token}'], 200],
    ['upper case', ['AUTHORIZATION: BEARER {token}'], 200],
  ])('%s', async (_, lines, status) => {
    for (const path of ['/api/v1/account', '/api/v1/courses', '/api/oauth/userinfo']) {
      const [answer] = await sendRaw(
        service.issuer,
        requestBytes(
          'GET',
          path,
          service.issuer,
          lines.map((line) => line.replaceAll('{token}', token)),
        ),
      )
      expect([path, answer?.status]).toEqual([path, status])
      if (status === 401) expect(answer?.head).toMatch(/^www-authenticate: Bearer error="invalid_token".*resource_metadata="/im)
    }
  })
})
