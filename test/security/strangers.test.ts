// Proves RFC 6819 section 4.4.1.11: Authorization requests are limited by address and size before anything is stored, and expire after ten minutes unless somebody signs in

import { beforeAll, describe, expect, test } from 'vitest'
import { send } from '../pages/account/account.ts'
import { createBrowser, field } from '../pages/browser.ts'
import { createAgent, get, personCalled } from '../support/agent.ts'
import { openTestDatabase } from '../support/databases.ts'
import { duringTests } from '../support/duringTests.ts'
import { password, startService } from '../support/service.ts'

const window_seconds = 600
const email = 'learner@example.org'

describe('the storage and look-ups that unauthenticated callers can cause', () => {
  const database = duringTests(openTestDatabase)
  const service = duringTests(() =>
    startService({
      isLimited: true,
      database: database.database,
      server: {
        trusted_proxies: ['loopback'],
        rate_limits: {
          authorize: { requests: 3, window_seconds },
          bad_credentials: { requests: 3, window_seconds },
          anonymous: { requests: 4, window_seconds },
        },
      },
    }),
  )
  const agent = duringTests(() => createAgent(service.issuer))
  let networks = 0
  beforeAll(async () => {
    await service.addPerson({ email })
  })

  /** Headers of an address that no other test uses. */
  const stranger = (): Record<string, string> => {
    networks += 1
    return { 'x-forwarded-for': `198.51.${networks}.1` }
  }
  const stored = async (model?: string): Promise<{ id: string; minutes: number }[]> =>
    database.database.sql.query(
      `SELECT id, round(extract(epoch FROM expires_at - now()) / 60)::int AS minutes FROM oidc_artifact
        WHERE $1::text IS NULL OR model = $1 ORDER BY expires_at DESC`,
      [model ?? null],
    )
  const newOnes = async (model: string, work: () => Promise<unknown>): Promise<number[]> => {
    const before = new Set((await stored(model)).map(({ id }) => id))
    await work()
    return (await stored(model)).filter(({ id }) => !before.has(id)).map(({ minutes }) => minutes)
  }
  const authorize = (headers: Record<string, string>, parameters: Record<string, string> = {}) =>
    get(agent.authorizationUrl(parameters).href, { accept: 'text/html', ...headers })

  test('authorization requests are limited by address, with a page and Retry-After, before anything is stored', async () => {
    const from = stranger()
    const added = await newOnes('Interaction', async () => {
      for (const status of [303, 303, 303, 429, 429]) expect((await authorize(from)).status).toBe(status)
    })
    expect(added).toHaveLength(3)
    const page = await authorize(from)
    expect(Number(page.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(page.headers.get('content-type')).toContain('text/html')
    expect((await authorize({ ...from, accept: 'application/json' })).body.error).toBe('rate_limited')
    expect((await authorize(stranger())).status).toBe(303)
  })

  test('a long request gets a page and is not stored', async () => {
    const added = await newOnes('Interaction', async () => {
      for (const name of ['state', 'login_hint']) {
        const oversized = await authorize(stranger(), { [name]: 'x'.repeat(6000) })
        expect([oversized.status, oversized.headers.get('location')]).toEqual([400, null])
        expect(oversized.body).toContain('may have 6000')
      }
    })
    expect(added).toEqual([])
    expect((await authorize(stranger(), { state: 'x'.repeat(5000) })).status).toBe(303)
  })

  test('an authorization request ends after ten minutes without a sign-in, and after an hour with one', async () => {
    const browser = createBrowser(service.issuer)
    let page = await browser.get('/')
    expect(
      await newOnes('Interaction', async () => {
        page = await browser.follow(await browser.get(agent.authorizationUrl().href, stranger()))
      }),
    ).toEqual([10])
    const added = await newOnes('Interaction', async () => {
      page = await browser.follow(await browser.post(`${page.url.pathname}/sign-in`, { csrf: field(page.html, 'csrf'), email, password }))
    })
    expect(page.html).toContain('name="scope"')
    expect(added).toEqual([60])
  })

  test('an authorization request is kept for an hour while somebody waits for an e-mail to sign in', async () => {
    const browser = createBrowser(service.issuer)
    const started = await browser.get(agent.authorizationUrl().href, stranger())
    expect(started.headers.getSetCookie().filter((line) => /^sg_(interaction|resume)=/.test(line))).toHaveLength(2)
    const page = await browser.follow(started)
    const address = /href="(\/account\/password[^"]*)"/.exec(page.html)?.[1]?.replaceAll('&amp;', '&') ?? ''
    const before = (await stored('Interaction')).filter(({ minutes }) => minutes === 60).length
    expect((await send(browser, await browser.get(address), { email })).status).toBe(200)
    expect((await stored('Interaction')).filter(({ minutes }) => minutes === 60)).toHaveLength(before + 1)
    const next = await browser.follow(
      await browser.post(`${page.url.pathname}/sign-in`, { csrf: field(page.html, 'csrf'), email, password }),
    )
    expect(next.html).toContain('name="scope"')
  })

  test('requests without a signed-in browser or a valid credential store nothing', async () => {
    const before = (await stored()).length
    const headers = stranger()
    for (const path of ['/oauth/logout', `/oauth/logout?client_id=${agent.clientId}&state=${'x'.repeat(3000)}`, '/oauth/logout/success']) {
      expect((await get(service.issuer + path, headers)).status).toBeLessThan(400)
    }
    for (const path of [
      '/oauth/interaction/unknown',
      '/oauth/authorize/unknown',
      '/account/sign-in',
      '/account/apps',
      '/account/password',
    ]) {
      expect((await get(service.issuer + path, headers)).status).toBeLessThan(500)
    }
    for (const [path, form] of [
      ['token', { grant_type: 'authorization_code', code: 'x'.repeat(43), redirect_uri: agent.redirectUri, code_verifier: agent.verifier }],
      ['token', { grant_type: 'refresh_token', refresh_token: 'x'.repeat(43) }],
      ['revoke', { token: 'x'.repeat(43) }],
      ['introspect', { token: 'x'.repeat(43) }],
    ] as const) {
      expect((await agent.post(`/api/oauth/${path}`, form, headers)).status).toBeLessThan(500)
    }
    await get(`${service.issuer}/api/oauth/userinfo`, { ...headers, authorization: `Bearer ${'x'.repeat(43)}` })
    expect(await stored()).toHaveLength(before)
  })

  test('requests to UserInfo with a bad token are limited by address before the token is looked up', async () => {
    const { body } = await agent.tokens(personCalled(email))
    const ask = async (headers: Record<string, string>, token: string): Promise<number> =>
      (await get(`${service.issuer}/api/oauth/userinfo`, { ...headers, authorization: `Bearer ${token}` })).status
    const from = stranger()
    for (let count = 0; count < 5; count += 1) expect(await ask(from, body.access_token)).toBe(200)
    const statuses = []
    for (let count = 0; count < 5; count += 1) statuses.push(await ask(from, 'x'.repeat(43)))
    expect(statuses).toEqual([401, 401, 401, 429, 429])
    expect(await ask(stranger(), body.access_token)).toBe(200)
  })

  test('requests for files that are missing or badly signed are limited by address', async () => {
    const from = stranger()
    const statuses = []
    for (const query of ['', '?expires=9999999999&signature=x', '', '', '?expires=1&signature=y']) {
      statuses.push((await get(`${service.issuer}/files/fil_01jgwejj00e6srgkpqm2sqf05m/picture.png${query}`, from)).status)
    }
    expect(statuses).toEqual([404, 403, 404, 429, 429])
  })

  test('requests to the API with a bad token are counted as those of a visitor', async () => {
    const from = stranger()
    const statuses = []
    for (let count = 0; count < 5; count += 1) {
      statuses.push((await get(`${service.issuer}/api/v1/courses`, { ...from, authorization: `Bearer ${'x'.repeat(43)}` })).status)
    }
    expect(statuses).toEqual([401, 401, 401, 401, 429])
    expect((await get(`${service.issuer}/api/v1/courses`, from)).status).toBe(429)
  })
})
