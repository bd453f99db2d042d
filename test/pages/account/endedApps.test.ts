import { beforeAll, describe, expect, test } from 'vitest'
import { fromPublicId, hashedId } from '../../../src/base/ids.ts'
import { type Agent, createAgent, personCalled, withToken } from '../../support/agent.ts'
import { duringTests } from '../../support/duringTests.ts'
import { startService } from '../../support/service.ts'
import type { Answer, Browser } from '../browser.ts'
import { siteOwner } from '../siteVisitor.ts'
import { send, signedIn } from './account.ts'

const service = duringTests(() => startService({ redis: false, people: [{ email: 'owner@example.com', role: 'owner' }] }))
const owner = duringTests(() => siteOwner(service))
let ownerBrowser: Browser
/** A published course with one lesson. */
let [courseId, lessonId] = ['', '']
beforeAll(async () => {
  ownerBrowser = await signedIn(service, 'owner@example.com')
  courseId = String((await owner.call('POST', '/courses', { title: 'Clay From Scratch' })).id)
  const section = await owner.call('POST', `/courses/${courseId}/sections`, { title: 'Basics' })
  lessonId = String((await owner.call('POST', `/sections/${section.id}/lessons`, { title: 'Wedging', kind: 'text', content: 'Clay.' })).id)
  await owner.call('POST', `/lessons/${lessonId}/publish`)
  const lecturer = await owner.call('POST', '/lecturers', { display_name: 'Marlo Quillfeather' })
  await owner.call('PUT', `/courses/${courseId}/lecturers`, { lecturer_ids: [lecturer.id] })
  await owner.call('POST', `/courses/${courseId}/publish`)
})

const scope = 'openid account:read account:write courses:read courses:write students:read students:write'
const query = <Row extends object>(text: string, values: unknown[] = []) => service.database.sql.query<Row>(text, values)
const textOf = (html: string): string => html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')

interface Connected {
  agent: Agent
  token: string
  browser: Browser
  authorization: string
  /** The page of the app. */
  page: string
  /** The page of a request of the app, which waits for the person. */
  request: string
  /** Returns true while what the app changed is so. */
  isChanged(): Promise<boolean>
  /** Text of the activity about the change. */
  sentence: string
  tokenOfOther: string
}

let count = 0
/** A person with an app that made one change, and asked for something. */
async function connected(role: 'lecturer' | 'learner'): Promise<Connected> {
  const email = `${role}${++count}@example.com`
  const { accountId, personId } = await service.addPerson({ email, role })
  if (role === 'lecturer') {
    const profile = await owner.call('POST', '/lecturers', { display_name: `Lecturer ${count}` })
    await query('UPDATE staff SET lecturer_id = $2 WHERE person_id = $1', [personId, fromPublicId('lec', String(profile.id))])
  }
  const agent = await createAgent(service.issuer, { client_name: 'Tidy Agent' })
  const token = (await agent.tokens(personCalled(email), { scope }, { scopes: 'all' })).body.access_token
  const [grant] = await query<{ id: string }>('UPDATE oidc_grant SET asks_first = true WHERE account_id = $1 RETURNING id', [accountId])
  const authorization = hashedId('aut', String(grant?.id))
  const headers = { authorization: `Bearer ${token}` }
  const asked = await fetch(`${service.issuer}/api/v1/account/authorizations/${authorization}`, { method: 'DELETE', headers })
  const { details } = (await asked.json()) as { details: { meta: { url: string } }[] }
  const other = await createAgent(service.issuer, { client_name: 'Another Agent' })
  const tokenOfOther = (await other.tokens(personCalled(email), { scope }, { scopes: 'all' })).body.access_token
  const change = role === 'lecturer' ? await subtitle(token, tokenOfOther) : await progress(token, personId)
  const browser = await signedIn(service, email)
  const request = new URL(details[0]?.meta.url ?? '').pathname
  return { agent, token, browser, authorization, page: `/account/apps/${authorization}`, request, ...change, tokenOfOther }
}

const isStored = async (text: string, value: string): Promise<boolean> => (await query(text, [value])).length > 0

