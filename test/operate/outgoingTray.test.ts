import { beforeAll, describe, expect, test } from 'vitest'
import { signedIn } from '../pages/account/account.ts'
import { type Browser, field } from '../pages/browser.ts'
import { type Agent, type Answer, answer, createAgent, personCalled } from '../support/agent.ts'
import { databasesToTest } from '../support/databases.ts'
import { duringTests } from '../support/duringTests.ts'
import { type ServiceOptions, startService } from '../support/service.ts'

const delay = 300
const people: ServiceOptions['people'] = [
  { email: 'owner@example.com', role: 'owner' },
  { email: 'admin@example.com', role: 'admin' },
  { email: 'learner@example.com' },
]
const webhooks = [{ name: 'copy', url: 'https://copy.example.com/hook', types: ['enrollment', 'course', 'student'], secrets: ['env:A'] }]

describe.each(await databasesToTest())('messages of an app wait, on $name', ({ open }) => {
  const service = duringTests(() =>
    startService({
      open,
      people,
      school: { webhooks },
      server: { apps: { outgoing_delay: delay } },
      variables: { A: `whsec_${Buffer.alloc(32).toString('base64')}` },
    }),
  )
  const sql = <Row extends object>(text: string, values: readonly unknown[] = []) => service.database.sql.query<Row>(text, values)

  async function connected(email: string) {
    const agent = await createAgent(service.issuer)
    const scope = 'openid account:read account:write courses:read courses:write students:read students:write'
    const { body } = await agent.tokens(personCalled(email), { scope }, { scopes: 'all' })
    const call = (method: string, path: string, sent?: object, more: Record<string, string> = {}): Promise<Answer> =>
      answer(
        fetch(`${service.issuer}/api/v1${path}`, {
          method,
          headers: { authorization: `Bearer ${body.access_token}`, 'if-match': '*', 'content-type': 'application/json', ...more },
          ...(sent && { body: JSON.stringify(sent) }),
        }),
      )
    return { agent, call }
  }

  let app: Awaited<ReturnType<typeof connected>>
  let course: string
  beforeAll(async () => {
    app = await connected('owner@example.com')
    course = (await app.call('POST', '/courses', { title: 'Raku' })).body.id
    await sql(`UPDATE course SET status = 'published', published_at = now()`)
  })

  let added = 0
  /** Enrols a new student: an e-mail to the student, and webhooks. */
  async function enrol(): Promise<{ email: string; activity: string; enrollment: string }> {
    const email = `student${++added}@example.com`
    const student = await app.call('POST', '/students', { email, name: 'Ida' })
    const { status, body } = await app.call('POST', '/enrollments', { student_id: student.body.id, course_id: course, notify: true })
    expect([status, body.error_description]).toEqual([201, undefined])
    const { body: list } = await app.call('GET', '/account/activity?limit=1')
    return { email, activity: list.data[0].id, enrollment: body.id }
  }
  const outgoing = async (activity: string) =>
    (await app.call('GET', '/account/activity?limit=100')).body.data.find(({ id }: { id: string }) => id === activity)?.outgoing
  const makeDue = () => sql(`UPDATE outbox SET next_at = now() WHERE state = 'pending' AND kind = 'email'`)
  const mailTo = async (email: string) => (await service.emails()).filter(({ to }) => to === email)
  const webhooksOf = (type: string) =>
    sql<{ action: string; activity: string | null; wait: number }>(
      `SELECT payload ->> 'action' AS action, activity_id AS activity, extract(epoch FROM next_at - created_at)::int AS wait
         FROM outbox WHERE kind = 'webhook' AND payload ->> 'type' = $1 ORDER BY id`,
      [type],
    )
  const stop = (activity: string, by = app) => by.call('POST', `/account/activity/${activity}/stop-emails`)

  test('an e-mail waits, is shown with its time, and leaves when it is due', async () => {
    const { email, activity } = await enrol()
    expect(await mailTo(email)).toEqual([])
    const shown = await outgoing(activity)
    expect(shown).toEqual({ emails: 1, announcements: 0, stopped: 0, leaves_at: expect.any(String) })
    const left = (new Date(shown.leaves_at).getTime() - Date.now()) / 1000
    expect(left).toBeGreaterThan(delay - 120)
    expect(left).toBeLessThanOrEqual(delay)
    await makeDue()
    await expect.poll(async () => (await mailTo(email)).length, { timeout: 10_000 }).toBe(1)
    expect(await outgoing(activity)).toBeNull()
  })

  test('a webhook of an app waits as long, that of a person does not, and the change feed has both immediately', async () => {
    await sql('DELETE FROM outbox')
    await app.call('PATCH', `/courses/${course}`, { subtitle: 'By hand' })
    expect(await webhooksOf('course')).toEqual([{ action: 'updated', activity: expect.any(String), wait: delay }])
    const [feed] = await sql<{ count: number }>(
      `SELECT count(*)::int AS count FROM change_log WHERE type = 'course' AND action = 'updated'`,
    )
    expect(feed?.count).toBe(1)
  })

  test('stopped e-mails are never sent, and the change stays', async () => {
    const { email, activity, enrollment } = await enrol()
    expect((await stop(activity)).body).toMatchObject({ emails: 1 })
    await makeDue()
    expect(await mailTo(email)).toEqual([])
    expect(await outgoing(activity)).toEqual({ emails: 0, announcements: 0, stopped: 1, leaves_at: null })
    expect((await app.call('GET', `/enrollments/${enrollment}`)).status).toBe(200)
    expect((await stop(activity)).body.error).toBe('invalid_state')
    const [entry] = await sql<{ details: object }>(`SELECT details FROM audit_log WHERE event = 'activity.emails_stopped'`)
    expect(entry?.details).toEqual({ activity, by: 'app', emails: 1, announcements: 0 })
  })

  test('after a change is taken back in time, nobody gets an e-mail, and receivers get neither of the two changes', async () => {
    const { email, activity } = await enrol()
    await sql(`DELETE FROM outbox WHERE kind = 'webhook' AND payload ->> 'type' = 'student'`)
    expect((await webhooksOf('enrollment')).length).toBeGreaterThan(0)
    const undone = await app.call('POST', `/account/activity/${activity}/undo`, {})
    expect(undone.status).toBe(200)
    await makeDue()
    expect(await mailTo(email)).toEqual([])
    const left = await sql(
      `SELECT id FROM outbox WHERE payload ->> 'resource_id' = (SELECT resource_id::text FROM change_log WHERE type = 'enrollment' ORDER BY id DESC LIMIT 1)`,
    )
    expect(left).toEqual([])
    const feed = await sql<{ action: string }>(
      `SELECT action FROM change_log WHERE type = 'enrollment' AND resource_id = (SELECT resource_id FROM change_log WHERE type = 'enrollment' ORDER BY id DESC LIMIT 1) ORDER BY id`,
    )
    expect(feed.map(({ action }) => action)).toEqual(['created', 'deleted'])
  })

  test('an object that somebody else changed meanwhile keeps its webhooks in order', async () => {
    await sql('DELETE FROM outbox')
    await app.call('PATCH', `/courses/${course}`, { subtitle: 'First' })
    const { body } = await app.call('GET', '/account/activity?limit=1')
    const other = await connected('admin@example.com')
    await other.call('PATCH', `/courses/${course}`, { title: 'Second' })
    expect((await app.call('POST', `/account/activity/${body.data[0].id}/undo`, {})).status).toBe(200)
    expect((await webhooksOf('course')).map(({ action }) => action)).toEqual(['updated', 'updated', 'updated'])
  })

  test('codes and notices about the security of an account never wait', async () => {
    const { call } = await connected('learner@example.com')
    expect((await call('POST', '/account/email', { email: 'new@example.com' })).status).toBe(202)
    expect(await mailTo('new@example.com')).toHaveLength(1)
  })

  test('a dry run says when its e-mails would leave', async () => {
    const student = await app.call('POST', '/students', { email: 'dry@example.com', name: 'Ida' })
    const tried = await app.call(
      'POST',
      '/enrollments',
      { student_id: student.body.id, course_id: course, notify: true },
      { 'dry-run': 'true' },
    )
    expect(tried.body.dry_run).toMatchObject({ emails: 1, emails_due_at: expect.any(String) })
    const quiet = await app.call('PATCH', `/courses/${course}`, { subtitle: 'Dry' }, { 'dry-run': 'true' })
    expect(quiet.body.dry_run).toMatchObject({ emails: 0, emails_due_at: null })
  })

  describe('attacks', () => {
    test('no other app stops the e-mails, of the same person or of another', async () => {
      const { email, activity } = await enrol()
      for (const who of ['owner@example.com', 'admin@example.com', 'learner@example.com']) {
        const other = await connected(who)
        expect([who, (await stop(activity, other)).status]).toEqual([who, 404])
      }
      await makeDue()
      await expect.poll(async () => (await mailTo(email)).length, { timeout: 10_000 }).toBe(1)
    })

    test('an app does not stop the e-mails of a request that a person approved', async () => {
      const { activity } = await enrol()
      await sql(`UPDATE audit_log SET details = details || '{"approval":"x"}' WHERE details ->> 'operation' = 'createEnrollment'`)
      expect((await stop(activity)).body.error).toBe('access_denied')
      expect(await outgoing(activity)).toMatchObject({ emails: 1 })
    })
  })

  const pageOf = async (browser: Browser, { clientId }: Agent) => {
    const apps = await browser.get('/account/apps')
    const paths = [...apps.html.matchAll(/href="(\/account\/apps\/aut_\w+)"/g)].map(([, path = '']) => path)
    for (const path of paths) {
      const page = await browser.get(path)
      if (page.html.includes(clientId)) return page
    }
    throw new Error('the app has no page')
  }

  test.each([
    ['en', 'Stop the e-mails', /1 e-mail leaves on/, 'Nobody gets them.'],
    ['de', 'E-Mails stoppen', /1 E-Mail geht am .* hinaus/, 'Niemand bekommt sie.'],
  ])('a person stops them on the page of the app, in %s', async (language, button, line, done) => {
    const { email, activity } = await enrol()
    await sql('UPDATE account SET locale = $1', [language])
    const browser = await signedIn(service, 'owner@example.com')
    const page = await pageOf(browser, app.agent)
    expect(page.html.replaceAll(/<[^>]+>/g, '')).toMatch(line)
    expect(page.html).toContain(button)
    const address = `/account/undo/${activity}/emails`
    expect((await browser.post(address, { csrf: field(page.html, 'csrf') })).status).toBe(303)
    expect((await browser.get(`${address}?done=stopped`)).html).toContain(done)
    await makeDue()
    expect(await mailTo(email)).toEqual([])
  })
})
