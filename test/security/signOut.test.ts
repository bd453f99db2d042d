// Proves RP-Initiated Logout section 2: An ID token of a retired key is a hint while grants live; a wrong hint counts as absent
// Proves RFC 9700 section 4.11.2: No endpoint redirects to a URL that the caller supplies

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Agent, createAgent, get, personCalled, withToken } from '../support/agent.ts'
import { formsOf, type Page, type Person } from '../support/person.ts'
import { startService, type TestService } from '../support/service.ts'
import { fieldsOf, sendAs, toConsent } from './browsing.ts'

const email = 'learner@example.org'
const after = 'http://127.0.0.1:53682/signed-out'
const signedOut = 'https://app.example.com/signed-out'

let service: TestService
let agent: Agent
beforeAll(async () => {
  const integrations = [
    { client_id: 'web', client_name: 'Web', redirect_uris: ['https://app.example.com/cb'], post_logout_redirect_uris: [signedOut] },
  ]
  service = await startService({ schools: 2, school: { integrations } })
  await service.addPerson({ email })
  await service.addPerson({ email, school: service.other })
  agent = await createAgent(service.issuer, { post_logout_redirect_uris: [after] })
})
afterAll(() => service.stop())

const logout = (parameters: Record<string, string>, issuer = service.issuer): string =>
  `${issuer}/oauth/logout?${new URLSearchParams(parameters)}`
const isSignedIn = async (person: Person): Promise<boolean> =>
  !(await person.open(agent.authorizationUrl().href)).html.includes('type="password"')

/** Presses the button of the confirmation page. Returns the address that follows. */
async function confirmed(person: Person, page: Page): Promise<string> {
  expect([page.status, page.leftFor]).toEqual([200, undefined])
  const { address, fields } = fieldsOf(page, /confirm$/)
  fields.set('logout', 'yes')
  const location = (await sendAs(person, address, { fields })).headers.get('location') ?? ''
  return new URL(location, service.issuer).href
}

async function endsHere(person: Person, page: Page): Promise<void> {
  expect(await confirmed(person, page)).toBe(`${service.issuer}/oauth/logout/success`)
  expect(await isSignedIn(person)).toBe(false)
}

async function signedIn(): Promise<Person> {
  const person = personCalled(email)
  await toConsent(agent, person, { email })
  return person
}