/** Sends a request with a body, which succeeds. */
async function sent(token: string, method: string, path: string, body: object): Promise<{ id: string }> {
  const response = await fetch(`${service.issuer}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  expect([path, response.ok, text]).toEqual([path, true, text])
  return JSON.parse(text)
}

async function subtitle(token: string, tokenOfOther: string) {
  const title = `Glazes ${count}`
  const { id } = await sent(tokenOfOther, 'POST', '/courses', { title })
  await sent(token, 'PATCH', `/courses/${id}`, { subtitle: 'Spoiled' })
  const isChanged = () => isStored("SELECT 1 FROM course WHERE title = $1 AND subtitle = 'Spoiled'", title)
  return { isChanged, sentence: `Changed the course “${title}”` }
}

async function progress(token: string, personId: string) {
  const { id } = await owner.call('POST', '/enrollments', { course_id: courseId, student_id: await studentOf(personId) })
  await sent(token, 'PUT', `/enrollments/${id}/progress/${lessonId}`, { position_seconds: 60 })
  const isChanged = () => isStored('SELECT 1 FROM lesson_progress WHERE person_id = $1 AND position_seconds = 60', personId)
  return { isChanged, sentence: 'enrolment' }
}

async function studentOf(personId: string): Promise<string> {
  await query('UPDATE person SET is_student = true WHERE id = $1', [personId])
  const { data } = (await owner.call('GET', '/students?limit=100')) as { data?: { id: string }[] }
  return data?.find(({ id }) => fromPublicId('std', id) === personId)?.id ?? ''
}

const csrfOf = (html: string): string => /name="csrf" value="([^"]*)"/.exec(html)?.[1] ?? ''

/** Presses the button that removes the app, and answers the question. */
async function removed(who: Connected, changes: 'keep' | 'undo'): Promise<Answer> {
  const question = await who.browser.follow(await send(who.browser, await who.browser.get(who.page), {}, /remove$/))
  return await who.browser.follow(
    await who.browser.post('/account/apps/remove', { csrf: csrfOf(question.html), client: who.agent.clientId, changes }),
  )
}

const ends: Record<string, (who: Connected) => Promise<unknown>> = {
  'the person has removed it': (who) => removed(who, 'keep'),
  'its time is over': ({ agent }) =>
    query("UPDATE oidc_grant SET expires_at = now() - interval '1 minute' WHERE client_id = $1", [agent.clientId]),
  'the school has disabled it': async ({ agent }) => {
    const page = await ownerBrowser.get('/account/school/apps')
    const done = await ownerBrowser.post('/account/school/apps/disable', { csrf: csrfOf(page.html), client: agent.clientId })
    expect(done.status).toBe(303)
  },
}

describe.each(['lecturer', 'learner'] as const)('an app of a %s', (role) => {
  test.each(Object.entries(ends))('leaves its activity, its requests and the way back when %s', async (_, end) => {
    const [who, stranger] = [await connected(role), await connected('learner')]
    await end(who)
    expect((await withToken(`${service.issuer}/api/v1/account`, who.token)).status).not.toBe(200)

    const list = await who.browser.get('/account/apps')
    expect(textOf(list.html)).toMatch(/Ended access .* Tidy Agent \. Ended on/)
    expect(list.html).toContain(`href="${who.page}"`)
    const activity = await who.browser.get(who.page)
    expect([activity.status, textOf(activity.html)]).toEqual([200, expect.stringContaining(who.sentence)])
    expect(activity.html).not.toMatch(/action="\/account\/apps\/(remove|pause|continue|end|ask-first|rename)"/)
    const [, ofActivity = ''] = /href="\/account\/undo\/(act_\w+)"/.exec(activity.html) ?? []
    const path = `${service.issuer}/api/v1/account/authorizations/${who.authorization}/activity`
    expect((await withToken(path, who.tokenOfOther)).body.data).toEqual([expect.objectContaining({ id: ofActivity })])

    const requests = textOf((await who.browser.get('/account/approvals')).html)
    expect(requests).toMatch(/No app is waiting for your decision\. Earlier requests .* Tidy Agent .* Nobody decided in time/)
    const request = await who.browser.get(who.request)
    expect([request.status, request.html.includes('name="decision"')]).toEqual([200, false])
    const late = await who.browser.post(who.request, { csrf: csrfOf(list.html), decision: 'once' })
    expect([late.status, late.location?.search]).toEqual([303, '?done=late'])

    for (const shown of [who.page, who.request, `/account/undo/${ofActivity}`])
      expect([shown, (await stranger.browser.get(shown)).status]).toEqual([shown, 404])
    expect((await withToken(path, stranger.token)).status).toBe(404)

    expect(await who.isChanged()).toBe(true)
    const asked = await who.browser.get(`/account/undo/${ofActivity}`)
    await send(who.browser, asked, {}, /\/account\/undo\//)
    expect(await who.isChanged()).toBe(false)
  })

  test('can be removed together with what it changed', async () => {
    const who = await connected(role)
    const question = await who.browser.follow(await send(who.browser, await who.browser.get(who.page), {}, /remove$/))
    expect(textOf(question.html)).toContain('It made 1 change that can be taken back.')
    expect((await withToken(`${service.issuer}/api/v1/account`, who.token)).status).toBe(200)
    await send(who.browser, await removed(who, 'undo'), {}, /\/account\/undo\//)
    expect(await who.isChanged()).toBe(false)
    expect((await withToken(`${service.issuer}/api/v1/account`, who.token)).status).toBe(401)
  })
})

test('an access that ended 90 days ago is no longer shown', async () => {
  const who = await connected('learner')
  await query("UPDATE oidc_grant SET expires_at = now() - interval '91 days' WHERE client_id = $1", [who.agent.clientId])
  expect((await who.browser.get(who.page)).status).toBe(404)
  expect((await who.browser.get('/account/apps')).html).not.toContain(who.page)
})
