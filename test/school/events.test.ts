import { describe, expect, test } from 'vitest'
import { fromPublicId, toPublicId } from '../../src/base/ids.ts'
import { newPeople, newPlan, type SomebodyNew } from '../support/community.ts'
import { databasesToTest } from '../support/databases.ts'
import { duringTests } from '../support/duringTests.ts'
import { type Reply, startDemoApi } from './demoApi.ts'
import { describeDemoOn } from './describeDemo.ts'

const owner = 'owner@example.com'
const lecturer = 'lecturer2@example.com'
const other = 'lecturer1@example.com'
const inHours = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString()
const place = { name: 'Kiln house; back, left', address: 'Quay 4', latitude: 53.5, longitude: 10 }
const joinUrl = 'https://meet.school.example/kiln'

describe.each((await databasesToTest()).slice(0, 1))('events, on $name', ({ open }) => {
  const api = duringTests(async () => startDemoApi(await open()))

  const events = (end = '', as: string | undefined = owner, method = 'GET', body?: object, headers = {}): Promise<Reply> =>
    api.send(`/api/v1/events${end}`, { as, method, headers, ...(body && { body }) })
  const fields = (more: object = {}) => ({
    title: 'Open Kiln Evening',
    kind: 'hybrid',
    starts_at: inHours(24),
    ends_at: inHours(26),
    location: place,
    join_url: joinUrl,
    ...more,
  })
  async function made(more: object = {}, { as = owner, isPublished = true } = {}): Promise<string> {
    const reply = await events('', as, 'POST', fields(more))
    expect(reply.status, reply.text).toBe(201)
    if (isPublished) expect((await events(`/${reply.json.id}/publish`, as, 'POST', {})).status).toBe(200)
    return reply.json.id as string
  }
  const fieldErrors = (reply: Reply) =>
    ((reply.json.details ?? []) as { field: string; code: string }[]).map(({ field, code }) => `${field} ${code}`)
  const calendarOf = async (end: string, as?: string) => await api.get(`/api/v1/events${end}`, { as, headers: { accept: 'text/calendar' } })

  test('report every error together', async () => {
    const wrong = fields({
      ends_at: inHours(1),
      location: null,
      access: 'plans',
      time_zone: 'Mars/Base',
      rsvp_opens_at: inHours(5),
      rsvp_closes_at: inHours(4),
      lecturer_ids: ['lec_01jgwejj00e6srgkpqm2sqf05m'],
    })
    const reply = await events('', owner, 'POST', wrong)
    expect(reply.status).toBe(422)
    expect(fieldErrors(reply)).toEqual([
      'time_zone not_allowed',
      'ends_at min',
      'rsvp_closes_at max',
      'rsvp_closes_at min',
      'location required',
      'plan_ids required',
      'lecturer_ids invalid_reference',
    ])
    const plan = toPublicId('mpl', await newPlan(api.database.sql, api.school.id))
    for (const [more, issue] of [
      [{ ends_at: inHours(24 * 16) }, 'ends_at max'],
      [{ plan_ids: [plan] }, 'plan_ids not_allowed'],
      [{ access: 'plans', plan_ids: ['mpl_01jgwejj00e6srgkpqm2sqf05m'] }, 'plan_ids invalid_reference'],
      [{ access: 'course' }, 'course_id required'],
      [{ course_id: 'crs_01jgwejj00e6srgkpqm2sqf05m' }, 'course_id invalid_reference'],
      [{ capacity: 0 }, 'capacity min'],
    ] as const)
      expect(fieldErrors(await events('', owner, 'POST', fields(more)))).toEqual([issue])
  })

  test('take the time zone of the school, and a slug of their title', async () => {
    const [school] = await api.database.sql.query<{ time_zone: string }>('SELECT time_zone FROM school WHERE id = $1', [api.school.id])
    const { json } = await events(`/${await made({ title: 'Dye Walk' })}`)
    expect(json).toMatchObject({ slug: 'dye-walk', time_zone: school?.time_zone, phase: 'upcoming', seats_left: null, my_rsvp: null })
  })

  test('visitors see what an event is, of one that is not for all not where, of none the way in', async () => {
    const open = await made()
    const closed = await made({ access: 'members' })
    const [member, stranger] = [
      (await newPeople(api.database.sql, api.school.id, 1))[0],
      (await newPeople(api.database.sql, api.school.id, 1, { isMember: false }))[0],
    ] as [SomebodyNew, SomebodyNew]
    const seen = async (id: string, as?: string) => {
      const { json, text } = await api.get(`/api/v1/events/${id}`, { as })
      return [(json.location as { name: string } | null)?.name, text.includes(joinUrl), 'waitlisted_count' in json]
    }
    expect(await seen(open)).toEqual([place.name, false, false])
    expect(await seen(closed)).toEqual([undefined, false, false])
    expect(await seen(closed, stranger.email)).toEqual([undefined, false, false])
    expect(await seen(closed, member.email)).toEqual([place.name, true, false])
    expect(await seen(closed, owner)).toEqual([place.name, true, true])
    const list = await api.get('/api/v1/events?limit=100&access=members')
    expect(list.json.data).toContainEqual(expect.objectContaining({ id: closed, title: 'Open Kiln Evening', location: null }))
    expect(list.text).not.toContain(joinUrl)
    // People without access see the title, the dates, the picture and the access rule.
    const hidden = { description: null, description_html: null, host_lecturers: [], capacity: null, going_count: null, seats_left: null }
    for (const as of [undefined, stranger.email]) {
      expect((await api.get(`/api/v1/events/${closed}?expand=host_lecturers`, { as })).json).toMatchObject({
        ...hidden,
        host_lecturers: { data: [] },
        title: 'Open Kiln Evening',
        access: 'members',
      })
    }
    expect((await api.get(`/api/v1/events/${open}`)).json).toMatchObject({ going_count: 0 })
    expect((await api.get(`/api/v1/events/${closed}`, { as: member.email })).json).toMatchObject({ going_count: 0 })
    // Lecturers see the join URL of other lecturers' events by the same rule as other people.
    expect(await seen(open, other)).toEqual([place.name, false, false])
  })

  test('lecturers host theirs, see them in every state, and change no others', async () => {
    const own = await made({}, { as: lecturer, isPublished: false })
    expect((await events(`/${own}`, lecturer)).json.host_lecturers).toHaveLength(1)
    expect((await events(`/${own}`, other)).status).toBe(404)
    const foreign = await made()
    for (const [path, method] of [
      ['', 'PATCH'],
      ['/cancel', 'POST'],
      ['/duplicate', 'POST'],
      ['/attendance', 'POST'],
    ] as const)
      expect([path, (await events(`/${foreign}${path}`, lecturer, method, path === '/attendance' ? { attended: [] } : {})).status]).toEqual(
        [path, 403],
      )
    const id = (await events(`/${own}`, lecturer)).json.host_lecturers as { id: string }[]
    const shown = async () => (await api.get(`/api/v1/lecturers/${id[0]?.id}`)).json.events_count
    expect(await shown()).toBe(0)
    await api.database.sql.query(`UPDATE school SET settings = settings || '{"lecturer_publishing": false}' WHERE id = $1`, [api.school.id])
    expect((await events(`/${own}/publish`, lecturer, 'POST', {})).status).toBe(403)
    await api.database.sql.query(`UPDATE school SET settings = settings || '{"lecturer_publishing": true}' WHERE id = $1`, [api.school.id])
    expect((await events(`/${own}/publish`, lecturer, 'POST', {})).status).toBe(200)
    expect(await shown()).toBe(1)
    expect((await api.get(`/api/v1/events?lecturer_id=${id[0]?.id}`)).json.data).toMatchObject([{ id: own }])
    const named = await events('', lecturer, 'POST', fields({ lecturer_ids: [] }))
    expect(named.status).toBe(201)
  })

  test('their status follows the clock, in filters as well', async () => {
    const ids = {
      upcoming: await made({ title: 'Clock A' }),
      live: await made({ title: 'Clock B' }),
      ended: await made({ title: 'Clock C' }),
    }
    const move = (id: string, from: string, to: string) =>
      api.database.sql.query(`UPDATE event SET starts_at = now() + $2::interval, ends_at = now() + $3::interval WHERE id = $1`, [
        fromPublicId('evt', id),
        from,
        to,
      ])
    await move(ids.live, '-1 hour', '1 hour')
    await move(ids.ended, '-2 hours', '-1 hour')
    for (const [phase, id] of Object.entries(ids)) {
      expect((await api.get(`/api/v1/events?q=Clock&phase=${phase}`)).json.data).toMatchObject([{ id, phase }])
    }
    expect((await api.get('/api/v1/events?phase=later')).status).toBe(400)
    const sorted = (await api.get('/api/v1/events?q=Clock&sort=-starts_at')).json.data as { id: string }[]
    expect(sorted.map(({ id }) => id)).toEqual([ids.upcoming, ids.live, ids.ended])
  })

  test('can be had as a calendar, each in the view of who asks', async () => {
    const title = 'Calendar, and; more\r\nATTENDEE:mailto:evil@example.org'
    const id = await made({ access: 'members', description: 'First line\n\nBEGIN:VALARM' })
    // The API rejects line breaks in titles; a calendar must be safe with any row.
    await api.database.sql.query('UPDATE event SET title = $3 WHERE school_id = $1 AND id = $2', [
      api.school.id,
      fromPublicId('evt', id),
      title,
    ])
    const off = await made({ title: 'Called off' })
    await events(`/${off}/cancel`, owner, 'POST', {})
    const visitor = await calendarOf('')
    expect(visitor.headers.get('content-type')).toBe('text/calendar; charset=utf-8')
    expect(visitor.headers.get('vary')).toContain('Accept')
    const whole = visitor.text.replaceAll('\r\n ', '')
    expect(whole).toContain(`UID:${id}@127.0.0.1\r\n`)
    expect(whole).toContain('SUMMARY:Calendar\\, and\\; more\\nATTENDEE:mailto:evil@example.org\r\n')
    expect(whole).not.toContain('First line')
    expect(whole).not.toMatch(/^(ATTENDEE|BEGIN:VALARM)/m)
    expect(whole).toMatch(/SUMMARY:Called off\r\n(?:.+\r\n)*?STATUS:CANCELLED\r\n/)
    expect(whole.split('BEGIN:VEVENT')).toHaveLength(whole.split('END:VEVENT').length)
    const one = (await calendarOf(`/${id}`)).text
    expect([one.includes('Kiln house'), one.includes('meet.school')]).toEqual([false, false])
    const mine = (await calendarOf(`/${id}`, owner)).text.replaceAll('\r\n ', '')
    expect(mine).toContain('DESCRIPTION:First line\\n\\nBEGIN:VALARM\r\nX-ALT-DESC;FMTTYPE=text/html:<p>First line</p>')
    expect(mine).not.toMatch(/^BEGIN:VALARM/m)
    expect(mine).toContain('LOCATION:Kiln house\\; back\\, left\\, Quay 4\r\nGEO:53.5;10\r\nURL:https://meet.school.example/kiln\r\n')
    for (const line of (await calendarOf('', owner)).text.split('\r\n')) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75)
    const again = await api.get('/api/v1/events', {
      headers: { accept: 'text/calendar', 'if-none-match': visitor.headers.get('etag') as string },
    })
    expect([again.status, again.text]).toEqual([304, ''])
    expect((await api.get('/api/v1/events', { headers: { accept: 'text/calendar', 'if-none-match': '"x"' }, method: 'HEAD' })).text).toBe(
      '',
    )
  })

  test('a calendar has the words of a description, its markup next to them, the revision and an address', async () => {
    const html =
      '<h2>Hello</h2><p>See <a href="https://school.example/map">the map</a>,<br>&amp; bring <b>clay</b>.</p><ul><li>One</li><li>Two</li></ul>'
    const described = await made({ slug: 'described-event', description: html, description_format: 'html' })
    const entry = async (as?: string) => (await calendarOf(`/${described}`, as)).text.replaceAll('\r\n ', '')
    const before = await entry(owner)
    expect(before).toContain('DESCRIPTION:Hello\\n\\nSee the map (https://school.example/map)\\,\\n& bring clay.\\n\\n- One\\n- Two\r\n')
    expect(before).toContain('X-ALT-DESC;FMTTYPE=text/html:<h2 id="text-hello">Hello</h2><p>See <a href="https://school.example/map"')
    const sequence = (text: string) => Number(/SEQUENCE:(\d+)/.exec(text)?.[1])
    expect((await entry()).includes(`URL:${api.school.issuer}/events/described-event\r\n`)).toBe(true)
    await events(`/${described}`, owner, 'PATCH', { description: 'Some *words* only', description_format: 'markdown' })
    const after = await entry(owner)
    expect(after).toContain('DESCRIPTION:Some words only\r\n')
    expect(sequence(after)).toBeGreaterThan(sequence(before))
  })

  test('a calendar that is longer than asked for leads to the rest', async () => {
    const ask = async (path: string) => await api.get(path, { headers: { accept: 'text/calendar' } })
    const first = await ask('/api/v1/events?limit=2')
    expect(first.text.split('BEGIN:VEVENT')).toHaveLength(3)
    const next = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] as string
    const second = await ask(next.slice(api.school.issuer.length))
    expect(second.text.split('BEGIN:VEVENT')).toHaveLength(3)
    expect((await ask('/api/v1/events?fields=title')).json.error).toBe('invalid_parameter')
    expect((await ask('/api/v1/events?limit=1001')).status).toBe(400)
    expect((await ask('/api/v1/courses')).status).toBe(406)
  })

  test('a copy is a new draft without RSVPs', async () => {
    const id = await made({ capacity: 3, external_id: 'erp-1', recording_url: 'https://films.school.example/1' })
    await events(`/${id}/rsvps/me`, owner, 'PUT', { status: 'going' })
    const copy = (await events(`/${id}/duplicate`, owner, 'POST', {})).json
    expect(copy).toMatchObject({
      status: 'draft',
      title: 'Open Kiln Evening (copy)',
      capacity: 3,
      going_count: 0,
      external_id: null,
      recording_url: null,
      my_rsvp: null,
    })
    expect(copy.slug).not.toBe((await events(`/${id}`)).json.slug)
    expect((await api.get(`/api/v1/events/${copy.id}`)).status).toBe(404)
  })

  test('a live lesson names an event of its school, and loses it when the event goes', async () => {
    const id = await made({}, { isPublished: false })
    const [section] = await api.database.sql.query<{ id: string }>('SELECT id FROM section WHERE school_id = $1 LIMIT 1', [api.school.id])
    const lesson = (body: object) =>
      api.send(`/api/v1/sections/${toPublicId('sec', section?.id as string)}/lessons`, {
        as: owner,
        body: { title: 'Live', kind: 'live', ...body },
      })
    const reply = await lesson({ event_id: id })
    expect([reply.status, reply.json.event_id]).toEqual([201, id])
    expect(fieldErrors(await lesson({ event_id: 'evt_01jgwejj00e6srgkpqm2sqf05m' }))).toEqual(['event_id invalid_reference'])
    expect((await events(`/${id}`, owner, 'DELETE')).status).toBe(204)
    expect((await api.get(`/api/v1/lessons/${reply.json.id}`, { as: owner })).json.event_id).toBeNull()
  })

  test('a school that turns them off has none but for its staff', async () => {
    const id = await made()
    await api.database.sql.query(`UPDATE school SET features = features || '{"events": false}' WHERE id = $1`, [api.school.id])
    const statuses = async (as?: string) => [
      (await events('', as)).status,
      (await events(`/${id}`, as)).status,
      (await calendarOf('', as)).status,
    ]
    expect(await statuses('learner001@example.org')).toEqual([404, 404, 404])
    expect((await events(`/${id}/rsvps/me`, 'learner001@example.org', 'PUT', { status: 'going' })).status).toBe(404)
    expect(await statuses(owner)).toEqual([200, 200, 200])
    await api.database.sql.query(`UPDATE school SET features = features || '{"events": true}' WHERE id = $1`, [api.school.id])
  })
})

