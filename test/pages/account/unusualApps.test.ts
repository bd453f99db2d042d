import { beforeEach, describe, expect, test } from 'vitest'
import { signalRules } from '../../../src/database/tables/signals.ts'
import { createAgent, personCalled, postJson } from '../../support/agent.ts'
import { duringTests } from '../../support/duringTests.ts'
import { startService } from '../../support/service.ts'
import { field } from '../browser.ts'
import { signedIn } from './account.ts'

const service = duringTests(() => startService({ people: [{ email: 'owner@example.com', role: 'owner' }] }))
const owner = duringTests(() => signedIn(service, 'owner@example.com'))
beforeEach(async () => {
  await service.database.sql.query(`UPDATE school SET app_rules = '{}'`)
  for (const table of ['app_signal', 'grant_use']) await service.database.sql.query(`DELETE FROM ${table}`)
  await service.database.sql.query(`DELETE FROM audit_log WHERE event = 'refresh_token.reused'`)
})

const { threshold } = signalRules.deletions
const { threshold: maxOverwritten } = signalRules.overwrites
const watch = () => service.database.sql.query(`UPDATE school SET app_rules = '{"pause_unusual":true}'`)

/** Runs requests in parallel: fewer than the connections of the database, so that none of them waits for one. */
async function inWaves<Result>(requests: readonly (() => Promise<Result>)[]): Promise<Result[]> {
  const results: Result[] = []
  for (let at = 0; at < requests.length; at += 8) results.push(...(await Promise.all(requests.slice(at, at + 8).map((send) => send()))))
  return results
}

let created = 0
async function connected() {
  const agent = await createAgent(service.issuer, { client_name: `Helper ${++created}` })
  const scope = 'openid courses:read courses:write curriculum:read curriculum:write students:read posts:read posts:write'
  const { body: tokens } = await agent.tokens(personCalled('owner@example.com'), { scope }, { scopes: 'all' })
  const call = (method: string, path: string, headers: Record<string, string> = {}) =>
    fetch(`${service.issuer}/api/v1${path}`, { method, headers: { authorization: `Bearer ${tokens.access_token}`, ...headers } })
  const addPost = async (): Promise<string> => {
    const headers = { authorization: `Bearer ${tokens.access_token}` }
    return (await postJson(`${service.issuer}/api/v1/posts`, { title: 'News' }, headers)).body.id
  }
  const send = async (method: string, path: string, body: object) => {
    const headers = { authorization: `Bearer ${tokens.access_token}`, 'content-type': 'application/json', 'if-match': '*' }
    const response = await fetch(`${service.issuer}/api/v1${path}`, { method, headers, body: JSON.stringify(body) })
    return { status: response.status, body: (await response.json()) as Record<string, string> }
  }
  const addPosts = (count: number) => inWaves(Array.from({ length: count }, () => addPost))
  return { agent, tokens, call, send, addPosts }
}

const signalsOf = (clientId: string) =>
  service.database.sql.query<{ kind: string; counted: number; threshold: number }>(
    'SELECT kind, counted::int AS counted, threshold::int AS threshold FROM app_signal WHERE client_id = $1 ORDER BY kind',
    [clientId],
  )
const eventsOf = (clientId: string) =>
  service.database.sql.query<{ event: string; details: object }>(
    `SELECT event, details FROM audit_log WHERE client_id = $1 AND event IN ('app.unusual', 'school.app_paused') ORDER BY id`,
    [clientId],
  )
const runJob = async () => {
  await service.app.grantUses.flush()
  return await service.app.jobs.find(({ name }) => name === 'watch_apps')?.run()
}

