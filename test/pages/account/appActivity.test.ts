import { describe, expect, test } from 'vitest'
import { firstIdAt, hashedId } from '../../../src/base/ids.ts'
import { type Agent, createAgent, personCalled, postJson, withToken } from '../../support/agent.ts'
import { duringTests } from '../../support/duringTests.ts'
import { startService } from '../../support/service.ts'
import { type Browser, createBrowser } from '../browser.ts'
import { send, signedIn } from './account.ts'

const service = duringTests(() => startService({ redis: false, schools: 2 }))

interface Connected {
  email: string
  accountId: string
  agent: Agent
  token: string
  browser: Browser
  /** The page that shows what the app did. */
  page: string
}

const scope = 'openid profile account:read courses:read courses:write students:read students:write'

let count = 0
async function connected(role: 'owner' | 'lecturer' | 'learner' = 'owner', existing?: Agent): Promise<Connected> {
  const email = `${role}${++count}@example.com`
  const { accountId } = await service.addPerson({ email, role })
  const agent = existing ?? (await createAgent(service.issuer, { client_name: 'Tidy Agent' }))
  const { body } = await agent.tokens(personCalled(email), { scope }, { scopes: 'all' })
  const [grant] = await service.database.sql.query<{ id: string }>('SELECT id FROM oidc_grant WHERE account_id = $1', [accountId])
  return {
    ...{ email, accountId, agent, token: body.access_token, browser: await signedIn(service, email) },
    page: `/account/apps/${hashedId('aut', String(grant?.id))}`,
  }
}
const post = ({ token }: Connected, path: string, body: object, headers = {}) =>
  postJson(`${service.issuer}/api/v1${path}`, body, { authorization: `Bearer ${token}`, ...headers })
const get = ({ token }: Connected, path: string) => withToken(`${service.issuer}/api/v1${path}`, token)
const schoolPage = ({ agent }: Connected) => `/account/school/apps/${agent.clientId}`
/** The text of a page, without tags. */
const textOf = (html: string): string =>
  html
    .replaceAll(/<(script|style)[\s\S]*?<\/\1>/g, '')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&#34;', '"')
    .replaceAll(/\s+/g, ' ')