describe('where a sign-out leads (D26, OpenID Connect RP-Initiated Logout section 3)', () => {
  test.each<[string, (id: string) => Record<string, string>]>([
    ['foreign', (id) => ({ client_id: id, post_logout_redirect_uri: 'https://evil.example/' })],
    [
      'a redirect URI that is registered for codes only',
      (id) => ({ client_id: id, post_logout_redirect_uri: 'http://127.0.0.1:53682/callback' }),
    ],
    ['longer than registered', (id) => ({ client_id: id, post_logout_redirect_uri: `${after}/more` })],
    ['with another query', (id) => ({ client_id: id, post_logout_redirect_uri: `${after}?to=https://evil.example` })],
    ['with userinfo', (id) => ({ client_id: id, post_logout_redirect_uri: 'http://127.0.0.1:53682@evil.example/signed-out' })],
    ['a script', (id) => ({ client_id: id, post_logout_redirect_uri: 'javascript:alert(1)' })],
    ['registered by another client', () => ({ client_id: 'nobody', post_logout_redirect_uri: after })],
    [
      'with a hint that cannot be verified',
      (id) => ({ client_id: id, id_token_hint: 'a.b.c', post_logout_redirect_uri: 'https://evil.example/' }),
    ],
    [
      'of a request that names a prompt',
      (id) => ({ client_id: id, id_token_hint: 'a.b.c', prompt: 'none', post_logout_redirect_uri: `${after}?x` }),
    ],
    ['registered, for an unknown client', () => ({ client_id: '\0', post_logout_redirect_uri: after })],
  ])('an address that is not registered, %s, does not hinder the sign-out, which ends here', async (_, parameters) => {
    const person = await signedIn()
    await endsHere(person, await person.open(logout(parameters(agent.clientId))))
    const nobody = await personCalled(email).open(logout(parameters(agent.clientId)))
    expect([nobody.status, nobody.leftFor, nobody.url.pathname]).toEqual([200, undefined, '/oauth/logout/success'])
  })

  test.each([
    'id_token_hint=x&id_token_hint=y',
    'client_id={id}&client_id={id}',
    'client_id={id}&client_id=other&post_logout_redirect_uri={after}',
    'client_id={id}&post_logout_redirect_uri={after}&post_logout_redirect_uri=https%3A%2F%2Fevil.example%2F',
    'state=x&state=y&ui_locales=de&ui_locales=en&logout_hint=a&logout_hint=b',
  ])('a repeated parameter counts as absent: %s', async (query) => {
    const person = await signedIn()
    const parameters = query.replaceAll('{id}', agent.clientId).replaceAll('{after}', encodeURIComponent(after))
    await endsHere(person, await person.open(`${service.issuer}/oauth/logout?${parameters}`))
  })

  test('a page of another tab, whose form is out of date, is shown again and then ends the session', async () => {
    const person = await signedIn()
    const old = await person.open(logout({}))
    await person.open(logout({}))
    const { address, fields } = fieldsOf(old, /confirm$/)
    fields.set('logout', 'yes')
    const { status, headers } = await sendAs(person, address, { fields })
    expect([status, headers.get('location')]).toEqual([303, '/oauth/logout'])
    await endsHere(person, await person.open(logout({})))
    // The session has ended since: there is nothing left to confirm.
    const late = await sendAs(person, address, { fields })
    expect([late.status, late.headers.get('location')]).toEqual([303, '/oauth/logout'])
    expect((await person.open(logout({}))).url.pathname).toBe('/oauth/logout/success')
  })

  test('an address of an integration leads back to it, and that of another client does not', async () => {
    for (const [post_logout_redirect_uri, end] of [
      [signedOut, `${signedOut}?state=s`],
      [after, `${service.issuer}/oauth/logout/success`],
    ] as const) {
      const person = await signedIn()
      const page = await person.open(logout({ client_id: 'web', post_logout_redirect_uri, state: 's' }))
      expect(await confirmed(person, page)).toBe(end)
      expect(await isSignedIn(person)).toBe(false)
    }
    const nobody = await personCalled(email).open(logout({ client_id: 'web', post_logout_redirect_uri: signedOut, state: 's' }))
    expect(nobody.leftFor?.href).toBe(`${signedOut}?state=s`)
  })

  test('an address that no client vouches for is left out: the sign-out ends here', async () => {
    const person = await signedIn()
    const page = await person.open(logout({ post_logout_redirect_uri: 'https://evil.example/', state: 'x' }))
    const { address, fields } = fieldsOf(page, /confirm$/)
    fields.set('logout', 'yes')
    const location = (await sendAs(person, address, { fields })).headers.get('location') ?? ''
    expect(new URL(location, service.issuer).href).toBe(`${service.issuer}/oauth/logout/success`)
    const nobody = await personCalled(email).open(logout({ post_logout_redirect_uri: 'https://evil.example/' }))
    expect([nobody.leftFor, nobody.status]).toEqual([undefined, 200])
  })

  test('nothing ends without a yes: a link, a form without it, or a repeated link end no session', async () => {
    const person = await signedIn()
    for (const parameters of [
      {},
      { logout: 'yes' },
      { client_id: agent.clientId, post_logout_redirect_uri: after, logout: 'yes', xsrf: 'x' },
    ]) {
      const page = await person.open(logout(parameters as Record<string, string>))
      expect(page.status).toBe(200)
      expect(formsOf(page.html).map(({ method }) => method)).toEqual(['POST'])
      expect(await isSignedIn(person)).toBe(true)
    }
    expect((await person.open(`${service.issuer}/oauth/logout/confirm`)).status).toBe(405)
    expect(await isSignedIn(person)).toBe(true)
  })

  test('a yes ends the session, leaves the tokens alone, and leads to the registered address with the state', async () => {
    const person = await signedIn()
    const { body: tokens } = await agent.tokens(person)
    const page = await person.open(logout({ id_token_hint: tokens.id_token, post_logout_redirect_uri: after, state: 'a b&c' }))
    const { address, fields } = fieldsOf(page, /confirm$/)
    fields.set('logout', 'yes')
    const location = new URL((await sendAs(person, address, { fields })).headers.get('location') ?? '')
    expect(location.origin + location.pathname).toBe(after)
    expect(location.searchParams.get('state')).toBe('a b&c')
    expect((await withToken(`${service.issuer}/api/v1/account`, tokens.access_token)).status).toBe(200)
  })

  test('without a session there is a page with content, and no form that submits itself', async () => {
    const page = await personCalled(email).open(logout({}))
    expect(page.status).toBe(200)
    expect(page.url.pathname).toBe('/oauth/logout/success')
    expect(page.html).toMatch(/<h1>[^<]+<\/h1>/)
    expect(page.html).not.toMatch(/<script|onload|<form/)
    const { leftFor } = await personCalled(email).open(logout({ client_id: agent.clientId, post_logout_redirect_uri: after, state: 's' }))
    expect(leftFor?.href).toBe(`${after}?state=s`)
  })
})

