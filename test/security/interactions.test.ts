import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRedis } from '../../src/database/redis/redis.ts'
import { type Agent, createAgent, personCalled } from '../support/agent.ts'
import { availableServices, redisUrl } from '../support/databases.ts'
import { duringTests } from '../support/duringTests.ts'
import type { Page, Person } from '../support/person.ts'
import { password, startService, type TestService } from '../support/service.ts'
import { cookiesFor, fieldsOf, sendAs, toConsent } from './browsing.ts'

const email = 'learner@example.org'
const otherEmail = 'admin@example.org'
const { redis: hasRedis } = await availableServices()

/** Returns the code in a redirect to the client; undefined if it has none. */
const codeAt = (location: string | null): string | undefined =>
  location?.startsWith('http://127.0.0.1:53682/') ? (new URL(location).searchParams.get('code') ?? undefined) : undefined

describe.each(hasRedis ? ['database', 'redis'] : ['database'])('an answer counts once, with interactions in the %s', (store) => {
  let service: TestService
  let agent: Agent
  const redis = store === 'redis' ? createRedis(redisUrl, { onError: () => undefined }) : undefined
  beforeAll(async () => {
    await redis?.connect()
    service = await startService({ redis: redis ?? false })
    await service.addPerson({ email })
    agent = await createAgent(service.issuer)
  })
  afterAll(async () => {
    await service.stop()
    await redis?.close()
  })

  test('the browser that returns eight times concurrently gets one code', async () => {
    const person = personCalled(email)
    const { address, fields } = fieldsOf(await toConsent(agent, person, { email }), /consent$/)
    const resume = new URL((await sendAs(person, address, { fields })).headers.get('location') ?? '', service.issuer).href
    const answers = await Promise.all(Array.from({ length: 8 }, () => sendAs(person, resume)))
    const redirects = [...answers, await sendAs(person, resume)].map(({ headers }) => headers.get('location') ?? '')
    expect(new Set(redirects).size).toBe(1)
    const [redirect = ''] = redirects
    expect(codeAt(redirect)).toBeDefined()
    const { status, body } = await agent.redeem(new URL(redirect))
    expect(status).toBe(200)
    expect((await agent.redeem(new URL(redirect))).body).toEqual(body)
    expect((await agent.redeem(new URL(redirect), { code_verifier: 'x'.repeat(43) })).body.error).toBe('invalid_grant')
  })

  test('consent that is posted twice, concurrently or later, gives one code', async () => {
    const person = personCalled(email)
    const { address, fields } = fieldsOf(await toConsent(agent, person, { email }), /consent$/)
    const before = cookiesFor(person, new URL(address).pathname)
    const posts = await Promise.all([1, 2, 3].map(() => sendAs(person, address, { fields })))
    const ways = new Set(posts.map(({ headers }) => headers.get('location')))
    expect(ways.size).toBe(1)
    const [resume = ''] = [...ways].map((way) => new URL(way ?? '', service.issuer).href)
    const redirect = (await sendAs(person, resume)).headers.get('location')
    expect(codeAt(redirect)).toBeDefined()
    expect((await sendAs(person, address, { fields, headers: { cookie: before } })).headers.get('location')).toBe(new URL(resume).pathname)
    expect(codeAt((await sendAs(person, resume, { headers: { cookie: before } })).headers.get('location'))).toBe(codeAt(redirect))
  })
})

