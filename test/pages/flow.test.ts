// Proves OpenID Connect Core section 3.1.3.3: `openid` comes with Allow, without a box
// Proves RFC 9700 section 4.16: No page can be framed
// Proves RFC 9700 section 4.2.4: Pages and tokens are not cached and send no referrer

import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { duringTests } from '../support/duringTests.ts'
import { type Answer, type Browser, boxes, createBrowser, field } from './browser.ts'
import { catalogue, password, redirectUri, startService } from './service.ts'

const service = duringTests(() => startService())
let owner: { accountId: string; subject: string }
let learner: { accountId: string; subject: string }

beforeAll(async () => {
  owner = await service.addPerson('owner@example.com', 'owner')
  learner = await service.addPerson('learner@example.org', 'learner')
  service.addClient({ client_id: 'app', client_name: 'Tidy Agent' })
  service.addClient(
    { client_id: 'web', client_name: 'Mailer', application_type: 'web', redirect_uris: ['https://mailer.example.com/cb'] },
    'integration',
  )
})

beforeEach(() => {
  service.audits.length = 0
  service.attempts.seen.length = 0
  service.attempts.allowed = true
})

const start = async (browser: Browser, change: Record<string, string> = {}): Promise<Answer> =>
  browser.follow(await browser.get(service.authorizeUrl(change)))

const signIn = async (browser: Browser, page: Answer, email = 'owner@example.com', secret = password): Promise<Answer> =>
  browser.follow(await browser.post(`${page.url.pathname}/sign-in`, { csrf: field(page.html, 'csrf'), email, password: secret }))

const consent = async (browser: Browser, page: Answer, scope: string[], more: Record<string, string> = {}): Promise<Answer> =>
  browser.follow(await browser.post(`${page.url.pathname}/consent`, { csrf: field(page.html, 'csrf'), scope, ...more }))

const atConsent = async (change: Record<string, string> = {}, email = 'owner@example.com'): Promise<{ browser: Browser; page: Answer }> => {
  const browser = createBrowser(service.base)
  return { browser, page: await signIn(browser, await start(browser, change), email) }
}

const codeOf = (answer: Answer): string => {
  expect(answer.location?.href).toContain(`${redirectUri}?`)
  expect(answer.location?.searchParams.get('error')).toBeNull()
  return answer.location?.searchParams.get('code') ?? ''
}

