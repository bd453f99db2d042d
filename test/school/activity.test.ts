import { describe, expect, test } from 'vitest'
import { inSchool } from '../../src/database/school/inSchool.ts'
import { pauseClient } from '../../src/database/tables/clients.ts'
import { pauseGrants } from '../../src/database/tables/grants.ts'
import { type Agent, type Answer, answer, createAgent, personCalled, postJson, withToken } from '../support/agent.ts'
import { duringTests } from '../support/duringTests.ts'
import { startService } from '../support/service.ts'

const service = duringTests(() => startService({ redis: false, schools: 2 }))

interface Connected {
  email: string
  accountId: string
  agent: Agent
  token: string
  refreshToken: string
}

const scope = 'openid profile account:read account:write courses:read courses:write students:read students:write posts:read posts:write'

let count = 0
async function connected({ role = 'owner' as const, school }: { role?: 'owner' | 'lecturer'; school?: string } = {}): Promise<Connected> {
  const email = `${role}${++count}@example.com`
  const issuer = school ?? service.issuer
  const { accountId } = await service.addPerson({ email, role, school: issuer })
  return await connect(issuer, { email, accountId })
}

async function connect(issuer: string, { email, accountId }: { email: string; accountId: string }): Promise<Connected> {
  const agent = await createAgent(issuer, { client_name: 'Tidy Agent' })
  const { body } = await agent.tokens(personCalled(email), { scope }, { scopes: 'all' })
  return { email, accountId, agent, token: body.access_token, refreshToken: body.refresh_token }
}

const get = ({ agent, token }: Connected, path: string): Promise<Answer> => withToken(`${agent.issuer}/api/v1${path}`, token)
const post = ({ agent, token }: Connected, path: string, body: object, headers: Record<string, string> = {}): Promise<Answer> =>
  postJson(`${agent.issuer}/api/v1${path}`, body, { authorization: `Bearer ${token}`, ...headers })
