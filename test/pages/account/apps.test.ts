import { describe, expect, test } from 'vitest'
import { type Agent, createAgent, personCalled, withToken } from '../../support/agent.ts'
import { duringTests } from '../../support/duringTests.ts'
import { startService } from '../../support/service.ts'
import { type Browser, createBrowser, field } from '../browser.ts'
import { auditOf, isSignedIn, lastLink, send, signedIn } from './account.ts'

const service = duringTests(() =>
  startService({
    redis: false,
    schools: 2,
    school: { integrations: [{ client_id: 'mailer', client_name: 'Mailer', redirect_uris: ['https://mailer.example.com/cb'] }] },
  }),
)

let count = 0
/** A person with one connected app. */
async function connected(name = 'Tidy Agent', scope = 'openid courses:read account:read') {
  const email = `person${++count}@example.com`
  const { accountId } = await service.addPerson({ email })
  const agent = await createAgent(service.issuer, { client_name: name })
  const { body } = await agent.tokens(personCalled(email), { scope }, { scopes: 'all' })
  return { email, accountId, agent, tokens: body, browser: await signedIn(service, email) }
}
const call = async (tokens: { access_token: string }) => (await withToken(`${service.issuer}/api/v1/account`, tokens.access_token)).status
const clientsOn = (html: string) => [...html.matchAll(/name="client" value="([^"]*)"/g)].map(([, id = '']) => id)
const grantsOn = (html: string) => [...html.matchAll(/data-grant="([^"]*)"/g)].map(([, id = '']) => id)
const revoke = (browser: Browser, csrf: string, grant: string) => browser.post('/account/apps/revoke', { csrf, grant })
const remove = (browser: Browser, csrf: string, client: string) => browser.post('/account/apps/remove', { csrf, client })