describe('the circuit breaker', () => {
  test('stops an app at its threshold, whatever it sends in parallel, and loses neither a row nor a token', async () => {
    await watch()
    const { agent, call, addPosts } = await connected()
    const posts = await addPosts(threshold + 12)
    const statuses = await inWaves(posts.map((id) => async () => (await call('DELETE', `/posts/${id}`)).status))
    expect(statuses.filter((status) => status === 204)).toHaveLength(threshold)
    expect(statuses.filter((status) => status !== 204 && status !== 403)).toEqual([])
    const [{ left } = { left: 0 }] = await service.database.sql.query<{ left: number }>('SELECT count(*)::int AS left FROM post')
    expect(left).toBe(12)
    const refused = await call('GET', '/posts')
    expect([refused.status, await refused.json()]).toEqual([403, expect.objectContaining({ error: 'access_denied' })])
    expect(await signalsOf(agent.clientId)).toEqual([{ kind: 'deletions', counted: threshold + 1, threshold }])
    expect((await eventsOf(agent.clientId)).map(({ event }) => event)).toEqual(['app.unusual', 'school.app_paused'])

    for (const path of ['/account', '/account/apps']) {
      const { html } = await owner.get(path)
      expect([path, html.replaceAll(/<[^>]+>/g, '')]).toEqual([path, expect.stringMatching(/1 app does something unusual/)])
      expect(html).toMatch(/href="\/account\/school"[^>]*>[^<]*\(1\)/)
    }
    const page = await owner.get('/account/school/apps')
    expect(page.html).toContain(`Deleted within an hour: ${threshold + 1} (usual: at most ${threshold})`)
    const form = { csrf: field(page.html, 'csrf'), client: agent.clientId, list: 'connected' }
    expect((await owner.post('/account/school/apps/continue', form)).status).toBe(303)
    expect((await call('GET', '/posts')).status).toBe(200)
    expect((await owner.get('/account')).html).not.toContain('does something unusual')
    // Earlier deletions no longer count.
    const [rest] = posts.filter((_, at) => statuses[at] === 403)
    expect((await call('DELETE', `/posts/${rest}`)).status).toBe(204)
    // Too many after that pause it again, on the same day.
    const more = await addPosts(threshold)
    const later: number[] = []
    for (const id of more) later.push((await call('DELETE', `/posts/${id}`)).status)
    expect(later).toEqual([...Array(threshold - 1).fill(204), 403])
    expect((await call('GET', '/posts')).status).toBe(403)
    expect((await eventsOf(agent.clientId)).map(({ event }) => event)).toEqual(['app.unusual', 'school.app_paused', 'school.app_paused'])
  })

  test('counts the objects that one request deletes: all lessons of a replaced curriculum', async () => {
    await watch()
    const { agent, send, call } = await connected()
    const course = (await send('POST', '/courses', { title: 'Replaced' })).body.id
    const lessons = Array.from({ length: threshold }, (_, at) => ({ external_id: `lesson-${at}`, title: `Lesson ${at}`, kind: 'text' }))
    const imported = (mode: string, sections: object[]) => send('POST', `/courses/${course}/curriculum/import`, { mode, sections })
    expect(await imported('merge', [{ external_id: 'all', title: 'All', lessons }])).toMatchObject({ status: 200 })
    const replaced = await imported('replace', [{ external_id: 'none', title: 'None', lessons: [] }])
    expect([replaced.status, replaced.body.error]).toEqual([403, 'access_denied'])
    expect(await signalsOf(agent.clientId)).toEqual([{ kind: 'deletions', counted: threshold + 1, threshold }])
    expect((await call('GET', '/posts')).status).toBe(403)
    const [{ left } = { left: 0 }] = await service.database.sql.query<{ left: number }>('SELECT count(*)::int AS left FROM lesson')
    expect(left).toBe(threshold)
  })

  test('counts the objects that an app overwrites, and not those that it adds to', async () => {
    await watch()
    const { agent, send, addPosts } = await connected()
    const [post = ''] = await addPosts(1)
    // The first text is added, and each later one replaces another.
    const change = (at: number) => send('PATCH', `/posts/${post}`, { excerpt: `Excerpt ${at}` })
    for (let at = 0; at < maxOverwritten + 1; at++) expect((await change(at)).status).toBe(200)
    expect((await change(-1)).body).toMatchObject({ error: 'access_denied', error_description: expect.stringContaining('overwrite') })
    expect(await signalsOf(agent.clientId)).toEqual([{ kind: 'overwrites', counted: maxOverwritten + 1, threshold: maxOverwritten }])
  })

  test('counts dry runs as nothing, and pauses no app of a school that does not want it', async () => {
    const { agent, call, addPosts } = await connected()
    const posts = await addPosts(threshold + 2)
    await watch()
    const tried = await inWaves(posts.map((id) => async () => (await call('DELETE', `/posts/${id}`, { 'dry-run': 'true' })).status))
    expect(new Set(tried)).toEqual(new Set([200]))
    expect(await signalsOf(agent.clientId)).toEqual([])
    await service.database.sql.query(`UPDATE school SET app_rules = '{}'`)
    const done = await inWaves(posts.map((id) => async () => (await call('DELETE', `/posts/${id}`)).status))
    expect(new Set(done)).toEqual(new Set([204]))
    expect(await runJob()).toMatchObject({ noticed: 1, paused: 0 })
    expect(await signalsOf(agent.clientId)).toEqual([{ kind: 'deletions', counted: threshold + 2, threshold }])
    expect((await call('GET', '/posts')).status).toBe(200)
  })
})