describe('sign in, consent, code', () => {
  test('a person signs in, allows what is ticked, and the token says exactly that', async () => {
    const { browser, page } = await atConsent()
    expect(page.status).toBe(200)
    expect(page.html).toContain('Tidy Agent')
    const answer = await consent(browser, page, ['openid', 'courses:read'])
    expect(answer.location?.searchParams.get('iss')).toBe(service.base)
    const { status, body } = await service.redeem(codeOf(answer))
    expect(status).toBe(200)
    expect(String(body.scope).split(' ').sort()).toEqual(['courses:read', 'openid'])
    expect(service.audits.map(({ event, account_id }) => [event, account_id])).toEqual([
      ['sign_in.succeeded', owner.accountId],
      ['consent.granted', owner.accountId],
    ])
  })

  test('one answer is enough: no consent is asked twice, whatever was refused', async () => {
    for (const change of [{}, { resource: service.base }, { resource: `${service.base}/mcp` }]) {
      const { browser, page } = await atConsent(change)
      codeOf(await consent(browser, page, ['courses:read']))
    }
  })

  test('a token bound to a resource holds only scopes that exist there', async () => {
    const resource = `${service.base}/mcp`
    const { browser, page } = await atConsent({ resource })
    const answer = await consent(browser, page, ['openid', 'courses:read', 'orders:read'])
    const { body } = await service.redeem(codeOf(answer), { resource })
    expect(String(body.scope).split(' ').sort()).toEqual(['courses:read', 'openid'])
  })

  test.each([
    ['en', 'no permission is needed there'],
    ['de', 'verlangt dort keine Berechtigung'],
  ])(
    'an app that asks for the MCP server alone needs no permission: the page says so in %s, and says it of no other resource',
    async (locale, words) => {
      const { base } = service
      const noticeFor = async (resources: readonly string[]): Promise<boolean> => {
        const browser = createBrowser(base)
        const address = new URL(service.authorizeUrl({ ui_locales: locale }), base)
        for (const resource of resources) address.searchParams.append('resource', resource)
        const page = await signIn(browser, await browser.follow(await browser.get(address.href)))
        expect(page.html).toContain(`<html lang="${locale}">`)
        expect(page.html).toContain('id="scopes"')
        return page.html.includes(words)
      }
      expect(await noticeFor([`${base}/mcp`])).toBe(true)
      for (const resources of [[], [base], [base, `${base}/mcp`]])
        expect([resources, await noticeFor(resources)]).toEqual([resources, false])
    },
  )

  test('a signed-in person goes straight to consent, every time', async () => {
    const { browser, page } = await atConsent()
    codeOf(await consent(browser, page, ['openid']))
    const again = await start(browser)
    expect(again.html).toContain('Signed in as')
    expect(boxes(again.html).size).toBe(catalogue.length - 1)
  })

  test('refusing answers access_denied with state and iss, before and after signing in', async () => {
    const browser = createBrowser(service.base)
    const first = await start(browser)
    const early = await browser.follow(await browser.post(`${first.url.pathname}/refuse`, { csrf: field(first.html, 'csrf') }))
    const { browser: other, page } = await atConsent()
    const late = await other.follow(await other.post(`${page.url.pathname}/refuse`, { csrf: field(page.html, 'csrf') }))
    for (const { location } of [early, late]) {
      expect(location?.origin).toBe(new URL(redirectUri).origin)
      expect(Object.fromEntries(location?.searchParams ?? [])).toMatchObject({
        error: 'access_denied',
        state: 'state-of-the-client',
        iss: service.base,
      })
    }
    expect(service.audits.map(({ event }) => event)).toEqual(['consent.refused', 'sign_in.succeeded', 'consent.refused'])
  })

  test('openid comes with Allow: it is a fact without a box, and an app that signs people in always gets an ID token', async () => {
    const { browser, page } = await atConsent()
    expect(page.html).toMatch(/<dt>Always included<\/dt>\s*<dd><bdi>Know that it is you<\/bdi>\s*<\/dd>/)
    expect([...boxes(page.html).keys()]).not.toContain('openid')
    for (const unticked of [page, await browser.get(`${page.url.pathname}?select=none`)])
      expect(unticked.html).toContain('Know that it is you')
    const { body } = await service.redeem(codeOf(await consent(browser, page, [])))
    expect(body).toMatchObject({ scope: 'openid', id_token: expect.any(String) })
  })

  test('an app that asks for openid alone gets a page with nothing to choose', async () => {
    const { browser, page } = await atConsent({ scope: 'openid' })
    expect(boxes(page.html).size).toBe(0)
    for (const text of ['id="scopes"', 'id="sum"', 'class="presets"', 'Allow selected']) expect(page.html).not.toContain(text)
    expect(page.html).toMatch(/<button class="main" type="submit">Allow<\/button>/)
    codeOf(await consent(browser, page, []))
  })

  test('nothing ticked is access_denied if the app does not sign people in', async () => {
    const { browser, page } = await atConsent({ scope: 'courses:read' })
    const answer = await consent(browser, page, [])
    expect(answer.location?.searchParams.get('error')).toBe('access_denied')
  })
})

