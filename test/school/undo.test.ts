import { beforeAll, expect, test } from 'vitest'
import { fromPublicId, newId, toPublicId } from '../../src/base/ids.ts'
import { sweepUndo } from '../../src/database/undo/records.ts'
import { undeclared, undoOf } from '../../src/engine/declare/operations.ts'
import { newPeople } from '../support/community.ts'
import { changedTables, dumpSchool } from '../support/schoolDump.ts'
import { addGrant, type DemoApi, type Reply } from './demoApi.ts'
import { createSubjects } from './derived/createSubjects.ts'
import { actor, actorOf, everyWrite, withMatch } from './derived/everyWrite.ts'
import { isTestedElsewhere } from './derived/exceptions.ts'
import { describeDemo } from './describeDemo.ts'
import { takesForm } from './wrongs.ts'

const ended = expect.objectContaining({ error: 'not_undoable' })

test('every write says whether it can be taken back, or why not', () => {
  expect(everyWrite.filter((one) => undoOf(one) === undeclared).map(({ id }) => id)).toEqual([])
})

describeDemo('taking back, on $name', (api) => {
  beforeAll(async () => {
    await addGrant(api)
    await api.database.sql.query("UPDATE person SET is_member = true WHERE school_id = $1 AND email = 'admin1@example.com'", [
      api.school.id,
    ])
  })

  const dump = () => dumpSchool(api.database.sql, api.school.id, { withTraces: false })
  const query = <Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> =>
    api.database.sql.query<Row>(text, [api.school.id, ...values])

  async function latestActivity(): Promise<string> {
    const [entry] = await query<{ id: string }>('SELECT id FROM audit_log WHERE school_id = $1 ORDER BY id DESC LIMIT 1')
    return toPublicId('act', entry?.id ?? '')
  }

  async function done(path: string, options: Parameters<DemoApi['send']>[1]): Promise<{ reply: Reply; activity: string }> {
    const reply = await api.send(path, { as: actor, ...options })
    expect(reply.status, reply.text).toBeLessThan(300)
    return { reply, activity: await latestActivity() }
  }

  const undo = (activity: string, options: Partial<Parameters<DemoApi['send']>[1]> = {}): Promise<Reply> =>
    api.send(`/api/v1/account/activity/${activity}/undo`, { as: actor, body: {}, ...options })

  const newCourse = async (title: string): Promise<string> => String((await done('/api/v1/courses', { body: { title } })).reply.json.id)

  /** Returns a course with a section of lessons, in which people have completed the first lesson. */
  async function startedCourse({ lessons, people }: { lessons: number; people: number }) {
    const course = await newCourse('Raku')
    const section = String((await done(`/api/v1/courses/${course}/sections`, { body: { title: 'Fire' } })).reply.json.id)
    const ids: string[] = []
    for (let index = 0; index < lessons; index++) {
      const { reply } = await done(`/api/v1/sections/${section}/lessons`, { body: { title: `Lesson ${index}`, kind: 'text' } })
      ids.push(String(reply.json.id))
      await done(`/api/v1/lessons/${reply.json.id}/publish`, { body: {} })
    }
    const learners = await newPeople(api.database.sql, api.school.id, people)
    const progress: string[] = []
    for (const { id } of learners) {
      const { reply } = await done('/api/v1/enrollments', {
        body: { student_id: toPublicId('std', id), course_id: course, override: true },
      })
      const path = `/api/v1/enrollments/${reply.json.id}/progress/${ids[0]}`
      await done(path, { method: 'PUT', body: { completed: true } })
      progress.push(String(reply.json.id))
    }
    return { course, section, lessons: ids, learners, enrollments: progress }
  }

  test('every operation that declares it leaves the school as it was, and can be repeated', async () => {
    const subjects = createSubjects(api)
    const wrong: unknown[] = []
    const declared = everyWrite.filter(
      (one) => undoOf(one) === true && !isTestedElsewhere(one) && !takesForm(one) && !one.id.startsWith('undo'),
    )
    expect(declared.length).toBeGreaterThan(70)
    for (const operation of declared) {
      const id = await subjects.subjectOf(operation)
      const sending = await subjects.sendingFor(operation, id)
      const options = withMatch({ ...sending, method: operation.method, as: actorOf(operation) })
      const before = await dump()
      const reply = await api.send(subjects.addressOf(operation, id), options)
      const after = await dump()
      if (changedTables(before, after).length === 0) wrong.push([operation.id, 'changed nothing', reply.status, reply.text])
      const undone = await undo(await latestActivity())
      const left = changedTables(before, await dump())
      if (undone.status !== 200 || left.length > 0) wrong.push([operation.id, 'undone', undone.text, left])
      const redone = await undo(String(undone.json.id))
      const missing = changedTables(after, await dump())
      if (redone.status !== 200 || missing.length > 0) wrong.push([operation.id, 'undone again', redone.text, missing])
    }
    expect(wrong).toEqual([])
  })

  test('a deleted lesson comes back with the progress of everybody, and the percentages are as before', async () => {
    const { lessons, enrollments } = await startedCourse({ lessons: 2, people: 5 })
    const percents = async (): Promise<unknown[]> =>
      await Promise.all(enrollments.map(async (id) => (await api.get(`/api/v1/enrollments/${id}`, { as: actor })).json.progress_percent))
    expect(await percents()).toEqual([50, 50, 50, 50, 50])
    const before = await dump()
    const { activity } = await done(`/api/v1/lessons/${lessons[0]}`, { method: 'DELETE' })
    expect(await percents()).toEqual([0, 0, 0, 0, 0])
    const restored = await undo(activity)
    expect(restored.json).toMatchObject({ undone: [activity], kept: [], replaced: [], failed: [] })
    expect(await percents()).toEqual([50, 50, 50, 50, 50])
    expect(changedTables(before, await dump())).toEqual([])
    const feed = await query<{ type: string; action: string }>(
      `SELECT DISTINCT type, action FROM change_log WHERE school_id = $1 AND transaction = (SELECT max(transaction) FROM change_log WHERE school_id = $1)`,
    )
    expect(feed).toEqual(expect.arrayContaining([{ type: 'lesson', action: 'restored' }]))
  })

  test('a later change of another field stays, and one of the same field is a conflict that can be left', async () => {
    const course = await newCourse('Glazes')
    const { activity } = await done(`/api/v1/courses/${course}`, { method: 'PATCH', body: { title: 'Spoiled', subtitle: 'Spoiled too' } })
    await done(`/api/v1/courses/${course}`, { method: 'PATCH', body: { level: 'beginner', subtitle: 'Corrected by hand' } })
    const refused = await undo(activity)
    expect([refused.status, refused.json.error]).toEqual([409, 'changed_since'])
    expect(refused.json.details).toEqual([expect.objectContaining({ field: 'subtitle', code: 'changed_since' })])
    const kept = await undo(activity, { body: { conflicts: 'keep' } })
    expect(kept.json.kept).toEqual([expect.objectContaining({ type: 'course', id: course, field: 'subtitle', reason: 'changed_since' })])
    expect((await api.get(`/api/v1/courses/${course}`, { as: actor })).json).toMatchObject({
      title: 'Glazes',
      subtitle: 'Corrected by hand',
      level: 'beginner',
    })
  })

  test('one of several simultaneous requests takes effect, and the others say so', async () => {
    const course = await newCourse('Twice')
    const { activity } = await done(`/api/v1/courses/${course}`, { method: 'PATCH', body: { title: 'Changed' } })
    const replies = await Promise.all([undo(activity), undo(activity), undo(activity)])
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409, 409])
    expect(replies.map(({ json }) => json)).toEqual(expect.arrayContaining([ended]))
  })

  test('the erasure of a person deletes the images of their rows, and the rest comes back', async () => {
    const { lessons, learners, enrollments } = await startedCourse({ lessons: 2, people: 2 })
    const { activity } = await done(`/api/v1/lessons/${lessons[0]}`, { method: 'DELETE' })
    const images = (): Promise<{ person_id: string | null }[]> =>
      query('SELECT person_id FROM undo_image WHERE school_id = $1 AND person_id = ANY ($2::uuid[])', [learners.map(({ id }) => id)])
    const ofErased = async (): Promise<number> => (await images()).filter((image) => image.person_id === learners[0]?.id).length
    expect(await ofErased()).toBeGreaterThan(0)
    await done(`/api/v1/students/${toPublicId('std', learners[0]?.id ?? '')}`, { method: 'DELETE' })
    expect(await ofErased()).toBe(0)
    expect((await undo(activity)).status).toBe(200)
    expect((await api.get(`/api/v1/enrollments/${enrollments[1]}`, { as: actor })).json.progress_percent).toBe(50)
    const rows = await query<{ person_id: string }>(
      'SELECT person_id FROM lesson_progress WHERE school_id = $1 AND person_id = ANY ($2::uuid[])',
      [learners.map(({ id }) => id)],
    )
    expect(rows.map((row) => row.person_id)).toEqual([learners[1]?.id])
  })

  test('needs the permission of the request that it takes back, and the activity of others is for the staff', async () => {
    const course = await newCourse('Permissions')
    const { activity } = await done(`/api/v1/courses/${course}`, { method: 'PATCH', body: { title: 'Changed' } })
    const narrow = await undo(activity, { scopes: ['account:read'] })
    expect([narrow.status, narrow.json.error]).toEqual([403, 'insufficient_scope'])
    for (const as of ['learner001@example.org', 'lecturer1@example.com']) expect((await undo(activity, { as })).status).toBe(404)
    expect((await undo(toPublicId('act', newId()))).status).toBe(404)
    const { activity: own } = await done(`/api/v1/courses/${course}`, { method: 'PATCH', body: { title: 'Again' } })
    expect((await undo(own, { as: 'owner@example.com' })).status).toBe(200)
    // Taking back what was taken back needs the same permission.
    const narrower = await undo(await latestActivity(), { as: 'owner@example.com', scopes: ['account:read'] })
    expect([narrower.status, narrower.json.error]).toEqual([403, 'insufficient_scope'])
  })

  test('follows the rule of the row as it is now: not for a former lecturer of the course, and not for an admin against an owner', async () => {
    const lecturer = 'lecturer1@example.com'
    const course = String((await done('/api/v1/courses', { as: lecturer, body: { title: 'Taught' } })).reply.json.id)
    const path = `/api/v1/courses/${course}`
    const { activity } = await done(path, { as: lecturer, method: 'PATCH', body: { title: 'Changed by its lecturer' } })
    const { activity: second } = await done(path, { as: lecturer, method: 'PATCH', body: { subtitle: 'Changed too' } })
    expect((await undo(second, { as: lecturer })).status).toBe(200)
    await done(`${path}/lecturers`, { method: 'PUT', body: { lecturer_ids: [] } })
    const former = await undo(activity, { as: lecturer })
    expect([former.status, former.json.error]).toEqual([403, 'access_denied'])
    expect((await api.get(path, { as: actor })).json.title).toBe('Changed by its lecturer')
    expect((await undo(activity)).status).toBe(200)

    const [owner] = await query<{ person_id: string }>(`SELECT person_id FROM staff WHERE school_id = $1 AND role = 'owner' LIMIT 1`)
    await query('UPDATE person SET is_student = true WHERE school_id = $1 AND id = $2', [owner?.person_id])
    const student = `/api/v1/students/${toPublicId('std', owner?.person_id ?? '')}`
    const change = await done(student, { as: 'owner@example.com', method: 'PATCH', body: { note: 'Written by the owner' } })
    const admin = await undo(change.activity, { as: 'admin1@example.com' })
    expect([admin.status, admin.json.error]).toEqual([403, 'access_denied'])
    expect((await undo(change.activity, { as: 'owner@example.com' })).status).toBe(200)
  })

  test('an added row that is used stays, and one whose address is taken gets another', async () => {
    const { reply, activity } = await done('/api/v1/courses', { body: { title: 'Used' } })
    await done(`/api/v1/courses/${reply.json.id}/sections`, { body: { title: 'Begun' } })
    expect(await undo(activity)).toMatchObject({ status: 409 })
    const draft = await done('/api/v1/posts', { body: { title: 'Kiln news', slug: 'kiln-news' } })
    const deletion = await done(`/api/v1/posts/${draft.reply.json.id}`, { method: 'DELETE' })
    await done('/api/v1/posts', { body: { title: 'Other kiln news', slug: 'kiln-news' } })
    const restored = await undo(deletion.activity)
    expect(restored.json.replaced).toEqual([{ type: 'post', id: draft.reply.json.id, field: 'slug', value: 'kiln-news-2' }])
    expect((await api.get(`/api/v1/posts/${draft.reply.json.id}`, { as: actor })).json.slug).toBe('kiln-news-2')
  })

  test('nothing is kept in plain text, nothing is left of the capture, and expired images are removed', async () => {
    const course = await newCourse('Seven sealed secrets')
    const { activity } = await done(`/api/v1/courses/${course}`, { method: 'DELETE' })
    const [found] = await query<{ plain: number; captured: number }>(
      `SELECT (SELECT count(*)::int FROM undo_record WHERE school_id = $1 AND sealed LIKE '%sealed%') AS plain,
              (SELECT count(*)::int FROM undo_capture) AS captured`,
    )
    expect(found).toEqual({ plain: 0, captured: 0 })
    await query(`UPDATE undo_record SET expires_at = now() - interval '1 second' WHERE school_id = $1`)
    expect((await undo(activity)).json).toEqual(ended)
    expect(await sweepUndo(api.database.kysely, 1000)).toBeGreaterThan(0)
    expect(await query('SELECT id FROM undo_record WHERE school_id = $1')).toEqual([])
    expect(await query('SELECT person_id FROM undo_image WHERE school_id = $1')).toEqual([])
  })

  test('a request that changes too much to be taken back says so beforehand, and an app that sends it asks first', async () => {
    const { section, course } = await startedCourse({ lessons: 1, people: 0 })
    const [{ id: courseId = '' } = {}] = await query<{ id: string }>(
      'SELECT course_id AS id FROM section WHERE school_id = $1 ORDER BY created_at DESC LIMIT 1',
    )
    await query(
      `WITH people AS (
         INSERT INTO person (school_id, id, email, name, is_student) SELECT $1, gen_random_uuid(), gen_random_uuid() || '@example.org', 'Many', true FROM generate_series(1, 5200)
         RETURNING id),
       enrolled AS (
         INSERT INTO enrollment (school_id, id, person_id, course_id, source) SELECT $1, gen_random_uuid(), people.id, $2, 'manual' FROM people RETURNING id, person_id)
       INSERT INTO lesson_progress (school_id, id, enrollment_id, lesson_id, course_id, person_id)
       SELECT $1, gen_random_uuid(), enrolled.id, lesson.id, $2, enrolled.person_id FROM enrolled, (SELECT id FROM lesson WHERE school_id = $1 AND course_id = $2 LIMIT 1) lesson`,
      [courseId],
    )
    const path = `/api/v1/sections/${section}?cascade=true`
    const tried = await api.send(path, { method: 'DELETE', as: actor, headers: { 'dry-run': 'true' } })
    expect(tried.json.dry_run).toMatchObject({ undo_days: 0 })
    const small = await api.send(`/api/v1/courses/${course}`, {
      method: 'PATCH',
      as: actor,
      body: { title: 'S' },
      headers: { 'dry-run': 'true' },
    })
    expect(small.json.dry_run).toMatchObject({ undo_days: 30 })
    const before = await dump()
    const asked = await api.send(path, { method: 'DELETE', as: actor })
    expect([asked.status, asked.json.error]).toEqual([403, 'approval_required'])
    expect(changedTables(before, await dump()).filter((table) => !table.startsWith('proposal'))).toEqual([])
    expect(await api.agree(actor)).toBe('merged')
    const { activity } = await done(path, { method: 'DELETE' })
    expect((await undo(activity)).json).toEqual(ended)
  })

  test('an app cannot make a deletion final by padding what it deletes', async () => {
    const { course, lessons } = await startedCourse({ lessons: 12, people: 0 })
    const path = `/api/v1/courses/${course}`
    const headers = { 'dry-run': 'true' }
    expect((await api.send(path, { method: 'DELETE', as: actor, headers })).json.dry_run).toMatchObject({ undo_days: 30 })
    for (const lesson of lessons)
      await done(`/api/v1/lessons/${lesson}`, {
        method: 'PATCH',
        body: { content: 'clay '.repeat(39_800) },
        headers: { 'if-match': '*' },
      })
    const padded = await api.send(path, { method: 'DELETE', as: actor })
    expect([padded.status, padded.json.error]).toEqual([403, 'approval_required'])
    // In parts, each of which can be taken back, it works.
    const part = await done(`/api/v1/lessons/${lessons[0]}`, { method: 'DELETE' })
    expect((await undo(part.activity)).status).toBe(200)
    // A person who does it themselves is not asked.
    expect((await api.send(path, { method: 'DELETE', as: actor, headers: { 'x-test-page': '1' } })).status).toBe(204)
  })

  test('everything that an app did since a time is tried, taken back in parts, and the conflicts are reported', async () => {
    const damage = 'cli_damage'
    const headers = { 'x-test-client': damage }
    const started = await startedCourse({ lessons: 4, people: 2 })
    const posts = await Promise.all(
      ['One', 'Two'].map(async (title) => String((await done('/api/v1/posts', { body: { title } })).reply.json.id)),
    )
    const before = await dump()
    const since = new Date().toISOString()
    for (let index = 0; index < 101; index++)
      await done(`/api/v1/courses/${started.course}`, { method: 'PATCH', body: { subtitle: `Spoiled ${index}` }, headers })
    for (const lesson of started.lessons.slice(1)) await done(`/api/v1/lessons/${lesson}`, { method: 'DELETE', headers })
    await done(`/api/v1/posts/${posts[0]}`, { method: 'PATCH', body: { title: 'Spoiled' }, headers })
    const all = (options: object): Promise<Reply> =>
      api.send('/api/v1/account/activity/undo', { as: actor, body: { client_id: damage, since, everybody: true, ...options } })
    expect((await all({ since: new Date(Date.now() + 60_000).toISOString() })).json).toMatchObject({ undone: [], next: null })
    const tried = await api.send('/api/v1/account/activity/undo', {
      as: 'owner@example.com',
      body: { client_id: damage, since, everybody: true },
      headers: { 'dry-run': 'true' },
    })
    expect((tried.json.undone as string[]).length).toBe(100)
    expect(changedTables(before, await dump())).toContain('course')
    const first = await all({})
    expect(first.json).toMatchObject({ failed: [], kept: [] })
    const second = await all({ before: first.json.next })
    expect((second.json.undone as string[]).length).toBe(5)
    expect(second.json.next).toBeNull()
    expect(changedTables(before, await dump())).toEqual([])
    expect((await all({})).json.undone).toEqual([])
    const foreign = await api.send('/api/v1/account/activity/undo', {
      as: 'learner001@example.org',
      body: { client_id: damage, since, everybody: true },
    })
    expect([foreign.status, foreign.json.error]).toEqual([403, 'access_denied'])
    // A change by hand in between is a conflict of one request, and the others are taken back.
    const { activity } = await done(`/api/v1/posts/${posts[0]}`, { method: 'PATCH', body: { title: 'Spoiled' }, headers })
    await done(`/api/v1/posts/${posts[1]}`, { method: 'PATCH', body: { title: 'Spoiled' }, headers })
    await done(`/api/v1/posts/${posts[0]}`, { method: 'PATCH', body: { title: 'By hand' } })
    const partly = await all({})
    expect(partly.json.failed).toEqual([expect.objectContaining({ id: activity, error: 'changed_since' })])
    expect((await api.get(`/api/v1/posts/${posts[1]}`, { as: actor })).json.title).toBe('Two')
  })
})

describeDemo('taking back next to the work of others, on $name', (api) => {
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
    const [detail] = refused.json.details as { field: string; message: string; meta: object }[]
    expect(detail?.field).toBe('subtitle')
    expect(detail?.message).toMatch(/^subtitle: the course 'Slips' was changed since, last at 20\d\d-\S+Z/)
    expect(detail?.meta).toMatchObject({ type: 'course', id: course.id, present: 'By hand', restored: null, activity: before.activity })
    expect(detail?.meta).toMatchObject({ at: expect.stringMatching(/Z$/), by: expect.any(String) })
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