test('a pause stops 100 parallel calls: none that begins after its response succeeds', async () => {
  const { agent, call } = await connected()
  let pausedAt = Number.POSITIVE_INFINITY
  const late: number[] = []
  let refused = 0
  const calling = Array.from({ length: 100 }, async () => {
    // A call that began before the pause may succeed, so each goes on until it is refused.
    for (;;) {
      const begunAt = performance.now()
      const { status } = await call('GET', '/posts')
      if (status === 403) {
        refused += 1
        return
      }
      if (begunAt > pausedAt) late.push(status)
      if (begunAt > pausedAt) return
    }
  })
  const page = await owner.get('/account/school/apps')
  const paused = await owner.post('/account/school/apps/pause', {
    csrf: field(page.html, 'csrf'),
    client: agent.clientId,
    list: 'connected',
  })
  pausedAt = performance.now()
  expect(paused.status).toBe(303)
  await Promise.all(calling)
  expect([late, refused]).toEqual([[], 100])
})

/** Counts of earlier and current days, as the API would have counted them. */
async function used(
  clientId: string,
  { daysAgo, operation, rows = 0, refused = 0 }: { daysAgo: number; operation: string; rows?: number; refused?: number },
) {
  await service.database.sql.query(
    `INSERT INTO grant_use (school_id, grant_id, day, operation, calls, rows, refused, hour, refused_in_hour)
     SELECT school_id, id, (now() AT TIME ZONE 'UTC')::date - $2::int, $3, 1, $4, $5, extract(hour FROM now() AT TIME ZONE 'UTC')::int, $5
       FROM oidc_grant WHERE client_id = $1
     ON CONFLICT (school_id, grant_id, day, operation) DO UPDATE SET rows = excluded.rows, refused_in_hour = excluded.refused_in_hour`,
    [clientId, daysAgo, operation, rows, refused],
  )
}
const foundFor = async (clientId: string) => {
  await runJob()
  return signalsOf(clientId)
}
const ageClient = (clientId: string) =>
  service.database.sql.query(`UPDATE oidc_client SET created_at = now() - interval '60 days' WHERE id = $1`, [clientId])

