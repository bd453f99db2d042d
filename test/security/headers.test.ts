import { beforeAll, describe, expect, test } from 'vitest'
import { type Agent, createAgent, personCalled } from '../support/agent.ts'
import { duringTests } from '../support/duringTests.ts'
import { startService } from '../support/service.ts'
import { fieldsOf, sendAs, toConsent } from './browsing.ts'

const email = 'learner@example.org'

/** Every response of the run, so that common rules can be checked for all. */
interface Seen {
  name: string
  status: number
  headers: Headers
  text: string
}

const service = duringTests(() => startService({ people: [{ email }] }))
const seen: Seen[] = []

beforeAll(async () => {
  await crawl(await createAgent(service.issuer))
})

async function keep(name: string, asked: Promise<Response>): Promise<Seen> {
  const response = await asked
  const answer = { name, status: response.status, headers: response.headers, text: await response.text() }
  seen.push(answer)
  return answer
}

/** Every page and every answer with a token, each in its good and its bad cases, as a browser and as a client ask. */
async function crawl(agent: Agent): Promise<void> {
  const { issuer } = service
  const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
  const open = (name: string, path: string, init: RequestInit = {}) =>
    keep(name, fetch(new URL(path, issuer), { redirect: 'manual', ...init, headers: { ...html, ...init.headers } }))

  for (const path of [
    '/',
    '/nothing',
    '/oauth/authorize',
    '/oauth/authorize?client_id=nobody',
    '/oauth/authorize?client_id=%00',
    `/oauth/authorize?client_id=${agent.clientId}&redirect_uri=https://evil.example/`,
    `/oauth/authorize?client_id=${agent.clientId}&client_id=${agent.clientId}`,
    '/oauth/authorize/unknown',
    '/oauth/authorize/un.known',
    '/oauth/interaction/unknown',
    '/oauth/interaction/unknown/consent',
    '/oauth/interaction/%zz',
    '/oauth/interaction',
    '/oauth/logout',
    '/oauth/logout?post_logout_redirect_uri=https://evil.example/',
    `/oauth/logout?client_id=${agent.clientId}&post_logout_redirect_uri=https://evil.example/`,
    '/oauth/logout?id_token_hint=x.y.z',
    '/oauth/logout?client_id=nobody',
    '/oauth/logout/success',
    '/oauth/logout/success?client_id=nobody',
    '/oauth/logout/confirm',
    '/api/oauth/token',
    '/api/oauth/userinfo',
    '/api/v1/courses',
    '/api/v1/account',
    '/api/v1/nothing',
    '/account',
    '/account/sign-in',
    '/account/apps',
    '/assets/nothing.css',
    '/%zz',
  ]) {
    await open(`GET ${path}`, path)
  }
  for (const path of [
    '/oauth/interaction/x/sign-in',
    '/oauth/interaction/x/consent',
    '/oauth/interaction/x/refuse',
    '/oauth/logout/confirm',
    '/oauth/authorize',
    '/oauth/logout',
  ]) {
    const body = new URLSearchParams({ csrf: 'x', xsrf: 'x' })
    await open(`POST ${path}`, path, { method: 'POST', body })
    await open(`POST ${path} from elsewhere`, path, { method: 'POST', body, headers: { origin: 'https://evil.example' } })
    await open(`POST ${path} as JSON`, path, { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } })
    await open(`POST ${path} too large`, path, { method: 'POST', body: new URLSearchParams({ a: 'x'.repeat(70_000) }) })
  }
  for (const invalid of [
    { scope: 'no:such' },
    { response_type: 'token' },
    { code_challenge: undefined },
    { prompt: 'none' },
    { resource: 'https://evil.example' },
  ]) {
    await open(`authorization refused: ${JSON.stringify(invalid)}`, agent.authorizationUrl(invalid).href)
  }

  const person = personCalled(email)
  await keep('authorization', sendAs(person, agent.authorizationUrl().href))
  const signIn = await person.open(agent.authorizationUrl().href)
  seen.push({ name: 'sign-in page', status: signIn.status, headers: signIn.headers, text: signIn.html })
  const wrong = fieldsOf(signIn, /sign-in$/)
  await keep('sign-in refused', sendAs(person, wrong.address, { fields: wrong.fields }))
  const consent = await toConsent(agent, person, { email })
  seen.push({ name: 'consent page', status: consent.status, headers: consent.headers, text: consent.html })
  const other = personCalled(email)
  const { address: copying, fields: choices } = fieldsOf(await toConsent(agent, other, { email }), /consent$/)
  choices.set('elsewhere', 'yes')
  const manual = await sendAs(other, copying, { fields: choices })
  await keep('manual code', sendAs(other, new URL(manual.headers.get('location') ?? '', issuer).href))
  await keep('other account', sendAs(person, `${consent.url.href}?account=other`))
  const { address, fields } = fieldsOf(consent, /consent$/)
  const answered = await keep('consent answered', sendAs(person, address, { fields }))
  const resumed = await keep('back to the client', sendAs(person, new URL(answered.headers.get('location') ?? '', issuer).href))
  const redirect = new URL(resumed.headers.get('location') ?? '')
  await keep('sign-out page', sendAs(person, `${issuer}/oauth/logout`))

  const form = (name: string, path: string, parameters: Record<string, string>) =>
    keep(
      name,
      fetch(issuer + path, { method: 'POST', headers: html, body: new URLSearchParams({ client_id: agent.clientId, ...parameters }) }),
    )
  const redeem = { grant_type: 'authorization_code', code: redirect.searchParams.get('code') ?? '', redirect_uri: agent.redirectUri }
  await form('token: refused', '/api/oauth/token', { ...redeem, code_verifier: 'x'.repeat(43) })
  const tokens = JSON.parse((await form('token: code', '/api/oauth/token', { ...redeem, code_verifier: agent.verifier })).text)
  const refresh = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token }
  await form('token: refresh', '/api/oauth/token', refresh)
  await form('token: refresh again', '/api/oauth/token', refresh)
  await form('introspection', '/api/oauth/introspect', { token: tokens.access_token })
  await keep('userinfo', fetch(`${issuer}/api/oauth/userinfo`, { headers: { ...html, authorization: `Bearer ${tokens.access_token}` } }))
  await keep('userinfo refused', fetch(`${issuer}/api/oauth/userinfo`, { headers: { ...html, authorization: 'Bearer x' } }))
  await form('revocation', '/api/oauth/revoke', { token: tokens.access_token })
  await form('revocation refused', '/api/oauth/revoke', {})
  const registration = { method: 'POST', headers: { 'content-type': 'application/json', ...html } }
  await keep(
    'registration',
    fetch(`${issuer}/api/oauth/register`, {
      ...registration,
      body: JSON.stringify({ redirect_uris: [agent.redirectUri], token_endpoint_auth_method: 'client_secret_post' }),
    }),
  )
  await keep('registration refused', fetch(`${issuer}/api/oauth/register`, { ...registration, body: '{' }))
}

