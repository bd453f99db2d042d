import { beforeAll, describe, expect, test } from 'vitest'
import { fromPublicId, newId } from '../../../src/base/ids.ts'
import { fillFreeSeats } from '../../../src/school/events/jobs/fillFreeSeats.ts'
import { expireOrders } from '../../../src/school/orders/jobs/expireOrders.ts'
import { databasesToTest } from '../../support/databases.ts'
import { duringTests } from '../../support/duringTests.ts'
import { startSales } from '../../support/sales.ts'

const price = { amount: 1500, currency: 'EUR' }
const inHours = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString()

describe.each(await databasesToTest())('the waitlist of an event with a price, on $name', ({ open }) => {
  const sales = duringTests(() =>
    startSales({
      open,
      school: {
        defaults: { name: 'Shop', locale: 'en', time_zone: 'UTC', currency: 'EUR' },
        checkout_url: 'https://shop.example.com/?type={type}&id={id}',
      },
    }),
  )
  const names = ['ada', 'bea', 'cleo'] as const
  const addressOf = (name: string): string => `${name}@example.org`
  beforeAll(async () => {
    for (const name of names) await sales.service.addPerson({ email: addressOf(name) })
  })

  async function newEvent(more: object = {}): Promise<string> {
    const place = { kind: 'in_person', location: { name: 'Kiln house' }, starts_at: inHours(72), ends_at: inHours(74) }
    const { status, body } = await sales.call('POST', '/events', { title: `Kiln ${newId()}`, ...place, capacity: 1, price, ...more })
    expect([status, body.details]).toEqual([201, undefined])
    expect((await sales.call('POST', `/events/${body.id}/publish`, {})).status).toBe(200)
    return body.id
  }
  const rsvp = (id: string, name: string, body: object = { status: 'going' }) =>
    sales.call('PUT', `/events/${id}/rsvps/me`, body, { as: addressOf(name) })
  const mine = async (id: string, name: string) =>
    (await sales.call('GET', `/events/${id}`, undefined, { as: addressOf(name) })).body.my_rsvp
  const order = (id: string, email: string) =>
    sales.platform.report('/orders', { buyer: { email, name: 'Wren Tallow' }, items: [{ type: 'event', id }] })
  const end = (number: string, how: 'pay' | 'fail' | 'cancel' | 'refund') =>
    sales.platform.report(`/orders/${number}/${how}`, how === 'pay' ? price : {})
  const fill = async () => await sales.service.app.jobs.find(({ name }) => name === 'fill_event_seats')?.run()
  const query = (text: string, values: unknown[] = []) => sales.service.database.sql.query(text, values)
  const endTime = (id: string) =>
    query(`UPDATE rsvp SET offered_until = now() - interval '1 second' WHERE event_id = $1 AND offered_until IS NOT NULL`, [
      fromPublicId('evt', id),
    ])
  const emailsAbout = async (id: string) => {
    const { title } = (await sales.call('GET', `/events/${id}`)).body
    return (await sales.service.emails()).filter(({ subject }) => subject.includes(title))
  }
  /** Fills the only seat by a sale, and puts these people on the waitlist. Returns the event and the order of the seat. */
  async function soldOut(waiting: readonly string[], more: object = {}) {
    const id = await newEvent(more)
    const { body } = await order(id, `${newId()}@example.org`)
    await end(body.number, 'pay')
    for (const name of waiting) expect([(await rsvp(id, name)).body.status, name]).toEqual(['waitlisted', name])
    return { id, number: body.number as string }
  }
  /** Compares the counts of every event with its RSVPs and orders. */
  async function expectCounts(): Promise<void> {
    const wrong = await query(
      `SELECT id, going_count, waitlisted_count, taken, waiting FROM (
         SELECT e.*, (SELECT coalesce(sum(guests + 1), 0) FROM rsvp r WHERE r.event_id = e.id AND status IN ('going', 'attended', 'no_show'))
                   + (SELECT coalesce(sum(held_seats), 0) FROM rsvp r WHERE r.event_id = e.id)
                   + (SELECT coalesce(sum(reserved_seats), 0) FROM order_item i WHERE i.product_id = e.id) AS taken,
                (SELECT coalesce(sum(guests + 1), 0) FROM rsvp r WHERE r.event_id = e.id AND status = 'waitlisted' AND offered_until IS NULL) AS waiting
           FROM event e) AS counted
        WHERE going_count <> taken OR waitlisted_count <> waiting OR going_count > capacity
           OR EXISTS (SELECT 1 FROM rsvp r WHERE r.event_id = counted.id AND held_seats > 0 AND (status <> 'waitlisted' OR offered_until IS NULL))`,
    )
    expect(wrong).toEqual([])
    const people = await query(
      `SELECT email, rsvps_count FROM person p
        WHERE rsvps_count <> (SELECT count(*) FROM rsvp r WHERE r.person_id = p.id AND r.status <> 'canceled')`,
    )
    expect(people).toEqual([])
  }

  test('takes people only while no seat is for sale, and without guests, whose seats are paid for separately', async () => {
    const id = await newEvent()
    expect((await rsvp(id, 'ada')).body.error).toBe('checkout_required')
    const { body } = await order(id, `${newId()}@example.org`)
    expect((await rsvp(id, 'ada', { status: 'going', guests: 1 })).body.error).toBe('checkout_required')
    const joined = await rsvp(id, 'ada')
    expect([joined.status, joined.body]).toMatchObject([200, { status: 'waitlisted', waitlist_position: 1, offered_until: null }])
    expect((await rsvp(id, 'ada', { status: 'going', note: 'By bike' })).body).toMatchObject({ status: 'waitlisted', note: 'By bike' })
    const member = (await sales.call('POST', '/members', { email: `${newId()}@example.org`, display_name: 'Fenn' })).body.id
    const party = await sales.call('POST', `/events/${id}/rsvps`, { member_id: member, status: 'waitlisted', guests: 1 })
    expect([party.status, party.body.details.map(({ field }: { field: string }) => field)]).toEqual([422, ['guests']])
    await end(body.number, 'cancel')
    expect((await rsvp(id, 'bea')).body.status).toBe('waitlisted')
    const closed = await newEvent({ waitlist_enabled: false })
    await order(closed, `${newId()}@example.org`)
    expect((await rsvp(closed, 'ada')).body.error).toBe('checkout_required')
    await expectCounts()
  })

  test('holds a free seat for the first person, who gets an e-mail with the checkout, until the person has paid', async () => {
    const { id, number } = await soldOut(['ada', 'bea'], { waitlist_offer_hours: 2 })
    await end(number, 'refund')
    expect(await fill()).toEqual({ promoted: 1 })
    expect(await fill()).toEqual({ promoted: 0 })
    const offer = await mine(id, 'ada')
    expect(offer).toMatchObject({ status: 'waitlisted', waitlist_position: null })
    const minutes = (Date.parse(offer.offered_until) - Date.now()) / 60_000
    expect(minutes > 60 && minutes <= 120, String(minutes)).toBe(true)
    expect(await mine(id, 'bea')).toMatchObject({ status: 'waitlisted', waitlist_position: 1, offered_until: null })
    const [email, ...others] = await emailsAbout(id)
    expect([email?.subject, JSON.stringify(email?.to), others]).toEqual([
      expect.stringContaining('a seat'),
      expect.stringContaining('ada@'),
      [],
    ])
    expect(email?.text).toContain(`https://shop.example.com/?type=event&id=${id}`)
    const until = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' }).format(
      new Date(offer.offered_until),
    )
    expect(email?.text).toContain(`until ${until} (UTC)`)
    // The seat is for this person alone, and not free.
    expect((await rsvp(id, 'ada')).body.error).toBe('checkout_required')
    expect((await sales.call('GET', `/events/${id}`, undefined, { as: null })).body.seats_left).toBe(0)
    for (const other of [`${newId()}@example.org`, addressOf('bea')]) expect((await order(id, other)).body.error).toBe('event_full')
    await expectCounts()
    const { body } = await order(id, addressOf('ada'))
    expect((await end(body.number, 'pay')).body.status).toBe('paid')
    expect(await mine(id, 'ada')).toMatchObject({ status: 'going', offered_until: null })
    expect((await rsvp(id, 'bea')).body.status).toBe('waitlisted')
    await expectCounts()
  })

  test('does not count a person any more whose own order is paid meanwhile', async () => {
    const id = await newEvent()
    const { body } = await order(id, addressOf('cleo'))
    expect((await rsvp(id, 'cleo')).body.status).toBe('waitlisted')
    expect((await end(body.number, 'pay')).body.status).toBe('paid')
    expect((await mine(id, 'cleo')).status).toBe('going')
    await expectCounts()
  })

  test('gives the seat to the next person when the time ends, and cancels the first RSVP', async () => {
    const { id, number } = await soldOut(['ada', 'bea'])
    await end(number, 'refund')
    await fill()
    await endTime(id)
    expect((await order(id, addressOf('ada'))).body.error).toBe('event_full')
    expect(await fill()).toEqual({ promoted: 1 })
    expect([await mine(id, 'ada'), await mine(id, 'bea')]).toMatchObject([
      { status: 'canceled', offered_until: null },
      { status: 'waitlisted', offered_until: expect.any(String) },
    ])
    await endTime(id)
    expect(await fill()).toEqual({ promoted: 0 })
    expect((await rsvp(id, 'cleo')).body.error).toBe('checkout_required')
    expect((await sales.call('GET', `/events/${id}`)).body).toMatchObject({ going_count: 0, waitlisted_count: 0 })
    const recipients = (await emailsAbout(id)).map(({ to }) => JSON.stringify(to))
    expect(recipients.toSorted()).toEqual([expect.stringContaining('ada@'), expect.stringContaining('bea@')])
    const actions = async (): Promise<string[]> =>
      (await sales.call('GET', '/changes?types=rsvp&limit=500')).body.data.map(({ action }: { action: string }) => action)
    // The feed waits for transactions that began earlier, also those of other databases of the server.
    await expect.poll(actions).toEqual(expect.arrayContaining(['promoted', 'expired']))
    await expectCounts()
  })

  test('keeps the seat for the person when a checkout fails, is cancelled or expires, until the time ends', async () => {
    const { id, number } = await soldOut(['ada', 'bea'])
    await end(number, 'refund')
    await fill()
    for (const how of ['fail', 'cancel'] as const) {
      const { body } = await order(id, addressOf('ada'))
      expect([body.status, (await order(id, addressOf('ada'))).body.error]).toEqual(['pending', 'event_full'])
      await end(body.number, how)
      await fill()
      expect(await mine(id, 'ada')).toMatchObject({ status: 'waitlisted', offered_until: expect.any(String) })
      await expectCounts()
    }
    const { body: slow } = await order(id, addressOf('ada'))
    await endTime(id)
    await fill()
    // The order still holds the seat.
    expect([(await mine(id, 'ada')).status, (await mine(id, 'bea')).offered_until]).toEqual(['canceled', null])
    await expectCounts()
    expect((await end(slow.number, 'pay')).body.status).toBe('paid')
    expect((await mine(id, 'ada')).status).toBe('going')
    await end(slow.number, 'refund')
    await fill()
    const { body: late } = await order(id, addressOf('bea'))
    await endTime(id)
    await query(`UPDATE orders SET expires_at = now() - interval '1 second' WHERE number = $1`, [late.number])
    await sales.service.database.transaction((writer) => expireOrders(writer, { now: new Date(), limit: 10 }))
    await fill()
    expect((await sales.call('GET', `/events/${id}`)).body).toMatchObject({ going_count: 0, waitlisted_count: 0 })
    await expectCounts()
  })

  test('gives a person who has paid and comes back the seat without another payment, and a held seat to whom the staff choose', async () => {
    const id = await newEvent()
    const { body } = await order(id, addressOf('ada'))
    await end(body.number, 'pay')
    await rsvp(id, 'ada', { status: 'canceled' })
    const { body: second } = await order(id, `${newId()}@example.org`)
    await end(second.number, 'pay')
    expect((await rsvp(id, 'ada')).body.status).toBe('waitlisted')
    expect((await rsvp(id, 'bea')).body.status).toBe('waitlisted')
    await end(second.number, 'refund')
    await fill()
    expect([(await mine(id, 'ada')).status, (await mine(id, 'bea')).offered_until]).toEqual(['going', null])
    await end(body.number, 'refund')
    await fill()
    const held = await mine(id, 'bea')
    expect(held.offered_until).not.toBeNull()
    expect((await sales.call('PATCH', `/events/${id}/rsvps/${held.id}`, { status: 'going' })).body).toMatchObject({
      status: 'going',
      offered_until: null,
    })
    await expectCounts()
  })

  test('frees the held seat of a person who declines, and seats everybody when the price is removed', async () => {
    const { id, number } = await soldOut(['ada', 'bea', 'cleo'], { capacity: 1 })
    await end(number, 'refund')
    await fill()
    expect((await rsvp(id, 'ada', { status: 'canceled' })).body.status).toBe('canceled')
    expect((await mine(id, 'bea')).offered_until).not.toBeNull()
    await expectCounts()
    expect((await sales.call('PATCH', `/events/${id}`, { price: null }, { headers: { 'if-match': '*' } })).status).toBe(200)
    expect([(await mine(id, 'bea')).status, (await mine(id, 'cleo')).status]).toEqual(['going', 'waitlisted'])
    await expectCounts()
  })

  test('holds no seat twice when two processes fill the seats at the same time, and e-mails each person once', async () => {
    const { id, number } = await soldOut(['ada', 'bea', 'cleo'])
    await end(number, 'refund')
    await query('UPDATE event SET capacity = 2 WHERE id = $1', [fromPublicId('evt', id)])
    const sent: string[] = []
    const schools = sales.service.app.schools.all.map(({ school }) => school)
    const send = async (_writer: unknown, _school: unknown, to: readonly { email: string }[] | { email: string }) => {
      sent.push(...[to].flat().map(({ email }) => email))
    }
    const page = { schools, externalServices: { send, checkoutAddress: () => undefined }, limit: 10 }
    await Promise.all(Array.from({ length: 4 }, () => sales.service.database.transaction((writer) => fillFreeSeats(writer, page))))
    expect(sent.toSorted()).toEqual([addressOf('ada'), addressOf('bea')])
    await expectCounts()
  })

  test('is filled by one run of the job, also behind hundreds of events whose next party needs more seats than are free', async () => {
    const waiting = `${newId()}@example.org`
    const member = (await sales.call('POST', '/members', { email: waiting, display_name: 'Fenn' })).body.id
    const stuck = await newEvent({ price: null, capacity: 2 })
    const last = await newEvent({ price: null, capacity: 1 })
    const [stuckId, lastId] = [fromPublicId('evt', stuck), fromPublicId('evt', last)]
    const copies = await query(
      `INSERT INTO event (school_id, id, slug, title, kind, status, starts_at, ends_at, time_zone, capacity, waitlisted_count)
       SELECT school_id, gen_random_uuid(), 'stuck-' || n, 'Stuck', kind, status, starts_at, ends_at, time_zone, 2, 6
         FROM event, generate_series(1, 620) AS n WHERE id = $1 RETURNING id`,
      [stuckId],
    )
    await query(
      `INSERT INTO rsvp (school_id, id, event_id, person_id, status, guests)
       SELECT p.school_id, gen_random_uuid(), e.id, p.id, 'waitlisted', 5 FROM person p, event e WHERE p.email = $1 AND e.slug LIKE 'stuck-%'`,
      [waiting],
    )
    // Public ids are in the order of time: this event comes after all random ids only if it has the last one.
    await query(`UPDATE event SET id = 'ffffffff-ffff-7fff-bfff-ffffffffffff', waitlisted_count = 1 WHERE id = $1`, [lastId])
    await query(
      `INSERT INTO rsvp (school_id, id, event_id, person_id, status)
       SELECT school_id, gen_random_uuid(), 'ffffffff-ffff-7fff-bfff-ffffffffffff', id, 'waitlisted' FROM person WHERE email = $1`,
      [waiting],
    )
    expect([copies.length, member.slice(0, 4)]).toEqual([620, 'mbr_'])
    expect(await fill()).toEqual({ promoted: 1 })
    expect(await query(`SELECT going_count, waitlisted_count FROM event WHERE id = 'ffffffff-ffff-7fff-bfff-ffffffffffff'`)).toEqual([
      { going_count: 1, waitlisted_count: 0 },
    ])
  })
})
