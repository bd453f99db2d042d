import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Browser, createBrowser, field, type Answer as Page } from '../../pages/browser.ts'
import { createAgent } from '../../support/agent.ts'
import { duringTests } from '../../support/duringTests.ts'
import { password, startService } from '../../support/service.ts'

const service = duringTests(() => startService())
const agent = duringTests(() => createAgent(service.issuer))
beforeAll(async () => {
  for (const email of ['learner@example.org', 'other@example.org']) await service.addPerson({ email })
})

interface Visit {
  browser: Browser
  page: Page
}

const opened = async (): Promise<Visit> => {
  const browser = createBrowser(service.issuer)
  return { browser, page: await browser.follow(await browser.get(agent.authorizationUrl().href)) }
}

const signIn = ({ browser, page }: Visit, email = 'learner@example.org'): Promise<Page> =>
  browser.post(`${page.url.pathname}/sign-in`, { csrf: field(page.html, 'csrf'), step: 'password', email, password })

const atConsent = async (): Promise<Visit> => {
  const visit = await opened()
  return { ...visit, page: await visit.browser.follow(await signIn(visit)) }
}

const allow = ({ browser, page }: Visit, scope = ['profile']): Promise<Page> =>
  browser.post(`${page.url.pathname}/consent`, { csrf: field(page.html, 'csrf'), scope })

const refuse = ({ browser, page }: Visit): Promise<Page> => browser.post(`${page.url.pathname}/refuse`, { csrf: field(page.html, 'csrf') })

const resumeAddress = ({ page }: Visit): string => page.url.pathname.replace('interaction', 'authorize')

/** Makes the stored end of the interaction older than the time in which it is repeated. */
const aMinuteLater = async <Result>(work: () => Promise<Result>): Promise<Result> => {
  const now = Date.now
  Date.now = () => now() + 61_000
  try {
    return await work()
  } finally {
    Date.now = now
  }
}

const events = async (event: string): Promise<number> => {
  const rows = await service.database.sql.query<{ n: number }>('SELECT count(*)::int AS n FROM audit_log WHERE event = $1', [event])
  return rows[0]?.n ?? 0
}

describe('the same decision of the same browser', () => {
  test('leads to the same redirect, and the code is for one use', async () => {
    const visit = await atConsent()
    const first = await visit.browser.follow(await allow(visit))
    const before = await events('consent.granted')
    const second = await allow(visit)
    expect(second.status).toBe(303)
    const again = await visit.browser.follow(second)
    expect(again.location?.href).toBe(first.location?.href)
    expect(again.location?.searchParams.get('code')).toMatch(/~/)
    expect(await events('consent.granted')).toBe(before)
    const address = first.location as URL
    const { body: tokens, status } = await agent.redeem(address)
    expect(status).toBe(200)
    const third = await visit.browser.follow(await allow(visit))
    expect(third.location?.href).toBe(address.href)
    expect((await agent.redeem(third.location as URL)).body).toEqual(tokens)
    expect((await agent.redeem(address, { code_verifier: 'x'.repeat(43) })).body.error).toBe('invalid_grant')
    expect((await agent.refresh(tokens.refresh_token)).body.error).toBe('invalid_grant')
  })

  test('that is sent several times concurrently leads every time to the one code', async () => {
    const visit = await atConsent()
    const answers = await Promise.all(Array.from({ length: 6 }, async () => visit.browser.follow(await allow(visit))))
    expect(new Set(answers.map(({ location }) => location?.href)).size).toBe(1)
    expect((await agent.redeem(answers[0]?.location as URL)).status).toBe(200)
  })

  test('to refuse leads to the same error', async () => {
    const visit = await atConsent()
    const first = await visit.browser.follow(await refuse(visit))
    const again = await visit.browser.follow(await refuse(visit))
    expect(first.location?.searchParams.get('error')).toBe('access_denied')
    expect(again.location?.href).toBe(first.location?.href)
  })

  test('to sign in leads to the consent page', async () => {
    const visit = await opened()
    const consent = await visit.browser.follow(await signIn(visit))
    const again = await visit.browser.follow(await signIn(visit))
    expect(again.url.pathname).toBe(consent.url.pathname)
    expect(again.html).toContain('Signed in as')
    expect((await visit.browser.follow(await visit.browser.get(visit.page.url.pathname))).url.pathname).toBe(consent.url.pathname)
  })

  test('is recognised before the browser has returned to the engine', async () => {
    const visit = await opened()
    const [first, second] = [await signIn(visit), await signIn(visit)]
    expect(second.location?.href).toBe(first.location?.href)
    expect(await events('sign_in.succeeded')).toBeGreaterThan(0)
  })
})