describe('offered and granted scopes', () => {
  test('write scopes of a self-registered app start unticked, those of an integration ticked', async () => {
    const { page } = await atConsent()
    expect(boxes(page.html).get('courses:write')).toBe(false)
    expect(boxes(page.html).get('courses:read')).toBe(true)
    const { page: trusted } = await atConsent({ client_id: 'web', redirect_uri: 'https://mailer.example.com/cb' })
    expect(boxes(trusted.html).get('courses:write')).toBe(true)
    expect(trusted.html).toContain('<bdi>mailer.example.com</bdi>')
  })

  test('scopes that the role cannot grant are struck out, have no box, and are not granted to a forged form', async () => {
    const { browser, page } = await atConsent({}, 'learner@example.org')
    expect([...boxes(page.html).keys()]).toEqual(['profile', 'courses:read'])
    expect(page.html).toMatch(/<s>See all orders<\/s>/)
    const answer = await consent(browser, page, ['openid', 'courses:read', 'courses:write', 'orders:read', 'no:such'])
    const { body } = await service.redeem(codeOf(answer))
    expect(String(body.scope).split(' ').sort()).toEqual(['courses:read', 'openid'])
  })

  test('a form cannot add what was not asked for, nor move the answer or the client', async () => {
    const { browser, page } = await atConsent({ scope: 'openid courses:read' })
    const forged = {
      redirect_uri: 'http://127.0.0.1:6666/evil',
      client_id: 'web',
      account_id: learner.subject,
      resource: 'https://evil.example',
    }
    const answer = await consent(browser, page, ['openid', 'courses:read', 'courses:write'], forged)
    const { body } = await service.redeem(codeOf(answer))
    expect(String(body.scope).split(' ').sort()).toEqual(['courses:read', 'openid'])
  })

  test('asking only for what the role cannot grant leaves nothing to allow', async () => {
    const { page } = await atConsent({ scope: 'orders:read' }, 'learner@example.org')
    expect(page.html).not.toContain('Allow selected')
    expect(page.html).toContain('/refuse"')
  })

  test('offline_access is neither shown nor in the way', async () => {
    const { browser, page } = await atConsent({ scope: 'openid offline_access' })
    expect([...boxes(page.html).keys()]).toEqual([])
    codeOf(await consent(browser, page, ['openid', 'offline_access']))
  })
})