describe('the page of an app', () => {
  test('shows each change as a sentence, with its objects, its reason, what was read and what was refused', async () => {
    const who = await connected()
    await post(who, '/courses', { title: 'Clay From Scratch' }, { 'agent-reason': 'Spring <b>programme</b>' })
    await post(who, '/students/bulk', {
      items: ['Ada Moss', 'Bo Reed'].map((name, at) => ({ name, email: `s${count}.${at}@example.org` })),
    })
    await get(who, '/courses')
    await get(who, '/courses')
    await get(who, '/orders')
    await service.app.grantUses.flush()
    const { status, html } = await who.browser.get(who.page)
    const text = textOf(html)
    expect(status).toBe(200)
    expect(text).toContain('Activity of Tidy Agent')
    expect(text).toContain('Added the course “Clay From Scratch”')
    expect(text).toContain('Reason in the app’s own words: “Spring &lt;b&gt;programme&lt;/b&gt;”')
    expect(text).toContain('Added or changed 2 students')
    expect(html).toMatch(/<details>\s*<summary>Show the changed objects<\/summary>\s*<ul>\s*<li><bdi>(Ada Moss|Bo Reed)<\/bdi>/)
    expect(text).toMatch(/Courses 2 2/)
    expect(text).toMatch(/Orders 1/)
    expect(text).toContain('A person allowed a client to access their account.')
    // No raw name of an event or operation reaches the page.
    expect(text).not.toMatch(/\b[a-z]+\.[a-z]+_[a-z]+\b|createCourse|bulkStudents|listCourses/)
    expect(text.indexOf('Added or changed')).toBeLessThan(text.indexOf('Added the course'))
  })

  test('is in German for people who read German', async () => {
    const who = await connected()
    await post(who, '/courses', { title: 'Ton' })
    const german = createBrowser(service.issuer, { 'accept-language': 'de' })
    await send(german, await german.get('/account/sign-in'), { email: who.email, password: 'correct horse battery staple' })
    const text = textOf((await german.get(who.page)).html)
    expect(text).toContain('Aktivität von Tidy Agent')
    expect(text).toContain('Kurs „Ton“ hinzugefügt')
  })

  test('has one page after the other for a long trail', async () => {
    const who = await connected()
    for (let at = 0; at < 53; at += 1) await post(who, '/courses', { title: `Course number ${at}` })
    const titles = (html: string) => [...html.matchAll(/number (\d+)/g)].map(([, at]) => Number(at))
    const first = await who.browser.get(who.page)
    const older = /href="([^"]*\?before=[^"]*)"/.exec(first.html)?.[1] ?? ''
    const second = await who.browser.get(older)
    expect([...titles(first.html), ...titles(second.html)]).toEqual(Array.from({ length: 53 }, (_, at) => 52 - at))
    expect(second.html).toContain('Newest entries')
    expect(second.html).not.toContain('?before=')
  })

  test('is the page of the own app only: others answer as one that does not exist', async () => {
    const [owner, lecturer] = [await connected(), await connected('lecturer')]
    const other = await service.addPerson({ email: `elsewhere${count}@example.com`, role: 'owner', school: service.other })
    expect(other.accountId).toBeTruthy()
    const elsewhere = await signedIn(service, `elsewhere${count}@example.com`, undefined, service.other)
    for (const browser of [lecturer.browser, elsewhere]) {
      expect((await browser.get(owner.page)).status).toBe(404)
      expect((await browser.get(schoolPage(owner))).status).toBe(404)
    }
    const signedOut = await createBrowser(service.issuer).get(owner.page)
    expect([signedOut.status, signedOut.location?.pathname]).toEqual([303, '/account/sign-in'])
    for (const path of ['aut_01jgwejj00e6srgkpqm2sqf05m', 'x', '%00', "'"])
      expect((await owner.browser.get(`/account/apps/${path}`)).status).toBe(404)
  })

  test('is linked from the list of apps, which shows the true last use', async () => {
    const who = await connected()
    await service.database.sql.query("UPDATE oidc_grant SET last_used_at = now() - interval '3 days' WHERE account_id = $1", [
      who.accountId,
    ])
    await get(who, '/courses')
    await service.app.grantUses.flush()
    const { html } = await who.browser.get('/account/apps')
    expect(html).toContain(`href="${who.page}"`)
    const year = new Date().getUTCFullYear()
    expect(html).toMatch(new RegExp(`Last used on <bdi>${new Date().getUTCDate()} \\w+ ${year}`))
  })

  test('pauses and continues the app, which keeps its tokens', async () => {
    const who = await connected()
    const paused = await who.browser.follow(await send(who.browser, await who.browser.get(who.page), {}, /pause$/))
    expect([paused.url.pathname, paused.status]).toEqual([who.page, 200])
    expect(textOf(paused.html)).toContain('The app is paused.')
    expect((await get(who, '/courses')).body.error).toBe('access_denied')
    expect(textOf((await who.browser.get('/account/apps')).html)).toContain('Paused since')
    const continued = await who.browser.follow(await send(who.browser, paused, {}, /continue$/))
    expect(textOf(continued.html)).toContain('The app can work again.')
    expect((await get(who, '/courses')).status).toBe(200)
    expect(textOf(continued.html)).toContain('A person paused an app')
    const events = await service.database.sql.query<{ event: string }>(
      "SELECT event FROM audit_log WHERE account_id = $1 AND event LIKE 'grant.%' ORDER BY id",
      [who.accountId],
    )
    expect(events.map(({ event }) => event)).toEqual(['grant.paused', 'grant.continued'])
  })

  test('pauses no app of somebody else', async () => {
    const [one, two] = [await connected(), await connected('learner')]
    const page = await two.browser.get(two.page)
    expect((await send(two.browser, page, { client: one.agent.clientId }, /pause$/)).status).toBe(404)
    expect((await get(one, '/courses')).status).toBe(200)
  })

  test('removes the app', async () => {
    const who = await connected()
    const removed = await who.browser.follow(await send(who.browser, await who.browser.get(who.page), {}, /remove$/))
    expect(removed.html).toContain('The app no longer has access')
    expect((await get(who, '/courses')).status).toBe(401)
    const ended = await who.browser.get(who.page)
    expect([ended.status, /action="[^"]*\/remove"/.test(ended.html)]).toEqual([200, false])
  })
})

describe('the page of an app for the school', () => {
  test('shows owners what the app did for everybody, and for whom', async () => {
    const owner = await connected()
    const lecturer = await connected('lecturer', owner.agent)
    await post(owner, '/courses', { title: 'By the owner' })
    await post(lecturer, '/courses', { title: 'By the lecturer' })
    await get(lecturer, '/courses')
    await service.app.grantUses.flush()
    const list = await owner.browser.get('/account/school/apps')
    expect(list.html).toContain(`href="${schoolPage(owner)}"`)
    const { status, html } = await owner.browser.get(schoolPage(owner))
    const text = textOf(html)
    expect(status).toBe(200)
    expect(text).toContain('2 people')
    expect(text).toMatch(new RegExp(`Added the course “By the lecturer” [^“]*, for ${lecturer.email.split('@')[0]}`))
    expect(text).toContain('Added the course “By the owner”')
    expect((await lecturer.browser.get(schoolPage(owner))).status).toBe(404)
  })

  test('pauses the app for everybody, and no person can continue it', async () => {
    const owner = await connected()
    const learner = await connected('learner', owner.agent)
    const paused = await owner.browser.follow(await send(owner.browser, await owner.browser.get(schoolPage(owner)), {}, /pause$/))
    expect(textOf(paused.html)).toContain('Paused by the school since')
    for (const who of [owner, learner]) expect((await get(who, '/account')).body.error).toBe('access_denied')
    const own = await learner.browser.get(learner.page)
    expect(textOf(own.html)).toContain('Paused by the school since')
    expect(own.html).not.toMatch(/action="[^"]*\/(pause|continue)"/)
    const again = await learner.browser.post('/account/apps/continue', {
      csrf: /name="csrf" value="([^"]*)"/.exec(own.html)?.[1] ?? '',
      client: learner.agent.clientId,
    })
    expect([again.status, (await get(learner, '/account')).status]).toEqual([303, 403])
    await send(owner.browser, paused, {}, /continue$/)
    expect((await get(learner, '/account')).status).toBe(200)
  })

  test('of a client that is unknown does not exist', async () => {
    const { browser } = await connected()
    for (const id of ['unknown', '%00', 'https%3A%2F%2Fapp.example%2Fclient.json'])
      expect((await browser.get(`/account/school/apps/${id}`)).status).toBe(404)
  })

  test('shows a client whose id is an address', async () => {
    const { browser } = await connected()
    await service.database.sql.query(
      `INSERT INTO oidc_client (school_id, id, registered_via, metadata)
       VALUES ($1, 'https://app.example/client.json', 'document', '{"client_name":"By its address"}')`,
      [service.schoolId()],
    )
    const page = await browser.get('/account/school/apps/https%3A%2F%2Fapp.example%2Fclient.json')
    expect([page.status, textOf(page.html).includes('Activity of By its address')]).toEqual([200, true])
  })
})

