// Proves D22: The response under an Idempotency-Key is encrypted at rest; one of an earlier release is replayed

import { beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../src/base/ids.ts'
import { problems } from '../../src/base/problem.ts'
import type { Reply, SendOptions } from './demoApi.ts'
import { describeDemo } from './describeDemo.ts'
import { learningIn } from './learning.ts'

const owner = 'owner@example.com'
const lecturer = 'lecturer2@example.com'
/** Selects the response that was stored last. */
const newest = 'id = (SELECT id FROM idempotency_record WHERE school_id = $1 ORDER BY created_at DESC LIMIT 1)'

describeDemo('writing on $name', (api) => {
  const replies: Reply[] = []

  const send = async (path: string, options: SendOptions = {}): Promise<Reply> => {
    const reply = await api.send(`/api/v1/${path}`, { as: owner, ...options })
    replies.push(reply)
    return reply
  }
  const made = async (body: object = {}, as = owner) =>
    (await send('courses', { as, body: { title: 'Spoon carving', ...body } })).json as { id: string; slug: string }
  const patch = (path: string, body: unknown, options: SendOptions = {}) => send(path, { method: 'PATCH', body, ...options })
  const fields = ({ json }: Reply) => ((json.details ?? []) as { field: string; code: string }[]).map(({ field, code }) => [field, code])
  const rows = (statement: string, values: unknown[] = []) => api.database.sql.query(statement, [api.school.id, ...values])

  describe('adding', () => {
    test('answers 201 with the address, the tag and the row as it is read from then on', async () => {
      const reply = await send('courses', { body: { title: 'Über Töpfe: Eine Reise', tags: ['clay'], metadata: { sku: 'x' } } })
      expect(reply.status).toBe(201)
      expect(reply.headers.get('location')).toBe(`${api.school.issuer}/api/v1/courses/${reply.json.id}`)
      expect(reply.headers.get('cache-control')).toBe('no-store')
      expect(reply.json).toMatchObject({
        slug: 'uber-topfe-eine-reise',
        status: 'draft',
        language: 'en',
        price: null,
        metadata: { sku: 'x' },
      })
      const read = await api.get(`/api/v1/courses/${reply.json.id}`, { as: owner })
      expect([read.text, read.headers.get('etag')]).toEqual([reply.text, reply.headers.get('etag')])
    })

    test('a slug is made of the title, and counted on where it is taken or reserved', async () => {
      const slugs = []
      for (const title of ['Bark', 'Bark', 'Bark', 'Import', '🎨']) slugs.push((await made({ title })).slug)
      expect(slugs).toEqual(['bark', 'bark-2', 'bark-3', 'import-2', 'course'])
    })

    test('a slug that another row has is a conflict, a reserved one is refused', async () => {
      expect(await send('courses', { body: { title: 'x', slug: 'bark' } })).toMatchObject({ status: 409, json: { error: 'slug_taken' } })
      expect(await send('courses', { body: { title: 'x', slug: 'positions' } })).toMatchObject({
        status: 422,
        json: { error: 'reserved_slug' },
      })
    })

    test('every invalid field is named in one response', async () => {
      const reply = await send('courses', {
        body: {
          titel: 'x',
          status: 'published',
          level: 'hard',
          tags: 'clay',
          capacity: 0,
          price: { amount: -1, currency: 'eur', vat: 1 },
          slug: 'A_B',
        },
      })
      expect(reply).toMatchObject({ status: 422, json: { error: 'unknown_field' } })
      expect(new Set(fields(reply).map(String))).toEqual(
        new Set(
          [
            ['titel', 'unknown_field'],
            ['status', 'read_only_field'],
            ['level', 'not_allowed'],
            ['tags', 'type'],
            ['capacity', 'min'],
            ['price.amount', 'min'],
            ['price.currency', 'format'],
            ['price.vat', 'unknown_field'],
            ['slug', 'format'],
            ['title', 'required'],
          ].map(String),
        ),
      )
    })

    test('a field of one wrong kind gives the body the name of that kind', async () => {
      expect((await send('courses', { body: { title: 'x', titl: 'y' } })).json).toMatchObject({
        error: 'unknown_field',
        details: [{ meta: { nearest: 'title' } }],
      })
      expect((await send('courses', { body: { title: 'x', id: 'y', created_at: 'z' } })).json.error).toBe('read_only_field')
    })

    test('fields must fit together', async () => {
      expect(fields(await send('courses', { body: { title: 'x', access: 'paid' } }))).toEqual([['price', 'required']])
      expect(fields(await send('courses', { body: { title: 'x', price: { amount: 100, currency: 'EUR' } } }))).toEqual([
        ['price', 'not_allowed'],
      ])
      const big = await send('courses', { body: { title: 'x', access: 'paid', price: { amount: 99_999_999_999, currency: 'EUR' } } })
      expect([big.status, big.json.price]).toEqual([201, { amount: 99_999_999_999, currency: 'EUR' }])
    })

    test('a lecturer teaches what they add, and sets no prices where the school keeps them', async () => {
      const course = await made({ title: 'Woad' }, lecturer)
      expect(course).toMatchObject({ lecturers: [{ slug: 'tansy-brightwater' }] })
      expect((await patch(`courses/${course.id}`, { title: 'Woad and weld' }, { as: lecturer })).status).toBe(200)
      const priced = await send('courses', { as: lecturer, body: { title: 'x', access: 'paid', price: { amount: 1, currency: 'EUR' } } })
      expect([priced.status, fields(priced)]).toEqual([422, [['price', 'read_only_field']]])
      expect(fields(await patch(`courses/${course.id}`, { position: 1 }, { as: lecturer }))).toEqual([['position', 'read_only_field']])
    })

    test('a learner and a visitor are refused without a challenge', async () => {
      for (const as of [undefined, 'learner001@example.org']) {
        const reply = await send('courses', { as, body: '{' })
        expect([reply.status, reply.json.error, reply.headers.get('www-authenticate')]).toEqual([403, 'access_denied', null])
      }
    })
  })

  describe('changing', () => {
    test('merges a patch, counts the version, and leaves what it does not name', async () => {
      const course = await made({ subtitle: 'Old', seo: { title: 'A', description: 'B' } })
      const reply = await patch(
        `courses/${course.id}`,
        { subtitle: null, seo: { title: 'C', description: null } },
        { headers: { 'content-type': 'application/merge-patch+json' } },
      )
      expect(reply).toMatchObject({
        status: 200,
        json: { title: 'Spoon carving', subtitle: null, seo: { title: 'C', description: null, noindex: false } },
      })
      expect(reply.headers.get('etag')).toMatch(/^"2-s-/)
    })

    test('a patch without effect is not a change', async () => {
      const course = await made()
      const reply = await patch(`courses/${course.id}`, { title: 'Spoon carving', enrollment_starts_at: null })
      expect(reply.headers.get('etag')).toMatch(/^"1-s-/)
    })

    test('times are taken in any zone', async () => {
      const course = await made()
      const { json } = await patch(`courses/${course.id}`, { enrollment_starts_at: '2026-03-01T12:00:00+02:00' })
      expect(json.enrollment_starts_at).toBe('2026-03-01T10:00:00.000Z')
    })

    test('two patches with one ETag: one succeeds, and the other gets the current ETag', async () => {
      const { id } = await made()
      const etag = (await api.get(`/api/v1/courses/${id}`, { as: owner })).headers.get('etag') as string
      const both = await Promise.all(['a', 'b'].map((subtitle) => patch(`courses/${id}`, { subtitle }, { headers: { 'if-match': etag } })))
      expect(both.map(({ status }) => status).toSorted()).toEqual([200, 412])
      const [won, lost] = both.toSorted((a, b) => a.status - b.status) as [Reply, Reply]
      expect(lost.headers.get('etag')).toBe(won.headers.get('etag'))
      expect((await patch(`courses/${id}`, { subtitle: 'c' }, { headers: { 'if-match': '*' } })).status).toBe(200)
      expect((await patch(`courses/${id}`, { subtitle: 'd' }, { headers: { 'if-match': 'W/"12345678"' } })).status).toBe(412)
      expect((await patch(`courses/${id}`, { subtitle: 'd' }, { headers: { 'if-match': 'nonsense' } })).status).toBe(400)
    })

    test('a tag that a gateway weakened matches while it names the current version, and is 412 afterwards', async () => {
      const { id } = await made()
      const etag = (await api.get(`/api/v1/courses/${id}`, { as: owner })).headers.get('etag') as string
      const weak = { headers: { 'if-match': `W/${etag}` } }
      expect((await patch(`courses/${id}`, { subtitle: 'a' }, weak)).status).toBe(200)
      expect((await patch(`courses/${id}`, { subtitle: 'b' }, weak)).status).toBe(412)
    })

    test('the school takes no list without a version, and no change from a lecturer', async () => {
      expect(await patch('school', { social_links: [] })).toMatchObject({ status: 428, json: { error: 'precondition_required' } })
      expect(await patch('school', { tagline: 'x' }, { as: lecturer })).toMatchObject({ status: 403, json: { error: 'access_denied' } })
      const etag = (await api.get('/api/v1/school', { as: owner })).headers.get('etag') as string
      await patch('school', { settings: { tax: { mode: 'inclusive' } } }, { headers: { 'if-match': etag } })
      const reply = await patch('school', { settings: { show_counts: false } }, { headers: { 'if-match': '*' } })
      expect(reply).toMatchObject({
        status: 200,
        json: { settings: { show_counts: false, lecturer_publishing: true, tax: { mode: 'inclusive' } } },
      })
      expect(fields(await patch('school', { time_zone: 'Mars/Olympus', slug: 'x' }, { headers: { 'if-match': '*' } }))).toEqual([
        ['time_zone', 'not_allowed'],
        ['slug', 'read_only_field'],
      ])
      expect(fields(await patch('school', { time_zone: 'Mars/Olympus' }, { headers: { 'if-match': '*' } }))).toEqual([
        ['time_zone', 'not_allowed'],
      ])
    })

    test('a person changes their own account, and nothing that is not theirs to change', async () => {
      const as = 'learner002@example.org'
      const reply = await patch('account', { name: 'Tobin L.', notification_preferences: { product_updates: 'none' } }, { as })
      expect(reply).toMatchObject({
        status: 200,
        json: { name: 'Tobin L.', notification_preferences: { product_updates: 'none', billing: 'email' } },
      })
      expect(fields(await patch('account', { notification_preferences: { billing: 'none' } }, { as }))).toEqual([
        ['notification_preferences.billing', 'not_allowed'],
      ])
      expect((await patch('account', { email: 'x@example.org' }, { as })).json.error).toBe('read_only_field')
    })

    test('a row that is seen and not owned is refused; one that is not seen does not exist', async () => {
      const { id } = (await api.get('/api/v1/courses/clay-from-scratch')).json as { id: string }
      expect(await patch(`courses/${id}`, { nonsense: 1 }, { as: lecturer })).toMatchObject({
        status: 403,
        json: { error: 'access_denied' },
      })
      const hidden = await made()
      expect(await patch(`courses/${hidden.id}`, { nonsense: 1 }, { as: lecturer })).toMatchObject({ status: 404 })
    })

    test('PATCH and DELETE take the slug in place of the id, as GET does, and never the slug of another school', async () => {
      const { id, slug } = await made({ slug: `by-slug-${Date.now()}` })
      const { json: changed } = await patch(`courses/${slug}`, { title: 'Found by its slug' })
      expect([changed.id, changed.title]).toEqual([id, 'Found by its slug'])
      const moved = `${slug}-moved`
      expect((await patch(`courses/${slug}`, { slug: moved })).json).toMatchObject({ id, slug: moved })
      expect((await patch(`courses/${slug}`, { title: 'Too late' })).status).toBe(404)
      const stale = await patch(`courses/${moved}`, {}, { headers: { 'if-match': '"99-s"' } })
      expect(stale.json.error).toBe('precondition_failed')
      expect((await send(`courses/${moved}`, { method: 'DELETE' })).status).toBe(204)
      expect((await send(`courses/${moved}`, { method: 'DELETE' })).status).toBe(404)
      // The same for `me` under the same rules: staff erase students, and the owner is not a student.
      expect((await send('students/me', { method: 'DELETE' })).json.error).toBe('not_found')
      expect((await send('students/me', { method: 'DELETE', as: 'learner001@example.org' })).json.error).toBe('access_denied')
    })

    test('checks run in their documented order', async () => {
      const { id } = await made()
      const headers = { 'if-match': '"9-s"' }
      const readOnly = { scopes: ['courses:read'] }
      expect((await patch('courses/nonsense?x=1', '{', readOnly)).json.error).toBe('insufficient_scope')
      expect((await patch('courses/nonsense?x=1', {})).json.error).toBe('invalid_parameter')
      expect((await patch('courses/Not_An_Id', { bad: 1 })).json.error).toBe('invalid_id')
      expect((await patch(`courses/${id}`, { bad: 1 }, { headers })).json.error).toBe('precondition_failed')
      expect((await patch(`courses/${id}`, { bad: 1 })).json.error).toBe('unknown_field')
    })
  })

  describe('actions', () => {
    test('every pair of state and action gives what the table says', async () => {
      const table = [
        ['draft', 'publish', 'published'],
        ['draft', 'unpublish', 'draft'],
        ['draft', 'archive', 409],
        ['published', 'publish', 'published'],
        ['published', 'unpublish', 'draft'],
        ['published', 'archive', 'archived'],
        ['archived', 'publish', 'published'],
        ['archived', 'unpublish', 409],
        ['archived', 'archive', 'archived'],
        ['draft', 'restore', 409],
        ['published', 'restore', 'published'],
        ['archived', 'restore', 'published'],
      ] as const
      const [lecturerRow] = await rows('SELECT id FROM lecturer WHERE school_id = $1 LIMIT 1')
      for (const [status, action, outcome] of table) {
        const { id, slug } = await made()
        await rows('UPDATE course SET status = $2, published_lessons_count = 1 WHERE school_id = $1 AND slug = $3', [status, slug])
        await rows(
          'INSERT INTO course_lecturer (school_id, course_id, lecturer_id) SELECT $1, id, $3 FROM course WHERE school_id = $1 AND slug = $2',
          [slug, lecturerRow?.id],
        )
        const reply = await send(`courses/${id}/${action}`)
        if (outcome === 409) expect(reply.json).toMatchObject({ error: 'invalid_state', details: [{ meta: { status } }] })
        else expect([status, action, reply.status, reply.json.status]).toEqual([status, action, 200, outcome])
        const isSame = outcome === status || outcome === 409
        expect((await api.get(`/api/v1/courses/${id}`, { as: owner })).headers.get('etag')).toMatch(isSame ? /^"1-/ : /^"2-/)
      }
    })

    test('a course without a lecturer or a published lesson is not published, and says what is missing', async () => {
      const { id } = await made()
      const reply = await send(`courses/${id}/publish`, { body: {} })
      expect(reply).toMatchObject({
        status: 422,
        json: { error: 'not_publishable', details: [{ field: 'lecturers' }, { field: 'lessons_count' }] },
      })
      expect((await send(`courses/${id}/publish`, { body: { now: true } })).json.error).toBe('unknown_field')
    })

    test('a draft is removed, anything else stays', async () => {
      const { id } = await made({}, lecturer)
      expect((await send(`courses/${id}`, { method: 'DELETE', as: lecturer, headers: { 'if-match': '"7-s"' } })).status).toBe(412)
      const gone = await send(`courses/${id}`, { method: 'DELETE', as: lecturer })
      expect([gone.status, gone.text]).toEqual([204, ''])
      expect((await api.get(`/api/v1/courses/${id}`, { as: owner })).status).toBe(404)
      const shown = (await api.get('/api/v1/courses/clay-from-scratch')).json.id
      expect((await send(`courses/${shown}`, { method: 'DELETE' })).json).toMatchObject({
        error: 'invalid_state',
        details: [{ meta: { allowed: ['draft'] } }],
      })
    })
  })

  describe('an Idempotency-Key', () => {
    test('sent twenty times concurrently creates one row and one response', async () => {
      const headers = { 'idempotency-key': '"twenty"' }
      const once = async (): Promise<Reply> => {
        for (;;) {
          const reply = await send('courses', { headers, body: { title: 'Only once' } })
          if (reply.json.error !== 'idempotency_in_progress') return reply
          expect(reply.headers.get('retry-after')).toBe('1')
        }
      }
      const answers = await Promise.all(Array.from({ length: 20 }, once))
      expect(
        new Set(answers.map(({ text, status, headers }) => `${status} ${headers.get('etag')} ${headers.get('location')} ${text}`)).size,
      ).toBe(1)
      expect(answers.filter((reply) => reply.headers.get('idempotent-replayed') === 'true')).toHaveLength(19)
      expect(await rows(`SELECT id FROM course WHERE school_id = $1 AND title = 'Only once'`)).toHaveLength(1)
    })

    test('belongs to its body, its address and its person', async () => {
      const headers = { 'idempotency-key': 'mine' }
      const first = await send('courses', { headers, body: { title: 'Mine', tags: ['a'] } })
      expect((await send('courses', { headers, body: { tags: ['a'], title: 'Mine' } })).text).toBe(first.text)
      expect(await send('courses', { headers, body: { title: 'Other' } })).toMatchObject({
        status: 422,
        json: { error: 'idempotency_key_reused' },
      })
      expect((await send('courses', { headers, as: lecturer, body: { title: 'Other' } })).status).toBe(201)
      expect((await send('courses', { headers: { 'idempotency-key': 'a b' }, body: { title: 'x' } })).status).toBe(400)
    })

    test('belongs to the client that sent it: two clients of one person may use the same key', async () => {
      const headers = { 'idempotency-key': 'shared-by-two-apps' }
      const body = { title: 'Made by an app' }
      const first = await send('courses', { headers, body })
      const second = await send('courses', { headers: { ...headers, 'x-test-client': 'cli_other' }, body })
      expect([first.status, second.status, second.headers.get('idempotent-replayed')]).toEqual([201, 201, null])
      expect(second.json.id).not.toBe(first.json.id)
      // Neither learns the other's request under the key.
      const other = await send('courses', { headers: { ...headers, 'x-test-client': 'cli_third' }, body: { title: 'Something else' } })
      expect(other.status).toBe(201)
    })

    test('is encrypted; one of an earlier release is replayed, and one whose secret key was removed is refused', async () => {
      const headers = { 'idempotency-key': 'kept-in-secret' }
      const body = { title: 'Kept in secret' }
      const first = await send('courses', { headers, body })
      const [kept] = await rows(`SELECT body FROM idempotency_record WHERE school_id = $1 AND ${newest}`)
      expect(kept?.body).toMatch(/^[\w-]{100,}=[\w-]{8}$/)
      expect(Buffer.from(String(kept?.body), 'base64url').toString('latin1')).not.toContain('Kept in secret')
      const store = (text: string) => rows(`UPDATE idempotency_record SET body = '${text}' WHERE school_id = $1 AND ${newest}`)
      await store(JSON.stringify(first.json))
      const replay = await send('courses', { headers, body })
      expect([replay.status, replay.json, replay.headers.get('idempotent-replayed')]).toEqual([201, first.json, 'true'])
      await store('c2VhbGVkIHdpdGggYW5vdGhlciBrZXkgdGhhdCB3YXMgcmVtb3ZlZA')
      expect(await send('courses', { headers, body })).toMatchObject({ status: 422, json: { error: 'idempotency_key_reused' } })
    })

    test('is forgotten after a day', async () => {
      const headers = { 'idempotency-key': 'a-day-long' }
      const body = { title: 'Once a day' }
      const first = await send('courses', { headers, body })
      expect((await send('courses', { headers, body })).json.id).toBe(first.json.id)
      const [kept] = await rows(
        `SELECT extract(epoch FROM expires_at - now())::int AS seconds FROM idempotency_record WHERE school_id = $1 AND ${newest}`,
      )
      expect(Math.abs(Number(kept?.seconds) - 86_400)).toBeLessThan(600)
      await rows(`UPDATE idempotency_record SET expires_at = now() WHERE school_id = $1 AND ${newest}`)
      const next = await send('courses', { headers, body })
      expect([next.status, next.headers.get('idempotent-replayed')]).toEqual([201, null])
      expect(next.json.id).not.toBe(first.json.id)
      // The new response is stored for another day, also for another body.
      expect((await send('courses', { headers, body: { title: 'Another' } })).json.error).toBe('idempotency_key_reused')
    })

    test('is free after a request that changed nothing, so the corrected request succeeds with the same key', async () => {
      const refused: [SendOptions, number][] = [
        [{ body: { title: '' } }, 422],
        [{ body: { title: 'x', slug: 'bark' } }, 409],
        [{ body: '{' }, 400],
        [{ body: 'title=x', headers: { 'content-type': 'text/plain' } }, 415],
        [{ as: 'learner001@example.org', body: { title: 'x' } }, 403],
      ]
      for (const [options, status] of refused) {
        const key = { 'idempotency-key': `refused-with-${status}` }
        for (const _ of ['first', 'repeated']) {
          const reply = await send('courses', { ...options, headers: { ...options.headers, ...key } })
          expect([reply.status, reply.headers.get('idempotent-replayed')], reply.text).toEqual([status, null])
        }
        const create = () => send('courses', { headers: key, body: { title: `Corrected after ${status}` } })
        const [done, again] = [await create(), await create()]
        expect([done.status, again.text, again.headers.get('idempotent-replayed')], done.text).toEqual([201, done.text, 'true'])
      }
      const { id } = await made()
      const duplicate = (ifMatch: string) =>
        send(`courses/${id}/duplicate`, { headers: { 'idempotency-key': 'duplicate', 'if-match': ifMatch }, body: {} })
      expect((await duplicate('"1.1"')).status).toBe(412)
      expect((await duplicate('*')).status).toBe(201)
    })

    test('is free after a bulk request of which every item failed, and used after one of which an item succeeded', async () => {
      const add = (key: string, ...emails: string[]) =>
        send('students/bulk', {
          headers: { 'idempotency-key': key },
          body: { items: emails.map((email) => ({ email, name: 'A Student' })) },
        })
      expect((await add('nobody', 'no address')).json.summary).toMatchObject({ succeeded: 0, failed: 1 })
      expect((await add('nobody', 'corrected@example.org')).json.summary).toMatchObject({ succeeded: 1, failed: 0 })
      expect((await add('somebody', 'no address', 'another@example.org')).json.summary).toMatchObject({ succeeded: 1, failed: 1 })
      expect((await add('somebody', 'corrected2@example.org')).json.error).toBe('idempotency_key_reused')
    })

    test('for an action replays the stored response', async () => {
      const { id } = await made({}, lecturer)
      const headers = { 'idempotency-key': 'publish' }
      const first = await send(`courses/${id}/publish`, { headers, as: lecturer })
      await patch(`courses/${id}`, { title: 'Renamed' })
      expect((await send(`courses/${id}/publish`, { headers, as: lecturer })).text).toBe(first.text)
    })
  })

  test('each change leaves one entry of who did what, and nothing else does', async () => {
    const before = (await rows('SELECT id FROM audit_log WHERE school_id = $1')).length
    const { id } = await made({ title: 'Watched' })
    await patch(`courses/${id}`, { title: 'Watched closely' })
    await patch(`courses/${id}`, { title: '' })
    await send(`courses/${id}`, { method: 'DELETE' })
    const entries = await rows('SELECT event, client_id, request_id, details FROM audit_log WHERE school_id = $1 ORDER BY id')
    expect(entries.slice(before)).toMatchObject([
      {
        event: 'course.created',
        client_id: 'cli_test',
        request_id: 'req_test',
        details: { scope: 'courses:write', role: 'owner', before_version: null, after_version: 1 },
      },
      { event: 'course.updated', details: { before_version: 1, after_version: 2, resource: { type: 'course', id } } },
      { event: 'course.deleted', details: { before_version: 2, after_version: null } },
    ])
  })

  describe('a bad body', () => {
    const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
    test.each([
      ['broken JSON', '{"title":', 400, 'invalid_json'],
      ['nothing', '', 422, 'validation_failed'],
      ['no object', '[1]', 422, 'validation_failed'],
      ['null', 'null', 422, 'validation_failed'],
      ['what is too deep', nested(21), 400, 'invalid_json'],
      ['what is very deep', `${'['.repeat(50_000)}${']'.repeat(50_000)}`, 400, 'invalid_json'],
      ['a NUL', '{"title":"a\\u0000b"}', 422, 'validation_failed'],
      ['half a character', '{"title":"\\ud800"}', 422, 'validation_failed'],
      ['a member named __proto__', '{"title":"x","__proto__":{"status":"published"}}', 422, 'unknown_field'],
      ['a huge number', '{"title":"x","capacity":1e300}', 422, 'validation_failed'],
      ['too much', `{"title":"${'x'.repeat(1_100_000)}"}`, 413, 'payload_too_large'],
      ['bytes that are not UTF-8', new Uint8Array([0x22, 0xff, 0x22]), 400, 'invalid_json'],
    ])('%s is refused in words', async (_what, body, status, error) => {
      const reply = await send('courses', { body })
      expect([reply.status, reply.json.error]).toEqual([status, error])
    })

    test('with another content type is rejected', async () => {
      const headers = { 'content-type': 'text/plain' }
      expect((await send('courses', { body: '{}', headers })).status).toBe(415)
      expect((await send('courses', { body: '{}', headers: { 'content-type': 'application/merge-patch+json' } })).status).toBe(415)
    })
  })

  test('every error so far has the same form, and a code of the table with its status', () => {
    const refused = replies.filter(({ status }) => status >= 400)
    expect(refused.length).toBeGreaterThan(30)
    for (const { status, json } of refused) {
      expect(
        Object.keys(json).filter((key) => !['error', 'error_description', 'request_id', 'details', 'documentation'].includes(key)),
      ).toEqual([])
      expect(problems[json.error as keyof typeof problems]?.status).toBe(status)
      expect(json.error_description).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/)
    }
  })
})

type Results = { index: number; key: string; status: number }[]

describeDemo('bulk requests at the same time, on $name', (api) => {
  let school: ReturnType<typeof learningIn>
  beforeAll(() => {
    school = learningIn(api)
  })

  const addresses = (count: number) => Array.from({ length: count }, (_, index) => `${index}.${newId()}@example.org`)

  /** Sends eight requests at the same time, every other one with its items reversed, and returns their results. */
  async function eightImports(path: string, items: readonly object[], more: object): Promise<Results[]> {
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        school.send(path, { body: { items: index % 2 === 0 ? items : items.toReversed(), ...more } }),
      ),
    )
    expect(replies.map(({ status }) => status)).toEqual(Array(8).fill(207))
    return replies.map(({ json }) => json.results as Results)
  }

  test('with the same people in another order all succeed, and answer in the order of their items', async () => {
    const emails = addresses(8)
    for (const name of ['New', 'Changed']) {
      const all = await eightImports(
        'students/bulk',
        emails.map((email) => ({ email, name })),
        { mode: 'upsert' },
      )
      for (const [index, results] of all.entries()) {
        expect(results.map(({ key }) => key)).toEqual(index % 2 === 0 ? emails : emails.toReversed())
        expect(results.map(({ index: position }) => position)).toEqual(emails.map((_, position) => position))
        for (const { status } of results) expect([200, 201, 409]).toContain(status)
      }
    }
  })

  test('which name the same people by different keys all succeed', async () => {
    const people = addresses(8).map((email) => ({ email, name: 'A Student', external_id: newId() }))
    await school.post('students/bulk', { items: people })
    for (const round of [1, 2]) {
      const replies = await Promise.all(
        Array.from({ length: 8 }, (_, index) => {
          const items = people.map(({ email, external_id }) => ({
            name: `${round} ${index}`,
            ...(index % 2 === 0 ? { email } : { external_id }),
          }))
          return school.send('students/bulk', { body: { mode: 'upsert', items: index % 4 < 2 ? items : items.toReversed() } })
        }),
      )
      expect(replies.map(({ status, json }) => [status, json.summary])).toEqual(Array(8).fill([207, { total: 8, succeeded: 8, failed: 0 }]))
    }
  })

  test('that enrol new people in two courses in opposite orders all succeed', async () => {
    const courses = [await school.newCourse(), await school.newCourse()]
    const emails = addresses(8)
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, index) => {
        const items = emails.map((student_email) => ({ course_id: courses[index % 2]?.id, student_email }))
        return school.send('enrollments/bulk', { body: { items: index % 4 < 2 ? items : items.toReversed(), create_missing: true } })
      }),
    )
    expect(replies.map(({ status, json }) => [status, (json.summary as { failed: number }).failed])).toEqual(Array(8).fill([207, 0]))
    for (const { id } of courses) expect((await school.get(`courses/${id}`)).json.enrollments_count).toBe(8)
  })
})