/** The response of each action in each state of an event, and the state after it. */
const events = {
  draft: {
    publish: '200 published',
    unpublish: '200 draft',
    cancel: '409 draft',
    PATCH: '200 draft',
    DELETE: '204 gone',
    duplicate: '201 draft',
  },
  published: {
    publish: '200 published',
    unpublish: '200 draft',
    cancel: '200 canceled',
    PATCH: '200 published',
    DELETE: '409 published',
    duplicate: '201 published',
  },
  answered: {
    publish: '200 published',
    unpublish: '409 published',
    cancel: '200 canceled',
    PATCH: '200 published',
    DELETE: '409 published',
    duplicate: '201 published',
  },
  canceled: {
    publish: '409 canceled',
    unpublish: '409 canceled',
    cancel: '200 canceled',
    PATCH: '409 canceled',
    DELETE: '409 canceled',
    duplicate: '201 canceled',
  },
} as const

/** The changes of an RSVP by staff in each state, before the event and after its start. */
const answers = {
  before: {
    going: { going: 200, canceled: 200, attended: 409, no_show: 409 },
    waitlisted: { going: 409, canceled: 200, attended: 409, no_show: 409 },
    canceled: { going: 409, canceled: 200, attended: 409, no_show: 409 },
  },
  after: {
    going: { going: 200, canceled: 200, attended: 200, no_show: 200 },
    waitlisted: { going: 409, canceled: 200, attended: 409, no_show: 409 },
    canceled: { going: 409, canceled: 200, attended: 409, no_show: 409 },
    attended: { going: 200, canceled: 409, attended: 200, no_show: 200 },
    no_show: { going: 200, canceled: 409, attended: 200, no_show: 200 },
  },
} as const