test('the address of the return leads to the same redirect for a minute, and then says what happened', async () => {
  const visit = await atConsent()
  const first = await visit.browser.follow(await allow(visit))
  const again = await visit.browser.get(resumeAddress(visit))
  expect([again.status, again.location?.href]).toEqual([303, first.location?.href])
  const later = await aMinuteLater(() => visit.browser.get(resumeAddress(visit)))
  expect([later.status, later.location]).toEqual([400, undefined])
  expect(later.html).toContain('You already allowed this app')
})

describe('a browser that has lost the response to its sign-in', () => {
  /** Signs in, and forgets the cookies of the last response, as a browser does that is interrupted before it has read them. */
  const interrupted = async () => {
    const visit = await opened()
    const answer = await signIn(visit)
    const other = visit.browser.copy()
    const consent = await other.follow(answer)
    expect(consent.html).toContain('Signed in as')
    return { visit, other, answer, consent }
  }

  test('gets the consent page when it sends the form again, and when it loads the address again', async () => {
    const { visit, answer, consent } = await interrupted()
    const again = await visit.browser.copy().follow(await signIn(visit))
    expect([again.status, again.url.href]).toEqual([200, consent.url.href])
    expect(again.html).toContain('Signed in as')
    visit.page = await visit.browser.follow(answer)
    expect(visit.page.url.href).toBe(consent.url.href)
    expect((await visit.browser.follow(await allow(visit))).location?.searchParams.has('code')).toBe(true)
  })

  test('that a session was replaced in stays signed in', async () => {
    const first = await interrupted()
    const page = await first.other.follow(await first.other.get(agent.authorizationUrl({ prompt: 'login' }).href))
    const visit = { browser: first.other, page }
    const answer = await signIn(visit)
    const consent = await visit.browser.copy().follow(answer)
    const again = await visit.browser.follow(answer)
    expect([again.status, again.url.href]).toEqual([200, consent.url.href])
  })

  test('is not signed in after a sign-out, after a minute, or by the cookies of another browser', async () => {
    const ended = async (browser: Browser, { visit, answer, other }: Awaited<ReturnType<typeof interrupted>>) => {
      const page = await browser.follow(answer)
      expect([page.status, page.url.pathname]).toEqual([400, resumeAddress(visit)])
      expect(page.headers.getSetCookie().join()).not.toContain(other.cookie('sg_session'))
    }
    const late = await interrupted()
    await aMinuteLater(() => ended(late.visit.browser, late))
    const stolen = await interrupted()
    stolen.visit.browser.plant('sg_browser', 'x'.repeat(43))
    await ended(stolen.visit.browser, stolen)
    const signedIn = await interrupted()
    const stranger = await opened()
    await stranger.browser.follow(await signIn(stranger, 'other@example.org'))
    for (const name of ['sg_session', 'sg_session.sig']) signedIn.visit.browser.plant(name, stranger.browser.cookie(name) ?? '')
    await ended(signedIn.visit.browser, signedIn)
    const signedOut = await interrupted()
    const signedOutCookies = signedOut.other.copy()
    const page = await signedOut.other.follow(await signedOut.other.get('/oauth/logout'))
    await signedOut.other.follow(await signedOut.other.post('/oauth/logout/confirm', { xsrf: field(page.html, 'xsrf'), logout: 'yes' }))
    await ended(signedOut.visit.browser, { ...signedOut, other: signedOutCookies })
  })
})

