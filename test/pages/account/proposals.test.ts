import { beforeAll, describe, expect, test } from 'vitest'
import { createAgent, personCalled } from '../../support/agent.ts'
import { duringTests } from '../../support/duringTests.ts'
import { changedTables, dumpSchool } from '../../support/schoolDump.ts'
import { startService } from '../../support/service.ts'
import type { Browser } from '../browser.ts'
import { signedIn } from './account.ts'

const service = duringTests(() => startService({ redis: false }))
beforeAll(async () => {
  for (const name of ['owner', 'other']) await service.addPerson({ email: `${name}@example.com`, role: 'owner' })
})

const scope = 'openid account:read students:read students:write courses:read courses:write school:read school:write'

interface Body extends Record<string, unknown> {
  id: string
  error?: string
  status: string
  url: string
  proposal: { id: string; position: number | null; requests: number }
  requests: {
    position: number
    status: string
    error: { code: string } | null
    report: object | null
    first_report: object | null
    response: { status: number } | null
  }[]
  data: { id: string; operation: string; changes: { id: string }[]; undo: { possible: boolean } }[]
}

interface Reply {
  status: number
  headers: Headers
  body: Body
}

/** An app of a person. */
async function appOf(email: string, { wanted = scope } = {}) {
  const agent = await createAgent(service.issuer, { client_name: 'Tidy Agent' })
  const { body } = await agent.tokens(personCalled(email), { scope: wanted }, { scopes: 'all' })
  const call = async (method: string, path: string, sent?: object, headers: Record<string, string> = {}): Promise<Reply> => {
    const response = await fetch(`${service.issuer}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${body.access_token}`, ...(sent && { 'content-type': 'application/json' }), ...headers },
      ...(sent && { body: JSON.stringify(sent) }),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: text === '' ? {} : JSON.parse(text) }
  }
  const propose = (name: string) => (method: string, path: string, sent?: object, headers?: Record<string, string>) =>
    call(method, path, sent, { proposal: name, ...headers })
  return { call, propose, browser: await signedIn(service, email), clientId: agent.clientId }
}

const textOf = (html: string): string =>
  html
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&#34;', '"')
    .replaceAll(/\s+/g, ' ')
const outcome = ({ status, body }: Reply) => [status, body.error]
const dump = async () => {
  const [row] = await service.database.sql.query<{ id: string }>('SELECT id FROM school LIMIT 1')
  return await dumpSchool(service.database.sql, String(row?.id), { withTraces: true })
}

/** Opens the page of a proposal, and returns the values of its form. */
async function formOf(browser: Browser, address: string) {
  const shown = await browser.get(address.replace(service.issuer, ''))
  const form =
    [...shown.html.matchAll(/<form\b[\s\S]*?<\/form>/g)].map(([html]) => html).find((html) => html.includes('value="once"')) ?? ''
  const value = (name: string): string => new RegExp(`name="${name}" value="([^"]*)"`).exec(form)?.[1] ?? ''
  const ticked = [...form.matchAll(/name="(request_\d+)" value="yes" checked/g)].map(([, name = '']) => name)
  const fields = { decision: 'once', csrf: value('csrf'), seen: value('seen'), offered: value('offered') }
  return { shown, page: textOf(shown.html), fields, ticked }
}

/** Presses the button of the page of a proposal, with all boxes but these ticked. */
async function merge(browser: Browser, address: string, without: readonly string[] = []) {
  const { shown, page, fields, ticked } = await formOf(browser, address)
  const boxes = Object.fromEntries(ticked.filter((name) => !without.includes(name)).map((name) => [name, 'yes']))
  const done = await browser.post(shown.url.href.split('?')[0] ?? '', { ...fields, ...boxes })
  return { page, location: done.location, done: done.location?.search }
}

let made = 0
const courseOf = (title = `Clay ${++made}`) => ({ title })