describe('an authorization belongs to one browser and one person (D6, D17)', () => {
  const service = duringTests(() => startService({ people: [{ email }, { email: otherEmail, role: 'admin' }] }))
  const agent = duringTests(() => createAgent(service.issuer))

  test('nothing that is added to the consent form changes the request: not address, client, scope, resource, challenge or state', async () => {
    const person = personCalled(email)
    const { address, fields } = fieldsOf(await toConsent(agent, person, { email, parameters: { scope: 'openid' } }), /consent$/)
    const swapped = {
      redirect_uri: 'https://evil.example/callback',
      client_id: (await createAgent(service.issuer)).clientId,
      scope_: 'students:write',
      resource: `${service.issuer}/mcp`,
      code_challenge: 'x'.repeat(43),
      state: 'another-state',
      response_mode: 'fragment',
      accountId: 'acc_0',
      grantId: 'x',
      uid: 'x',
      'params[redirect_uri]': 'https://evil.example/callback',
    }
    for (const [name, value] of Object.entries(swapped)) fields.append(name, value)
    fields.append('scope', 'students:write')
    fields.append('scope', 'courses:read')
    const resume = (await sendAs(person, `${address}?redirect_uri=https://evil.example/&client_id=x`, { fields })).headers.get('location')
    const resumeAddress = new URL(`${resume}?redirect_uri=https%3A%2F%2Fevil.example%2F&state=x&scope=students%3Awrite`, service.issuer)
      .href
    const redirect = new URL((await sendAs(person, resumeAddress)).headers.get('location') ?? '')
    expect(redirect.origin + redirect.pathname).toBe(agent.redirectUri)
    expect(redirect.searchParams.get('state')).toBe('a-state')
    const { body } = await agent.redeem(redirect)
    expect(body.scope).toBe('openid')
    expect((await agent.post('/api/oauth/introspect', { token: body.access_token })).body.aud).toBeUndefined()
  })

  test('a session cookie that was there before signing in is not the one after, signed or not (session fixation)', async () => {
    const attacker = personCalled(otherEmail)
    await attacker.open(agent.authorizationUrl().href)
    const planted = [...attacker.cookies].filter(([key]) => key.startsWith('sg_session'))
    const victim = personCalled(email)
    for (const [key, value] of planted) victim.cookies.set(key, value)
    victim.cookies.set('sg_session /', victim.cookies.get('sg_session /') ?? 'planted-by-a-sibling-host')
    await toConsent(agent, victim, { email })
    expect(victim.cookies.get('sg_session /')).toBeDefined()
    expect(victim.cookies.get('sg_session /')).not.toBe(planted[0]?.[1] ?? 'planted-by-a-sibling-host')
    // The browser that planted it is not signed in.
    const page = await attacker.open(agent.authorizationUrl().href)
    expect(page.html).toContain('type="password"')
  })

  test('a session that another person signed in to ends when its person signs out', async () => {
    const person = personCalled(email)
    await toConsent(agent, person, { email })
    const kept = new Map(person.cookies)
    const { address, fields } = fieldsOf(await person.open(`${service.issuer}/oauth/logout`), /confirm$/)
    fields.set('logout', 'yes')
    expect((await sendAs(person, address, { fields })).status).toBe(303)
    const thief = personCalled(email)
    for (const [key, value] of kept) thief.cookies.set(key, value)
    expect((await thief.open(agent.authorizationUrl().href)).html).toContain('type="password"')
  })

  test('the way back with the cookies of another browser gives no code', async () => {
    const [person, other] = [personCalled(email), personCalled(otherEmail)]
    const { address, fields } = fieldsOf(await toConsent(agent, person, { email }), /consent$/)
    await toConsent(agent, other, { email: otherEmail })
    const resume = new URL((await sendAs(person, address, { fields })).headers.get('location') ?? '', service.issuer).href
    for (const cookie of [
      cookiesFor(other, '/oauth/authorize'),
      '',
      `${cookiesFor(other, '/')}; ${cookiesFor(person, new URL(resume).pathname).replace(/sg_session(\.sig)?=[^;]*(; )?/g, '')}`,
    ]) {
      expect(codeAt((await sendAs(person, resume, { headers: { cookie } })).headers.get('location'))).toBeUndefined()
    }
  })

  test('consent that one account gave is not finished by another that signed in meanwhile in the same browser', async () => {
    const person = personCalled(email)
    const first = fieldsOf(await toConsent(agent, person, { email }), /consent$/)
    const resume = new URL((await sendAs(person, first.address, { fields: first.fields })).headers.get('location') ?? '', service.issuer)
      .href
    // The other account signs in to the same browser in a second window before the first one continues.
    const window = await person.open(agent.authorizationUrl({ prompt: 'login' }).href)
    await person.submit(window, /sign-in$/, { email: otherEmail, password })
    expect(codeAt((await sendAs(person, resume)).headers.get('location'))).toBeUndefined()
  })
})