describe('the signals of an app', () => {
  test('rows about people are unusual above 500 and above five times the median of the last 14 days', async () => {
    const [busy, quiet, steady] = [await connected(), await connected(), await connected()]
    for (let daysAgo = 1; daysAgo <= 14; daysAgo += 1) {
      await used(busy.agent.clientId, { daysAgo, operation: 'listStudents', rows: 300 })
      await used(steady.agent.clientId, { daysAgo, operation: 'listStudents', rows: daysAgo % 2 === 0 ? 10 : 12 })
    }
    await used(busy.agent.clientId, { daysAgo: 0, operation: 'listStudents', rows: 1501 })
    await used(quiet.agent.clientId, { daysAgo: 0, operation: 'listStudents', rows: 501 })
    await used(steady.agent.clientId, { daysAgo: 0, operation: 'listStudents', rows: 500 })
    await used(steady.agent.clientId, { daysAgo: 0, operation: 'listCourses', rows: 50_000 })
    expect(await foundFor(busy.agent.clientId)).toEqual([{ kind: 'people_rows', counted: 1501, threshold: 1500 }])
    expect(await signalsOf(quiet.agent.clientId)).toEqual([{ kind: 'people_rows', counted: 501, threshold: 500 }])
    expect(await signalsOf(steady.agent.clientId)).toEqual([])
  })

  test('a permission to change things is a signal after 30 quiet days, not for a new app or a permission in use', async () => {
    const [returning, fresh, regular] = [await connected(), await connected(), await connected()]
    for (const { agent } of [returning, regular]) await ageClient(agent.clientId)
    await used(regular.agent.clientId, { daysAgo: 12, operation: 'createPost' })
    await used(returning.agent.clientId, { daysAgo: 31, operation: 'createPost' })
    await used(returning.agent.clientId, { daysAgo: 2, operation: 'listPosts' })
    for (const { agent } of [returning, fresh, regular]) await used(agent.clientId, { daysAgo: 0, operation: 'createPost' })
    expect(await foundFor(returning.agent.clientId)).toEqual([{ kind: 'new_permission', counted: 1, threshold: 0 }])
    expect(await signalsOf(fresh.agent.clientId)).toEqual([])
    expect(await signalsOf(regular.agent.clientId)).toEqual([])
  })

  test('more than 100 refused calls within an hour are a signal, and pause the app of a school that wants it', async () => {
    await watch()
    const [stubborn, modest] = [await connected(), await connected()]
    await used(stubborn.agent.clientId, { daysAgo: 0, operation: 'listOrders', refused: 101 })
    await used(modest.agent.clientId, { daysAgo: 0, operation: 'listOrders', refused: 100 })
    expect(await foundFor(stubborn.agent.clientId)).toEqual([{ kind: 'refused', counted: 101, threshold: 100 }])
    expect(await signalsOf(modest.agent.clientId)).toEqual([])
    expect((await stubborn.call('GET', '/posts')).status).toBe(403)
    expect((await modest.call('GET', '/posts')).status).toBe(200)
  })

  test('refused calls are counted by the hour, and add up', async () => {
    const { agent, call } = await connected()
    for (let at = 0; at < 3; at += 1) expect((await call('GET', '/orders')).status).toBe(403)
    await service.app.grantUses.flush()
    for (let at = 0; at < 2; at += 1) await call('GET', '/orders')
    await service.app.grantUses.flush()
    const hours = () =>
      service.database.sql.query<{ refused: number; in_hour: number }>(
        `SELECT refused::int AS refused, refused_in_hour::int AS in_hour FROM grant_use JOIN oidc_grant g ON g.id = grant_id
          WHERE g.client_id = $1 AND operation = 'listOrders'`,
        [agent.clientId],
      )
    expect(await hours()).toEqual([{ refused: 5, in_hour: 5 }])
    await service.database.sql.query('UPDATE grant_use SET hour = (hour + 23) % 24')
    await call('GET', '/orders')
    await service.app.grantUses.flush()
    expect(await hours()).toEqual([{ refused: 6, in_hour: 1 }])
  })

  test('a refresh token that is used again is a signal', async () => {
    const { agent } = await connected()
    await service.database.sql.query(
      `INSERT INTO audit_log (school_id, id, event, client_id, details)
       SELECT school_id, gen_random_uuid(), 'refresh_token.reused', id, '{}' FROM oidc_client WHERE id = $1`,
      [agent.clientId],
    )
    // A random id can be older than an hour.
    await service.database.sql.query(
      `UPDATE audit_log SET id = (lpad(to_hex(floor(extract(epoch FROM now()) * 1000)::bigint), 12, '0') || '7000' || substr(md5(random()::text), 1, 16))::uuid
        WHERE client_id = $1 AND event = 'refresh_token.reused'`,
      [agent.clientId],
    )
    expect(await foundFor(agent.clientId)).toEqual([{ kind: 'reused_token', counted: 1, threshold: 0 }])
  })

  test('are in one e-mail a day to the owners, which names the app as text and floods nobody', async () => {
    const first = await connected()
    await used(first.agent.clientId, { daysAgo: 0, operation: 'listOrders', refused: 150 })
    const before = (await service.emails()).length
    expect(await runJob()).toMatchObject({ noticed: 1, notified: 1 })
    expect(await runJob()).toMatchObject({ noticed: 0, notified: 0 })
    const second = await connected()
    await used(second.agent.clientId, { daysAgo: 0, operation: 'listOrders', refused: 150 })
    expect(await runJob()).toMatchObject({ noticed: 1, notified: 0 })
    const mails = (await service.emails()).slice(before).filter(({ subject }) => subject.includes('unusual apps'))
    expect(mails.map(({ to }) => to)).toEqual(['owner@example.com'])
    expect(mails[0]?.text).toContain('Refused calls within an hour: 150 (usual: at most 100)')
    expect(mails[0]?.text).toContain(`${service.issuer}/account/school/apps`)
    await service.database.sql.query(`UPDATE app_signal SET mailed_at = now() - interval '25 hours' WHERE mailed_at IS NOT NULL`)
    expect(await runJob()).toMatchObject({ notified: 1 })
  })
})