describe('a proposal', () => {
  test('shows an app the school as it would be, keeps the ids, and is merged by the person as one activity', async () => {
    const { call, propose, browser } = await appOf('owner@example.com')
    const add = propose('spring')
    const before = await dump()
    const course = await add('POST', '/courses', courseOf('Spring Clay'))
    expect([course.status, course.body.proposal]).toMatchObject([201, { position: 1, requests: 1 }])
    const { id } = course.body
    const changed = await add('PATCH', `/courses/${id}`, { subtitle: 'For beginners' }, { 'if-match': '*' })
    expect([changed.status, changed.body.proposal.position]).toEqual([200, 2])
    const student = await add('POST', '/students', { name: 'Wren', email: 'wren.spring@example.org' })
    expect(student.status).toBe(201)
    const seen = await add('GET', `/courses/${id}`)
    expect([seen.status, seen.body.subtitle]).toEqual([200, 'For beginners'])
    expect((await call('GET', `/courses/${id}`)).status).toBe(404)
    expect(changedTables(before, await dump()).filter((table) => !table.startsWith('proposal'))).toEqual([])

    const submitted = await call('POST', '/account/proposals/spring/submit')
    expect(submitted).toMatchObject({ status: 200, body: { status: 'submitted' } })
    expect(outcome(await add('POST', '/courses', courseOf()))).toEqual([400, 'invalid_request'])
    const { page, done } = await merge(browser, submitted.body.url)
    expect(page).toContain('Spring Clay')
    expect(page).toContain('For beginners')
    expect(done).toBe('?done=once')
    expect((await call('GET', `/courses/${id}`)).body.subtitle).toBe('For beginners')
    expect((await call('GET', `/students/${student.body.id}`)).status).toBe(200)
    const result = await call('GET', '/account/proposals/spring')
    expect([result.body.status, result.body.requests.map((one) => one.response?.status)]).toEqual(['merged', [201, 200, 201]])

    const { body: activity } = await call('GET', '/account/activity')
    expect(activity.data).toHaveLength(1)
    expect(activity.data[0]?.undo.possible).toBe(true)
    const undone = await call('POST', `/account/activity/${activity.data[0]?.id}/undo`, {})
    expect(undone.status).toBe(200)
    expect((await call('GET', `/courses/${id}`)).status).toBe(404)
    expect((await call('GET', `/students/${student.body.id}`)).status).toBe(404)
  })

  test('is merged in parts: what depends on an unticked request cannot be chosen, and nothing is done before the person has seen that', async () => {
    const { call, propose, browser } = await appOf('owner@example.com')
    const add = propose('parts')
    const { id } = (await add('POST', '/courses', courseOf('Left Out'))).body
    expect((await add('PATCH', `/courses/${id}`, { subtitle: 'Depends on it' }, { 'if-match': '*' })).status).toBe(200)
    const kept = await add('POST', '/courses', courseOf('Chosen'))
    const { url } = (await call('POST', '/account/proposals/parts/submit')).body
    const first = await merge(browser, url, ['request_1'])
    expect(first.done).toBe('?only=2%2C3')
    expect((await call('GET', `/courses/${kept.body.id}`)).status).toBe(404)
    const second = await formOf(browser, `${url}${first.done}`)
    expect([second.ticked, second.page.includes('Not possible')]).toEqual([['request_3'], true])
    expect((await merge(browser, `${url}${first.done}`)).done).toBe('?done=once')
    expect([(await call('GET', `/courses/${id}`)).status, (await call('GET', `/courses/${kept.body.id}`)).status]).toEqual([404, 200])
    const { requests } = (await call('GET', '/account/proposals/parts')).body
    expect(requests.map(({ status }) => status)).toEqual(['left_out', 'left_out', 'merged'])
  })

  test('shows what differs since the app proposed it, and is not merged by a page that shows something else', async () => {
    const { call, propose, browser } = await appOf('owner@example.com')
    const { id } = (await call('POST', '/courses', courseOf())).body
    await propose('later')('PATCH', `/courses/${id}`, { subtitle: 'Proposed' }, { 'if-match': '*' })
    const read = async () => (await call('GET', '/account/proposals/later')).body.requests[0]
    expect(await read()).toMatchObject({ first_report: null, error: null })
    const { url } = (await call('POST', '/account/proposals/later/submit')).body
    const { shown, fields, ticked } = await formOf(browser, url)
    expect((await call('PATCH', `/courses/${id}`, { subtitle: 'Since' }, { 'if-match': '*' })).status).toBe(200)
    expect((await read())?.first_report).not.toBeNull()
    const old = await browser.post(shown.url.href, { ...fields, ...Object.fromEntries(ticked.map((name) => [name, 'yes'])) })
    expect(old.location?.search).toBe('?done=changed')
    expect((await call('GET', `/courses/${id}`)).body.subtitle).toBe('Since')
    expect((await formOf(browser, url)).page).toMatch(/Since → Proposed When the app asked, it would have been:/)
    expect((await call('DELETE', `/courses/${id}`)).status).toBe(204)
    expect((await read())?.error?.code).toBe('not_found')
    expect((await formOf(browser, url)).page).toContain('no longer possible')
  })

  test('is retried safely, and a request can be removed from it', async () => {
    const { call, propose } = await appOf('owner@example.com')
    const add = propose('retried')
    const key = { 'idempotency-key': 'once' }
    const course = courseOf()
    const [first, again] = [await add('POST', '/courses', course, key), await add('POST', '/courses', course, key)]
    expect([first.body.proposal, again.body.proposal]).toMatchObject([
      { position: 1, requests: 1 },
      { position: 1, requests: 1 },
    ])
    expect(again.body.id).toBe(first.body.id)
    const tried = await add('POST', '/courses', courseOf(), { 'dry-run': 'true' })
    expect(tried.body.proposal).toMatchObject({ position: null, requests: 1 })
    await add('PATCH', `/courses/${first.body.id}`, { subtitle: 'Bound' }, { 'if-match': '*' })
    expect((await call('POST', '/account/proposals/retried/requests/1/remove')).status).toBe(204)
    expect(outcome(await add('POST', '/courses', courseOf()))).toEqual([400, 'invalid_request'])
    expect((await call('POST', '/account/proposals/retried/requests/2/remove')).status).toBe(204)
    expect((await add('POST', '/courses', courseOf())).status).toBe(201)
    expect((await call('POST', '/account/proposals/retried/end')).status).toBe(204)
    expect((await call('GET', '/account/proposals/retried')).body.status).toBe('ended')
    expect((await add('POST', '/courses', courseOf())).body.proposal).toMatchObject({ position: 1, requests: 1 })
  })

  test('contains what the app would have to ask for one by one', async () => {
    const { call, propose, browser, clientId } = await appOf('owner@example.com')
    const student = (await call('POST', '/students', { name: 'Wren', email: 'wren.asked@example.org' })).body.id
    await service.database.sql.query('UPDATE oidc_grant SET asks_first = true WHERE client_id = $1', [clientId])
    expect(outcome(await call('DELETE', `/students/${student}`))).toEqual([403, 'approval_required'])
    expect((await propose('all')('DELETE', `/students/${student}`)).status).toBe(200)
    const { url } = (await call('POST', '/account/proposals/all/submit')).body
    const waiting = call('GET', '/account/proposals/all', undefined, { prefer: 'wait=20' })
    expect((await merge(browser, url)).done).toBe('?done=once')
    expect((await waiting).body.status).toBe('merged')
  })
})