const patch = ({ agent, token }: Connected, path: string, body: object): Promise<Answer> =>
  answer(
    fetch(`${agent.issuer}/api/v1${path}`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  )
const remove = ({ agent, token }: Connected, path: string): Promise<Answer> =>
  answer(fetch(`${agent.issuer}/api/v1${path}`, { method: 'DELETE', headers: { authorization: `Bearer ${token}` } }))
const authorizations = async (who: Connected) => (await get(who, '/account/authorizations')).body.data
const newCourse = async (who: Connected, title: string, headers = {}): Promise<string> => {
  const { status, body } = await post(who, '/courses', { title }, headers)
  expect([status, body.error_description]).toEqual([201, undefined])
  return body.id
}

describe('the activity of an app', () => {
  test('has a row for each change, the newest first, with what changed, who and why', async () => {
    const who = await connected()
    const id = await newCourse(who, 'Clay From Scratch', { 'agent-reason': 'The spring programme' })
    await patch(who, `/courses/${id}`, { subtitle: 'For beginners' })
    const bulk = await post(who, '/students/bulk', { items: [1, 2, 3].map((at) => ({ email: `s${at}@example.org`, name: `S ${at}` })) })
    expect(bulk.body.summary.succeeded).toBe(3)
    const { status, body } = await get(who, '/account/activity')
    expect(status).toBe(200)
    const undo = { possible: true, until: expect.stringMatching(/Z$/), undone_at: null }
    const by = { kind: 'app', client_id: who.agent.clientId, client_name: 'Tidy Agent' }
    const common = {
      id: expect.stringMatching(/^act_/),
      object: 'activity',
      at: expect.stringMatching(/Z$/),
      by,
      reason: null,
      undo,
      undone: [],
      changes: expect.any(Array),
      outgoing: null,
      affected: expect.any(Array),
      people: expect.any(Number),
      emails: 0,
      emails_due_at: null,
      webhooks: 0,
    }
    const course = { type: 'course', id, label: 'Clay From Scratch', ids: [] }
    const students = { type: 'student', id: null, label: null, ids: expect.arrayContaining([expect.stringMatching(/^std_/)]) }
    expect(body.data).toEqual([
      { ...common, operation: 'bulkStudents', action: 'updated', resource: students, count: 3 },
      { ...common, operation: 'updateCourse', action: 'updated', resource: course, count: 1 },
      { ...common, operation: 'createCourse', action: 'created', resource: course, count: 1, reason: 'The spring programme' },
    ])
    const [{ id: authorization }] = await authorizations(who)
    expect((await get(who, `/account/authorizations/${authorization}/activity`)).body.data).toEqual(body.data)
  })

  test('is filtered by action, by type or id of the object, and by time', async () => {
    const who = await connected()
    const first = await newCourse(who, 'One')
    const second = await newCourse(who, 'Two')
    await remove(who, `/courses/${first}`)
    await patch(who, `/courses/${second}`, { subtitle: 'Changed' })
    const bulk = await post(who, '/students/bulk', { items: [{ email: 'one@example.org', name: 'One' }] })
    const operations = async (query: string) =>
      (await get(who, `/account/activity?${query}`)).body.data.map(({ operation }: { operation: string }) => operation)
    expect(await operations('action=deleted')).toEqual(['deleteCourse'])
    expect(await operations('action=created')).toEqual(['createCourse', 'createCourse'])
    expect(await operations('action=updated')).toEqual(['bulkStudents', 'updateCourse'])
    expect(await operations('resource=student')).toEqual(['bulkStudents'])
    expect(await operations(`resource=${bulk.body.results[0].id}`)).toEqual(['bulkStudents'])
    expect(await operations(`resource=${first}`)).toEqual(['deleteCourse', 'createCourse'])
    expect(await operations(`resource=${first}&action=created`)).toEqual(['createCourse'])
    expect(await operations('resource=cours')).toEqual([])
    const { data: entries } = (await get(who, '/account/activity')).body
    expect(await operations(`since=${entries[0].at}`)).toEqual(['bulkStudents'])
    expect(await operations(`until=${entries[3].at}`)).toEqual(['createCourse'])
    expect((await get(who, '/account/activity?since=yesterday')).status).toBe(400)
    expect((await get(who, '/account/activity?action=renamed')).status).toBe(400)
  })

  test('is a list with cursors in both directions, each of which belongs to its filter', async () => {
    const who = await connected()
    const titles = Array.from({ length: 7 }, (_, at) => `Course ${at}`)
    for (const title of titles) await newCourse(who, title)
    const page = async (query: string) => (await get(who, `/account/activity?resource=course&limit=3${query}`)).body
    const labels = ({ data }: Answer['body']) => data.map(({ resource }: { resource: { label: string } }) => resource.label)
    const first = await page('')
    const second = await page(`&cursor=${first.page.next_cursor}`)
    const third = await page(`&cursor=${second.page.next_cursor}`)
    expect([first, second, third].flatMap(labels)).toEqual(titles.toReversed())
    expect([first, second, third].map(({ page: { has_more, prev_cursor } }) => [has_more, prev_cursor !== null])).toEqual([
      [true, false],
      [true, true],
      [false, true],
    ])
    const back = await page(`&cursor=${third.page.prev_cursor}`)
    expect(labels(back)).toEqual(labels(second))
    const start = await page(`&cursor=${back.page.prev_cursor}`)
    expect([labels(start), start.page.prev_cursor]).toEqual([labels(first), null])
    expect((await get(who, `/account/activity?limit=3&cursor=${first.page.next_cursor}`)).body.error).toBe('invalid_cursor')
    expect((await get(await connected(), `/account/activity?resource=course&limit=3&cursor=${first.page.next_cursor}`)).body.error).toBe(
      'invalid_cursor',
    )
  })

  test('is that of the own app and the own account: others answer as one that does not exist', async () => {
    const [owner, lecturer, elsewhere] = [
      await connected(),
      await connected({ role: 'lecturer' }),
      await connected({ school: service.other }),
    ]
    await newCourse(owner, 'Of the owner')
    const [{ id }] = await authorizations(owner)
    const unknown = await get(lecturer, '/account/authorizations/aut_01jgwejj00e6srgkpqm2sqf05m/activity')
    expect(unknown.status).toBe(404)
    for (const other of [lecturer, elsewhere]) {
      const { status, body } = await get(other, `/account/authorizations/${id}/activity`)
      expect([status, body.error, body.error_description]).toEqual([404, 'not_found', unknown.body.error_description])
      expect((await get(other, '/account/activity')).body.data).toEqual([])
    }
    // Another app of the same person has another activity, and may read that of the first.
    const second = await connect(service.issuer, owner)
    expect((await get(second, '/account/activity')).body.data).toEqual([])
    expect((await get(second, `/account/authorizations/${id}/activity`)).body.data).toHaveLength(1)
  })

  test('needs the scope that reads the account', async () => {
    const { email } = await connected()
    const agent = await createAgent(service.issuer)
    const { body } = await agent.tokens(personCalled(email), { scope: 'openid courses:read' }, { scopes: 'all' })
    for (const path of ['/activity', '/authorizations/aut_01jgwejj00e6srgkpqm2sqf05m/activity'])
      expect((await withToken(`${service.issuer}/api/v1/account${path}`, body.access_token)).body.error).toBe('insufficient_scope')
  })
})

describe('an authorization', () => {
  test('says when it was really last used, and how much it changed in 30 days', async () => {
    const who = await connected()
    await service.database.sql.query("UPDATE oidc_grant SET last_used_at = now() - interval '55 minutes' WHERE account_id = $1", [
      who.accountId,
    ])
    const before = Date.now()
    await newCourse(who, 'New')
    await newCourse(who, 'Old')
    await service.database.sql.query(
      `UPDATE audit_log SET id = overlay(id::text placing '00000000-0000' from 1 for 13)::uuid
        WHERE account_id = $1 AND details #>> '{resource,label}' = 'Old'`,
      [who.accountId],
    )
    await service.app.grantUses.flush()
    const [authorization] = await authorizations(who)
    expect(authorization).toMatchObject({ changes_30d: 1, paused_at: null })
    expect(Date.parse(authorization.last_used_at)).toBeGreaterThanOrEqual(before)
  })
})

describe('the counters of calls', () => {
  const counters = async ({ accountId }: Connected) => {
    await service.app.grantUses.flush()
    const rows = await service.database.sql.query<{ operation: string; calls: number; rows: number; refused: number }>(
      `SELECT operation, calls::int, rows::int, refused::int FROM grant_use
        WHERE grant_id IN (SELECT id FROM oidc_grant WHERE account_id = $1)`,
      [accountId],
    )
    return Object.fromEntries(rows.map(({ operation, ...numbers }) => [operation, Object.values(numbers)]))
  }

  test('have every call with a token: reads and writes with their rows, refused ones separately', async () => {
    const who = await connected()
    const id = await newCourse(who, 'One')
    await newCourse(who, 'Two')
    const shown = (await get(who, '/courses?limit=100')).body.data.length
    await get(who, '/courses?limit=1')
    await get(who, `/courses/${id}`)
    await get(who, '/courses/crs_01jgwejj00e6srgkpqm2sqf05m')
    await get(who, '/orders')
    await post(who, '/courses', { nothing: true })
    await post(who, '/students/bulk', { items: [1, 2].map((at) => ({ email: `c${count}${at}@example.org`, name: 'A Name' })) })
    const { authorization } = { authorization: `Bearer ${who.token}` }
    const file = await fetch(`${service.issuer}/api/v1/courses`, { headers: { authorization, accept: 'text/csv' } })
    expect((await file.text()).trim().split('\r\n')).toHaveLength(shown + 1)
    await (await fetch(`${service.issuer}/api/v1/courses`, { method: 'HEAD', headers: { authorization, accept: 'text/csv' } })).text()
    await get(who, '/changes?types=course&cursor=latest')
    const found = (await get(who, '/search?q=one')).body.data.length
    await remove(who, `/courses/${id}`)
    // Without a token, and with one that is not valid, nothing is counted.
    await fetch(`${service.issuer}/api/v1/courses`)
    await get({ ...who, token: 'not-a-token-of-anybody' }, '/courses')
    expect(await counters(who)).toEqual({
      createCourse: [2, 2, 1],
      listCourses: [4, 2 * shown + 1, 0],
      getCourse: [1, 1, 1],
      listOrders: [0, 0, 1],
      bulkStudents: [1, 2, 0],
      listChanges: [1, 0, 0],
      listSearchResults: [1, found, 0],
      deleteCourse: [1, 0, 0],
    })
  })

  test('have the rows of an export of the account', async () => {
    const who = await connected()
    const { body } = await get(who, '/account/export')
    const rows = Object.values<unknown>(body).flatMap((member) => (Array.isArray(member) ? member : []))
    const { exportAccount } = await counters(who)
    const ownLists = body.authorizations.length + body.sessions.length
    expect(exportAccount).toEqual([1, rows.length - ownLists, 0])
    const [use] = (await get(who, '/account/export')).body.uses_of_apps
    expect(use).toMatchObject({ grant_id: body.authorizations[0].id, operation: 'exportAccount', calls: 1, refused: 0 })
    expect(use.day).toBe(new Date().toISOString().slice(0, 10))
  })

  test('do not count what the person does on the pages of their account', async () => {
    const who = await connected()
    await get(who, '/account')
    expect(Object.keys(await counters(who))).toEqual(['getAccount'])
  })
})

describe('a paused app', () => {
  const grants = (who: Connected) => ({ accountId: who.accountId, clientId: who.agent.clientId })
  const pause = (who: Connected, isPaused: boolean) =>
    service.database.transaction((writer) => pauseGrants(inSchool(writer, service.schoolId()), { ...grants(who), isPaused }))

  test('is refused with the next call, keeps its tokens, and goes on when it is continued', async () => {
    const who = await connected()
    expect((await get(who, '/courses')).status).toBe(200)
    expect(await pause(who, true)).toHaveLength(1)
    const refused = await get(who, '/courses')
    expect([refused.status, refused.body.error, refused.headers.get('www-authenticate')]).toEqual([403, 'access_denied', null])
    expect(refused.body.error_description).toContain(`${service.issuer}/account/apps`)
    expect((await withToken(`${service.issuer}/api/oauth/userinfo`, who.token)).body.error).toBe('access_denied')
    // A client that refreshes keeps its access: otherwise it would throw its tokens away.
    const refreshed = await who.agent.refresh(who.refreshToken)
    expect(refreshed.status).toBe(200)
    const after = { ...who, token: refreshed.body.access_token }
    expect((await get(after, '/courses')).body.error).toBe('access_denied')
    expect(await pause(who, true)).toEqual([])
    expect(await pause(who, false)).toHaveLength(1)
    expect((await get(after, '/courses')).status).toBe(200)
    expect((await get(who, '/courses')).status).toBe(200)
  })

  test('is shown as paused, and the refused calls are counted', async () => {
    const who = await connected()
    const second = await connect(service.issuer, who)
    await pause(who, true)
    await get(who, '/courses')
    await service.app.grantUses.flush()
    const of = async (clientId: string) =>
      (await authorizations(second)).find(({ client }: { client: { client_id: string } }) => client.client_id === clientId)
    expect((await of(who.agent.clientId)).paused_at).toMatch(/Z$/)
    expect((await of(second.agent.clientId)).paused_at).toBeNull()
    const [use] = await service.database.sql.query(
      'SELECT calls::int, refused::int FROM grant_use WHERE grant_id = (SELECT id FROM oidc_grant WHERE client_id = $1)',
      [who.agent.clientId],
    )
    expect(use).toEqual({ calls: 0, refused: 1 })
  })

  test('by the school is refused for everybody, and the person cannot continue it', async () => {
    const who = await connected()
    const school = (isPaused: boolean) =>
      service.database.transaction((writer) => pauseClient(inSchool(writer, service.schoolId()), who.agent.clientId, isPaused))
    expect(await school(true)).toBe(true)
    expect(await pause(who, false)).toEqual([])
    const refused = await get(who, '/courses')
    expect([refused.status, refused.body.error]).toEqual([403, 'access_denied'])
    expect(refused.body.error_description).toContain('The school has paused this app')
    expect(await school(false)).toBe(true)
    expect((await get(who, '/courses')).status).toBe(200)
  })
})
