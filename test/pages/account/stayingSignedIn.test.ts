import { describe, expect, test } from 'vitest'
import { createAgent, personCalled } from '../../support/agent.ts'
import { duringTests } from '../../support/duringTests.ts'
import { password, startService } from '../../support/service.ts'
import { type Browser, createBrowser } from '../browser.ts'
import { isSignedIn, newPassword, send, signUpLink } from './account.ts'

const service = duringTests(() => startService({ redis: false, people: [{ email }] }))
const email = 'wren@example.org'

const [hour, day] = [3600, 86_400]

/** The seconds that the stored sessions of an account have left, the newest first. */
async function secondsLeft(): Promise<number[]> {
  const rows = await service.database.sql.query<{ left: string }>(
    `SELECT extract(epoch FROM expires_at - now()) AS left FROM oidc_artifact WHERE model = 'Session' AND expires_at > now() ORDER BY created_at DESC`,
  )
  return rows.map(({ left }) => Number(left))
}

/** Moves the end of every stored session to the past, as waiting would. */
const waitUntilOver = () =>
  service.database.sql.query(`UPDATE oidc_artifact SET expires_at = now() - interval '1 second' WHERE model = 'Session'`)

const sessionCookies = (headers: Headers): string[] => headers.getSetCookie().filter((line) => line.startsWith('sg_session'))

/** The ways to sign in: each returns the cookies of the session. */
const ways: { name: string; signIn(browser: Browser, fields: Record<string, string>): Promise<string[]> }[] = [
  {
    name: 'on the account pages',
    async signIn(browser, fields) {
      const answer = await send(browser, await browser.get('/account/sign-in'), { email, password, ...fields })
      expect(answer.status).toBe(303)
      return sessionCookies(answer.headers)
    },
  },
  {
    name: 'in an authorization request',
    async signIn(browser, fields) {
      const agent = await createAgent(service.issuer)
      const page = await browser.follow(await browser.get(agent.authorizationUrl().href))
      const answer = await send(browser, page, { email, password, ...fields })
      // The engine sets the cookie when the browser returns to it.
      const back = await browser.get(answer.location?.href ?? '')
      return sessionCookies(back.headers)
    },
  },
]

describe.each(ways)('a sign-in $name', ({ signIn }) => {
  test('lasts until the browser closes, and at most 12 hours, unless the person wants to stay signed in', async () => {
    const browser = createBrowser(service.issuer)
    const cookies = await signIn(browser, {})
    expect(cookies).toHaveLength(2)
    for (const line of cookies) expect(line).not.toMatch(/expires|max-age/i)
    const [left = 0] = await secondsLeft()
    expect(left).toBeGreaterThan(11.9 * hour)
    expect(left).toBeLessThanOrEqual(12 * hour + 1)
    expect(await isSignedIn(browser)).toBe(true)
    await waitUntilOver()
    // The browser still sends the cookie.
    expect(browser.cookie('sg_session')).toBeDefined()
    expect(await isSignedIn(browser)).toBe(false)
  })

  test('lasts 14 days if the person ticks the box', async () => {
    const cookies = await signIn(createBrowser(service.issuer), { remember: 'yes' })
    expect(cookies).toHaveLength(2)
    for (const line of cookies) {
      const end = new Date(/expires=([^;]+)/i.exec(line)?.[1] ?? 0).getTime()
      expect((end - Date.now()) / 1000).toBeGreaterThan(13.9 * day)
    }
    const [left = 0] = await secondsLeft()
    expect(left).toBeGreaterThan(13.9 * day)
    expect(left).toBeLessThanOrEqual(14 * day + 1)
  })
})

test('using a session does not extend it', async () => {
  await waitUntilOver()
  const agent = await createAgent(service.issuer)
  const person = personCalled(email)
  await agent.send(person)
  const sealed = await secondsLeft()
  await agent.send(person)
  const [left = 0] = await secondsLeft()
  expect(left).toBeLessThanOrEqual((sealed[0] ?? 0) + 1)
})

test('the box stays ticked after a wrong password', async () => {
  const browser = createBrowser(service.issuer)
  const again = await send(browser, await browser.get('/account/sign-in'), { email, password: 'wrong', remember: 'yes' })
  expect(again.html).toMatch(/name="remember" value="yes" checked/)
  const fresh = await send(browser, await browser.get('/account/sign-in'), { email, password: 'wrong' })
  expect(fresh.html).not.toMatch(/name="remember" value="yes" checked/)
})

describe('after a sign-up', () => {
  test('that an app began, the person is signed in, and consents next', async () => {
    const browser = createBrowser(service.issuer)
    const agent = await createAgent(service.issuer)
    const page = await browser.follow(await browser.get(agent.authorizationUrl().href))
    const form = await browser.get(/href="([^"]*sign-up[^"]*)"/.exec(page.html)?.[1]?.replaceAll('&amp;', '&') ?? '')
    expect((await send(browser, form, { email: 'app@example.com', name: 'Rowan' })).status).toBe(200)
    const message = (await service.emails()).findLast(({ to }) => to === 'app@example.com')
    const link = /https?:\S+/.exec(message?.text ?? '')?.[0] ?? ''
    const done = await send(browser, await browser.get(link), { password: newPassword, repeated: newPassword })
    const consent = await browser.follow(done)
    expect(consent.html).toContain('Signed in as')
    expect(consent.html).toContain('app@example.com')
    const left = await send(browser, consent, { scope: 'openid' }, /consent$/)
    const back = await browser.get(left.location?.href ?? '')
    expect(back.location?.searchParams.get('code')).toBeTruthy()
    // Nobody else signed in.
    expect(
      (await service.emails()).filter(({ subject }) => subject.includes('New sign-in to')).filter(({ to }) => to === 'app@example.com'),
    ).toEqual([])
  })

  test('in another browser than that of the app, the person is signed in there', async () => {
    const browser = createBrowser(service.issuer)
    const link = await signUpLink(service, 'elsewhere@example.com')
    const done = await send(browser, await browser.get(link.href), { password: newPassword, repeated: newPassword })
    expect([done.status, await isSignedIn(browser)]).toEqual([303, true])
  })
})

test('a request that requires another sign-in is not satisfied by an earlier one', async () => {
  const browser = createBrowser(service.issuer)
  await send(browser, await browser.get('/account/sign-in'), { email, password })
  // Sign-ins are compared by whole seconds.
  await service.database.sql.query(`UPDATE account SET sessions_valid_after = NULL`)
  const agent = await createAgent(service.issuer)
  const page = await browser.follow(await browser.get(agent.authorizationUrl({ prompt: 'login' }).href))
  expect(page.html).toContain('type="password"')
})