describe('connected apps', () => {
  test('shows who each app is, what it may do, where it goes, since when', async () => {
    const { browser } = await connected('Tidy Agent')
    const { html } = await browser.get('/account/apps')
    expect(html).toContain('<bdi>Tidy Agent</bdi>')
    expect(html).toMatch(/It registered itself on <bdi>/)
    expect(html).toContain('on the computer where it was started')
    expect(html).toMatch(/<strong>[^<]+<\/strong>\s*<ul>\s*<li>[^<]+<\/li>/)
    expect(html).toMatch(/Allowed on <bdi>\d+ \w+ \d{4} at \d\d:\d\d UTC<\/bdi>, from <bdi>127\.0\.0\.0\/24<\/bdi>/)
    expect(html).toMatch(/Last used on <bdi>\d+ \w+ \d{4} at \d\d:\d\d UTC<\/bdi>/)
    expect(html).toContain('Remove this app')
    expect(html).not.toContain('End only this access')
    expect(grantsOn(html)).toHaveLength(1)
  })

  test('shows an integration as set up by the school, with its host', async () => {
    const { browser, accountId } = await connected()
    await service.database.sql.query(
      `INSERT INTO oidc_grant (school_id, id, account_id, client_id, payload, expires_at, last_used_at)
       VALUES ($1, 'grant-of-mailer', $2, 'mailer', '{"openid":{"scope":"openid"},"resources":{"x":"courses:read"}}', now() + interval '1 day', now())`,
      [service.schoolId(), accountId],
    )
    const { html } = await browser.get('/account/apps')
    expect(html).toMatch(/Set up by <bdi>First School<\/bdi>/)
    expect(html).toContain('<bdi>mailer.example.com</bdi>')
  })

  test('shows one app once, with every access that it has: one can be ended, or all together', async () => {
    const { browser, email, agent, tokens } = await connected()
    const firefox = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:128.0) Gecko/20100101 Firefox/128.0'
    const second = (await agent.tokens(personCalled(email, { userAgent: firefox }), { scope: 'openid' }, { scopes: 'all' })).body
    const unused = await personCalled(email).authorize(agent.authorizationUrl({ scope: 'openid events:read' }).href, { scopes: 'all' })
    expect(unused.searchParams.get('code')).toBeTruthy()
    const page = await browser.get('/account/apps')
    const [newest = '', ...older] = grantsOn(page.html)
    // A code that no app redeemed gives no access.
    expect([clientsOn(page.html), older.length]).toEqual([[agent.clientId], 1])
    expect(page.html).toContain('from <bdi>Firefox on Windows</bdi>, network <bdi>127.0.0.0/24</bdi>')
    expect(page.html).not.toContain('See events')
    const one = await browser.follow(await revoke(browser, field(page.html, 'csrf'), newest))
    expect([grantsOn(one.html), await call(tokens)]).toEqual([older, 200])
    expect((await agent.refresh(second.refresh_token)).body.error).toBe('invalid_grant')
    const all = await browser.follow(await remove(browser, field(one.html, 'csrf'), agent.clientId))
    expect([clientsOn(all.html), await call(tokens)]).toEqual([[], 401])
    expect(all.html).toContain('The app no longer has access')
    expect((await agent.redeem(unused)).body.error).toBe('invalid_grant')
  })

  test('distinguishes apps of one name: by the end of the id and the time of the registration, in the list and in the e-mail', async () => {
    const { browser, email, agent } = await connected('Study Buddy')
    const alone = await browser.get('/account/apps')
    expect(alone.html).not.toContain('ID ending in')
    // A Greek capital letter that looks like a Latin one.
    const twin = await createAgent(service.issuer, { client_name: 'Study \u0392uddy' })
    for (const app of [twin, await createAgent(service.issuer, { client_name: 'Other' })]) await app.tokens(personCalled(email))
    const { html } = await browser.get('/account/apps')
    const headings = [...html.matchAll(/<h2 id="app-\d">(.*?)<\/h2>/gs)].map(([, heading = '']) => heading.replace(/<[^>]+>/g, '').trim())
    expect(headings).toEqual([
      'Other',
      `Study \u0392uddy (ID ending in ${twin.clientId.slice(-6)})`,
      `Study Buddy (ID ending in ${agent.clientId.slice(-6)})`,
    ])
    for (const id of [agent.clientId, twin.clientId]) expect(html).toContain(`<bdi>${id}</bdi>`)
    expect(html).toMatch(/It registered itself on <bdi>\d+ \w+ \d{4} at \d\d:\d\d UTC<\/bdi>/)
    const sent = (await service.emails())
      .filter(({ to }) => to === email)
      .map(({ text }) => text)
      .join('\n')
    for (const id of [agent.clientId, twin.clientId]) expect(sent).toContain(`The ID of the app ends in ${id.slice(-6)}.`)
  })

  test('removes no app of somebody else, and answers for it as for one that does not exist', async () => {
    const [owner, thief] = [await connected(), await connected()]
    const csrf = field((await thief.browser.get('/account/apps')).html, 'csrf')
    for (const client of [owner.agent.clientId, 'made-up', '', 'x'.repeat(5000)])
      expect((await remove(thief.browser, csrf, client)).status).toBe(404)
    expect(await call(owner.tokens)).toBe(200)
  })

  test('requires a sign-in, and shows nothing of other people', async () => {
    const [one, two] = [await connected('App of one'), await connected('App of two')]
    expect((await two.browser.get('/account/apps')).html).not.toContain('App of one')
    expect((await one.browser.get('/account/apps')).html).not.toContain('App of two')
    const answer = await createBrowser(service.issuer).get('/account/apps')
    expect([answer.status, answer.headers.get('location'), answer.html.includes('App of')]).toEqual([
      303,
      '/account/sign-in?return_to=%2Faccount%2Fapps',
      false,
    ])
  })

  test('disconnects one app immediately: its tokens are invalid, the others stay', async () => {
    const { browser, email, tokens, agent, accountId } = await connected()
    const other = (await (await createAgent(service.issuer, { client_name: 'Other' })).tokens(personCalled(email))).body
    const page = await browser.get('/account/apps')
    const first = (await browser.get('/account/apps')).html
    const mine = grantsOn(first).at(-1) as string
    expect(await call(tokens)).toBe(200)
    const answer = await browser.follow(await revoke(browser, field(page.html, 'csrf'), mine))
    expect(answer.html).toContain('This access has ended')
    expect(grantsOn(answer.html)).toHaveLength(1)
    expect(await call(tokens)).toBe(401)
    expect((await agent.refresh(tokens.refresh_token)).body.error).toBe('invalid_grant')
    expect(await call(other)).toBe(200)
    expect((await auditOf(service, 'grant.revoked')).filter(({ grant_id }) => grant_id === mine)).toMatchObject([{ account_id: accountId }])
  })

  test("answers somebody else's grant, one of another school, an ended and a made-up one in the same way", async () => {
    const [owner, thief] = [await connected(), await connected()]
    const foreign = grantsOn((await owner.browser.get('/account/apps')).html)[0] as string
    const page = await thief.browser.get('/account/apps')
    const [csrf, own] = [field(page.html, 'csrf'), grantsOn(page.html)[0] as string]
    expect((await revoke(thief.browser, csrf, own)).status).toBe(303)
    const shapes = []
    for (const grant of [foreign, own, 'made-up', '', 'a\0b', "' OR 1=1 --", 'x'.repeat(5000)]) {
      const { status, html, headers } = await revoke(thief.browser, csrf, grant)
      const { date: _date, 'request-id': id, ...rest } = Object.fromEntries(headers)
      shapes.push({ status, html: html.replaceAll(id ?? '', ''), rest })
    }
    expect(shapes[0]?.status).toBe(404)
    for (const shape of shapes) expect(shape).toEqual(shapes[0])
    expect(await call(owner.tokens)).toBe(200)
  })

  test('has no effect without the token of this session, with one of another session, or from another site', async () => {
    const { browser, tokens, email } = await connected()
    const page = await browser.get('/account/apps')
    const [csrf, grant] = [field(page.html, 'csrf'), grantsOn(page.html)[0] as string]
    const stranger = await connected()
    const theirs = field((await stranger.browser.get('/account/apps')).html, 'csrf')
    const again = createBrowser(service.issuer)
    again.plant('sg_browser', browser.cookie('sg_browser') ?? '')
    await send(again, await again.get('/account/sign-in'), { email, password: 'correct horse battery staple' })
    const before = field((await again.get('/account/apps')).html, 'csrf')
    expect(before).not.toBe(csrf)
    for (const path of [
      '/account/apps/revoke',
      '/account/apps/remove',
      '/account/apps/revoke-all',
      '/account/keep',
      '/account/sign-out-everywhere',
    ]) {
      const refused = [
        await browser.post(path, { grant }),
        await browser.post(path, { grant, csrf: theirs }),
        await browser.post(path, { grant, csrf: before }),
        await browser.post(path, { grant, csrf }, { origin: 'https://evil.example' }),
        await browser.post(path, { grant, csrf }, { origin: 'null', 'sec-fetch-site': 'cross-site' }),
        await browser.post(path, { grant, csrf }, { origin: 'null', 'sec-fetch-site': 'same-site' }),
      ]
      expect(refused.map(({ status }) => status)).toEqual([403, 403, 303, 403, 403, 403])
      // A form of an earlier session of the same person is shown again.
      expect(refused[2]?.location?.pathname).toMatch(/^\/account/)
      const asGet = await browser.get(`${path}?grant=${grant}&csrf=${csrf}`)
      expect(['/account/apps', '/account/data', '/account/sessions']).toContain(asGet.location?.pathname)
    }
    expect(await call(tokens)).toBe(200)
    expect(await isSignedIn(browser)).toBe(true)
  })

  test('disconnects all apps together', async () => {
    const { browser, email, tokens } = await connected()
    const more = []
    for (let at = 0; at < 3; at++) more.push((await (await createAgent(service.issuer)).tokens(personCalled(email))).body)
    const page = await browser.get('/account/apps')
    const answer = await browser.follow(await send(browser, page, {}, /revoke-all$/))
    expect(grantsOn(answer.html)).toEqual([])
    expect(answer.html).toContain('No apps have access to your account')
    for (const each of [tokens, ...more]) expect(await call(each)).toBe(401)
    expect(await isSignedIn(browser)).toBe(true)
  })

  test('shows the newest hundred and says that there are more; ending all ends those too', async () => {
    const { browser, accountId, agent } = await connected()
    await service.database.sql.query(
      `INSERT INTO oidc_grant (school_id, id, account_id, client_id, payload, expires_at, last_used_at)
       SELECT $1, 'grant-' || n, $2, $3, '{}', now() + interval '1 day', now() FROM generate_series(1, 120) n`,
      [service.schoolId(), accountId, agent.clientId],
    )
    const page = await browser.get('/account/apps')
    expect(grantsOn(page.html)).toHaveLength(100)
    expect(page.html).toContain('Only the newest 100 are shown')
    await send(browser, page, {}, /revoke-all$/)
    const left = await service.database.sql.query('SELECT 1 FROM oidc_grant WHERE account_id = $1 AND revoked_at IS NULL', [accountId])
    expect(left).toEqual([])
  })

  test('shows an app whose registration is gone, and ends it too', async () => {
    const { browser, agent } = await connected()
    await service.database.kysely.updateTable('oidc_client').set({ disabled_at: new Date() }).where('id', '=', agent.clientId).execute()
    const page = await browser.get('/account/apps')
    expect(page.html).toContain('no longer registered')
    const grant = grantsOn(page.html)[0] as string
    expect((await revoke(browser, field(page.html, 'csrf'), grant)).status).toBe(303)
  })

  test('an account that was disabled sees nothing any more', async () => {
    const { browser, accountId } = await connected()
    await service.database.kysely.updateTable('account').set({ disabled_at: new Date() }).where('id', '=', accountId).execute()
    expect(await isSignedIn(browser)).toBe(false)
  })
})

