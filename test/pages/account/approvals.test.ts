import { type OAuthClientInformationFull, type OAuthTokens, withOAuth } from '@modelcontextprotocol/client'
import { withOAuth as withFormerOAuth } from '@modelcontextprotocol/sdk/client/middleware.js'
import type { OAuthClientInformationFull as FormerClient, OAuthTokens as FormerTokens } from '@modelcontextprotocol/sdk/shared/auth.js'
import * as oauth from 'oauth4webapi'
import createClient from 'openapi-fetch'
import * as client from 'openid-client'
import { beforeAll, describe, expect, test } from 'vitest'
import { createMcpMemory } from '../../clients/adapters/mcpMemory.ts'
import { type Agent, answer, createAgent, personCalled, postJson } from '../../support/agent.ts'
import { duringTests } from '../../support/duringTests.ts'
import { blocksOf, createWorkplace } from '../../support/literal.ts'
import { createHome, freePort, startProcess } from '../../support/process.ts'
import { password, startService } from '../../support/service.ts'
import { type Browser, createBrowser } from '../browser.ts'
import { send, signedIn } from './account.ts'

const service = duringTests(() => startService({ redis: false }))
beforeAll(async () => {
  for (const name of ['owner', 'other']) await service.addPerson({ email: `${name}@example.com`, role: 'owner' })
})

const scope =
  'openid account:read account:write students:read students:write events:write events:read school:write courses:read courses:write'

interface Reply {
  status: number
  headers: Headers
  body: {
    id?: string
    error?: string
    dry_run?: { asks: object | null }
    error_description?: string
    details?: { code: string; meta: { id: string; url: string; status: string; expires_at: string; affected: object[]; emails: number } }[]
  }
}

const textOf = (html: string): string => html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')

/** An app of a person, which asks first if the person wants that. */
async function appOf(email: string, asksFirst = true) {
  const agent = await createAgent(service.issuer, { client_name: 'Tidy Agent' })
  const { body } = await agent.tokens(personCalled(email), { scope }, { scopes: 'all' })
  const call = async (method: string, path: string, sent?: object, headers: Record<string, string> = {}): Promise<Reply> => {
    const response = await fetch(`${service.issuer}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${body.access_token}`, ...(sent && { 'content-type': 'application/json' }), ...headers },
      ...(sent && { body: JSON.stringify(sent) }),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: text === '' ? {} : JSON.parse(text) }
  }
  const browser = await signedIn(service, email)
  // The newest app comes first.
  const apps = await browser.get('/account/apps')
  const page = /href="(\/account\/apps\/aut_\w+)"/.exec(apps.html)?.[1] ?? ''
  if (asksFirst) {
    const done = await send(browser, await browser.get(page), {}, /ask-first/)
    expect([done.status, done.location?.search]).toEqual([303, '?done=asks_first'])
  }
  const decide = (reply: Reply, button: RegExp) => decideOn(browser, addressOf(reply), button)
  return { call, browser, page, decide, token: body.access_token, clientId: agent.clientId }
}

/** Presses a button of the page of an approval. */
async function decideOn(browser: Browser, address: string, button: RegExp) {
  const shown = await browser.get(new URL(address).pathname)
  const fields = hiddenIn(shown.html, button)
  const done = await browser.post(shown.url.href, fields)
  return { page: textOf(shown.html), done: done.location?.search }
}

/** Returns the hidden fields of the form with a button. */
function hiddenIn(html: string, button: RegExp): Record<string, string> {
  const form = [...html.matchAll(/<form\b[\s\S]*?<\/form>/g)].map(([one]) => one).find((one) => button.test(one)) ?? ''
  return Object.fromEntries([...form.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [name, value]))
}

const addressOf = ({ body }: Pick<Reply, 'body'>): string => body.details?.[0]?.meta.url ?? ''
const outcome = ({ status, body }: Reply) => [status, body.error]
const asks = [403, 'approval_required']
const refusedForGood = [403, 'access_denied']

let created = 0
async function newStudent({ call }: App, name = 'Wren Applegarth'): Promise<string> {
  const { status, body } = await call('POST', '/students', { name, email: `wren${++created}@example.org` })
  expect(status).toBe(201)
  return `/students/${body.id}`
}

type App = Pick<Awaited<ReturnType<typeof appOf>>, 'call'>