describe('an attack on a proposal', () => {
  async function submitted(name: string, title = 'Attacked') {
    const app = await appOf('owner@example.com')
    const { id } = (await app.propose(name)('POST', '/courses', courseOf(title))).body
    const { url } = (await app.call('POST', `/account/proposals/${name}/submit`)).body
    const isMade = async () => (await app.call('GET', `/courses/${id}`)).status === 200
    return { ...app, url, isMade, id }
  }

  test('by another person, without the token of the form, or with the token of the app merges nothing', async () => {
    const { browser, url, isMade, call } = await submitted('forged')
    const { fields } = await formOf(browser, url)
    const form = { ...fields, request_1: 'yes' }
    const other = await signedIn(service, 'other@example.com')
    const csrf = /name="csrf" value="([^"]*)"/.exec((await other.get('/account/notifications')).html)?.[1] ?? ''
    expect((await other.get(new URL(url).pathname)).status).toBe(404)
    expect((await other.post(url, { ...form, csrf })).status).toBe(404)
    expect((await browser.post(url, { ...form, csrf: '' })).status).toBeGreaterThanOrEqual(400)
    const body = new URLSearchParams(form)
    const byToken = await fetch(url, { method: 'POST', body, redirect: 'manual', headers: { authorization: 'Bearer token' } })
    expect(byToken.status).not.toBe(200)
    expect((await call('POST', '/account/proposals/forged/merge')).status).toBe(404)
    expect(await isMade()).toBe(false)
    expect((await merge(browser, url)).done).toBe('?done=once')
  })

  test('by two merges at the same time, or by a form that is sent again, makes it once', async () => {
    const { browser, url, isMade } = await submitted('twice')
    const { fields } = await formOf(browser, url)
    const press = () => browser.post(url, { ...fields, request_1: 'yes' })
    const pressed = await Promise.all([press(), press()])
    expect(pressed.map(({ location }) => location?.search).toSorted()).toEqual(['?done=late', '?done=once'])
    expect((await press()).location?.search).toBe('?done=late')
    expect(await isMade()).toBe(true)
  })

  test('after its end, the end of the grant or a pause merges nothing', async () => {
    const { sql } = service.database
    for (const [name, end] of Object.entries({
      expired: "UPDATE proposal SET expires_at = now() WHERE status = 'submitted'",
      revoked: 'UPDATE oidc_grant SET revoked_at = now()',
      paused: 'UPDATE oidc_grant SET paused_at = now()',
    })) {
      const { browser, url, id } = await submitted(name, name)
      const { fields } = await formOf(browser, url)
      await sql.query(end)
      expect([name, (await browser.post(url, { ...fields, request_1: 'yes' })).location?.search]).toEqual([name, '?done=late'])
      expect(await sql.query('SELECT id FROM course WHERE title = $1', [name])).toEqual([])
      expect(id).toMatch(/^crs_/)
    }
  })

  test('by a grant that has lost a scope, or a person who has lost a role, merges nothing', async () => {
    const { browser, url, clientId, isMade } = await submitted('scopes')
    const { fields } = await formOf(browser, url)
    const { sql } = service.database
    await sql.query("UPDATE oidc_grant SET payload = replace(payload::text, 'courses:write', '')::jsonb WHERE client_id = $1", [clientId])
    expect((await browser.post(url, { ...fields, request_1: 'yes' })).location?.search).toBe('?done=changed')
    expect((await formOf(browser, url)).page).toContain('no longer possible')
    expect(await isMade()).toBe(false)
  })

  test('by its size is refused: 100 requests, 4 MiB, ten open proposals', async () => {
    const { propose, call } = await appOf('owner@example.com')
    const add = propose('full')
    const { body } = await add('POST', '/courses', courseOf())
    const { sql } = service.database
    const copy = `INSERT INTO proposal_request (school_id, proposal_id, position, operation, fingerprint, size, sealed)
      SELECT school_id, proposal_id, position + n, operation, 'x', $1::int, sealed FROM proposal_request, generate_series(1, $2::int) AS n
       WHERE proposal_id = (SELECT id FROM proposal WHERE name = 'full' ORDER BY id DESC LIMIT 1) AND position = 1`
    await sql.query(copy, [10, 99])
    expect(body.proposal.requests).toBe(1)
    expect(outcome(await add('POST', '/courses', courseOf()))).toEqual([400, 'invalid_request'])
    await sql.query("DELETE FROM proposal_request WHERE fingerprint = 'x'")
    await sql.query(copy, [4_194_304, 1])
    expect(outcome(await add('POST', '/courses', courseOf()))).toEqual([400, 'invalid_request'])
    for (let n = 0; n < 9; n += 1) expect((await propose(`open-${n}`)('POST', '/courses', courseOf())).status).toBe(201)
    expect(outcome(await propose('open-9')('POST', '/courses', courseOf()))).toEqual([403, 'access_denied'])
    expect((await call('GET', '/account/proposals')).body.data).toHaveLength(10)
  })

  test('by a name, a caller or a request that no proposal can have is refused by name', async () => {
    const { propose, call } = await appOf('owner@example.com')
    const wrong = async (name: string, method = 'POST', path = '/courses', headers: Record<string, string> = {}) =>
      outcome(await propose(name)(method, path, method === 'POST' ? courseOf() : undefined, headers))
    const refused = [400, 'invalid_request']
    for (const name of ['two words', 'ü', 'x'.repeat(65)]) expect([name, ...(await wrong(name))]).toEqual([name, ...refused])
    expect(await wrong('own', 'POST', '/account/proposals/own/submit')).toEqual(refused)
    expect(await wrong('own', 'GET', '/courses', { accept: 'text/csv' })).toEqual(refused)
    expect(await wrong('own', 'GET', '/changes')).toEqual(refused)
    expect(await wrong('own', 'GET', '/account/export')).toEqual(refused)
    const visitor = await fetch(`${service.issuer}/api/v1/courses`, { headers: { proposal: 'visitor' } })
    expect(visitor.status).toBe(400)
    expect(outcome(await propose('own')('PATCH', '/courses/crs_01jgwejj00e6srgkpqm2sqf05m', { title: 'x' }, { 'if-match': '*' }))).toEqual([
      404,
      'not_found',
    ])
    expect((await call('GET', '/account/proposals/own')).status).toBe(404)
  })

  test('by another app of the same person does not see it', async () => {
    await submitted('private')
    const other = await appOf('owner@example.com')
    expect((await other.call('GET', '/account/proposals/private')).status).toBe(404)
    expect((await other.call('POST', '/account/proposals/private/end')).status).toBe(404)
  })
})
