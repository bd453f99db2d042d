import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fromPublicId, toPublicId } from '../../src/base/ids.ts'
import { newPeople, newPlan, newSubscription, type SomebodyNew } from '../support/community.ts'
import { untilServed } from '../support/poll.ts'
import { type Reply, startDemoApi } from './demoApi.ts'
import { describeDemoOn } from './describeDemo.ts'

const owner = 'owner@example.com'
const hour = 3_600_000
const inHours = (hours: number): string => new Date(Date.now() + hours * hour).toISOString()

// Locks decide about concurrent requests: this needs PostgreSQL, if it is available.
describeDemoOn('last', 'answers to events, on $name', (api, name) => {
  const people = (count: number, more = {}): Promise<SomebodyNew[]> => newPeople(api.database.sql, api.school.id, count, more)
  const send = (path: string, as: string, method: string, body: object): Promise<Reply> =>
    api.send(`/api/v1/events/${path}`, { as, method, body })
  const answer = (event: string, { email }: SomebodyNew, status = 'going', more = {}): Promise<Reply> =>
    untilServed(() => send(`${event}/rsvps/me`, email, 'PUT', { status, ...more }))
  const read = async (event: string, as = owner): Promise<Record<string, unknown>> =>
    (await api.get(`/api/v1/events/${event}`, { as })).json
  const list = async (event: string, as = owner, query = 'limit=100') =>
    (await api.get(`/api/v1/events/${event}/rsvps?${query}`, { as })).json.data as {
      id: string
      status: string
      waitlist_position: number | null
      member: { id: string }
    }[]
  const change = async (event: string, columns: string, values: unknown[] = []): Promise<void> =>
    void (await api.database.sql.query(`UPDATE event SET ${columns} WHERE school_id = $1 AND id = $2`, [
      api.school.id,
      fromPublicId('evt', event),
      ...values,
    ]))
  async function made(body: object = {}): Promise<string> {
    const times = { starts_at: inHours(24), ends_at: inHours(26) }
    const online = { kind: 'online', join_url: 'https://meet.school.example/kiln' }
    const reply = await api.send('/api/v1/events', { as: owner, body: { title: 'Open Kiln', ...times, ...online, ...body } })
    expect(reply.status, reply.text).toBe(201)
    expect((await send(`${reply.json.id}/publish`, owner, 'POST', {})).status).toBe(200)
    return reply.json.id as string
  }
  const emailsTo = async ({ email }: SomebodyNew, kind: string) =>
    (await api.messages()).filter((message) => message.to === email && message.kind === kind)

  test('a hundred concurrent people: thirty get the thirty seats, the others wait; the first five of these get the seats that five give up', async () => {
    const event = await made({ capacity: 30 })
    const crowd = await people(100)
    const replies = await Promise.all(crowd.map((person) => answer(event, person)))
    expect(replies.map(({ status }) => status)).toEqual(crowd.map(() => 200))
    expect(await read(event)).toMatchObject({ going_count: 30, waitlisted_count: 70, seats_left: 0 })
    const queue = (await list(event, owner, 'status=waitlisted&sort=queued_at&limit=100')).map(({ member }) => member.id)
    expect(queue).toHaveLength(70)
    const going = crowd.filter((_person, index) => replies[index]?.json.status === 'going')
    expect(going).toHaveLength(30)

    await Promise.all(going.slice(0, 5).map((person) => answer(event, person, 'canceled')))
    expect(await read(event)).toMatchObject({ going_count: 30, waitlisted_count: 65 })
    const waiting = (await list(event, owner, 'status=waitlisted&sort=queued_at&limit=100')).map(({ member }) => member.id)
    expect(waiting).toEqual(queue.slice(5))
    const emails = (await api.messages()).filter(({ kind }) => kind === 'rsvp_promoted').map(({ to }) => to)
    expect(emails.toSorted()).toEqual(
      crowd
        .filter(({ id }) => queue.slice(0, 5).includes(toPublicId('mbr', id)))
        .map(({ email }) => email)
        .toSorted(),
    )

    await Promise.all([
      send(event, owner, 'PATCH', { capacity: 40 }),
      ...going.slice(5, 10).map((person) => answer(event, person, 'canceled')),
    ])
    expect(await read(event)).toMatchObject({ going_count: 40, waitlisted_count: 50, capacity: 40 })
    expect((await list(event, owner, 'status=waitlisted&sort=queued_at&limit=100')).map(({ member }) => member.id)).toEqual(queue.slice(20))
  })

  test('a double click is one answer and one seat', async () => {
    const event = await made({ capacity: 5 })
    const [person] = (await people(1)) as [SomebodyNew]
    const replies = await Promise.all(Array.from({ length: 8 }, () => answer(event, person)))
    expect(new Set(replies.map(({ status, json }) => `${status} ${json.id} ${json.status}`)).size).toBe(1)
    expect(await read(event)).toMatchObject({ going_count: 1 })
    const [row] = await api.database.sql.query<{ rsvps_count: number }>('SELECT rsvps_count FROM person WHERE id = $1', [person.id])
    expect(row?.rsvps_count).toBe(1)
  })

  test('a person reads only their own RSVP and its position on the waitlist', async () => {
    const event = await made({ capacity: 1 })
    const [first, second, third] = (await people(3)) as [SomebodyNew, SomebodyNew, SomebodyNew]
    for (const person of [first, second, third]) await answer(event, person, 'going', { note: `by ${person.id}` })
    expect((await read(event, third.email)).my_rsvp).toMatchObject({ status: 'waitlisted', waitlist_position: 2 })
    expect((await read(event, first.email)).my_rsvp).toMatchObject({ status: 'going', waitlist_position: null })
    expect(await list(event, third.email)).toMatchObject([{ status: 'waitlisted', member: { id: toPublicId('mbr', third.id) } }])
    expect(JSON.stringify(await list(event, third.email))).not.toContain(first.id)
    expect((await api.get(`/api/v1/events/${event}/rsvps`)).status).toBe(403)
    expect((await api.get(`/api/v1/events/${event}`)).text).not.toContain('my_rsvp')
    const csv = await api.get(`/api/v1/events/${event}/rsvps`, { as: owner, headers: { accept: 'text/csv' } })
    expect(csv.text.split('\r\n')).toHaveLength(5)
    expect((await api.get(`/api/v1/events/${event}/rsvps`, { as: first.email, headers: { accept: 'text/csv' } })).status).toBe(406)
  })

  test('guests take seats, and released seats go to the first on the waitlist', async () => {
    const event = await made({ capacity: 6 })
    const [host, party, single] = (await people(3)) as [SomebodyNew, SomebodyNew, SomebodyNew]
    expect((await answer(event, host, 'going', { guests: 5 })).json).toMatchObject({ status: 'going', guests: 5 })
    expect((await answer(event, party, 'going', { guests: 2 })).json.status).toBe('waitlisted')
    await answer(event, host, 'going', { guests: 3 })
    // Two seats are free, and the party of three is first in the queue.
    expect((await answer(event, single)).json.status).toBe('waitlisted')
    expect(await read(event)).toMatchObject({ going_count: 4, waitlisted_count: 4 })
    expect((await answer(event, host, 'going', { guests: 4 })).json).toMatchObject({ error: 'event_full' })
    await answer(event, host, 'going', { guests: 1 })
    expect(await read(event)).toMatchObject({ going_count: 6, waitlisted_count: 0 })
    expect(await emailsTo(party, 'rsvp_promoted')).toHaveLength(1)
    for (const guests of [-1, 6, 1.5, '1']) expect((await answer(event, host, 'going', { guests })).status).toBe(422)
  })

  test.each(['party', 'seat'] as const)('no seat is left for others while people are on a waitlist by %s that come first', async (mode) => {
    const event = await made({ capacity: 2, waitlist_mode: mode })
    const [first, party, other] = (await people(3)) as [SomebodyNew, SomebodyNew, SomebodyNew]
    await answer(event, first)
    expect(await read(event)).toMatchObject({ seats_left: 1 })
    expect((await answer(event, party, 'going', { guests: 1 })).json.status).toBe('waitlisted')
    // On a waitlist by seat, one person may overtake the party.
    const { seats_left } = await read(event)
    expect(seats_left).toBe(mode === 'party' ? 0 : 1)
    expect((await answer(event, other)).json.status).toBe(seats_left === 0 ? 'waitlisted' : 'going')
  })

  test('a seat that staff give in a full event is refused with the way out', async () => {
    const event = await made({ capacity: 1 })
    const [first, second] = (await people(2)) as [SomebodyNew, SomebodyNew]
    await answer(event, first)
    const body = { member_id: toPublicId('mbr', second.id) }
    const refused = await send(`${event}/rsvps`, owner, 'POST', { ...body, status: 'going' })
    expect([refused.status, refused.json.error_description]).toEqual([
      409,
      'The event has too few free seats: raise its capacity, or put the person on the waitlist.',
    ])
    expect((await send(`${event}/rsvps`, owner, 'POST', body)).json.status).toBe('waitlisted')
  })

  test('an event without a waitlist says that it is full', async () => {
    const event = await made({ capacity: 1, waitlist_enabled: false })
    const [first, second] = (await people(2)) as [SomebodyNew, SomebodyNew]
    expect((await answer(event, first)).status).toBe(200)
    expect(await answer(event, second)).toMatchObject({ status: 409, json: { error: 'event_full' } })
    expect(await read(event)).toMatchObject({ going_count: 1, waitlisted_count: 0 })
    expect(await list(event)).toHaveLength(1)
  })

  test('answers are taken while the event takes them', async () => {
    const [person] = (await people(1)) as [SomebodyNew]
    const closed = async (event: string, status = 'going') => {
      const reply = await answer(event, person, status)
      return [reply.status, reply.json.error ?? reply.json.status]
    }
    const early = await made({ rsvp_opens_at: inHours(1) })
    const late = await made()
    await answer(late, person)
    await change(late, `rsvp_closes_at = now() - interval '1 minute'`)
    const over = await made()
    await change(over, `starts_at = now() - interval '2 hours', ends_at = now() - interval '1 hour'`)
    const off = await made()
    await send(`${off}/cancel`, owner, 'POST', {})
    const [other] = (await people(1)) as [SomebodyNew]
    expect(await closed(early)).toEqual([409, 'rsvp_closed'])
    expect((await answer(late, other)).json.error).toBe('rsvp_closed')
    // People without a seat can still decline.
    expect(await closed(late, 'canceled')).toEqual([200, 'canceled'])
    expect(await closed(over)).toEqual([409, 'rsvp_closed'])
    expect(await closed(off)).toEqual([409, 'rsvp_closed'])
    const draft = (await api.send(`/api/v1/events/${off}/duplicate`, { as: owner, body: {} })).json.id as string
    expect(await closed(draft)).toEqual([404, 'not_found'])
  })

  test('only those take part whom the event is for', async () => {
    const { sql } = api.database
    const [member, blocked, stranger, holder, patron] = [
      ...(await people(1)),
      ...(await people(1, { status: 'blocked' })),
      ...(await people(1, { isMember: false })),
      ...(await people(2, { isMember: false })),
    ] as [SomebodyNew, SomebodyNew, SomebodyNew, SomebodyNew, SomebodyNew]
    const plan = await newPlan(sql, api.school.id)
    const everything = await newPlan(sql, api.school.id, { includesAllEvents: true })
    await newSubscription(sql, api.school.id, { personId: holder.id, planId: plan })
    await newSubscription(sql, api.school.id, { personId: patron.id, planId: everything })
    const events = {
      public: await made(),
      members: await made({ access: 'members' }),
      plans: await made({ access: 'plans', plan_ids: [toPublicId('mpl', plan)] }),
    }
    const statuses = async (event: string) =>
      (await Promise.all([member, blocked, stranger, holder, patron].map((person) => answer(event, person)))).map(({ status }) => status)
    expect(await statuses(events.public)).toEqual([200, 403, 200, 200, 200])
    expect(await statuses(events.members)).toEqual([200, 403, 403, 403, 200])
    expect(await statuses(events.plans)).toEqual([403, 403, 403, 200, 200])
    expect((await answer(events.plans, member)).json.error).toBe('access_denied')
    // The join URL is visible to people with a seat, as long as they have it.
    expect((await read(events.plans, holder.email)).join_url).toBe('https://meet.school.example/kiln')
    expect(await read(events.plans, member.email)).not.toHaveProperty('join_url')
    expect(await read(events.public, blocked.email)).not.toHaveProperty('join_url')
  })

  test('with limited seats the join URL is visible only to people with a seat', async () => {
    const event = await made({ access: 'members', capacity: 1 })
    const [first, second] = (await people(2)) as [SomebodyNew, SomebodyNew]
    await answer(event, first)
    await answer(event, second)
    expect((await read(event, first.email)).join_url).toBe('https://meet.school.example/kiln')
    expect((await read(event, second.email)).join_url).toBeNull()
    await answer(event, first, 'canceled')
    expect((await read(event, first.email)).join_url).toBeNull()
    expect((await read(event, second.email)).join_url).toBe('https://meet.school.example/kiln')
  })

  test('staff add guests, give and take seats, and note who came', async () => {
    const event = await made({ capacity: 2 })
    const crowd = (await people(4)) as [SomebodyNew, SomebodyNew, SomebodyNew, SomebodyNew]
    const add = (person: SomebodyNew, more = {}) =>
      send(`${event}/rsvps`, owner, 'POST', { member_id: toPublicId('mbr', person.id), ...more })
    const set = async (id: unknown, status: string) => {
      const reply = await send(`${event}/rsvps/${id}`, owner, 'PATCH', { status })
      return [reply.status, reply.json.error ?? reply.json.status]
    }
    const ids = []
    for (const [index, person] of crowd.entries()) {
      const reply = await add(person, index === 3 ? { status: 'waitlisted' } : {})
      expect([reply.status, reply.json.status]).toEqual([201, index < 2 ? 'going' : 'waitlisted'])
      expect(reply.headers.get('location')).toBeNull()
      ids.push(reply.json.id as string)
    }
    expect((await add(crowd[0])).json.error).toBe('invalid_state')
    const [late] = (await people(1)) as [SomebodyNew]
    expect((await add(late, { status: 'going' })).json.error).toBe('event_full')
    expect((await add(late, { status: 'attended' })).json.error).toBe('validation_failed')
    expect((await send(`${event}/rsvps`, owner, 'POST', { member_id: 'mbr_01jgwejj00e6srgkpqm2sqf05m' })).json.details).toMatchObject([
      { field: 'member_id', code: 'invalid_reference' },
    ])
    expect(await set(ids[3], 'going')).toEqual([409, 'event_full'])
    expect(await set(ids[0], 'attended')).toEqual([409, 'invalid_state'])
    expect(await set(ids[0], 'canceled')).toEqual([200, 'canceled'])
    expect(await list(event, owner, 'status=going')).toMatchObject([{ id: ids[1] }, { id: ids[2] }])
    expect(await read(event)).toMatchObject({ going_count: 2, waitlisted_count: 1 })
    expect((await send(`${event}/attendance`, owner, 'POST', { attended: [] })).json.error).toBe('invalid_state')

    await change(event, `starts_at = now() - interval '1 hour'`)
    const note = async (attended: unknown[]) => {
      const reply = await send(`${event}/attendance`, owner, 'POST', { attended })
      return [reply.status, reply.json.error ?? reply.json]
    }
    expect(await note([ids[0]])).toEqual([422, 'invalid_reference'])
    expect(await note([ids[1]])).toEqual([200, { attended: 1, no_show: 1 }])
    expect(await set(ids[2], 'attended')).toEqual([200, 'attended'])
    expect(await note([])).toEqual([200, { attended: 2, no_show: 0 }])
    expect(await set(ids[3], 'attended')).toEqual([409, 'invalid_state'])
    expect((await answer(event, crowd[1], 'canceled')).json.error).toBe('rsvp_closed')
    expect(await read(event)).toMatchObject({ going_count: 2, waitlisted_count: 1 })
  })

  test('an answer to another event, or of another school, does not exist', async () => {
    const [event, other] = [await made(), await made()]
    const [person] = (await people(1)) as [SomebodyNew]
    const { id } = (await answer(event, person)).json
    expect((await send(`${other}/rsvps/${id}`, owner, 'PATCH', { status: 'canceled' })).status).toBe(404)
    expect((await send(`${event}/rsvps/${id}`, person.email, 'PATCH', { status: 'attended' })).status).toBe(403)
    expect((await send(`${event}/rsvps`, person.email, 'POST', { member_id: toPublicId('mbr', person.id) })).status).toBe(403)
    const school = await startDemoApi({ database: api.database, drop: async () => {} })
    expect(
      (await school.send(`/api/v1/events/${event}/rsvps/${id}`, { as: owner, method: 'PATCH', body: { status: 'canceled' } })).status,
    ).toBe(404)
    await school.stop()
  })

  test('when an event is cancelled, everybody with a seat gets an e-mail, and no one else', async () => {
    const event = await made({ capacity: 1, title: 'Dye Walk' })
    const [going, waiting, gone] = (await people(3)) as [SomebodyNew, SomebodyNew, SomebodyNew]
    await answer(event, going)
    await answer(event, waiting)
    await answer(event, gone)
    await answer(event, gone, 'canceled')
    const reply = await send(`${event}/cancel`, owner, 'POST', { reason: 'It rains.' })
    expect(reply.json).toMatchObject({ status: 'canceled', cancel_reason: 'It rains.', canceled_at: expect.any(String) })
    expect(await emailsTo(going, 'event_canceled_because')).toMatchObject([{ links: { title: 'Dye Walk', reason: 'It rains.' } }])
    expect(await emailsTo(waiting, 'event_canceled_because')).toHaveLength(1)
    expect(await emailsTo(gone, 'event_canceled_because')).toEqual([])
    // Seats of a cancelled event are not passed on.
    expect(await emailsTo(waiting, 'rsvp_promoted')).toEqual([])
    expect((await send(event, owner, 'PATCH', { capacity: 9 })).json.error).toBe('invalid_state')
  })

  test('whatever is done in whichever order, seats taken are those of the guests, and never more than there are', async () => {
    const crowd = await people(6)
    const person = fc.integer({ min: 0, max: crowd.length - 1 })
    const step = fc.oneof(
      fc.record({ kind: fc.constant('go' as const), person, guests: fc.integer({ min: 0, max: 3 }) }),
      fc.record({ kind: fc.constant('leave' as const), person }),
      fc.record({ kind: fc.constant('capacity' as const), seats: fc.option(fc.integer({ min: 1, max: 12 })) }),
      fc.record({ kind: fc.constant('seat' as const), person, status: fc.constantFrom('going', 'canceled') }),
    )
    const run = async (event: string, one: Exclude<Parameters<typeof JSON.stringify>[0], undefined>) => {
      const guest = crowd[one.person] as SomebodyNew
      if (one.kind === 'go') return await answer(event, guest, 'going', { guests: one.guests })
      if (one.kind === 'leave') return await answer(event, guest, 'canceled')
      if (one.kind === 'capacity') return await send(event, owner, 'PATCH', { capacity: one.seats })
      const rows = await list(event)
      const row = rows.find(({ member }) => member.id === toPublicId('mbr', guest.id))
      return row && (await send(`${event}/rsvps/${row.id}`, owner, 'PATCH', { status: one.status }))
    }
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 6 }),
        fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { maxLength: 6 }),
        async (capacity, turns) => {
          const event = await made({ capacity })
          for (const turn of turns) {
            const replies = await Promise.all(turn.map((one) => run(event, one)))
            for (const reply of replies) if (reply) expect([200, 409, 422]).toContain(reply.status)
            const [row] = await api.database.sql.query<Record<string, number | null>>(
              `SELECT e.capacity, e.going_count, e.waitlisted_count,
                    coalesce(sum(r.guests + 1) FILTER (WHERE r.status = 'going'), 0)::int AS going,
                    coalesce(sum(r.guests + 1) FILTER (WHERE r.status = 'waitlisted'), 0)::int AS waiting
               FROM event e LEFT JOIN rsvp r ON r.school_id = e.school_id AND r.event_id = e.id
              WHERE e.school_id = $1 AND e.id = $2 GROUP BY e.school_id, e.id`,
              [api.school.id, fromPublicId('evt', event)],
            )
            expect([row?.going_count, row?.waitlisted_count]).toEqual([row?.going, row?.waiting])
            expect(row?.going_count).toBeLessThanOrEqual(row?.capacity ?? Number.POSITIVE_INFINITY)
          }
        },
      ),
      { numRuns: name === 'embedded' ? 3 : 6, endOnFailure: true },
    )
    const counts = await api.database.sql.query<{ kept: number; real: number }>(
      `SELECT p.rsvps_count AS kept, (SELECT count(*)::int FROM rsvp r WHERE r.person_id = p.id AND r.status <> 'canceled') AS real
         FROM person p WHERE p.id = ANY($1::uuid[])`,
      [crowd.map(({ id }) => id)],
    )
    for (const { kept, real } of counts) expect(kept).toBe(real)
  })
})
