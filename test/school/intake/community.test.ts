import { beforeAll, describe, expect, test } from 'vitest'
import { newId, toPublicId } from '../../../src/base/ids.ts'
import { duringTests } from '../../support/duringTests.ts'
import { startPlatform } from '../../support/platform.ts'
import { startService } from '../../support/service.ts'

const service = duringTests(() => startService())
const platform = duringTests(() => startPlatform(service))
let schoolId: string
beforeAll(() => {
  schoolId = service.schoolId()
})

const query = <Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> =>
  service.database.sql.query<Row>(text, [schoolId, ...values])
const changesOf = async (type: string, id: string): Promise<string[]> =>
  (
    await query<{ action: string }>('SELECT action FROM change_log WHERE school_id = $1 AND type = $2 AND resource_id = $3 ORDER BY id', [
      type,
      id,
    ])
  ).map(({ action }) => action)
const uuid = async (table: string): Promise<string> =>
  (await query<{ id: string }>(`SELECT id FROM ${table} WHERE school_id = $1 ORDER BY id DESC LIMIT 1`))[0]?.id as string

async function newPost(more: { status?: string; comments?: boolean } = {}): Promise<string> {
  const id = newId()
  await query(
    `INSERT INTO post (school_id, id, slug, title, kind, status, comments_enabled) VALUES ($1, $2, $3, 'First firing', 'article', $4, $5)`,
    [id, `post-${id}`, more.status ?? 'published', more.comments ?? true],
  )
  return id
}
const author = () => ({ email: `${newId()}@example.org`, name: 'Wren Tallow' })

describe('comments', () => {
  const comment = (postId: string, more: object = {}) =>
    platform.report('/comments', {
      subject: { type: 'post', id: toPublicId('pst', postId) },
      author: author(),
      body: 'Which *clay*?',
      ...more,
    })

  test('a comment and a reply are shown, counted at their subject, their parent and their author, and in the change feed', async () => {
    const postId = await newPost()
    const writer = author()
    const first = await comment(postId, { author: writer })
    expect([first.status, first.body.status]).toEqual([201, 'published'])
    const reply = await comment(postId, { author: writer, parent_id: first.body.id, body: '<script>alert(1)</script> stoneware' })
    expect(reply.status).toBe(201)
    const shown = await (await fetch(`${service.issuer}/api/v1/posts/${toPublicId('pst', postId)}/comments?sort=created_at`)).json()
    const { data } = shown as { data: { body_html: string; depth: number; replies_count: number; author: { display_name: string } }[] }
    const found = data.toSorted((left, right) => left.depth - right.depth)
    expect(found.map(({ depth, replies_count }) => [depth, replies_count])).toEqual([
      [0, 1],
      [1, 0],
    ])
    expect(found[0]?.body_html.trim()).toBe('<p>Which <em>clay</em>?</p>')
    expect(found[1]?.body_html).not.toContain('<script')
    const [counts] = await query(
      `SELECT (SELECT comments_count FROM post WHERE school_id = $1 AND id = $2) AS post,
              (SELECT comments_count FROM person WHERE school_id = $1 AND email = $3) AS person`,
      [postId, writer.email],
    )
    expect(counts).toEqual({ post: 2, person: 2 })
    expect(await changesOf('comment', await uuid('comment'))).toEqual(['created'])
  })

  test('a pending comment is hidden and not counted at its subject', async () => {
    const postId = await newPost()
    expect((await comment(postId, { status: 'pending' })).body.status).toBe('pending')
    expect((await query('SELECT comments_count FROM post WHERE school_id = $1 AND id = $2', [postId]))[0]).toEqual({ comments_count: 0 })
    const shown = await (await fetch(`${service.issuer}/api/v1/posts/${toPublicId('pst', postId)}/comments`)).json()
    expect((shown as { data: object[] }).data).toEqual([])
  })

  test('is rejected for a draft, without comments, by a blocked author, and as a reply to a reply or elsewhere', async () => {
    const postId = await newPost()
    const code = async (report: ReturnType<typeof comment>) => {
      const { status, body } = await report
      return [status, body.error]
    }
    expect(await code(comment(await newPost({ status: 'draft' })))).toEqual([409, 'invalid_state'])
    expect(await code(comment(await newPost({ comments: false })))).toEqual([409, 'invalid_state'])
    expect(await code(comment(newId()))).toEqual([422, 'invalid_reference'])
    expect(await code(comment(postId, { subject: { type: 'event', id: toPublicId('pst', postId) } }))).toEqual([422, 'invalid_reference'])
    const top = await comment(postId)
    const reply = await comment(postId, { parent_id: top.body.id })
    expect(await code(comment(postId, { parent_id: reply.body.id }))).toEqual([422, 'invalid_reference'])
    expect(await code(comment(await newPost(), { parent_id: top.body.id }))).toEqual([422, 'invalid_reference'])
    const blocked = author()
    await comment(postId, { author: blocked })
    await query(`UPDATE person SET member_status = 'blocked' WHERE school_id = $1 AND email = $2`, [blocked.email])
    expect(await code(comment(postId, { author: blocked }))).toEqual([403, 'access_denied'])
    expect(await code(comment(postId, { body: 'x'.repeat(5001) }))).toEqual([422, 'validation_failed'])
    expect(await code(comment(postId, { body: '  ' }))).toEqual([422, 'validation_failed'])
  })
})