describeDemoOn('first', 'states of events and answers, on $name', (api) => {
  const send = (path: string, method: string, body?: object) =>
    api.send(`/api/v1/events${path}`, { as: owner, method, ...(body && { body }) })
  const must = async (...args: Parameters<typeof send>) => {
    const reply = await send(...args)
    expect(reply.status, reply.text).toBeLessThan(300)
    return reply.json
  }
  async function eventIn(state: keyof typeof events): Promise<string> {
    const body = {
      title: 'Dye Walk',
      kind: 'online',
      join_url: 'https://meet.school.example',
      starts_at: inHours(1),
      ends_at: inHours(2),
    }
    const { id } = await must('', 'POST', body)
    if (state !== 'draft') await must(`/${id}/publish`, 'POST', {})
    if (state === 'answered') await must(`/${id}/rsvps/me`, 'PUT', { status: 'canceled' })
    if (state === 'canceled') await must(`/${id}/cancel`, 'POST', {})
    return id as string
  }

  test.each(Object.entries(events))('an event that is %s', async (state, expected) => {
    const found: Record<string, string> = {}
    for (const action of Object.keys(expected)) {
      const id = await eventIn(state as keyof typeof events)
      const isMethod = action === 'PATCH' || action === 'DELETE'
      const reply = await send(
        isMethod ? `/${id}` : `/${id}/${action}`,
        isMethod ? action : 'POST',
        action === 'DELETE' ? undefined : action === 'PATCH' ? { title: 'Dye Run' } : {},
      )
      if (reply.status === 409) expect(reply.json.error).toBe('invalid_state')
      const after = await api.get(`/api/v1/events/${id}`, { as: owner })
      found[action] = `${reply.status} ${after.status === 404 ? 'gone' : after.json.status}`
    }
    expect(found).toEqual(expected)
  })

  test.each(Object.entries(answers))('changes of RSVPs by staff, %s the event begins', async (time, table) => {
    const found: Record<string, Record<string, number>> = {}
    for (const [state, row] of Object.entries(table)) {
      found[state] = {}
      for (const status of Object.keys(row)) {
        const id = await eventIn('published')
        // Another person has the only seat, so the party stays on the waiting list.
        await must(`/${id}`, 'PATCH', { capacity: state === 'going' || state === 'attended' || state === 'no_show' ? 2 : 1 })
        const [first, second] = await newPeople(api.database.sql, api.school.id, 2)
        await must(`/${id}/rsvps`, 'POST', { member_id: toPublicId('mbr', first?.id as string) })
        const rsvp = await must(`/${id}/rsvps`, 'POST', { member_id: toPublicId('mbr', second?.id as string) })
        await api.database.sql.query(`UPDATE event SET starts_at = now() + $2::interval WHERE id = $1`, [
          fromPublicId('evt', id),
          time === 'before' ? '1 hour' : '-1 hour',
        ])
        if (state !== rsvp.status) await must(`/${id}/rsvps/${rsvp.id}`, 'PATCH', { status: state })
        const reply = await send(`/${id}/rsvps/${rsvp.id}`, 'PATCH', { status })
        if (reply.status === 409) expect(['invalid_state', 'event_full']).toContain(reply.json.error)
        else expect(reply.json.status).toBe(status)
        ;(found[state] as Record<string, number>)[status] = reply.status
      }
    }
    expect(found).toEqual(table)
  })
})
