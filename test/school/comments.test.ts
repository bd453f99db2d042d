import { beforeAll, describe, expect, test } from 'vitest'
import { fromPublicId, toPublicId } from '../../src/base/ids.ts'
import { newComment, newEvent, newPeople, newPost, type SomebodyNew } from '../support/community.ts'
import { databasesToTest } from '../support/databases.ts'
import { duringTests } from '../support/duringTests.ts'
import { startDemoApi } from './demoApi.ts'

const owner = 'owner@example.com'

describe.each((await databasesToTest()).slice(0, 1))('comments, on $name', ({ open }) => {
  const api = duringTests(async () => startDemoApi(await open()))
  let member: SomebodyNew
  let stranger: SomebodyNew
  const rows: Record<string, string> = {}
  const subjects: Record<string, string> = {}
  let lecturer: string
  beforeAll(async () => {
    const { sql } = api.database
    const { id } = api.school
    await sql.query('DELETE FROM comment WHERE school_id = $1', [id])
    ;[member] = (await newPeople(sql, id, 1)) as [SomebodyNew]
    ;[stranger] = (await newPeople(sql, id, 1, { isMember: false })) as [SomebodyNew]
    const post = await newPost(sql, id)
    const gated = await newPost(sql, id, { visibility: 'members' })
    const mute = await newPost(sql, id)
    await sql.query('UPDATE post SET comments_enabled = false WHERE id = $1', [mute])
    const event = await newEvent(sql, id)
    const closed = await newEvent(sql, id, { access: 'members' })
    lecturer = 'lecturer2@example.com'
    const [lesson] = await sql.query<{ id: string; course_id: string }>(
      `SELECT l.id, l.course_id FROM lesson l
         JOIN course_lecturer cl ON cl.school_id = l.school_id AND cl.course_id = l.course_id
         JOIN staff s ON s.school_id = l.school_id AND s.lecturer_id = cl.lecturer_id
         JOIN person p ON p.school_id = s.school_id AND p.id = s.person_id
        WHERE l.school_id = $1 AND p.email = $2 AND NOT l.is_preview AND l.status = 'published' LIMIT 1`,
      [id, lecturer],
    )
    await sql.query('UPDATE lesson SET comments_enabled = true WHERE id = $1', [lesson?.id])
    const on = {
      post: { type: 'post', id: post },
      gated: { type: 'post', id: gated },
      mute: { type: 'post', id: mute },
      event: { type: 'event', id: event },
      closed: { type: 'event', id: closed },
      lesson: { type: 'lesson', id: lesson?.id as string, courseId: lesson?.course_id as string },
    } as const
    for (const [name, subject] of Object.entries(on)) {
      subjects[name] = toPublicId({ post: 'pst', event: 'evt', lesson: 'les' }[subject.type], subject.id)
      rows[name] = toPublicId('cmt', await newComment(sql, id, subject, { personId: member.id }))
      for (const status of ['pending', 'hidden', 'deleted'])
        rows[`${name} ${status}`] = toPublicId('cmt', await newComment(sql, id, subject, { status, body: `zq-${status}` }))
    }
    const stub = await newComment(sql, id, on.post, { status: 'deleted', body: 'zq-gone', replies: 1, personId: member.id })
    rows.stub = toPublicId('cmt', stub)
    rows.reply = toPublicId('cmt', await newComment(sql, id, on.post, { parentId: stub, personId: stranger.id }))
  })

  const names = Object.entries
  const listed = async (path: string, as?: string) => {
    const { status, json } = await api.get(path, { as })
    if (status !== 200) return status
    const ids = (json.data as { id: string }[]).map(({ id }) => id)
    return names(rows)
      .filter(([, id]) => ids.includes(id))
      .map(([name]) => name)
  }

  test('include the post, the lesson or the event that they are on, as far as the caller sees it', async () => {
    const expanded = async (name: string, as?: string) => {
      const { status, json, text } = await api.get(`/api/v1/comments/${rows[name]}?expand=subject`, { as })
      return { status, text, subject: json.subject as Record<string, unknown> | null, error: json.error }
    }
    for (const [name, as] of [['post'], ['event'], ['gated', member.email], ['closed', member.email], ['lesson', lecturer]] as const) {
      const { subject } = await expanded(name, as)
      const object = { post: 'post', gated: 'post', event: 'event', closed: 'event', lesson: 'lesson' }[name]
      expect([name, subject?.id, subject?.object, typeof subject?.title]).toEqual([name, subjects[name], object, 'string'])
      const path = { post: 'posts', event: 'events', lesson: 'lessons' }[object as 'post']
      const { json } = await api.get(`/api/v1/${path}/${subjects[name]}`, { as })
      expect(Object.keys(subject ?? {}).toSorted()).toEqual(Object.keys(json).toSorted())
    }
    // In a list, each row has its own subject, in three queries.
    const { json } = await api.get('/api/v1/comments?limit=100&expand=subject,author', { as: owner })
    const shown = json.data as { id: string; subject: { id: string } | null }[]
    const bySubject = new Map(names(rows).map(([name, id]) => [id, subjects[name.split(' ')[0] ?? ''] ?? subjects.post]))
    expect(shown).toHaveLength(names(rows).length)
    for (const { id, subject } of shown) expect(subject?.id).toBe(bySubject.get(id))
    expect((await expanded('gated')).status).toBe(404)
    expect((await api.get('/api/v1/comments?expand=subject.author', { as: owner })).json.error).toBe('invalid_parameter')
  })

  test('do not reveal more of their subject than the caller could read', async () => {
    await api.database.sql.query(`UPDATE post SET status = 'draft' WHERE id = $1`, [fromPublicId('pst', subjects.mute ?? '')])
    const text = async (as?: string) => (await api.get('/api/v1/comments?limit=100&expand=subject', { as })).text
    for (const as of [undefined, stranger.email]) {
      expect(await text(as)).not.toContain(subjects.gated)
      expect(await text(as)).not.toContain(subjects.closed)
      expect(await text(as)).not.toContain(subjects.mute)
    }
    expect(await text(owner)).toContain(subjects.mute)
    await api.database.sql.query(`UPDATE post SET status = 'published' WHERE id = $1`, [fromPublicId('pst', subjects.mute ?? '')])
  })

  test('are seen by those who may open what they are on', async () => {
    const open = ['post', 'event', 'stub', 'reply']
    const all = '/api/v1/comments?limit=100'
    expect(await listed(all)).toEqual(open)
    expect(await listed(all, stranger.email)).toEqual(open)
    expect(await listed(all, member.email)).toEqual(['post', 'gated', 'event', 'closed', 'stub', 'reply'])
    expect(await listed(all, lecturer)).toEqual(
      expect.arrayContaining([...open, 'lesson', 'lesson pending', 'lesson hidden', 'lesson deleted']),
    )
    expect(await listed(all, lecturer)).not.toContain('post pending')
    expect((await listed(all, owner)) as string[]).toHaveLength(Object.keys(rows).length)
    for (const [name, id] of names(rows))
      expect([name, (await api.get(`/api/v1/comments/${id}`)).status]).toEqual([name, open.includes(name) ? 200 : 404])
  })

  test('are visible only if their subject is visible', async () => {
    expect(await listed(`/api/v1/posts/${subjects.post}/comments`)).toEqual(['post', 'stub', 'reply'])
    expect(await listed(`/api/v1/events/${subjects.event}/comments`)).toEqual(['event'])
    expect(await listed(`/api/v1/events/${subjects.closed}/comments`)).toEqual([])
    expect(await listed(`/api/v1/events/${subjects.closed}/comments`, member.email)).toEqual(['closed'])
    expect(await listed(`/api/v1/lessons/${subjects.lesson}/comments`)).toBe(403)
    expect(await listed(`/api/v1/lessons/${subjects.lesson}/comments`, lecturer)).toHaveLength(4)
    expect(await listed(`/api/v1/lessons/${subjects.lesson}/comments`, stranger.email)).toEqual([])
    expect(await listed(`/api/v1/posts/pst_01jgwejj00e6srgkpqm2sqf05m/comments`)).toBe(404)
  })

  test('hide their text once deleted, from search as well', async () => {
    const stub = (await api.get(`/api/v1/comments/${rows.stub}`)).json
    expect(stub).toMatchObject({ status: 'deleted', body: null, body_html: null, replies_count: 1, depth: 0 })
    expect((await api.get(`/api/v1/comments/${rows.reply}`)).json).toMatchObject({ parent_id: rows.stub, depth: 1 })
    expect((await api.get('/api/v1/comments?q=zq-gone')).status).toBe(400)
    expect((await api.get('/api/v1/comments?q=zq-gone', { as: member.email })).status).toBe(400)
    expect(await listed('/api/v1/comments?q=zq-hidden&limit=100', owner)).toHaveLength(6)
    expect((await api.get(`/api/v1/comments/${rows.post}`)).json).not.toHaveProperty('moderation')
    expect((await api.get(`/api/v1/comments/${rows.post}`, { as: owner })).json.moderation).toEqual({
      by: 'Hazel',
      at: null,
      reason: 'So it was.',
    })
  })

  test('name their author, until that person is erased', async () => {
    const author = async () => (await api.get(`/api/v1/comments/${rows.reply}`)).json.author
    expect(await author()).toEqual({ id: toPublicId('mbr', stranger.id), display_name: `Wren ${stranger.id}`, avatar: null })
    await api.database.sql.query('UPDATE person SET erased_at = now() WHERE id = $1', [stranger.id])
    expect(await author()).toEqual({ id: null, display_name: 'Deleted member', avatar: null })
    await api.database.sql.query('UPDATE person SET erased_at = NULL WHERE id = $1', [stranger.id])
  })

  test.each([
    [
      'subject_type=event',
      ['event', 'event pending', 'event hidden', 'event deleted', 'closed', 'closed pending', 'closed hidden', 'closed deleted'],
    ],
    ['parent_id=none&status=published&subject_type=post', ['post', 'gated', 'mute']],
    ['status=pending&subject_type=lesson', ['lesson pending']],
  ])('?%s', async (query, expected) => {
    expect(await listed(`/api/v1/comments?limit=100&${query}`, owner)).toEqual(expected)
  })

  test('are found by subject, author and parent; an invalid subject is rejected', async () => {
    expect(await listed(`/api/v1/comments?subject_id=${subjects.gated}&status=published`, owner)).toEqual(['gated'])
    expect(await listed(`/api/v1/comments?author_id=${toPublicId('mbr', stranger.id)}`)).toEqual(['reply'])
    expect(await listed(`/api/v1/comments?parent_id=${rows.stub}`)).toEqual(['reply'])
    expect((await api.get('/api/v1/comments?subject_id=crs_01jgwejj00e6srgkpqm2sqf05m')).status).toBe(400)
    const csv = await api.get('/api/v1/comments', { as: owner, headers: { accept: 'text/csv' } })
    expect(csv.text.split('\r\n')[0]).toContain('subject.type,subject.id,subject.title')
  })

  test('a school, or a post, that shows none shows none but to its staff', async () => {
    const set = (column: 'settings' | 'features', value: object) =>
      api.database.sql.query(`UPDATE school SET ${column} = ${column} || $2 WHERE id = $1`, [api.school.id, JSON.stringify(value)])
    await set('settings', { comments_enabled: false })
    expect(await listed('/api/v1/comments', member.email)).toEqual([])
    expect((await listed('/api/v1/comments?limit=100', owner)) as string[]).toHaveLength(Object.keys(rows).length)
    await set('settings', { comments_enabled: true })
    await set('features', { blog: false })
    expect(await listed('/api/v1/comments')).toEqual(['event'])
    await set('features', { blog: true, community: false })
    expect(await listed('/api/v1/comments')).toBe(404)
    await set('features', { community: true })
  })
})
