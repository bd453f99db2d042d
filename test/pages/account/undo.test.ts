import { expect, test } from 'vitest'
import { fromPublicId, toPublicId } from '../../../src/base/ids.ts'
import { createAgent, personCalled } from '../../support/agent.ts'
import { duringTests } from '../../support/duringTests.ts'
import { changedTables, dumpSchool } from '../../support/schoolDump.ts'
import { startService } from '../../support/service.ts'
import { send, signedIn } from './account.ts'

const service = duringTests(() => startService({ redis: false }))

const scope =
  'openid account:read account:write courses:read courses:write curriculum:read curriculum:write posts:read posts:write students:read students:write'

/** The text of a page, without tags. */
const textOf = (html: string): string =>
  html
    .replaceAll(/<(script|style)[\s\S]*?<\/\1>/g, '')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/\s+/g, ' ')

const dump = () => dumpSchool(service.database.sql, service.schoolId(), { withTraces: false })

/** Returns calls of the API by an app of a person. */
async function appOf(email: string) {
  const agent = await createAgent(service.issuer, { client_name: 'Tidy Agent' })
  const { body } = await agent.tokens(personCalled(email), { scope }, { scopes: 'all' })
  return async (method: string, path: string, sent: object = {}): Promise<Record<string, unknown>> => {
    const response = await fetch(`${service.issuer}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${body.access_token}`, ...(method !== 'DELETE' && { 'content-type': 'application/json' }) },
      ...(method !== 'DELETE' && { body: JSON.stringify(sent) }),
    })
    expect(response.status, `${method} ${path}`).toBeLessThan(300)
    return response.status === 204 ? {} : ((await response.json()) as Record<string, unknown>)
  }
}

/** Enrols so many more learners in a course, who have started every lesson of it. */
async function addProgress(courseId: string, learners: number): Promise<void> {
  const values = [service.schoolId(), fromPublicId('crs', courseId)]
  const { sql } = service.database
  await sql.query(
    `INSERT INTO person (school_id, id, email, name, is_student)
       SELECT $1, gen_random_uuid(), 'enrolled' || number || '@example.org', 'Learner', true FROM generate_series(1, $2::int) AS number`,
    [service.schoolId(), learners],
  )
  await sql.query(
    `INSERT INTO enrollment (school_id, id, person_id, course_id, source)
       SELECT school_id, gen_random_uuid(), id, $2, 'manual' FROM person WHERE school_id = $1 AND email LIKE 'enrolled%'`,
    values,
  )
  await sql.query(
    `INSERT INTO lesson_progress (school_id, id, enrollment_id, lesson_id, course_id, person_id, position_seconds)
       SELECT $1, gen_random_uuid(), enrollment.id, lesson.id, $2, enrollment.person_id, 60
         FROM enrollment JOIN lesson USING (school_id, course_id) WHERE school_id = $1 AND course_id = $2`,
    values,
  )
}

const progressRows = async (): Promise<number> =>
  Number((await service.database.sql.query<{ count: string }>('SELECT count(*) FROM lesson_progress'))[0]?.count)