describe('form submissions', () => {
  const fields = [
    { key: 'name', label: 'Name', kind: 'text', required: true, options: [], help: null, max_length: 20 },
    { key: 'email', label: 'E-mail', kind: 'email', required: true, options: [], help: null, max_length: null },
    { key: 'about', label: 'About', kind: 'single_choice', required: true, options: ['A course', 'A visit'], help: null, max_length: null },
    { key: 'days', label: 'Days', kind: 'multiple_choice', required: false, options: ['Mo', 'Tu'], help: null, max_length: null },
    { key: 'seats', label: 'Seats', kind: 'number', required: false, options: [], help: null, max_length: null },
    { key: 'day', label: 'Day', kind: 'date', required: false, options: [], help: null, max_length: null },
    { key: 'consent', label: 'Consent', kind: 'consent', required: true, options: [], help: null, max_length: null },
  ]
  const newForm = async (more = ''): Promise<string> => {
    const id = newId()
    await query(
      `INSERT INTO form (school_id, id, slug, title, status, fields${more && ', opens_at'}) VALUES ($1, $2, $3, 'Ask', 'published', $4${more})`,
      [id, `ask-${id}`, JSON.stringify(fields)],
    )
    return `ask-${id}`
  }
  const good = { name: 'Wren', email: 'Wren@Example.org', about: 'A visit', days: ['Mo'], seats: 2, day: '2026-02-28', consent: true }

  test('is stored with its contact, counted and in the change feed', async () => {
    const form = await newForm()
    const { status, body } = await platform.report('/form_submissions', { form, answers: good, source_path: '/contact', locale: 'en' })
    expect([status, body.object, body.form_version]).toEqual([201, 'form_submission', 1])
    const [row] = await query(
      `SELECT s.email, s.name, s.answers, s.spam, f.submissions_count AS count FROM form_submission s JOIN form f ON f.school_id = s.school_id AND f.id = s.form_id
        WHERE s.school_id = $1 AND f.slug = $2`,
      [form],
    )
    expect(row).toEqual({ email: 'wren@example.org', name: 'Wren', answers: good, spam: false, count: 1 })
    expect(await changesOf('form_submission', await uuid('form_submission'))).toEqual(['created'])
  })

  test('names every wrong answer', async () => {
    const form = await newForm()
    const { status, body } = await platform.report('/form_submissions', {
      form,
      answers: {
        name: 'x'.repeat(21),
        email: 'nobody',
        about: 'Else',
        days: ['Mo', 'Mo'],
        seats: '2',
        day: '2026-02-30',
        consent: false,
        more: 'x',
      },
    })
    expect(status).toBe(422)
    expect(body.details.map(({ field }: { field: string }) => field).toSorted()).toEqual(
      ['about', 'consent', 'day', 'days', 'email', 'more', 'name', 'seats'].map((key) => `answers.${key}`),
    )
  })

  test('is rejected before the form opens and after it closed', async () => {
    const early = await newForm(", now() + interval '1 day'")
    expect((await platform.report('/form_submissions', { form: early, answers: good })).body.error).toBe('invalid_state')
    const closed = await newForm()
    await query(`UPDATE form SET closes_at = now() - interval '1 second' WHERE school_id = $1 AND slug = $2`, [closed])
    expect((await platform.report('/form_submissions', { form: closed, answers: good })).body.error).toBe('invalid_state')
    expect((await platform.report('/form_submissions', { form: 'nothing', answers: good })).status).toBe(422)
  })
})