const violations = (answers: Seen[], isWrong: (answer: Seen) => boolean): string[] =>
  answers.filter(isWrong).map(({ name, status }) => `${status} ${name}`)
const pages = (): Seen[] => seen.filter(({ headers }) => headers.get('content-type')?.startsWith('text/html'))
/** The home page is a public page of the site: visitors share it, and programs of other origins may read it. */
const ownPages = (): Seen[] => pages().filter(({ name }) => name !== 'GET /')

test('the crawl met pages of every kind', () => {
  expect(pages().length).toBeGreaterThan(20)
  expect(new Set(pages().map(({ status }) => status))).toEqual(new Set([200, 302, 303, 400, 403, 404, 413, 415]))
  expect(seen.filter(({ status }) => status >= 500)).toEqual([])
})

describe('every HTML answer, errors included (D11, RFC 9700 section 4.16 and 4.2.4)', () => {
  test.each<[string, string, RegExp]>([
    ['cannot be framed', 'content-security-policy', /(^|; )frame-ancestors 'none'(;|$)/],
    ['cannot be framed by old browsers either', 'x-frame-options', /^DENY$/],
    ['loads nothing from elsewhere', 'content-security-policy', /^default-src 'none'(?!.*(unsafe-inline|unsafe-eval|\*))/],
    ['sends no referrer', 'referrer-policy', /^no-referrer$/],
    ['is what it says it is', 'x-content-type-options', /^nosniff$/],
  ])('%s', (_, header, pattern) => {
    expect(violations(pages(), ({ headers }) => !pattern.test(headers.get(header) ?? ''))).toEqual([])
  })

  test('is not cached', () => {
    expect(violations(ownPages(), ({ headers }) => headers.get('cache-control') !== 'no-store')).toEqual([])
  })

  test('holds no handler, no inline style and nothing embedded', () => {
    expect(violations(pages(), ({ text }) => /<style|<iframe|<object|\son[a-z]+=|\sstyle=|javascript:/i.test(text))).toEqual([])
  })

  test('runs no script; the pages of a sign-in and of the manual code run the one of the service', () => {
    const isScripted = ({ name, text }: Seen): boolean =>
      name === 'manual code' || /<form[^>]* action="[^"]*\/(?:sign-in|consent)"/.test(text)
    const scriptsOf = ({ headers, text }: Seen): string[] => [
      ...(headers.get('content-security-policy')?.match(/\b(?:script|worker|child|object)-src[^;]*/g) ?? []),
      ...(text.match(/<script(?! type="application\/ld\+json">)[^>]*>[^<]*/gi) ?? []),
    ]
    const others = pages().filter((page) => !isScripted(page))
    expect(violations(others, (page) => scriptsOf(page).length > 0)).toEqual([])
    const found = pages().filter(isScripted)
    expect(found.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['sign-in page', 'sign-in refused', 'consent page', 'manual code', 'GET /account/sign-in']),
    )
    for (const page of found) {
      // The policy names the file: an uploaded file of the same origin cannot run.
      expect(scriptsOf(page)).toEqual([
        `script-src ${service.issuer}/assets/pages.js`,
        expect.stringMatching(/^<script src="\/assets\/pages\.js\?v=[\w-]+" defer>$/),
      ])
    }
  })

  test('can be read by no other origin', () => {
    expect(violations(ownPages(), ({ headers }) => headers.get('access-control-allow-origin') !== null)).toEqual([])
  })
})