describe('forms of other sites (D10)', () => {
  const service = duringTests(() => startService({ people: [{ email }] }))
  const agent = duringTests(() => createAgent(service.issuer))

  const atSignIn = (person: Person): Promise<Page> => person.open(agent.authorizationUrl().href)
  const atConsent = (person: Person): Promise<Page> => toConsent(agent, person, { email })
  async function atSignOut(person: Person): Promise<Page> {
    await atConsent(person)
    return person.open(`${service.issuer}/oauth/logout`)
  }
  /** A form of the sign-out with another token is shown again. */
  const [refused, shownAgain] = [
    { status: 403, location: null },
    { status: 303, location: '/oauth/logout' },
  ]
  const forms: [
    name: string,
    open: (person: Person) => Promise<Page>,
    action: RegExp,
    token: string,
    expected: typeof refused | typeof shownAgain,
  ][] = [
    ['sign-in', atSignIn, /sign-in$/, 'csrf', refused],
    ['refuse', atSignIn, /refuse$/, 'csrf', refused],
    ['consent', atConsent, /consent$/, 'csrf', refused],
    ['refuse after signing in', atConsent, /refuse$/, 'csrf', refused],
    ['sign-out', atSignOut, /confirm$/, 'xsrf', shownAgain],
  ]

  describe.each(forms)('%s', (name, open, action, token, expected) => {
    const signedIn = async (person: Person) => (await person.open(`${service.issuer}/oauth/logout`)).html.includes('<form')

    test.each([
      ['no token', (fields: URLSearchParams) => fields.delete(token)],
      ['an empty token', (fields: URLSearchParams) => fields.set(token, '')],
      ['a made-up token', (fields: URLSearchParams) => fields.set(token, 'x'.repeat(43))],
    ])('with %s is rejected and has no effect', async (_, change) => {
      const person = personCalled(email)
      const page = await open(person)
      const { address, fields } = fieldsOf(page, action)
      change(fields)
      fields.set('logout', 'yes')
      const answer = await sendAs(person, address, { fields })
      expect({ status: answer.status, location: answer.headers.get('location') }).toEqual(expected)
      if (name === 'sign-out') expect(await signedIn(person)).toBe(true)
    })

    test("with another browser's token is refused", async () => {
      const [person, other] = [personCalled(email), personCalled(email)]
      const [page, theirs] = [await open(person), await open(other)]
      const { address, fields } = fieldsOf(page, action)
      fields.set(token, fieldsOf(theirs, action).fields.get(token) ?? '')
      expect((await sendAs(person, address, { fields })).status).toBe(expected.status)
    })

    test.each([
      ['a foreign Origin', { origin: 'https://evil.example', 'sec-fetch-site': '' }],
      ['a sibling Origin', { origin: 'http://127.0.0.1:1', 'sec-fetch-site': '' }],
      ['Sec-Fetch-Site: cross-site', { origin: 'null', 'sec-fetch-site': 'cross-site' }],
      ['Sec-Fetch-Site: same-site', { origin: 'null', 'sec-fetch-site': 'same-site' }],
    ])('from %s is refused though its token is right', async (_, headers) => {
      const person = personCalled(email)
      const { address, fields } = fieldsOf(await open(person), action)
      const answer = await sendAs(person, address, { fields, headers })
      expect(answer.status).toBe(403)
      expect(answer.headers.get('location')).toBeNull()
      if (name === 'sign-out') expect(await signedIn(person)).toBe(true)
    })
  })

  test('the cookies are HttpOnly and SameSite=Lax, every one of them', async () => {
    const person = personCalled(email)
    await toConsent(agent, person, { email })
    const first = await fetch(agent.authorizationUrl(), { redirect: 'manual' })
    const page = await fetch(new URL(first.headers.get('location') ?? '', service.issuer), {
      headers: {
        cookie: first.headers
          .getSetCookie()
          .map((line) => line.split(';')[0])
          .join('; '),
      },
    })
    const lines = [...first.headers.getSetCookie(), ...page.headers.getSetCookie()]
    expect(lines.length).toBeGreaterThan(4)
    for (const line of lines) expect(line).toMatch(/; ?httponly/i)
    for (const line of lines) expect(line).toMatch(/; ?samesite=lax/i)
  })
})