describe('accounts', () => {
  test('every failure to sign in reads the same', async () => {
    const disabled = await service.addPerson('gone@example.org', 'learner')
    await service.database.kysely.updateTable('account').set({ disabled_at: new Date() }).where('id', '=', disabled.accountId).execute()
    const texts = []
    for (const [email, secret] of [
      ['owner@example.com', 'wrong'],
      ['nobody@example.com', password],
      ['gone@example.org', password],
      ['no address', password],
      ['a\u0000b@example.com', password],
      ['owner@example.com', 'x'.repeat(1025)],
      ['', ''],
    ] as const) {
      const browser = createBrowser(service.base)
      const page = await start(browser)
      const answer = await signIn(browser, page, email, secret)
      expect(answer.status).toBe(400)
      texts.push(
        answer.html.replace(
          /name="csrf" value="[^"]*"|oauth(?:\/|%2F)interaction(?:\/|%2F)[^"/]*|(?<=name="email"[^>]*) value="[^"]*"/g,
          '',
        ),
      )
    }
    expect(new Set(texts).size).toBe(1)
    expect(texts[0]).toContain('aria-describedby="error"')
    expect(JSON.stringify(service.audits)).not.toContain('@')
  })

  test('too many attempts are refused before the password is looked at', async () => {
    const browser = createBrowser(service.base)
    const page = await start(browser)
    service.attempts.allowed = false
    const answer = await signIn(browser, page)
    expect(answer.status).toBe(429)
    expect(answer.headers.get('retry-after')).toBe('120')
    expect(service.audits).toEqual([])
    expect(service.attempts.seen).toEqual(['owner@example.com from 127.0.0.1'])
    service.attempts.allowed = true
    expect((await signIn(browser, answer.url.pathname.endsWith('/sign-in') ? page : answer)).html).toContain('Signed in as')
  })

  test('a flood of attempts is rejected immediately with Retry-After, and the rest is served', async () => {
    const browser = createBrowser(service.base)
    const page = await start(browser)
    const answers = await Promise.all(Array.from({ length: 60 }, () => signIn(browser, page, 'owner@example.com', 'wrong')))
    const sentAway = answers.filter(({ status }) => status === 503)
    expect(sentAway.length).toBeGreaterThan(0)
    expect(answers.length - sentAway.length).toBeGreaterThanOrEqual(22)
    for (const { headers, html } of sentAway) {
      expect(headers.get('retry-after')).toBe('2')
      expect(html).toContain('Too many requests')
    }
  })

  test('another account signs in from the consent page, and the grant is theirs alone', async () => {
    const { browser, page } = await atConsent()
    const session = browser.cookie('sg_session')
    const form = await browser.get(`${page.url.pathname}?account=other`)
    expect(form.html).toContain('type="password"')
    const next = await signIn(browser, form, 'learner@example.org')
    expect(next.html).toContain('learner@example.org')
    expect(browser.cookie('sg_session')).not.toBe(session)
    codeOf(await consent(browser, next, ['openid', 'orders:read']))
    const granted = service.audits.find(({ event }) => event === 'consent.granted')
    expect(granted).toMatchObject({ account_id: learner.accountId, details: { granted: 'openid' } })
  })

  test('a consent page of the account before is worth nothing after the switch', async () => {
    const { browser, page } = await atConsent()
    const second = await start(browser)
    await signIn(browser, await browser.get(`${second.url.pathname}?account=other`), 'learner@example.org')
    const answer = await consent(browser, page, ['openid', 'orders:read'])
    expect(answer.status).toBe(400)
    expect(answer.location).toBeUndefined()
    expect(service.audits.some(({ event }) => event === 'consent.granted')).toBe(false)
  })

  test('two windows that sign in as two people end with the last one, in a new session', async () => {
    const browser = createBrowser(service.base)
    const [first, second] = [await start(browser), await start(browser)]
    await signIn(browser, first)
    const page = await signIn(browser, second, 'learner@example.org')
    expect(page.html).toContain('learner@example.org')
    expect(page.html.match(/<script[^>]*>/g)).toEqual([expect.stringMatching(/^<script src="\/assets\/pages\.js\?v=[\w-]+" defer>$/)])
  })

  test('another person who signs in when the app asks for a fresh sign-in gets a new session', async () => {
    const { browser } = await atConsent()
    const session = browser.cookie('sg_session')
    const page = await signIn(browser, await start(browser, { prompt: 'login' }), 'learner@example.org')
    expect(page.html).toContain('learner@example.org')
    expect(browser.cookie('sg_session')).not.toBe(session)
    codeOf(await consent(browser, page, ['openid']))
  })

  test('a person other than the account that the app expects gets an error', async () => {
    const { browser, page } = await atConsent()
    const { body } = await service.redeem(codeOf(await consent(browser, page, ['openid'])))
    const { browser: other } = await atConsent({}, 'learner@example.org')
    const again = await start(other, { id_token_hint: String(body.id_token) })
    expect(again.html).toContain('expects a different account')
    expect((await signIn(other, again)).html).toContain('owner@example.com')
  })

  test('an account that is disabled between sign-in and consent grants nothing', async () => {
    const person = await service.addPerson('brief@example.org', 'learner')
    const { browser, page } = await atConsent({}, 'brief@example.org')
    await service.database.kysely.updateTable('account').set({ disabled_at: new Date() }).where('id', '=', person.accountId).execute()
    const answer = await consent(browser, page, ['openid'])
    expect(answer.status).toBe(403)
    expect(answer.html).toContain('can no longer be used')
    expect((await browser.get(page.url.pathname)).html).toContain('can no longer be used')
    const next = await signIn(browser, answer.url.pathname.endsWith('/consent') ? page : answer)
    codeOf(await consent(browser, next, ['openid']))
  })

  test('a session cookie planted before signing in is not the one after', async () => {
    const browser = createBrowser(service.base)
    browser.plant('sg_session', 'planted')
    await signIn(browser, await start(browser))
    expect(browser.cookie('sg_session')).toMatch(/.{20}/)
    expect(browser.cookie('sg_session')).not.toBe('planted')
  })
})