test('the owner sees what an app damaged, tries to take it back, takes it back, and the school is as before', async () => {
  const owner = await service.addPerson({ email: 'owner@example.com', role: 'owner' })
  const prepare = await appOf('owner@example.com')
  const course = await prepare('POST', '/courses', { title: 'Clay From Scratch' })
  for (let index = 0; index < 10; index++) {
    const section = await prepare('POST', `/courses/${course.id}/sections`, { title: `Section ${index}` })
    for (let lesson = 0; lesson < 3; lesson++)
      await prepare('POST', `/sections/${section.id}/lessons`, { title: `Lesson ${lesson}`, kind: 'text' })
  }
  const post = await prepare('POST', '/posts', { title: 'Not yet', content: 'A draft.' })
  const people = Array.from({ length: 100 }, (_, index) => ({ name: `Learner ${index}`, email: `learner${index}@example.org` }))
  await prepare('POST', '/students/bulk', { items: people })
  await addProgress(String(course.id), 117)
  const before = await dump()

  const damage = await appOf('owner@example.com')
  for (const note of ['Spoiled', 'Spoiled again'])
    await damage('POST', '/students/bulk', { mode: 'upsert', items: people.map(({ email }) => ({ email, note })) })
  const rows = await service.database.sql.query<{ id: string }>('SELECT id FROM section WHERE school_id = $1 ORDER BY position', [
    service.schoolId(),
  ])
  expect(rows).toHaveLength(10)
  for (const { id } of rows) await damage('DELETE', `/sections/${toPublicId('sec', id)}?cascade=true`)
  await damage('POST', `/posts/${post.id}/publish`)
  expect(changedTables(before, await dump())).toEqual(
    expect.arrayContaining(['course', 'lesson', 'lesson_progress', 'person', 'post', 'section']),
  )
  expect(await progressRows()).toBe(0)

  const browser = await signedIn(service, 'owner@example.com')
  const deleted = await browser.get('/account/school/audit?event=deleted')
  expect(deleted.html.match(/href="\/account\/undo\/act_\w+"/g)).toHaveLength(10)
  expect(textOf(deleted.html)).toContain('Deleted the section “Section 9”')
  const grants = await service.database.sql.query<{ client_id: string }>(
    'SELECT client_id FROM oidc_grant WHERE account_id = $1 ORDER BY created_at DESC LIMIT 1',
    [owner.accountId],
  )
  const page = await browser.get(`/account/school/apps/${grants[0]?.client_id}`)
  expect(textOf(page.html)).toContain('Published the post “Not yet”')
  // The last link is that of the oldest request.
  const links = [...page.html.matchAll(/href="(\/account\/undo\/[^"]*\/since[^"]*)"/g)].map(([, path = '']) =>
    path.replaceAll('&amp;', '&'),
  )
  expect(links).toHaveLength(13)
  const preview = await browser.get(links.at(-1) as string)
  expect(textOf(preview.html)).toContain('13 requests are taken back.')
  expect(/What comes back.*?Take it back/.exec(textOf(preview.html))?.[0]).toContain('Restored: 30 lessons')
  expect(textOf(preview.html)).toContain('Restored: the progress of 3,510 students')
  expect(changedTables(before, await dump())).toContain('lesson')
  const done = await browser.follow(await send(browser, preview, {}, /since$/))
  expect(textOf(done.html)).toContain('It has been taken back.')
  expect(textOf(done.html)).toContain('Nothing is left to take back.')
  expect(changedTables(before, await dump())).toEqual([])
  expect(await progressRows()).toBe(117 * 30)
  expect(textOf((await browser.get(page.url.pathname)).html)).toContain('Taken back')
})

test('a lecturer who does not teach the course any more reads why nothing comes back', async () => {
  await service.addPerson({ email: 'lecturer@example.com', role: 'lecturer' })
  const call = await appOf('lecturer@example.com')
  // Without a profile as a lecturer, the person does not teach the course.
  const course = await call('POST', '/courses', { title: 'Not theirs' })
  const [entry] = await service.database.sql.query<{ id: string }>(
    'SELECT id FROM audit_log WHERE school_id = $1 ORDER BY id DESC LIMIT 1',
    [service.schoolId()],
  )
  const browser = await signedIn(service, 'lecturer@example.com')
  const page = await browser.get(`/account/undo/${toPublicId('act', entry?.id ?? '')}`)
  expect([page.status, textOf(page.html)]).toEqual([200, expect.stringContaining('You do not have permission any more')])
  expect(page.html).not.toContain('Take it back')
  const rows = await service.database.sql.query('SELECT id FROM course WHERE title = $1', [course.title])
  expect(rows).toHaveLength(1)
})

test('the activity, the dry run and the page before taking back name the field, the value before and the value after', async () => {
  await service.addPerson({ email: 'pricing@example.com', role: 'owner' })
  const call = await appOf('pricing@example.com')
  const names = ['Kerzenzeit', 'Свечи', 'شموع', '蜡烛季', 'मोमबत्ती', 'Κεριά']
  for (const title of names) {
    const course = await call('POST', '/courses', { title, access: 'paid', price: { amount: 5900, currency: 'EUR' } })
    await call('PATCH', `/courses/${course.id}`, { price: { amount: 9900, currency: 'EUR' }, title: `${title} 2` })
  }
  const browser = await signedIn(service, 'pricing@example.com')
  const apps = await browser.get('/account/apps')
  const [, app = ''] = /href="(\/account\/apps\/aut_[^"]+)"/.exec(apps.html) ?? []
  const page = await browser.get(app)
  for (const title of names) expect(textOf(page.html)).toContain(`Title: ${title} → ${title} 2`)
  expect(textOf(page.html)).toContain('Price: €59.00 → €99.00')
  const [, undo = ''] = /href="(\/account\/undo\/act_\w+)"/.exec(page.html) ?? []
  const before = await browser.get(undo)
  expect(textOf(before.html)).toContain('Price of the course “Κεριά”: €99.00 → €59.00')
  const done = await browser.follow(await send(browser, before, {}))
  expect(textOf(done.html)).toContain('It has been taken back.')
  expect(textOf((await browser.get(app)).html)).toContain('Price: €59.00 → €99.00')
})
