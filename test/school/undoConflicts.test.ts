import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fromPublicId, newId, toPublicId } from '../../src/base/ids.ts'
import { newPeople } from '../support/community.ts'
import { databasesToTest } from '../support/databases.ts'
import { type DemoApi, type Reply, startDemoApi } from './demoApi.ts'
import { actor } from './derived/everyWrite.ts'

describe.each(await databasesToTest())('taking back next to the work of others, on $name', ({ open }) => {
  let api: DemoApi
  beforeAll(async () => {
    api = await startDemoApi(await open())
  })
  afterAll(() => api?.stop())

  const query = <Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> =>
    api.database.sql.query<Row>(text, [api.school.id, ...values])
  const get = async (path: string) => (await api.get(`/api/v1/${path}`, { as: actor })).json
  const undo = (activity: string, body = {}, headers = {}): Promise<Reply> =>
    api.send(`/api/v1/account/activity/${activity}/undo`, { as: actor, body, headers })

  async function done(path: string, body?: object, method = 'POST') {
    const reply = await api.send(`/api/v1/${path}`, { as: actor, body, method, headers: { 'if-match': '*' } })
    expect(reply.status, reply.text).toBeLessThan(300)
    const [entry] = await query<{ id: string }>('SELECT id FROM audit_log WHERE school_id = $1 ORDER BY id DESC LIMIT 1')
    return { id: String(reply.json.id), activity: toPublicId('act', entry?.id ?? '') }
  }

  test('an added row stays while others refer to it, also by what would become empty with it', async () => {
    const lecturer = await done('lecturers', { display_name: 'Ida' })
    const post = await done('posts', { title: 'Ash', author_lecturer_id: lecturer.id })
    const refused = await undo(lecturer.activity)
    expect([refused.status, refused.json.error]).toEqual([409, 'resource_in_use'])
    expect(refused.json.error_description).toBe('The lecturer stays, because it has 1 post of others. Remove that first.')
    expect((await undo(lecturer.activity, { conflicts: 'keep' })).status).toBe(409)
    expect((await get(`posts/${post.id}`)).author).toMatchObject({ lecturer_id: lecturer.id })
    // A deletion by hand reports whom it leaves without an author, and brings that back.
    const path = `/api/v1/lecturers/${lecturer.id}`
    const tried = await api.send(path, { method: 'DELETE', as: actor, headers: { 'dry-run': 'true' } })
    expect((tried.json.dry_run as { affected: object[] }).affected).toContainEqual({ type: 'post', action: 'updated', count: 1 })
    const deletion = await done(`lecturers/${lecturer.id}`, undefined, 'DELETE')
    expect((await get(`posts/${post.id}`)).author).toMatchObject({ lecturer_id: null })
    expect((await undo(deletion.activity)).status).toBe(200)
    expect((await get(`posts/${post.id}`)).author).toMatchObject({ lecturer_id: lecturer.id })
    // A product in a coupon and a comment have no foreign key.
    const course = await done('courses', { title: 'In a coupon' })
    const coupon = {
      code: 'RAKU',
      discount: { type: 'percent', percent_off: 10 },
      applies_to: { items: [{ type: 'course', id: course.id }] },
    }
    await done('coupons', coupon)
    expect((await undo(course.activity)).json.error_description).toContain('1 coupon item of others')
  })

  test('a row that stays names its reason, and does not count as taken back', async () => {
    const course = await done('courses', { title: 'Glazes' })
    const section = await done(`courses/${course.id}/sections`, { title: 'Of somebody else' })
    const lines: unknown[] = []
    for (const headers of [{ 'dry-run': 'true' }, {}]) {
      const kept = await undo(course.activity, { conflicts: 'keep' }, headers)
      lines.push([kept.status, kept.json.error, kept.json.error_description])
    }
    const line = [
      409,
      'resource_in_use',
      "The course 'Glazes' stays, because it has 1 section of others. Nothing else is left to take back.",
    ]
    expect(lines).toEqual([line, line])
    const all = await api.send('/api/v1/account/activity/undo', {
      as: actor,
      body: { client_id: 'cli_test', since: course.activity, conflicts: 'keep' },
    })
    expect(all.json.undone).toEqual([section.activity, course.activity])
    expect((await undo(course.activity)).json.error_description).toBe('This request has been taken back already.')
  })

  test('a conflict names the object, the time, and both values', async () => {
    const course = await done('courses', { title: 'Slips' })
    const { activity } = await done(`courses/${course.id}`, { subtitle: 'Spoiled' }, 'PATCH')
    const before = await done(`courses/${course.id}`, { subtitle: 'By hand' }, 'PATCH')
    const refused = await undo(activity)
    const [detail] = refused.json.details as { field: string; message: string }[]
    expect(detail?.field).toBe('subtitle')
    expect(detail?.message).toMatch(/^subtitle: the course 'Slips' was changed since, last at 20\d\d-\S+Z/)
    const again = await done(`courses/${course.id}`, { subtitle: 'Twice by hand' }, 'PATCH')
    expect(again.id).toBe(course.id)
    expect((await undo(before.activity)).json.details).toEqual([
      expect.objectContaining({ message: expect.stringContaining('it is "Twice by hand", and would be "Spoiled"') }),
    ])
  })

  test('an event that moved quietly moves back quietly, and an e-mail about the way back can be requested', async () => {
    const day = (number: number): object => ({
      starts_at: new Date(Date.now() + number * 86_400_000).toISOString(),
      ends_at: new Date(Date.now() + number * 86_400_000 + 3_600_000).toISOString(),
    })
    const event = await done('events', { title: 'Open kiln', kind: 'online', join_url: 'https://meet.school.example/kiln', ...day(5) })
    await done(`events/${event.id}/publish`)
    const [person] = await newPeople(api.database.sql, api.school.id, 1)
    await query(`INSERT INTO rsvp (school_id, id, event_id, person_id, status) VALUES ($1, $2, $3, $4, 'going')`, [
      newId(),
      fromPublicId('evt', event.id),
      person?.id,
    ])
    const emailed = async (body: object, choice: object = {}): Promise<unknown> => {
      const { activity } = await done(`events/${event.id}`, body, 'PATCH')
      // The e-mail about the change has been sent.
      await query('UPDATE event SET moved_from = NULL, move_notice_at = NULL WHERE school_id = $1')
      const tried = await undo(activity, choice, { 'dry-run': 'true' })
      expect((await undo(activity, choice)).status).toBe(200)
      const notice = (await get(`events/${event.id}`)).move_notice
      await query('UPDATE event SET moved_from = NULL, move_notice_at = NULL WHERE school_id = $1')
      return [(tried.json.dry_run as { emails: number }).emails, notice !== null]
    }
    expect(await emailed({ ...day(6), notify: false })).toEqual([0, false])
    expect(await emailed(day(7))).toEqual([1, true])
    expect(await emailed({ ...day(8), notify: false }, { notify: true })).toEqual([1, true])
    expect(await emailed(day(9), { notify: false })).toEqual([0, false])
  })

  test('a state that comes back is recorded as such, and the response names what can be taken back in turn', async () => {
    const post = await done('posts', { title: 'Shown' })
    await done(`posts/${post.id}/publish`)
    const { activity } = await done(`posts/${post.id}/unpublish`)
    const undone = await undo(activity)
    const entries = async (event: string): Promise<unknown[]> =>
      await query(`SELECT details FROM audit_log WHERE school_id = $1 AND event = $2 AND details ? 'undone_by'`, [event])
    expect(await entries('post.publish')).toEqual([
      { details: { resource: { type: 'post', id: post.id }, undone: [activity], undone_by: undone.json.id } },
    ])
    const feed = await query<{ action: string }>(
      `SELECT action FROM change_log WHERE school_id = $1 AND type = 'post' AND resource_id = $2 ORDER BY id DESC LIMIT 1`,
      [fromPublicId('pst', post.id)],
    )
    expect(feed).toEqual([{ action: 'published' }])
    expect((await undo(String(undone.json.id))).status).toBe(200)
    expect((await get(`posts/${post.id}`)).status).toBe('draft')
    expect(await entries('post.unpublish')).toHaveLength(1)
  })

  test('one recount follows many requests, and none follows changes of titles', async () => {
    const course = await done('courses', { title: 'Counted' })
    const section = await done(`courses/${course.id}/sections`, { title: 'One' })
    const lesson = await done(`sections/${section.id}/lessons`, { title: 'One', kind: 'text' })
    const first = await done(`lessons/${lesson.id}`, { title: 'Spoiled 0' }, 'PATCH')
    for (const title of ['Spoiled 1', 'Spoiled 2']) await done(`lessons/${lesson.id}`, { title }, 'PATCH')
    const versionOf = async (): Promise<number> =>
      (
        await query<{ n: number }>('SELECT tree_version AS n FROM course WHERE school_id = $1 AND id = $2', [
          fromPublicId('crs', course.id),
        ])
      )[0]?.n ?? 0
    const before = await versionOf()
    const all = await api.send('/api/v1/account/activity/undo', { as: actor, body: { client_id: 'cli_test', since: first.activity } })
    expect([(all.json.undone as string[]).length, all.json.failed]).toEqual([3, []])
    expect((await get(`lessons/${lesson.id}`)).title).toBe('One')
    expect(await versionOf()).toBe(before + 1)
  })
})