async function newCourse({ call }: App): Promise<string> {
  const { body } = await call('POST', '/courses', { title: `Clay ${++created}` })
  await service.database.sql.query("UPDATE course SET status = 'published', published_at = now() WHERE status = 'draft'")
  return String(body.id)
}

/** Enrols new students in a course, with an e-mail to each. */
async function enrol({ call }: App, course: string, people = 25) {
  const item = () => ({ course_id: course, student_email: `kiln${++created}@example.org` })
  return await call('POST', '/enrollments/bulk', { items: Array.from({ length: people }, item), create_missing: true, notify: true })
}

describe('an app that asks first', () => {
  test('is refused with the address of a page, and its repeated request runs once after the person has allowed it', async () => {
    const app = await appOf('owner@example.com')
    const student = await newStudent(app, 'Zoë Šťastná')
    const first = await app.call('DELETE', student)
    expect(outcome(first)).toEqual(asks)
    expect(first.headers.get('www-authenticate')).toBeNull()
    expect(first.headers.get('retry-after')).toBe('5')
    expect(first.headers.get('link')).toBe(`<${addressOf(first)}>; rel="approval"`)
    expect(first.body.error_description).toContain(addressOf(first))
    expect(first.body.details?.[0]?.meta).toMatchObject({ status: 'pending', emails: 0 })
    const again = await app.call('DELETE', student)
    expect([...outcome(again), addressOf(again)]).toEqual([...asks, addressOf(first)])
    expect((await app.call('GET', student)).status).toBe(200)

    const { page, done } = await app.decide(first, /value="once"/)
    expect(page).toMatch(/Erase the student “Zoë Šťastná \(wren\d+@example.org\)”\?/)
    expect(page).toContain('Tidy Agent asks for this.')
    expect(page).toContain('This cannot be undone.')
    expect(page).toMatch(/Decide before \d+ \w+ \d+/)
    expect(done).toBe('?done=once')
    const replies = await Promise.all(Array.from({ length: 12 }, () => app.call('DELETE', student)))
    expect(replies.filter(({ status, headers }) => status !== 204 || !headers.has('idempotent-replayed'))).toEqual([])
    const trail = await service.database.sql.query<{ details: { approval?: string } }>(
      `SELECT details FROM audit_log WHERE event = 'student.deleted' AND details->>'approval' IS NOT NULL`,
    )
    expect(trail).toHaveLength(1)
  })

  test('changes what can be taken back, reads, and tries without asking', async () => {
    const app = await appOf('owner@example.com')
    const student = await newStudent(app)
    expect((await app.call('PATCH', student, { note: 'Left-handed' }, { 'if-match': '*' })).status).toBe(200)
    const tried = await app.call('DELETE', student, undefined, { 'dry-run': 'true' })
    expect([tried.status, tried.body.dry_run?.asks]).toEqual([200, { reason: 'irreversible' }])
    const changed = await app.call('PATCH', student, { note: 'Right-handed' }, { 'if-match': '*', 'dry-run': 'true' })
    expect(changed.body.dry_run?.asks).toBeNull()
    const quick = await appOf('other@example.com', false)
    expect((await quick.call('DELETE', student)).status).toBe(204)
  })

  test('gets the errors of its request before the person is asked', async () => {
    const app = await appOf('owner@example.com')
    expect((await app.call('DELETE', '/students/std_01jgwejj00e6srgkpqm2sqf05m')).status).toBe(404)
    expect((await app.call('POST', '/school/staff', { email: 'nobody', role: 'king' })).status).toBe(422)
    const waiting = await app.browser.get('/account/approvals')
    expect(textOf(waiting.html)).not.toContain('king')
  })

  test('asks again for another body', async () => {
    const app = await appOf('owner@example.com')
    const invite = (role: string) => app.call('POST', '/school/staff', { email: 'new@example.com', role })
    const [admin, owner] = [await invite('admin'), await invite('owner')]
    expect([outcome(admin), outcome(owner), addressOf(admin) === addressOf(owner)]).toEqual([asks, asks, false])
    await app.decide(admin, /value="once"/)
    expect(outcome(await invite('owner'))).toEqual([409, 'email_taken'])
    expect((await invite('admin')).status).toBe(201)
  })

  test('is not allowed what a page showed before the row changed', async () => {
    const app = await appOf('owner@example.com')
    const student = await newStudent(app)
    const asked = await app.call('DELETE', student)
    const shown = await app.browser.get(new URL(addressOf(asked)).pathname)
    expect((await app.call('PATCH', student, { note: 'Paid until June' }, { 'if-match': '*' })).status).toBe(200)
    const done = await app.browser.post(shown.url.href, hiddenIn(shown.html, /value="once"/))
    expect(done.location?.search).toBe('?done=changed')
    expect((await app.call('GET', student)).status).toBe(200)
    expect((await app.decide(asked, /value="once"/)).done).toBe('?done=once')
    expect((await app.call('DELETE', student)).status).toBe(204)
  })

  test('waits for the decision if its repeated request prefers that', async () => {
    const app = await appOf('owner@example.com')
    const student = await newStudent(app)
    const asked = await app.call('DELETE', student)
    const waiting = app.call('DELETE', student, undefined, { prefer: 'respond-async, wait=20' })
    await app.decide(asked, /value="once"/)
    expect((await waiting).status).toBe(204)
  })

  test('gets the stored response of a request that has run, under its Idempotency-Key', async () => {
    const app = await appOf('owner@example.com')
    const key = { 'idempotency-key': 'invite-1' }
    const invite = () => app.call('POST', '/school/staff', { email: 'once@example.com', role: 'admin' }, key)
    await app.decide(await invite(), /value="once"/)
    const [run, replay] = [await invite(), await invite()]
    expect([run.status, replay.status, replay.body.id, replay.headers.has('idempotent-replayed')]).toEqual([201, 201, run.body.id, true])
  })

  test('asks again under another Idempotency-Key, with an address, and keeps the response of the first one', async () => {
    const app = await appOf('owner@example.com')
    const invite = (key: string) =>
      app.call('POST', '/school/staff', { email: 'again@example.com', role: 'admin' }, { 'idempotency-key': key })
    const first = await invite('one')
    await app.decide(first, /value="once"/)
    const { status, body } = await invite('one')
    expect(status).toBe(201)
    await service.database.sql.query("UPDATE staff SET status = 'removed' WHERE id = (SELECT max(id::text)::uuid FROM staff)")
    const second = await invite('two')
    expect([...outcome(second), addressOf(second) === addressOf(first), addressOf(second)]).toEqual([
      ...asks,
      false,
      expect.stringContaining('/apr_'),
    ])
    expect((await invite('one')).body.id).toBe(body.id)
    await app.decide(second, /value="once"/)
    expect((await invite('two')).status).toBe(201)
  })

  test('gets its stored response without a decision, whatever it asked for in between', async () => {
    const app = await appOf('owner@example.com')
    const add = () => app.call('POST', '/students', { name: 'Wren', email: 'wren.key@example.org' }, { 'idempotency-key': 'add' })
    const [first, again] = [await add(), await add()]
    expect([first.status, again.status, again.body.id]).toEqual([201, 201, first.body.id])
  })

  test('does not get another answer once it was refused, and may not ask again after three of them', async () => {
    const app = await appOf('owner@example.com')
    const students = [await newStudent(app), await newStudent(app), await newStudent(app), await newStudent(app)]
    for (const student of students.slice(0, 3)) {
      await app.decide(await app.call('DELETE', student), /value="refuse"/)
      expect(outcome(await app.call('DELETE', student))).toEqual(refusedForGood)
    }
    const more = await app.call('DELETE', String(students[3]))
    expect(outcome(more)).toEqual(refusedForGood)
    expect(more.body.error_description).toContain('Do not ask again today')
  })

  test('cannot flood the person: ten requests wait at most', async () => {
    const app = await appOf('owner@example.com')
    const invite = (at: number) => app.call('POST', '/school/staff', { email: `p${at}@example.com`, role: 'admin' })
    const replies = await Promise.all(Array.from({ length: 24 }, (_, at) => invite(at)))
    expect(
      Object.fromEntries(
        Map.groupBy(replies, ({ body }) => body.error)
          .entries()
          .map(([code, { length }]) => [code, length]),
      ),
    ).toEqual({
      approval_required: 10,
      access_denied: 14,
    })
    const list = await app.browser.get('/account/approvals')
    expect(list.html.match(/href="\/account\/approvals\/apr_\w+"/g)?.length).toBeGreaterThanOrEqual(10)
  })

  test('is paused when the person says so', async () => {
    const app = await appOf('owner@example.com')
    const student = await newStudent(app)
    const asked = await app.call('DELETE', student)
    expect((await app.decide(asked, /value="pause"/)).done).toBe('?done=pause')
    const reply = await app.call('GET', student)
    expect([...outcome(reply), reply.body.error_description?.includes('paused')]).toEqual([...refusedForGood, true])
  })

  test('has to ask again after a pause', async () => {
    const app = await appOf('owner@example.com')
    const student = await newStudent(app)
    const asked = await app.call('DELETE', student)
    for (const action of [/pause/, /continue/])
      expect((await send(app.browser, await app.browser.get(app.page), {}, action)).status).toBe(303)
    const next = await app.call('DELETE', student)
    expect([...outcome(next), addressOf(next) === addressOf(asked)]).toEqual([...asks, false])
  })

  test('asks about an e-mail to many people', async () => {
    const app = await appOf('owner@example.com')
    const asked = await enrol(app, await newCourse(app))
    expect(outcome(asked)).toEqual(asks)
    expect((await app.decide(asked, /value="once"/)).done).toBe('?done=once')
  })

  test('asks again after an hour without a decision', async () => {
    const app = await appOf('owner@example.com')
    const student = await newStudent(app)
    const asked = await app.call('DELETE', student)
    await service.database.sql.query('UPDATE proposal SET expires_at = now()')
    expect((await app.decide(asked, /./)).done).not.toBe('?done=once')
    const next = await app.call('DELETE', student)
    expect([...outcome(next), addressOf(next) === addressOf(asked)]).toEqual([...asks, false])
  })

  test('asks before it ends a sign-in or the access of another app', async () => {
    const app = await appOf('owner@example.com')
    for (const list of ['sessions', 'authorizations']) {
      const { body } = await app.call('GET', `/account/${list}`)
      const [first] = (body as { data?: { id: string }[] }).data ?? []
      expect(outcome(await app.call('DELETE', `/account/${list}/${first?.id}`))).toEqual(asks)
    }
  })

  test('keeps asking after a new consent', async () => {
    const agent = await createAgent(service.issuer, { client_name: 'Twice' })
    const person = personCalled('owner@example.com')
    await agent.tokens(person, { scope }, { scopes: 'all' })
    const { sql } = service.database
    await sql.query('UPDATE oidc_grant SET asks_first = true')
    const { body } = await agent.tokens(person, { scope, prompt: 'consent' }, { scopes: 'all' })
    const response = await fetch(`${service.issuer}/api/v1/school/staff`, {
      method: 'POST',
      headers: { authorization: `Bearer ${body.access_token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'twice@example.com', role: 'admin' }),
    })
    expect(response.status).toBe(403)
    expect(((await response.json()) as { error: string }).error).toBe('approval_required')
  })
})

describe('a client that is not prepared for approvals', () => {
  test('gets an ordinary response with the address, keeps its token, and can repeat the request, whatever client it uses', async () => {
    const app = await appOf('owner@example.com')
    const requests: string[] = []
    const counted: typeof fetch = (input, init) => {
      requests.push(String(input))
      return fetch(input, init)
    }
    const configured = [client.allowInsecureRequests]
    const config = await client.discovery(new URL(service.issuer), app.clientId, undefined, client.None(), { execute: configured })
    config[client.customFetch] = (url, { method, headers }) => counted(url, { method, headers })
    const insecure = {
      [oauth.allowInsecureRequests]: true,
      [oauth.customFetch]: (url: string, { method, headers }: { method: string; headers: Record<string, string> }) =>
        counted(url, { method, headers }),
    }
    const [first, second] = [createMcpMemory<OAuthClientInformationFull, OAuthTokens>(), createMcpMemory<FormerClient, FormerTokens>()]
    for (const { saved } of [first, second]) {
      const tokens = { access_token: app.token, refresh_token: 'kept', token_type: 'Bearer' }
      Object.assign(saved, { client: { client_id: app.clientId, redirect_uris: [] }, tokens })
    }
    const api = createClient<{ [path in `/api/v1/students/${string}`]: { delete: { responses: { 204: { content?: never } } } } }>({
      baseUrl: service.issuer,
      headers: { authorization: `Bearer ${app.token}` },
      fetch: counted,
    })
    const callers: Record<string, (address: URL) => Promise<Response>> = {
      'openid-client': (address) => client.fetchProtectedResource(config, app.token, address, 'DELETE'),
      oauth4webapi: (address) => oauth.protectedResourceRequest(app.token, 'DELETE', address, undefined, null, insecure),
      'MCP SDK 2': (address) => withOAuth(first.provider, service.issuer)(counted)(address, { method: 'DELETE' }),
      'MCP SDK 1': (address) => withFormerOAuth(second.provider, service.issuer)(counted)(address, { method: 'DELETE' }),
      'openapi-fetch': async ({ pathname }) => {
        const path = `/api/v1/students/${pathname.split('/').at(-1)}` as const
        return (await api.DELETE(path, { parseAs: 'stream' })).response
      },
    }
    for (const [name, call] of Object.entries(callers)) {
      const address = new URL(`${service.issuer}/api/v1${await newStudent(app)}`)
      requests.length = 0
      const response = await call(address)
      const sent = requests.length
      // openapi-fetch has read the body already, as an error.
      const body = response.bodyUsed
        ? (await app.call('DELETE', address.pathname.replace('/api/v1', ''))).body
        : ((await response.json()) as Reply['body'])
      expect([name, response.status, body.error, sent]).toEqual([name, ...asks, 1])
      expect(body.error_description).toContain('/account/approvals/apr_')
      await app.decide({ status: response.status, headers: response.headers, body }, /value="once"/)
      expect([name, (await call(address)).status]).toEqual([name, 204])
    }
    for (const { saved } of [first, second])
      expect([saved.tokens?.access_token, saved.tokens?.refresh_token, saved.address]).toEqual([app.token, 'kept', ''])
  })

  test('follows the script of auth.md: the refused call keeps the token, and the same call runs after the decision', async () => {
    const place = await createWorkplace('dash')
    try {
      const [save] = blocksOf(await (await fetch(`${service.issuer}/auth.md`)).text())
      await place.run(save?.text ?? '')
      const begun = await place.run("sh school.sh begin 'openid students:read students:write'")
      const redirect = await personCalled('owner@example.com').authorize(begun.out.trim(), { scopes: 'all' })
      expect((await place.run(`sh school.sh finish '${redirect}'`)).code).toBe(0)
      await service.database.sql.query('UPDATE oidc_grant SET asks_first = true')
      const student = await newStudent(await appOf('other@example.com', false))
      const remove = () =>
        place.run(
          `curl -s -w ' %{http_code}' -X DELETE -H "Authorization: Bearer $(sh school.sh token)" ${service.issuer}/api/v1${student}`,
        )
      const state = () => place.run('cat school.sh.state')
      const before = await state()
      const refused = await remove()
      expect(refused.out).toMatch(/"approval_required".* 403$/s)
      expect((await state()).out).toBe(before.out)
      const body: Reply['body'] = JSON.parse(refused.out.slice(0, -4))
      const browser = await signedIn(service, 'owner@example.com')
      expect(await decideOn(browser, addressOf({ body }), /value="once"/)).toMatchObject({
        done: '?done=once',
      })
      expect((await remove()).out).toBe(' 204')
    } finally {
      await place.remove()
    }
  })

  test('gets the response after a kill -9 of the service', async () => {
    const home = await createHome()
    const port = await freePort()
    let process = await startProcess({ home, port, hasDemo: true })
    try {
      const { issuer } = process
      const agent = await createAgent(issuer)
      const { body } = await agent.tokens(personCalled('owner@example.com'), { scope: 'openid students:write' }, { scopes: 'all' })
      const browser = createBrowser(issuer)
      await send(browser, await browser.get('/account/sign-in'), { email: 'owner@example.com', password })
      const page = /href="(\/account\/apps\/aut_\w+)"/.exec((await browser.get('/account/apps')).html)?.[1] ?? ''
      await send(browser, await browser.get(page), {}, /ask-first/)
      const headers = { authorization: `Bearer ${body.access_token}` }
      const added = await postJson(`${issuer}/api/v1/students`, { name: 'Wren', email: 'wren.once@example.org' }, headers)
      const remove = () => answer(fetch(`${issuer}/api/v1/students/${added.body.id}`, { method: 'DELETE', headers }))
      const asked = await remove()
      expect([asked.status, asked.body.error]).toEqual(asks)
      expect(await decideOn(browser, addressOf(asked), /value="once"/)).toMatchObject({ done: '?done=once' })
      await process.kill()
      process = await startProcess({ home, port })
      const statuses = (await Promise.all(Array.from({ length: 5 }, remove))).map(({ status }) => status)
      expect(statuses).toEqual([204, 204, 204, 204, 204])
    } finally {
      await process.kill()
      await home.remove()
    }
  })
})

describe('the consent page', () => {
  const consent = async (scopes: string, choose: Record<string, string>, existing?: Agent) => {
    const agent = existing ?? (await createAgent(service.issuer, { client_name: 'Careful' }))
    const browser = await signedIn(service, 'owner@example.com')
    let page = await browser.get(agent.authorizationUrl({ scope: scopes, prompt: 'consent' }).href)
    while (page.location?.origin === new URL(service.issuer).origin) page = await browser.get(page.location.href)
    const field = page.html.match(/<input type="checkbox" id="ask-first"[^>]*>/)?.[0]
    await send(browser, page, { scope: 'students:write', ...choose }, /consent$/)
    const rows = await service.database.sql.query<{ asks_first: boolean }>(
      'SELECT asks_first FROM oidc_grant WHERE client_id = $1 ORDER BY created_at DESC LIMIT 1',
      [agent.clientId],
    )
    return { field, asksFirst: rows[0]?.asks_first, agent }
  }

  test('lets the person choose it for apps that change something, and shows the choice again', async () => {
    const reads = await consent('openid students:read', { scope: 'students:read' })
    expect([reads.field, reads.asksFirst]).toEqual([undefined, false])
    const first = await consent('openid students:write', { ask_first: '1' })
    expect([first.field?.includes('checked'), first.asksFirst]).toEqual([false, true])
    const again = await consent('openid students:write', {}, first.agent)
    expect([again.field?.includes('checked'), again.asksFirst]).toEqual([true, false])
  })
})

describe('a decision', () => {
  test('belongs to the person of the app: the page does not exist for others', async () => {
    const app = await appOf('owner@example.com')
    const asked = await app.call('DELETE', await newStudent(app))
    const other = await signedIn(service, 'other@example.com')
    expect((await other.get(new URL(addressOf(asked)).pathname)).status).toBe(404)
    expect((await other.get('/account/approvals/apr_01jgwejj00e6srgkpqm2sqf05m')).status).toBe(404)
    expect((await other.get('/account/approvals/nonsense')).status).toBe(404)
    const own = await other.get('/account/apps')
    const csrf = /name="csrf" value="([^"]*)"/.exec(own.html)?.[1] ?? ''
    const { seen, offered } = hiddenIn((await app.browser.get(new URL(addressOf(asked)).pathname)).html, /value="once"/)
    await other.post(addressOf(asked), { decision: 'once', csrf, seen: String(seen), offered: String(offered) })
    expect(outcome(await app.call('DELETE', '/students/none'))).not.toEqual([204, undefined])
    const [row] = await service.database.sql.query<{ status: string }>('SELECT status FROM proposal ORDER BY id DESC LIMIT 1')
    expect(row).toEqual({ status: 'submitted' })
  })

  test('needs the form of the page, a known answer, and a browser that is signed in', async () => {
    const app = await appOf('owner@example.com')
    const asked = await app.call('DELETE', await newStudent(app))
    const forged = await app.browser.post(addressOf(asked), { decision: 'once' })
    expect(forged.status).toBeGreaterThanOrEqual(400)
    const shown = await app.browser.get(new URL(addressOf(asked)).pathname)
    const csrf = /name="csrf" value="([^"]*)"/.exec(shown.html)?.[1] ?? ''
    expect((await app.browser.post(addressOf(asked), { decision: 'everything', csrf })).status).toBe(400)
    const visitor = await fetch(addressOf(asked), { redirect: 'manual' })
    expect([visitor.status, new URL(visitor.headers.get('location') ?? '', service.issuer).pathname]).toEqual([303, '/account/sign-in'])
    const [row] = await service.database.sql.query<{ status: string }>('SELECT status FROM proposal ORDER BY id DESC LIMIT 1')
    expect(row).toEqual({ status: 'submitted' })
  })

  test('counts once: a second press says that it was decided', async () => {
    const app = await appOf('owner@example.com')
    const asked = await app.call('DELETE', await newStudent(app))
    const shown = await app.browser.get(new URL(addressOf(asked)).pathname)
    const press = () => app.browser.post(addressOf(asked), hiddenIn(shown.html, /value="once"/))
    const pressed = await Promise.all([press(), press()])
    expect(pressed.map(({ location }) => location?.search).toSorted()).toEqual(['?done=late', '?done=once'])
  })
})
