import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { answer, createAgent, personCalled } from '../../support/agent.ts'
import { duringTests } from '../../support/duringTests.ts'
import { startService } from '../../support/service.ts'
import type { Browser } from '../browser.ts'
import { signedIn } from './account.ts'

const service = duringTests(() => startService({ schools: 2 }))
const sql = <Row extends object>(text: string, values: readonly unknown[] = []) => service.database.sql.query<Row>(text, values)
beforeAll(async () => {
  for (const school of [service.issuer, service.other])
    for (const name of ['owner', 'admin'] as const) await service.addPerson({ email: `${name}@example.com`, role: name, school })
})
beforeEach(async () => {
  await sql('DELETE FROM proposal')
  await sql(`UPDATE school SET app_rules = '{}'`)
})

const scope = 'openid account:read account:write courses:read courses:write curriculum:read curriculum:write posts:read posts:write'

async function appAt(issuer: string) {
  const agent = await createAgent(issuer)
  const { body } = await agent.tokens(personCalled('owner@example.com'), { scope }, { scopes: 'all' })
  const call = (method: string, path: string, sent?: object, headers: Record<string, string> = {}) =>
    answer(
      fetch(`${issuer}/api/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${body.access_token}`, 'content-type': 'application/json', 'if-match': '*', ...headers },
        ...(sent && { body: JSON.stringify(sent) }),
      }),
    )
  return { call, token: body.access_token }
}

const plain = (html: string): string => html.replaceAll(/<[^>]+>/g, '')
const statuses = async () => (await sql<{ status: string }>('SELECT status FROM proposal')).map(({ status }) => status)

/** Returns the form that agrees to everything, as the page of the proposal has it. */
async function agreement(browser: Browser, path: string): Promise<Record<string, string>> {
  const { html } = await browser.get(path)
  const form = [...html.matchAll(/<form\b[\s\S]*?<\/form>/g)].map(([one]) => one).find((one) => one.includes('value="once"')) ?? ''
  const fields = [...form.matchAll(/name="(csrf|offered|seen|request_\d+)" value="([^"]*)"/g)].map(([, name, value]) => [name, value])
  return { ...Object.fromEntries(fields), decision: 'once' }
}

describe('a proposal of another school', () => {
  test('does not exist for its apps and people: they read, submit, end, merge and refuse nothing, also with the same name and address', async () => {
    const [app, stranger] = [await appAt(service.issuer), await appAt(service.other)]
    const named = { proposal: 'spring' }
    const { id } = (await app.call('POST', '/courses', { title: 'Clay' }, named)).body
    expect((await stranger.call('GET', `/courses/${id}`, undefined, named)).status).toBe(404)
    for (const [method, path] of [
      ['GET', ''],
      ['POST', '/submit'],
      ['POST', '/end'],
      ['POST', '/requests/1/remove'],
    ] as const)
      expect([path, (await stranger.call(method, `/account/proposals/spring${path}`)).status]).toEqual([path, 404])
    expect((await stranger.call('GET', '/account/proposals')).body.data).toEqual([])
    expect(await statuses()).toEqual(['draft'])
    // The token of one school is none of the other.
    const foreign = await fetch(`${service.other}/api/v1/account/proposals/spring`, { headers: { authorization: `Bearer ${app.token}` } })
    expect(foreign.status).toBe(401)

    const { url } = (await app.call('POST', '/account/proposals/spring/submit')).body
    const { pathname } = new URL(url)
    const owner = await signedIn(service, 'owner@example.com')
    const form = await agreement(owner, pathname)
    const namesake = await signedIn(service, 'owner@example.com', undefined, service.other)
    const address = `${service.other}${pathname}`
    expect((await namesake.get(address)).status).toBe(404)
    const csrf = /name="csrf" value="([^"]+)"/.exec((await namesake.get(`${service.other}/account/sessions`)).html)?.[1] ?? ''
    for (const decision of ['once', 'refuse', 'pause'])
      expect([decision, (await namesake.post(address, { ...form, csrf, decision })).status]).toEqual([decision, 404])
    expect(await statuses()).toEqual(['submitted'])
    expect((await app.call('GET', `/courses/${id}`)).status).toBe(404)

    expect((await owner.post(pathname, { ...form, request_1: 'yes' })).location?.search).toBe('?done=once')
    expect((await app.call('GET', `/courses/${id}`)).status).toBe(200)
    expect((await stranger.call('GET', `/courses/${id}`)).status).toBe(404)
  })
})

describe('the rule that a second person decides about deletions', () => {
  async function deletion() {
    const app = await appAt(service.issuer)
    const post: string = (await app.call('POST', '/posts', { title: 'News' })).body.id
    await app.call('DELETE', `/posts/${post}`, undefined, { proposal: 'tidy' })
    const { url } = (await app.call('POST', '/account/proposals/tidy/submit')).body
    const isGone = async () => (await app.call('GET', `/posts/${post}`)).status === 404
    return { app, post, path: new URL(url).pathname, isGone }
  }
  const switchOn = () => sql(`UPDATE school SET app_rules = '{"second_person":true}'`)

  test('holds for requests from before it, when somebody decides: also for a form that was open already', async () => {
    const { path, isGone } = await deletion()
    const owner = await signedIn(service, 'owner@example.com')
    const form = await agreement(owner, path)
    await switchOn()
    expect((await owner.post(path, form)).status).toBe(403)
    expect([await statuses(), await isGone()]).toEqual([['submitted'], false])
    expect(plain((await owner.get(path)).html)).toContain('Another owner or admin of the school decides')
    const admin = await signedIn(service, 'admin@example.com')
    expect(plain((await admin.get('/account')).html)).toContain('(1)')
    expect((await admin.post(path, await agreement(admin, path))).location?.search).toBe('?done=once')
    expect(await isGone()).toBe(true)
  })

  test('ends with the rule: the person of the app decides, and nobody else', async () => {
    await switchOn()
    const { path, isGone } = await deletion()
    const admin = await signedIn(service, 'admin@example.com')
    const form = await agreement(admin, path)
    await sql(`UPDATE school SET app_rules = '{}'`)
    expect((await admin.post(path, form)).status).toBe(404)
    const owner = await signedIn(service, 'owner@example.com')
    expect((await owner.post(path, await agreement(owner, path))).location?.search).toBe('?done=once')
    expect(await isGone()).toBe(true)
  })

  test('holds for what deletes something only since it was proposed', async () => {
    const app = await appAt(service.issuer)
    const course: string = (await app.call('POST', '/courses', { title: 'Wheel' })).body.id
    const sections = [{ external_id: 'first', title: 'First', lessons: [] }]
    const replace = { mode: 'replace', sections }
    expect(await app.call('POST', `/courses/${course}/curriculum/import`, replace, { proposal: 'replace' })).toMatchObject({ status: 200 })
    const { url } = (await app.call('POST', '/account/proposals/replace/submit')).body
    const { pathname } = new URL(url)
    await switchOn()
    const owner = await signedIn(service, 'owner@example.com')
    expect((await agreement(owner, pathname)).seen).toBeTruthy()
    await app.call('POST', `/courses/${course}/sections`, { title: 'New' })
    expect((await owner.post(pathname, await agreement(owner, pathname))).location?.search).not.toBe('?done=once')
    expect(plain((await owner.get(pathname)).html)).toContain('Another owner or admin of the school decides')
    const admin = await signedIn(service, 'admin@example.com')
    expect((await agreement(admin, pathname)).seen).toBeTruthy()
    expect(await statuses()).toEqual(['submitted'])
  })
})
