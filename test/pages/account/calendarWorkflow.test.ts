import { beforeAll, describe, expect, test } from 'vitest'
import { fromPublicId, newId } from '../../../src/base/ids.ts'
import { allScopes, createAgent, personCalled } from '../../support/agent.ts'
import { databasesToTest } from '../../support/databases.ts'
import { duringTests } from '../../support/duringTests.ts'
import { startService } from '../../support/service.ts'
import { field } from '../browser.ts'
import { signedIn } from './account.ts'

const hour = 3_600_000
const inHours = (hours: number): string => new Date(Date.now() + hours * hour).toISOString()
const names = ['ada', 'bea', 'cleo', 'dov', 'esme'] as const
type Name = (typeof names)[number]

/** The properties of each event in a calendar, unfolded, as its readers see them. */
function eventsIn(calendar: string): Record<string, string>[] {
  const [, ...events] = calendar.replaceAll('\r\n ', '').split('BEGIN:VEVENT\r\n')
  return events.map((event) =>
    Object.fromEntries(
      event
        .split('\r\n')
        .filter((line) => line.includes(':'))
        .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]),
    ),
  )
}

// Two processes and locks are the same on both databases only if both are tested.
describe.each(await databasesToTest())('events of an empty school, on $name', ({ open }) => {
  const service = duringTests(() =>
    startService({
      open,
      schools: 2,
      isLimited: true,
      server: { trusted_proxies: ['loopback'] },
      people: [{ email: 'owner@school.example', role: 'owner' }],
    }),
  )
  const tokens = new Map<string, string>()
  beforeAll(async () => {
    const agent = await createAgent(service.issuer)
    for (const name of names) await service.addPerson({ email: `${name}@school.example` })
    for (const name of ['owner', ...names]) {
      const { body } = await agent.tokens(personCalled(`${name}@school.example`), { scope: allScopes }, { scopes: 'all' })
      tokens.set(name, body.access_token)
    }
  })

  async function call(as: string, method: string, path: string, body?: object, more: Record<string, string> = {}) {
    const response = await fetch(`${service.issuer}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${tokens.get(as)}`, 'content-type': 'application/json', ...more },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, body: text === '' ? {} : JSON.parse(text) }
  }
  const query = (text: string, values: unknown[] = []) => service.database.sql.query(text, values)
  async function newEvent(more: object): Promise<string> {
    const event = {
      title: 'Open kiln, with fire; and clay',
      kind: 'online',
      join_url: 'https://meet.example/kiln',
      starts_at: inHours(23),
      ends_at: inHours(25),
    }
    const made = await call('owner', 'POST', '/events', { ...event, time_zone: 'Europe/Berlin', ...more })
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    expect((await call('owner', 'POST', `/events/${made.body.id}/publish`, {})).status).toBe(200)
    return made.body.id
  }
  const rsvp = async (event: string, name: Name, guests = 0, status = 'going'): Promise<string> =>
    (await call(name, 'PUT', `/events/${event}/rsvps/me`, { status, guests })).body.status
  const figures = async (event: string) => {
    const { going_count, waitlisted_count, seats_left } = (await call('owner', 'GET', `/events/${event}`)).body
    return { going_count, waitlisted_count, seats_left }
  }
  const statusOf = async (event: string, name: Name): Promise<string> => (await call(name, 'GET', `/events/${event}`)).body.my_rsvp.status
  const remind = async (): Promise<void> => void (await service.app.jobs.find(({ name }) => name === 'remind_of_events')?.run())
  const mails = async (name: string, words: string) =>
    (await service.emails()).filter(({ to, subject }) => JSON.stringify(to).includes(`${name}@`) && subject.includes(words))
  const addressOf = async (name: string): Promise<string> => {
    expect((await call(name, 'POST', '/account/calendar/renew')).status).toBe(204)
    return (await call(name, 'GET', '/account/calendar')).body.url
  }

  test('a waitlist by seat fills every seat that somebody can take, and a waitlist by party keeps its order', async () => {
    const played: Record<string, unknown> = {}
    for (const waitlist_mode of ['seat', 'party'] as const) {
      const event = await newEvent({ capacity: 4, waitlist_mode })
      const first = [await rsvp(event, 'ada', 1), await rsvp(event, 'bea', 2), await rsvp(event, 'cleo'), await rsvp(event, 'dov', 1)]
      const before = await figures(event)
      expect(await rsvp(event, 'ada', 0, 'canceled')).toBe('canceled')
      const after = await Promise.all((['bea', 'cleo', 'dov'] as const).map((name) => statusOf(event, name)))
      played[waitlist_mode] = { first, before, after, ends: await figures(event) }
    }
    expect(played).toEqual({
      seat: {
        first: ['going', 'waitlisted', 'going', 'waitlisted'],
        before: { going_count: 3, waitlisted_count: 5, seats_left: 1 },
        after: ['going', 'going', 'waitlisted'],
        ends: { going_count: 4, waitlisted_count: 2, seats_left: 0 },
      },
      party: {
        first: ['going', 'waitlisted', 'waitlisted', 'waitlisted'],
        before: { going_count: 2, waitlisted_count: 6, seats_left: 0 },
        after: ['going', 'going', 'waitlisted'],
        ends: { going_count: 4, waitlisted_count: 2, seats_left: 0 },
      },
    })
  })

  test('changing the waitlist to one by seat gives the free seats to those for whom they suffice', async () => {
    const event = await newEvent({ capacity: 2 })
    expect([await rsvp(event, 'ada', 0), await rsvp(event, 'bea', 2), await rsvp(event, 'cleo')]).toEqual([
      'going',
      'waitlisted',
      'waitlisted',
    ])
    expect((await call('owner', 'PATCH', `/events/${event}`, { waitlist_mode: 'seat' }, { 'if-match': '*' })).status).toBe(200)
    expect([await statusOf(event, 'bea'), await statusOf(event, 'cleo')]).toEqual(['waitlisted', 'going'])
    expect(await figures(event)).toEqual({ going_count: 2, waitlisted_count: 3, seats_left: 0 })
  })

  test('each person with a seat is reminded once, unless they turned it off, gave the seat up, or took it too late', async () => {
    const event = await newEvent({ title: 'Reminded', reminder_hours: 24 })
    const silent = await newEvent({ title: 'Silent' })
    const later = await newEvent({ title: 'Later', reminder_hours: 24, starts_at: inHours(26), ends_at: inHours(27) })
    const canceled = await newEvent({ title: 'Canceled', reminder_hours: 24 })
    for (const name of names) for (const one of [event, silent, later, canceled]) await rsvp(one, name)
    expect((await call('owner', 'POST', `/events/${canceled}/cancel`, {})).status).toBe(200)
    await rsvp(event, 'bea', 0, 'canceled')
    await call('cleo', 'PATCH', '/account', { notification_preferences: { event_reminders: 'none' } }, { 'if-match': '*' })
    await call('ada', 'PATCH', '/account', { locale: 'de' }, { 'if-match': '*' })
    await query(
      `UPDATE rsvp SET status_changed_at = now() - interval '2 days' WHERE person_id <> (SELECT id FROM person WHERE email = 'esme@school.example')`,
    )
    await Promise.all([remind(), remind()])
    await remind()
    await query(`UPDATE rsvp SET status = 'canceled', status_changed_at = now() WHERE event_id = $1`, [fromPublicId('evt', event)])
    await query(`UPDATE rsvp SET status = 'going', status_changed_at = now() - interval '2 days' WHERE event_id = $1`, [
      fromPublicId('evt', event),
    ])
    await query(
      `UPDATE rsvp SET reminded_at = now() WHERE event_id = $1 AND person_id IN (SELECT id FROM person WHERE email IN ('bea@school.example'))`,
      [fromPublicId('evt', event)],
    )
    await remind()
    const reminders = async (name: (typeof names)[number], title: string) =>
      (await mails(name, title)).filter(({ subject }) => /reminder of|beginnt bald/.test(subject))
    const received = await Promise.all(names.map(async (name) => (await reminders(name, 'Reminded')).length))
    expect(received).toEqual([1, 0, 0, 1, 0])
    for (const title of ['Silent', 'Later', 'Canceled begins']) expect(await reminders('ada', title)).toEqual([])
    const [mail] = await reminders('ada', 'Reminded')
    expect(mail?.subject).toContain('beginnt bald')
    expect(mail?.text).toContain('(Europe/Berlin)')
    expect(mail?.text).toContain('/account/notifications')
    const [confirmation] = (await mails('bea', 'Reminded')).filter(({ subject }) => subject.includes('you are registered'))
    expect(confirmation?.text).toMatch(/I can’t come:\n\S+\/account\/events\/reminded/)
    expect(confirmation?.calendar).toContain('SUMMARY:Reminded')
  })

  test('a calendar at a secret address has the seats and the live lessons of a person, cancelled events as such, and valid lines', async () => {
    const seat = await newEvent({ title: 'Seat, with; signs\\' })
    const none = await newEvent({ title: 'No seat' })
    const lesson = await newEvent({ title: 'Live lesson' })
    await rsvp(seat, 'dov')
    const course = await call('owner', 'POST', '/courses', { title: 'Clay' })
    expect(course.status, JSON.stringify(course.body)).toBe(201)
    const [schoolId, courseId] = [service.schoolId(), fromPublicId('crs', course.body.id)]
    const section = newId()
    await query(`INSERT INTO section (school_id, id, course_id, title, position) VALUES ($1, $2, $3, 'One', 1)`, [
      schoolId,
      section,
      courseId,
    ])
    await query(
      `INSERT INTO lesson (school_id, id, course_id, section_id, title, kind, status, position, event_id) VALUES ($1, $2, $3, $4, 'Live', 'live', 'published', 1, $5)`,
      [schoolId, newId(), courseId, section, fromPublicId('evt', lesson)],
    )
    await query(
      `INSERT INTO enrollment (school_id, id, course_id, person_id, status, source, starts_at) SELECT $1, $2, $3, id, 'active', 'manual', now() FROM person WHERE email = 'dov@school.example'`,
      [schoolId, newId(), courseId],
    )
    const address = await addressOf('dov')
    const response = await fetch(address)
    const calendar = await response.text()
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/calendar; charset=utf-8'])
    expect(calendar.split('\r\n').every((line) => Buffer.byteLength(line) <= 75)).toBe(true)
    expect(calendar).toContain('REFRESH-INTERVAL;VALUE=DURATION:PT1H\r\n')
    const shown = eventsIn(calendar)
    const titles = shown.map(({ SUMMARY }) => SUMMARY)
    expect(titles).toContain('Seat\\, with\\; signs\\\\')
    expect(titles).toContain('Live lesson')
    expect(titles).not.toContain('No seat')
    const mine = shown.find(({ UID }) => UID === `${seat}@127.0.0.1`)
    expect(mine).toMatchObject({ STATUS: 'CONFIRMED', URL: 'https://meet.example/kiln' })
    for (const name of ['UID', 'DTSTAMP', 'DTSTART', 'DTEND', 'SEQUENCE']) expect(mine).toHaveProperty(name)
    const etag = response.headers.get('etag') ?? ''
    expect((await fetch(address, { headers: { 'if-none-match': etag } })).status).toBe(304)
    await call('owner', 'POST', `/events/${seat}/cancel`, {})
    const changed = await fetch(address, { headers: { 'if-none-match': etag } })
    const called = eventsIn(await changed.text()).find(({ UID }) => UID === `${seat}@127.0.0.1`)
    expect(called).toMatchObject({ STATUS: 'CANCELLED' })
    expect(Number(called?.SEQUENCE)).toBeGreaterThan(Number(mine?.SEQUENCE))
    expect(none).toBeDefined()
  })

  test('an address ends when it is replaced or when the account is disabled or blocked, and is not valid at another school', async () => {
    expect((await call('esme', 'GET', '/account/calendar')).body).toEqual({ object: 'calendar_feed', url: null, renewed_at: null })
    const first = await addressOf('esme')
    const second = await addressOf('esme')
    expect(first).not.toBe(second)
    expect([(await fetch(first)).status, (await fetch(second)).status]).toEqual([404, 200])
    expect((await fetch(second.replace(service.issuer, service.other))).status).toBe(404)
    for (const path of ['', 'x', 'x.ics', `${'A'.repeat(43)}.ics`, `${'A'.repeat(5000)}.ics`, '%00.ics', '%e2%80.ics'])
      expect([400, 404, 414]).toContain((await fetch(`${service.issuer}/calendar/${path}`)).status)
    expect((await fetch(second, { method: 'POST' })).status).toBe(405)
    await query(`UPDATE person SET member_status = 'blocked' WHERE email = 'esme@school.example'`)
    expect((await fetch(second)).status).toBe(404)
    await query(`UPDATE person SET member_status = 'active' WHERE email = 'esme@school.example'`)
    await query(`UPDATE account SET disabled_at = now() WHERE email = 'esme@school.example'`)
    expect((await fetch(second)).status).toBe(404)
    await query(`UPDATE account SET disabled_at = NULL WHERE email = 'esme@school.example'`)
    expect((await fetch(second)).status).toBe(200)
  })

  test('no token of an address is stored or logged in clear, and wrong addresses are limited', async () => {
    const address = await addressOf('cleo')
    const token = /calendar\/(.+)\.ics$/.exec(address)?.[1] ?? ''
    expect(token).toHaveLength(43)
    await fetch(address)
    await fetch(`${address.replace('.ics', '')}/x`)
    expect(service.log()).toContain('/calendar/[removed]')
    expect(service.log()).not.toContain(token)
    const tables = (await query(`SELECT tablename FROM pg_tables WHERE schemaname = current_schema()`)) as { tablename: string }[]
    for (const { tablename } of tables) {
      const rows = await query(`SELECT 1 FROM "${tablename}" AS row WHERE row::text LIKE '%' || $1 || '%'`, [token])
      expect([tablename, rows.length]).toEqual([tablename, 0])
    }
    const from = { 'x-forwarded-for': '198.51.100.77' }
    const statuses: number[] = []
    for (let count = 0; count < 62; count++)
      statuses.push((await fetch(`${service.issuer}/calendar/${'B'.repeat(43)}.ics`, { headers: from })).status)
    expect([statuses[0], statuses.at(-1)]).toEqual([404, 429])
    expect((await fetch(address)).status).toBe(200)
  })

  test('the account page shows the address, and replaces it without a script', async () => {
    const browser = await signedIn(service, 'bea@school.example')
    const page = await browser.get('/account/events')
    expect(page.html).not.toMatch(/\/calendar\/[\w-]{43}/)
    const sent = await browser.post('/account/events/calendar/renew', { csrf: field(page.html, 'csrf') })
    expect(sent.status, sent.html).toBe(303)
    const shown = await browser.follow(sent)
    const [address = ''] = /http[^"]*\/calendar\/[\w-]{43}\.ics/.exec(shown.html) ?? []
    expect((await fetch(address)).status).toBe(200)
    expect((await browser.post('/account/events/calendar/renew', { csrf: 'x' })).status).toBe(403)
  })
})