test('every other answer cannot be framed or sniffed either', () => {
  const bare = (answer: Seen): boolean =>
    !answer.headers.get('content-security-policy')?.includes("frame-ancestors 'none'") ||
    answer.headers.get('x-frame-options') !== 'DENY' ||
    answer.headers.get('x-content-type-options') !== 'nosniff' ||
    answer.headers.get('referrer-policy') !== 'no-referrer'
  expect(violations(seen, bare)).toEqual([])
})

test('every response with a token or a secret, or an error in place of one, is never cached, and is JSON whatever Accept says (D33)', () => {
  const answers = seen.filter(({ name }) => /^(token|userinfo|introspection|revocation|registration)/.test(name))
  expect(answers.length).toBe(11)
  expect(violations(answers, ({ headers }) => headers.get('cache-control') !== 'no-store')).toEqual([])
  expect(violations(answers, ({ headers, text }) => text !== '' && !headers.get('content-type')?.startsWith('application/json'))).toEqual(
    [],
  )
})

test('every redirect is 302 or 303 and is kept by no cache: none repeats a posted password elsewhere (D33, RFC 9700 section 4.12)', () => {
  const redirects = seen.filter(({ headers }) => headers.get('location') !== null)
  expect(redirects.length).toBeGreaterThan(8)
  expect(violations(redirects, ({ status }) => status !== 302 && status !== 303)).toEqual([])
  expect(violations(redirects, ({ headers }) => headers.get('cache-control') !== 'no-store')).toEqual([])
  const foreign = (location: string): boolean => {
    const { origin } = new URL(location, service.issuer)
    return origin !== service.issuer && origin !== 'http://127.0.0.1:53682'
  }
  expect(violations(redirects, ({ headers }) => foreign(headers.get('location') ?? ''))).toEqual([])
})

test('cookies are set on ways that browsers go, never by an endpoint of clients', () => {
  const api = seen.filter(({ name }) => /^(token|userinfo|introspection|revocation|registration|GET \/api)/.test(name))
  expect(violations(api, ({ headers }) => headers.getSetCookie().length > 0)).toEqual([])
})