describe('a later, another or a foreign request gets no redirect', () => {
  const shows = async (send: () => Promise<Page>, text: string) => {
    const page = await send()
    expect([page.status, page.location]).toEqual([400, undefined])
    expect(page.html).toContain(text)
  }

  test('a later press on Allow, and the page itself, say that the app was allowed', async () => {
    const visit = await atConsent()
    await visit.browser.follow(await allow(visit))
    await aMinuteLater(() => shows(() => allow(visit), 'You already allowed this app'))
    await shows(() => visit.browser.get(visit.page.url.pathname), 'You already allowed this app')
  })

  test('another decision says what happened first', async () => {
    const visit = await atConsent()
    await visit.browser.follow(await allow(visit))
    await shows(() => refuse(visit), 'You already allowed this app')
    await shows(() => allow(visit, ['profile', 'email']), 'You already allowed this app')
    const refused = await atConsent()
    await refused.browser.follow(await refuse(refused))
    await shows(() => allow(refused), 'You did not allow this app')
  })

  test('another browser learns nothing', async () => {
    const visit = await atConsent()
    await visit.browser.follow(await allow(visit))
    const stranger = await opened()
    for (const send of [() => stranger.browser.get(resumeAddress(visit)), () => stranger.browser.get(visit.page.url.pathname)])
      await shows(send, 'This sign-in has ended')
    const forged = await stranger.browser.post(`${visit.page.url.pathname}/consent`, {
      csrf: field(visit.page.html, 'csrf'),
      scope: 'profile',
    })
    expect([forged.status, forged.location]).toEqual([403, undefined])
  })

  test('a browser that has signed in as another person, or signed out, gets no code of the person before', async () => {
    const visit = await atConsent()
    await visit.browser.follow(await allow(visit))
    const session = ['sg_session', 'sg_session.sig'].map((name) => [name, visit.browser.cookie(name) ?? ''] as const)
    for (const [name] of session) visit.browser.plant(name, '')
    await shows(async () => visit.browser.follow(await allow(visit)), 'You already allowed this app')
    for (const [name, value] of session) visit.browser.plant(name, value)
    expect((await visit.browser.follow(await allow(visit))).location?.searchParams.has('code')).toBe(true)
  })

  test('another account on an ended sign-in page is not signed in by the redirect of the first', async () => {
    const visit = await opened()
    await visit.browser.follow(await signIn(visit))
    await shows(() => signIn(visit, 'other@example.org'), 'This sign-in has ended')
  })
})

test('the store reveals no code: only the browser can decrypt where it was led', async () => {
  const visit = await atConsent()
  const first = await visit.browser.follow(await allow(visit))
  const code = first.location?.searchParams.get('code') ?? ''
  const rows = await service.database.sql.query<{ text: string }>('SELECT row_to_json(a)::text AS text FROM oidc_artifact a')
  const dump = rows.map(({ text }) => text).join()
  expect(dump).toContain('EndedInteraction')
  const session = visit.browser.cookie('sg_session') ?? ''
  for (const text of [
    code,
    session,
    encodeURIComponent(code),
    visit.browser.cookie('sg_browser') ?? '',
    createHash('sha256').update(code).digest('hex'),
  ])
    expect(dump).not.toContain(text)
})

test('a client that is disabled while its page is open gets the page that says so, before and after Allow', async () => {
  const client = await createAgent(service.issuer)
  const browser = createBrowser(service.issuer)
  const visit = { browser, page: await browser.follow(await browser.get(client.authorizationUrl().href)) }
  visit.page = await browser.follow(await signIn(visit))
  const answered = await allow(visit)
  await service.database.sql.query('UPDATE oidc_client SET disabled_at = now() WHERE id = $1', [client.clientId])
  for (const page of [await browser.get(visit.page.url.pathname), await allow(visit), await browser.follow(answered)]) {
    expect([page.status, page.location]).toEqual([400, undefined])
    expect(page.html).toContain('The school has disabled this app')
    expect(page.html).not.toContain('register again')
  }
})
