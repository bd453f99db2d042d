import { describe, expect, test } from 'vitest'
import { createAgent, personCalled } from '../../support/agent.ts'
import { duringTests } from '../../support/duringTests.ts'
import { password, startService } from '../../support/service.ts'
import { createBrowser, field } from '../browser.ts'
import { isSignedIn, send, signedIn, withoutToken } from './account.ts'

const service = duringTests(() => startService({ people: [{ email: 'marlo@example.com' }, { email: 'wren@example.org' }] }))

const open = async (query = '') => {
  const browser = createBrowser(service.issuer)
  return { browser, page: await browser.get(`/account/sign-in${query}`) }
}
const right = { email: 'marlo@example.com', password }

describe('signing in', () => {
  test('leads to the connected apps, with the session of the authorization server', async () => {
    const browser = await signedIn(service, 'marlo@example.com')
    expect((await browser.get('/account/apps')).html).toContain('marlo@example.com')
    const agent = await createAgent(service.issuer)
    const consent = await browser.follow(await browser.get(agent.authorizationUrl().href))
    expect(consent.html).toContain('Allow selected')
  })

  test('is not asked again of who is signed in', async () => {
    const browser = await signedIn(service, 'marlo@example.com')
    const answer = await browser.get('/account/sign-in?return_to=/account/email%3Ftoken%3Dx')
    expect([answer.status, answer.location?.pathname]).toEqual([303, '/account/email'])
    expect((await browser.get('/account/sign-in')).location?.pathname).toBe('/account')
  })

  test('creates a new session: a planted or earlier one is invalid afterwards', async () => {
    const { browser: attacker, page: planted } = await open()
    await send(attacker, planted, { email: 'wren@example.org', password })
    const known = { value: attacker.cookie('sg_session') ?? '', signature: attacker.cookie('sg_session.sig') ?? '' }
    const { browser, page } = await open()
    browser.plant('sg_session', known.value)
    browser.plant('sg_session.sig', known.signature)
    await send(browser, page, right)
    expect(browser.cookie('sg_session')).toMatch(/^[\w-]{20,}$/)
    expect(browser.cookie('sg_session')).not.toBe(known.value)
    expect((await browser.get('/account/apps')).html).toContain('marlo@example.com')
    expect(await isSignedIn(attacker)).toBe(false)
  })

  test('again with the same account makes another session and ends the one before', async () => {
    const browser = await signedIn(service, 'marlo@example.com')
    const before = createBrowser(service.issuer)
    for (const name of ['sg_session', 'sg_session.sig']) before.plant(name, browser.cookie(name) ?? '')
    expect(await isSignedIn(before)).toBe(true)
    const fresh = createBrowser(service.issuer)
    const form = await fresh.get('/account/sign-in')
    for (const name of ['sg_session', 'sg_session.sig']) fresh.plant(name, browser.cookie(name) ?? '')
    await send(fresh, form, right)
    expect(await isSignedIn(before)).toBe(false)
    expect(await isSignedIn(fresh)).toBe(true)
  })

  test('sets a cookie that scripts cannot read, that other sites do not send with posts, and that ends with the browser', async () => {
    const { browser, page } = await open()
    const cookies = (await send(browser, page, right)).headers.getSetCookie().filter((line) => line.startsWith('sg_session'))
    expect(cookies).toHaveLength(2)
    for (const line of cookies) expect(line).toMatch(/^[^;]+; path=\/; samesite=lax; httponly$/)
  })

  test('fails in one way, whatever was wrong', async () => {
    const gone = await service.addPerson({ email: 'gone@example.org' })
    await service.database.kysely.updateTable('account').set({ disabled_at: new Date() }).where('id', '=', gone.accountId).execute()
    const pages = []
    for (const [email, secret] of [
      ['marlo@example.com', 'wrong'],
      ['nobody@example.com', password],
      ['gone@example.org', password],
      ['no address', password],
      ['marlo@example.com', 'x'.repeat(1025)],
      ['', ''],
    ] as const) {
      const { browser, page } = await open()
      const answer = await send(browser, page, { email, password: secret })
      expect(answer.status).toBe(400)
      pages.push(withoutToken(answer.html).replace(/(name="email" type="email"[^>]*? value=)"[^"]*"/, '$1""'))
      expect(await isSignedIn(browser)).toBe(false)
    }
    expect(new Set(pages).size).toBe(1)
    expect(pages[0]).toContain('aria-describedby="error"')
  })

  test('is not possible from another site, another browser, or without the token of the form (login CSRF)', async () => {
    const { browser, page } = await open()
    const token = field(page.html, 'csrf')
    const foreign = [
      await browser.post('/account/sign-in', right),
      await browser.post('/account/sign-in', { ...right, csrf: token }, { origin: 'https://evil.example' }),
      await browser.post('/account/sign-in', { ...right, csrf: token }, { origin: 'null', 'sec-fetch-site': 'cross-site' }),
      await createBrowser(service.issuer).post('/account/sign-in', { ...right, csrf: token }),
    ]
    for (const answer of foreign) {
      expect(answer.status).toBe(403)
      expect(answer.headers.getSetCookie().some((line) => line.startsWith('sg_session'))).toBe(false)
    }
    // Chromium sends this with our own forms, since pages have Referrer-Policy: no-referrer.
    const own = await browser.post('/account/sign-in', { ...right, csrf: token }, { origin: 'null', 'sec-fetch-site': 'same-origin' })
    expect(own.status).toBe(303)
  })

  test('fails for a body that is not a form, or too large, with a page and no session', async () => {
    const { browser } = await open()
    const big = await browser.post('/account/sign-in', { ...right, csrf: 'x'.repeat(70_000) })
    const json = await fetch(`${service.issuer}/account/sign-in`, {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json' },
    })
    expect([big.status, json.status]).toEqual([413, 415])
    expect(json.headers.get('content-type')).toContain('text/html')
  })
})

describe('return_to', () => {
  const allowed: [string, string][] = [
    ['/account/apps', '/account/apps'],
    ['/account/email?token=abc-_1', '/account/email?token=abc-_1'],
    ['/account/../account/apps', '/account/apps'],
    ['/oauth/interaction/Abc_-123', '/oauth/interaction/Abc_-123'],
    ['/account/apps#x', '/account/apps'],
  ]
  const refused = [
    'https://evil.example/',
    '//evil.example/account/apps',
    '///evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/account/apps\\..\\..',
    '/%09/evil.example',
    '/\t/evil.example',
    '\t//evil.example',
    ' //evil.example',
    '/account/apps\r\nLocation: https://evil.example',
    'account/apps',
    'javascript:alert(1)',
    'data:text/html,x',
    '/account/..//evil.example',
    '/account/%2e%2e//evil.example',
    '/account/../oauth/logout',
    '/oauth/logout',
    '/oauth/authorize?client_id=x',
    '/api/v1/account',
    '/account/sign-in?return_to=/account/apps',
    '/account/sign-in',
    '/account/apps/../../evil',
    '/oauth/interaction/a/../../logout',
    '/oauth/interaction/a/refuse',
    '//account/apps',
    '/@evil.example',
    'http:account/apps',
    'http://127.0.0.1:1/account/apps',
    `/account/apps?${'x'.repeat(1001)}`,
    '',
  ]

  const landing = async (value: string): Promise<string | undefined> => {
    const { browser, page } = await open(`?${new URLSearchParams({ return_to: value })}`)
    const answer = await send(browser, page, right)
    expect(answer.status).toBe(303)
    expect(answer.headers.get('location')).toMatch(/^\/[a-z]/)
    const direct = await send(browser, page, { ...right, return_to: value })
    expect(direct.headers.get('location')).toBe(answer.headers.get('location'))
    return answer.headers.get('location') ?? undefined
  }

  test.each(allowed)('goes to %j', async (value, path) => {
    expect(await landing(value)).toBe(path)
  })

  test.each(refused)('does not go to %j', async (value) => {
    expect(await landing(value)).toBe('/account')
  })

  test('given twice is not looked at', async () => {
    const { page } = await open('?return_to=/account/email&return_to=//evil.example')
    expect(page.html).not.toContain('return_to" value')
  })
})

describe('the sign-in of an app', () => {
  test('leads to sign-up and to forgotten password and back, and sign-up only where it is open', async () => {
    const agent = await createAgent(service.issuer)
    const browser = createBrowser(service.issuer)
    const page = await browser.follow(await browser.get(agent.authorizationUrl().href))
    const links = [...page.html.matchAll(/href="(\/account\/[^"]*)"/g)].map(([, href = '']) => href)
    const back = encodeURIComponent(page.url.pathname)
    expect(links).toEqual([`/account/password?return_to=${back}`, `/account/sign-up?return_to=${back}`])
    for (const link of links) expect((await browser.get(link)).html).toContain(`href="${page.url.pathname}"`)

    const school = service.database.kysely.updateTable('school').where('id', '=', service.schoolId())
    for (const registration of ['invite_only', 'closed']) {
      await school.set({ registration }).execute()
      expect((await browser.get(page.url.pathname)).html).not.toContain('/account/sign-up')
      expect((await browser.get('/account/sign-in')).html).not.toContain('/account/sign-up')
    }
    await school.set({ registration: 'open' }).execute()
    expect((await browser.get('/account/sign-in')).html).toContain('/account/sign-up')
  })

  test('and the account pages share one session: who is signed in there is asked for consent here', async () => {
    const agent = await createAgent(service.issuer)
    const person = personCalled('marlo@example.com')
    await agent.send(person)
    expect((await person.open(`${service.issuer}/account/apps`)).html).toContain('marlo@example.com')
  })
})

describe('attempts', () => {
  test('are counted by account and by address together with those at an app, and refused with 429 and Retry-After', async () => {
    const limited = await startService({
      isLimited: true,
      server: { rate_limits: { sign_in_per_account: { requests: 2, window_seconds: 60 } } },
    })
    try {
      await limited.addPerson({ email: 'marlo@example.com' })
      const browser = createBrowser(limited.issuer)
      const page = await browser.get('/account/sign-in')
      const statuses = []
      for (let count = 0; count < 3; count++) statuses.push(await send(browser, page, { ...right, password: 'wrong' }))
      expect(statuses.map(({ status }) => status)).toEqual([400, 400, 429])
      expect(Number(statuses[2]?.headers.get('retry-after'))).toBeGreaterThan(0)
      expect((await send(browser, page, right)).status).toBe(429)
      const agent = await createAgent(limited.issuer)
      const other = createBrowser(limited.issuer)
      const app = await other.follow(await other.get(agent.authorizationUrl().href))
      expect((await send(other, app, right, /sign-in$/)).status).toBe(429)
    } finally {
      await limited.stop()
    }
  })
})