describe('seats that were sold elsewhere', () => {
  const newEvent = async (capacity: number): Promise<string> => {
    const id = newId()
    await query(
      `INSERT INTO event (school_id, id, slug, title, kind, status, starts_at, ends_at, time_zone, capacity)
       VALUES ($1, $2, $3, 'Firing', 'in_person', 'published', now() + interval '1 day', now() + interval '2 days', 'UTC', $4)`,
      [id, `firing-${id}`, capacity],
    )
    return id
  }
  const counts = async (eventId: string) =>
    (await query('SELECT going_count, waitlisted_count FROM event WHERE school_id = $1 AND id = $2', [eventId]))[0]

  test('are taken once, changed by a second sale, and never more than the event has', async () => {
    const id = await newEvent(3)
    const event_id = toPublicId('evt', id)
    const attendee = author()
    const sold = await platform.report('/rsvps', { event_id, attendee, guests: 1, note: 'Ticket 4711' })
    expect([sold.status, sold.body.status, await counts(id)]).toEqual([201, 'going', { going_count: 2, waitlisted_count: 0 }])
    const more = await platform.report('/rsvps', { event_id, attendee, guests: 2 })
    expect([more.body.id, await counts(id)]).toEqual([sold.body.id, { going_count: 3, waitlisted_count: 0 }])
    const full = await platform.report('/rsvps', { event_id, attendee: author() })
    expect([full.status, full.body.error]).toEqual([409, 'event_full'])
    expect(await changesOf('rsvp', await uuid('rsvp'))).toEqual(['created', 'updated'])
  })

  test('go to the waitlist when they are released, with an e-mail', async () => {
    const id = await newEvent(1)
    const event_id = toPublicId('evt', id)
    const sold = await platform.report('/rsvps', { event_id, attendee: author() })
    const waiting = `${newId()}@example.org`
    await query(`INSERT INTO person (school_id, id, email, name, is_member) VALUES ($1, $2, $3, 'Next', true)`, [newId(), waiting])
    await query(
      `INSERT INTO rsvp (school_id, id, event_id, person_id, status) SELECT $1, $2, $3, id, 'waitlisted' FROM person WHERE school_id = $1 AND email = $4`,
      [newId(), id, waiting],
    )
    await query('UPDATE event SET waitlisted_count = 1 WHERE school_id = $1 AND id = $2', [id])
    const released = await platform.report(`/rsvps/${sold.body.id}/cancel`, { event_id })
    expect([released.status, released.body.status, await counts(id)]).toEqual([200, 'canceled', { going_count: 1, waitlisted_count: 0 }])
    expect((await service.emails()).map(({ to }) => to)).toContain(waiting)
    expect((await platform.report(`/rsvps/${toPublicId('rsv', newId())}/cancel`, { event_id })).status).toBe(404)
  })
})