describe('the interaction belongs to one browser', () => {
  test('another browser gets a page that says what to do, and no form', async () => {
    const { page } = await atConsent()
    const answer = await createBrowser(service.base).get(page.url.pathname)
    expect(answer.status).toBe(400)
    expect(answer.html).toContain('start the sign-in again')
    expect(answer.html).not.toContain('<form')
  })

  test('a browser with one interaction cannot open that of another browser', async () => {
    const [{ page: foreign }, { browser, page }] = [await atConsent(), await atConsent()]
    for (const name of ['sg_interaction', 'sg_interaction.sig']) {
      browser.plant(name, browser.cookie(name, page.url.pathname) ?? '', foreign.url.pathname)
    }
    expect((await browser.get(foreign.url.pathname)).status).toBe(400)
    expect((await browser.get(page.url.pathname)).status).toBe(200)
  })

  test('a page that was answered is over', async () => {
    const { browser, page } = await atConsent()
    codeOf(await consent(browser, page, ['openid']))
    const answer = await consent(browser, page, ['openid'])
    expect(answer.status).toBe(400)
    expect(answer.html).toContain('This sign-in has ended')
  })

  test('an error page explains that the registration of the app was removed meanwhile', async () => {
    service.addClient({ client_id: 'brief', client_name: 'Brief' })
    const { browser, page } = await atConsent({ client_id: 'brief' })
    service.removeClient('brief')
    const answer = await browser.get(page.url.pathname)
    expect(answer.status).toBe(400)
    expect(answer.html).toContain('error=invalid_client')
    expect(answer.html).toContain('~/.mcp-auth')
  })
})

describe('forged forms', () => {
  const steps = ['sign-in', 'consent', 'refuse'] as const

  test('a form without the token, with that of another browser or of another interaction, is refused', async () => {
    const { browser, page } = await atConsent()
    const { page: foreign } = await atConsent()
    const second = await start(browser)
    for (const step of steps) {
      for (const csrf of [undefined, '', 'x', field(foreign.html, 'csrf'), field(second.html, 'csrf')]) {
        const answer = await browser.post(`${page.url.pathname}/${step}`, { scope: 'openid', ...(csrf === undefined ? {} : { csrf }) })
        expect([step, csrf, answer.status, answer.location]).toEqual([step, csrf, 403, undefined])
        expect(answer.html).toContain('error=access_denied')
      }
    }
    expect(service.audits.filter(({ event }) => event.startsWith('consent'))).toEqual([])
  })

  test('a form from another site is rejected, although its token is valid', async () => {
    const { browser, page } = await atConsent()
    const csrf = field(page.html, 'csrf')
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: service.base.replace('127.0.0.1', 'localhost') },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'null', 'sec-fetch-site': 'cross-site' },
    ]) {
      for (const step of steps) {
        expect((await browser.post(`${page.url.pathname}/${step}`, { csrf, scope: 'openid' }, headers)).status).toBe(403)
      }
    }
    const own = await browser.post(
      `${page.url.pathname}/consent`,
      { csrf, scope: 'openid' },
      { origin: 'null', 'sec-fetch-site': 'same-origin' },
    )
    expect(own.status).toBe(303)
  })

  test('the token is bound to a cookie that scripts cannot read', async () => {
    const browser = createBrowser(service.base)
    const page = await browser.get((await browser.get(service.authorizeUrl())).location?.href ?? '')
    expect(page.headers.getSetCookie()).toEqual([expect.stringMatching(/^sg_browser=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/)])
  })

  test('bodies that are not a form or too large get a page that says so', async () => {
    const { browser, page } = await atConsent()
    const csrf = field(page.html, 'csrf')
    expect((await browser.post(`${page.url.pathname}/consent`, { csrf, scope: 'x'.repeat(70_000) })).status).toBe(413)
    expect((await browser.post(`${page.url.pathname}/consent`, { csrf }, { 'content-type': 'application/json' })).status).toBe(415)
    expect((await browser.post(`${page.url.pathname}/consent`, { csrf, scope: Array<string>(2000).fill('openid') })).status).toBe(303)
  })

  test('names that would make objects are plain names', async () => {
    const { browser, page } = await atConsent()
    const answer = await browser.post(`${page.url.pathname}/sign-in`, {
      'email[a]': 'x',
      __proto__: 'x',
      'csrf[]': field(page.html, 'csrf'),
    })
    expect(answer.status).toBe(403)
  })
})