describe('a change on a page of the school', () => {
  test('is by the person in the feed and in the trail, and in the activity of no app', async () => {
    const who = await connected()
    const page = await who.browser.get('/account/profile')
    await send(who.browser, page, { name: 'Another Name' }, /profile$/)
    const [entry] = await service.database.sql.query(
      "SELECT client_id, grant_id, account_id FROM audit_log WHERE account_id = $1 AND event = 'account.updated'",
      [who.accountId],
    )
    expect(entry).toEqual({ client_id: null, grant_id: null, account_id: who.accountId })
    const [change] = await service.database.sql.query(
      "SELECT actor_kind, client_id FROM change_log WHERE type = 'account' AND resource_id = $1 ORDER BY id DESC LIMIT 1",
      [who.accountId],
    )
    expect(change).toEqual({ actor_kind: 'person', client_id: null })
    expect((await get(who, '/account/activity')).body.data).toEqual([])
    await service.app.grantUses.flush()
    const uses = await service.database.sql.query('SELECT operation FROM grant_use WHERE operation = $1', ['updateAccount'])
    expect(uses).toEqual([])
  })
})

describe('the table of the apps of a school', () => {
  test('shows what each app changed, deleted, read about people and was refused in seven days, and pauses and continues it', async () => {
    const who = await connected()
    const people = ['Ada Moss', 'Bo Reed', 'Zoë Šťastná'].map((name, at) => ({ name, email: `week${count}.${at}@example.org` }))
    await post(who, '/students/bulk', { items: people })
    const { body: course } = await post(who, '/courses', { title: 'Gone soon' })
    const authorization = { authorization: `Bearer ${who.token}` }
    await fetch(`${service.issuer}/api/v1/courses/${course.id}`, { method: 'DELETE', headers: authorization })
    await get(who, '/students?limit=2')
    await get(who, '/courses')
    await get(who, '/orders')
    await service.app.grantUses.flush()
    const row = async () =>
      textOf((await who.browser.get('/account/school/apps')).html.split('<tr>').find((html) => html.includes(who.agent.clientId)) ?? '')
    expect(await row()).toContain('3 changes, 1 object deleted, 2 rows about people read, 1 call refused')
    // The time of an entry is in its id.
    await service.database.sql.query(
      "UPDATE audit_log SET at = at - interval '8 days', id = (left($2, 13) || substr(id::text, 14))::uuid WHERE client_id = $1",
      [who.agent.clientId, firstIdAt(Date.now() - 8 * 86_400_000)],
    )
    await service.database.sql.query(
      'UPDATE grant_use SET day = day - 8 WHERE grant_id IN (SELECT id FROM oidc_grant WHERE client_id = $1)',
      [who.agent.clientId],
    )
    expect(await row()).toContain('Nothing')

    const press = async (action: RegExp) => {
      const page = await who.browser.get('/account/school/apps')
      const own = page.html.split('<tr>').find((html) => html.includes(who.agent.clientId)) ?? ''
      return await send(who.browser, { ...page, html: own }, {}, action)
    }
    expect((await press(/apps\/pause/)).status).toBe(303)
    expect((await get(who, '/courses')).status).toBe(403)
    expect(await row()).toContain('Paused by the school')
    expect((await press(/apps\/continue/)).status).toBe(303)
    expect((await get(who, '/courses')).status).toBe(200)
  })
})