describe('an ID token of one school is not accepted as a hint at another (D19)', () => {
  const twist = (token: string, change: (payload: Record<string, unknown>) => void): string => {
    const [head = '', body = '', signature = ''] = token.split('.')
    const payload = JSON.parse(Buffer.from(body, 'base64url').toString())
    change(payload)
    return `${head}.${Buffer.from(JSON.stringify(payload)).toString('base64url')}.${signature}`
  }

  test('neither at sign-out nor at authorization, as it is or rewritten for the other', async () => {
    const { body } = await agent.tokens(await signedIn())
    const there = await createAgent(service.other, { post_logout_redirect_uris: [after] })
    const hints = [
      body.id_token,
      twist(body.id_token, (payload) => Object.assign(payload, { iss: service.other, aud: there.clientId })),
      twist(body.id_token, (payload) => Object.assign(payload, { aud: there.clientId })),
      `${Buffer.from('{"alg":"none"}').toString('base64url')}.${body.id_token.split('.')[1]}.`,
    ]
    for (const id_token_hint of hints) {
      const page = await personCalled(email).open(logout({ id_token_hint, post_logout_redirect_uri: after }, service.other))
      expect([page.status, page.leftFor, page.url.pathname]).toEqual([200, undefined, '/oauth/logout/success'])
      const response = await fetch(there.authorizationUrl({ id_token_hint }), { redirect: 'manual' })
      expect(response.headers.get('location')).toContain('/oauth/interaction/')
      const silent = await fetch(there.authorizationUrl({ id_token_hint, prompt: 'none' }), { redirect: 'manual' })
      const location = new URL(silent.headers.get('location') ?? 'about:blank')
      expect([location.searchParams.get('error'), location.searchParams.get('code')]).toEqual(['login_required', null])
    }
  })

  test('an ID token of the same school is a hint and not proof: the page still asks (D25)', async () => {
    const person = await signedIn()
    const { body } = await agent.tokens(person)
    const silent = await person.open(agent.authorizationUrl({ id_token_hint: body.id_token, prompt: 'none' }).href)
    expect(silent.leftFor?.searchParams.get('error')).toMatch(/^(consent|interaction)_required$/)
    const stranger = await personCalled(email).open(agent.authorizationUrl({ id_token_hint: body.id_token }).href)
    expect(stranger.html).toContain('type="password"')
  })
})

describe('an ID token of a retired key remains a hint as long as grants of its time can exist', () => {
  /** Retires every key that signed until now, and lets the service create new ones. */
  async function retireKeys(age: string): Promise<void> {
    await service.database.sql.query(`UPDATE signing_key SET retired_at = now() - interval '${age}' WHERE retired_at IS NULL`)
    await service.reload({ schools: 2 })
  }

  test('it leads from the sign-out to the app, and to a code without another sign-in; the key is not published', async () => {
    const person = await signedIn()
    const { body: tokens } = await agent.tokens(person)
    const kid = JSON.parse(Buffer.from(tokens.id_token.split('.')[0], 'base64url').toString()).kid
    await retireKeys('49 hours')
    const published = await get(`${service.issuer}/api/oauth/jwks`)
    expect(published.body.keys.map((key: { kid: string }) => key.kid)).not.toContain(kid)

    const asked = await person.open(agent.authorizationUrl({ id_token_hint: tokens.id_token }).href)
    expect([asked.status, asked.html.includes('type="password"')]).toEqual([200, false])
    const page = await person.open(logout({ id_token_hint: tokens.id_token, post_logout_redirect_uri: after, state: 's' }))
    const { address, fields } = fieldsOf(page, /confirm$/)
    fields.set('logout', 'yes')
    expect((await sendAs(person, address, { fields })).headers.get('location')).toBe(`${after}?state=s`)
  })

  test('after that time it counts as absent: the sign-out asks and stays here, the sign-in works', async () => {
    const person = await signedIn()
    const { body: tokens } = await agent.tokens(person)
    await retireKeys('400 days')
    const page = await person.open(logout({ id_token_hint: tokens.id_token, post_logout_redirect_uri: after }))
    const { address, fields } = fieldsOf(page, /confirm$/)
    fields.set('logout', 'yes')
    const location = (await sendAs(person, address, { fields })).headers.get('location') ?? ''
    expect(new URL(location, service.issuer).href).toBe(`${service.issuer}/oauth/logout/success`)
    expect(await isSignedIn(person)).toBe(false)
    expect((await person.open(agent.authorizationUrl({ id_token_hint: tokens.id_token }).href)).html).toContain('type="password"')
  })

  test.each(['', 'x', 'a.b.c', 'eyJ.e30.x', 'null', '..', '\0', 'eyJraWQiOiJcdTAwMDAifQ.e30.x', 'e30.'.repeat(20)])(
    '%j instead of an ID token prevents neither',
    async (id_token_hint) => {
      const person = await signedIn()
      const asked = await person.open(agent.authorizationUrl({ id_token_hint }).href)
      expect(asked.status).toBe(200)
      const page = await person.open(logout({ id_token_hint }))
      expect([page.status, page.leftFor]).toEqual([200, undefined])
      expect(await isSignedIn(person)).toBe(true)
    },
  )

  test('a repeated hint of an authorization is an error, like every repeated parameter (RFC 6749 section 3.1)', async () => {
    const person = await signedIn()
    const authorization = agent.authorizationUrl({ id_token_hint: 'x' })
    authorization.searchParams.append('id_token_hint', 'y')
    const asked = await person.open(authorization.href)
    expect([asked.leftFor?.searchParams.get('error'), asked.leftFor?.searchParams.get('code')]).toEqual(['invalid_request', null])
  })
})