describe('headers', () => {
  test('every page forbids frames, referrers, caches, and every script but its own', async () => {
    const browser = createBrowser(service.base)
    const login = await start(browser)
    const allow = await signIn(browser, login)
    const lost = await createBrowser(service.base).get(allow.url.pathname)
    const unknown = await browser.get(service.authorizeUrl({ client_id: 'nobody' }))
    const logout = await browser.get('/oauth/logout')
    const out = await browser.get('/oauth/logout/success')
    for (const { headers, html } of [login, allow, lost, unknown, logout, out]) {
      const policy = headers.get('content-security-policy') ?? ''
      expect(policy).toContain("default-src 'none'")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).toContain("base-uri 'none'")
      const script = policy.match(/script-src [^;]+/)?.[0]
      expect(script).toBe([login.html, allow.html].includes(html) ? `script-src ${service.base}/assets/pages.js` : undefined)
      expect(policy).not.toContain('unsafe')
      expect(headers.get('x-frame-options')).toBe('DENY')
      expect(headers.get('referrer-policy')).toBe('no-referrer')
      expect(headers.get('cache-control')).toContain('no-store')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('content-type')).toMatch(/^text\/html/)
      expect(html).toContain('<html lang="en">')
      expect(html).toContain('Demo &lt;School&gt;')
      expect(html).not.toContain('<script>')
    }
  })

  test('forms may lead to the address of this request, with its port, and nowhere else', async () => {
    const browser = createBrowser(service.base)
    const login = await start(browser, { redirect_uri: 'http://127.0.0.1:50001/callback' })
    const allow = await signIn(browser, login)
    for (const { headers } of [login, allow]) {
      expect(headers.get('content-security-policy')).toContain("form-action 'self' http://127.0.0.1:50001;")
    }
    expect(allow.html).toContain('on this computer (port <bdi>50001</bdi>)')
  })
})

describe('errors that must not redirect', () => {
  test('an unknown client gets a page with the way out for people and agents', async () => {
    const answer = await createBrowser(service.base).get(service.authorizeUrl({ client_id: 'nobody' }))
    expect([answer.status, answer.location]).toEqual([400, undefined])
    expect(answer.html).toContain('error=invalid_client')
    expect(answer.html).toContain('Claude Code')
    expect(answer.html).toContain('/api/oauth/register')
    expect(answer.html).toContain('request_id=req_test')
  })

  test('an address that was not registered gets a page', async () => {
    const answer = await createBrowser(service.base).get(service.authorizeUrl({ redirect_uri: 'https://evil.example/' }))
    expect([answer.status, answer.location]).toEqual([400, undefined])
    expect(answer.html).toContain('error=invalid_redirect_uri')
    expect(answer.html).not.toContain('evil.example')
  })

  test('an authorization that has ended gets the page of an ended sign-in', async () => {
    const answer = await createBrowser(service.base).get('/oauth/authorize/no-such-interaction')
    expect(answer.status).toBe(400)
    expect(answer.html).toContain('This sign-in has ended')
  })
})

describe('signing out', () => {
  test('asks first, and ends the session on yes', async () => {
    const { browser } = await atConsent()
    const page = await browser.get('/oauth/logout')
    const action = /action="([^"]+)"/.exec(page.html)?.[1] ?? ''
    // Staying signed in leads to another page, not to the confirmation of a sign-out.
    expect(page.html).toContain('<a class="button" href="/account/apps">Stay signed in</a>')
    expect((await start(browser)).html).not.toContain('type="password"')
    const again = await browser.get('/oauth/logout')
    const answer = await browser.follow(await browser.post(action, { xsrf: field(again.html, 'xsrf'), logout: 'yes' }))
    expect(answer.html).toContain('You are signed out')
    expect(answer.html).toMatch(/<a class="button main" href="\/account\/sign-in">Sign in again<\/a>/)
    expect(answer.html).toMatch(/<a href="\/">Go to the pages of [^<]+<\/a>/)
    expect((await start(browser)).html).toContain('type="password"')
  })
})