describe('an account that is to be deleted', () => {
  const putDown = async (accountId: string, days: number) => {
    const at = new Date(Date.now() + days * 86_400_000)
    await service.database.kysely.updateTable('account').set({ deletion_scheduled_at: at }).where('id', '=', accountId).execute()
    return at
  }
  const putDownFor = async (accountId: string) =>
    (
      await service.database.kysely
        .selectFrom('account')
        .select('deletion_scheduled_at')
        .where('id', '=', accountId)
        .executeTakeFirstOrThrow()
    ).deletion_scheduled_at

  test('by an app is announced by mail; the page says until when, keeps it at a press, and says so', async () => {
    const { browser, email, accountId, tokens } = await connected('Tidy Agent', 'openid account:read account:write')
    const asked = await fetch(`${service.issuer}/api/v1/account`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${tokens.access_token}`, 'idempotency-key': crypto.randomUUID() },
    })
    expect(asked.status).toBeLessThan(300)
    expect((await lastLink(service, email)).href).toBe(`${service.issuer}/account/data`)
    const until = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format((await putDownFor(accountId)) ?? 0)
    const page = await browser.get('/account/apps')
    expect(page.html).toContain(`Your account at First School will be deleted on ${until}`)
    expect(page.html.indexOf('id="deletion"')).toBeLessThan(page.html.indexOf('class="app"'))
    expect(await putDownFor(accountId)).not.toBeNull()

    const kept = await browser.follow(await send(browser, page, {}, /keep$/))
    expect(kept.html).toMatch(/role="status">Your account will not be deleted/)
    expect(kept.html).not.toContain('will be deleted</h2>')
    expect(await putDownFor(accountId)).toBeNull()
    expect(grantsOn((await browser.get('/account/apps')).html)).toHaveLength(1)
    expect((await auditOf(service, 'account.kept')).map(({ account_id }) => account_id)).toEqual([accountId])
    // A second submission gets the same response and adds no audit entry.
    expect((await browser.follow(await send(browser, page, {}, /keep$/))).html).toContain('Your account will not be deleted')
    expect(await auditOf(service, 'account.kept')).toHaveLength(1)
  })

  test('again, after it was kept, is not said to stay', async () => {
    const { browser, accountId } = await connected()
    await putDown(accountId, 3)
    const { html } = await browser.get('/account/apps?done=kept')
    expect(html).toContain('Keep my account')
    expect(html).not.toContain('Your account will not be deleted')
  })

  test('is in German for people who read German', async () => {
    const { browser, accountId } = await connected()
    await putDown(accountId, 3)
    const page = await browser.get('/account/apps?lang=de')
    expect(page.html).toContain('Ihr Konto wird gelöscht')
    expect((await browser.follow(await send(browser, page, {}, /keep$/))).html).toContain('Ihr Konto bleibt.')
  })

  test('offers no cancellation once its time has come, and an old form has no effect', async () => {
    const { browser, accountId } = await connected()
    await putDown(accountId, 1)
    const page = await browser.get('/account/apps')
    await putDown(accountId, -1)
    expect((await browser.get('/account/apps')).html).not.toContain('Keep my account')
    const late = await browser.follow(await send(browser, page, {}, /keep$/))
    expect(late.html).toContain('can no longer be kept')
    expect(late.html).not.toContain('Your account will not be deleted')
    expect(await putDownFor(accountId)).not.toBeNull()
  })

  test('cannot be cancelled by somebody else', async () => {
    const [owner, stranger] = [await connected(), await connected()]
    await putDown(owner.accountId, 3)
    const theirs = field((await stranger.browser.get('/account/apps')).html, 'csrf')
    await stranger.browser.post('/account/keep', { csrf: theirs, account: owner.accountId })
    expect((await owner.browser.post('/account/keep', { csrf: theirs })).status).toBe(403)
    expect(await putDownFor(owner.accountId)).not.toBeNull()
  })
})

describe('names that apps choose', () => {
  const corpus = [
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    "'><svg/onload=alert(1)>",
    '</bdi></h2><form action=https://evil.example>',
    '<%= page.csrf %>',
    '{school}{count}$&',
    '\u202eevil\u202c',
    'a\u0300\u0301'.repeat(30),
    `${'long '.repeat(40)}`,
  ]
  test('stay text, isolated and bounded', async () => {
    const { browser, email } = await connected(corpus[0])
    for (const name of corpus.slice(1)) await (await createAgent(service.issuer, { client_name: name })).tokens(personCalled(email))
    const { html } = await browser.get('/account/apps')
    expect(html).not.toMatch(/<script|<img|<svg|<form[^>]*evil|\u202e/)
    const headings = [...html.matchAll(/<h2 id="app-\d+"><bdi>([\s\S]*?)<\/bdi>\s*<\/h2>/g)].map(([, shown = '']) => shown)
    expect(headings).toHaveLength(corpus.length)
    for (const shown of headings) {
      expect(shown).toMatch(/^[^<>]+$/)
      expect([...new Intl.Segmenter('en').segment(shown.replace(/&[a-z#0-9]+;/g, 'x'))].length).toBeLessThanOrEqual(61)
    }
    expect(html.match(/<form\b/g)).toHaveLength(corpus.length + 1)
  })
})

describe('sign out everywhere', () => {
  const everywhere = async (browser: Browser, fields: Record<string, string> = {}) =>
    send(browser, await browser.get('/account/sessions'), fields, /sign-out-everywhere$/)
  const sessionRows = () => service.database.sql.query<Record<string, unknown>>(`SELECT * FROM oidc_artifact WHERE model = 'Session'`)
  const isAsked = async (browser: Browser, agent: Agent): Promise<boolean> => {
    const page = await browser.follow(await browser.get(agent.authorizationUrl().href))
    return page.html.includes('type="password"')
  }

  test('ends every session of the account, here and in other browsers, and none of anybody else', async () => {
    const { browser, email, tokens, accountId } = await connected()
    const others = [await signedIn(service, email), await signedIn(service, email)]
    const stranger = await connected()
    const answer = await everywhere(browser)
    expect([answer.status, answer.html]).toEqual([200, expect.stringContaining('signed out everywhere')])
    const cookies = answer.headers.getSetCookie().filter((line) => line.startsWith('sg_session'))
    expect(cookies).toHaveLength(2)
    for (const line of cookies) expect(line).toContain('expires=Thu, 01 Jan 1970')
    for (const each of [browser, ...others]) expect(await isSignedIn(each)).toBe(false)
    expect(await isSignedIn(stranger.browser)).toBe(true)
    expect(await call(tokens)).toBe(200)
    expect((await auditOf(service, 'account.signed_out_everywhere')).at(-1)?.account_id).toBe(accountId)
    expect((await sessionRows()).filter(({ account_id }) => account_id === accountId)).toEqual([])
  })

  test('ends all apps as well where the box is ticked', async () => {
    const { browser, tokens } = await connected()
    await everywhere(browser, { disconnect: 'yes' })
    expect(await call(tokens)).toBe(401)
  })

  test('lets the person sign in again immediately', async () => {
    const { browser, email } = await connected()
    await everywhere(browser)
    const again = await signedIn(service, email)
    expect(await isAsked(again, await createAgent(service.issuer))).toBe(false)
    expect(await isSignedIn(again)).toBe(true)
  })

  test('also ends a session that a request under way saves again afterwards', async () => {
    const { browser, email, accountId, agent } = await connected()
    const other = await signedIn(service, email)
    const saved = (await sessionRows()).filter(({ account_id }) => account_id === accountId)
    expect(saved.length).toBeGreaterThanOrEqual(2)
    await everywhere(browser)
    const columns = Object.keys(saved[0] as object)
    for (const row of saved) {
      await service.database.sql.query(
        `INSERT INTO oidc_artifact (${columns.join(', ')}) VALUES (${columns.map((_, at) => `$${at + 1}`).join(', ')})`,
        columns.map((column) => row[column]),
      )
    }
    const silent = await other.get(agent.authorizationUrl({ prompt: 'none' }).href)
    expect(silent.location?.searchParams.get('error')).toBe('login_required')
    expect(await isSignedIn(other)).toBe(false)
    expect(await isAsked(other, agent)).toBe(true)
  })

  test('while other requests of the sessions are under way ends them all', async () => {
    const { browser, email, agent } = await connected()
    const others = [await signedIn(service, email), await signedIn(service, email), await signedIn(service, email)]
    const page = await browser.get('/account/sessions')
    const busy = others.flatMap((other) => Array.from({ length: 5 }, () => other.get(agent.authorizationUrl().href)))
    await Promise.all([...busy, send(browser, page, {}, /sign-out-everywhere$/), ...others.map((other) => other.get('/account/apps'))])
    for (const other of others) {
      expect(await isSignedIn(other)).toBe(false)
      expect(await isAsked(other, agent)).toBe(true)
    }
  })

  test('an open consent page grants nothing after it, although its session is saved again', async () => {
    const { browser, email, accountId, agent } = await connected()
    const other = await signedIn(service, email)
    const consent = await other.follow(await other.get(agent.authorizationUrl().href))
    const saved = (await sessionRows()).filter(({ account_id }) => account_id === accountId)
    await everywhere(browser)
    const columns = Object.keys(saved[0] as object)
    for (const row of saved) {
      await service.database.sql.query(
        `INSERT INTO oidc_artifact (${columns.join(', ')}) VALUES (${columns.map((_, at) => `$${at + 1}`).join(', ')})`,
        columns.map((column) => row[column]),
      )
    }
    const grants = () => service.database.sql.query('SELECT 1 FROM oidc_grant WHERE account_id = $1', [accountId])
    const before = (await grants()).length
    const answer = await send(other, consent, { scope: 'openid' }, /consent$/)
    expect([answer.status, answer.html]).toEqual([403, expect.stringContaining('type="password"')])
    expect(await grants()).toHaveLength(before)
    const next = await send(other, answer, { email, password: 'correct horse battery staple' }, /sign-in$/)
    expect((await other.follow(next)).html).toContain('Allow selected')
  })
})
