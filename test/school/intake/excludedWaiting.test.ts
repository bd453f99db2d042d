// Proves GDPR article 17: An erased person frees seats, waitlist places, unpaid orders with their coupons, and places in courses; their invoices keep number, lines, tax and country without personal data, on both databases

import { describe, expect, test } from 'vitest'
import { fromPublicId, newId } from '../../../src/base/ids.ts'
import { inSchool } from '../../../src/database/school/inSchool.ts'
import { disableAccount, enableAccount } from '../../../src/school/people/people.ts'
import { databasesToTest } from '../../support/databases.ts'
import { duringTests } from '../../support/duringTests.ts'
import { startSales } from '../../support/sales.ts'

const price = { amount: 1500, currency: 'EUR' }
const inHours = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString()

interface Person {
  email: string
  member: string
  personId: string
  accountId: string
}

describe.each(await databasesToTest())('people who cannot come, on the waitlist of an event, on $name', ({ open }) => {
  const sales = duringTests(() =>
    startSales({
      open,
      school: {
        defaults: { name: 'Shop', locale: 'en', time_zone: 'UTC', currency: 'EUR' },
        checkout_url: 'https://shop.example.com/?id={id}',
      },
    }),
  )

  const done = async (method: string, path: string, body?: object, options?: object) => {
    const answer = await sales.call(method, path, body, options)
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const query = <Row extends object>(text: string, values: unknown[] = []) => sales.service.database.sql.query<Row>(text, values)
  const fill = async () => await sales.service.app.jobs.find(({ name }) => name === 'fill_event_seats')?.run()
  async function newPerson(): Promise<Person> {
    const email = `${newId()}@example.org`
    const { personId, accountId } = await sales.service.addPerson({ email })
    await query('UPDATE person SET is_member = true WHERE id = $1', [personId])
    const { data } = await done('GET', `/members?q=${email.split('@')[0]}`)
    return { email, personId, accountId, member: data[0].id }
  }
  async function newEvent(more: object = {}): Promise<string> {
    const place = { kind: 'in_person', location: { name: 'Kiln house' }, starts_at: inHours(72), ends_at: inHours(74), capacity: 1 }
    const { id } = await done('POST', '/events', { title: `Kiln ${newId()}`, ...place, ...more })
    await done('POST', `/events/${id}/publish`, {})
    return id
  }
  const rsvp = (id: string, { email }: Person, body: object = { status: 'going' }) =>
    sales.call('PUT', `/events/${id}/rsvps/me`, body, { as: email })
  const statusesOf = async (id: string, people: readonly Person[]) => {
    const rows = await query<{ person_id: string; status: string }>('SELECT person_id, status FROM rsvp WHERE event_id = $1', [
      fromPublicId('evt', id),
    ])
    return people.map(({ personId }) => rows.find(({ person_id }) => person_id === personId)?.status)
  }
  const countsOf = async (id: string) => {
    const { going_count, waitlisted_count } = await done('GET', `/events/${id}`)
    return [going_count, waitlisted_count]
  }
  /** Lists the people who got an e-mail about a seat, not those whose registration was confirmed. */
  const recipientsOf = async (id: string): Promise<string[]> => {
    const { title } = await done('GET', `/events/${id}`)
    const emails = (await sales.service.emails()).filter(({ subject }) => subject.includes(title))
    return emails.filter(({ subject }) => !subject.includes('registered for')).map(({ to }) => String(to))
  }
  const rsvpsCountOf = async ({ personId }: Person) =>
    (await query<{ count: number }>('SELECT rsvps_count AS count FROM person WHERE id = $1', [personId]))[0]?.count
  /** Lists the last changes of RSVPs after a cursor. Changes from before the cursor can become visible after it, and come first. */
  const lastChanges = async (cursor: string, count: number) =>
    (await done('GET', `/changes?types=rsvp&cursor=${encodeURIComponent(cursor)}`)).data
      .map((one: { action: string }) => one.action)
      .slice(-count)
  const cursorNow = async (): Promise<string> => (await done('GET', '/changes?types=rsvp&cursor=latest')).page.next_cursor

  const { block, disable } = {
    block: (person: Person) => done('POST', `/members/${person.member}/block`, { reason: 'Spam' }),
    disable: ({ accountId }: Person) =>
      sales.service.database.transaction((writer) => disableAccount(inSchool(writer, sales.schoolId), { accountId })),
  }

  test.each(['party', 'seat'])(
    'a blocked person leaves the waitlist by %s immediately, and the seat goes to the next, who alone gets an e-mail',
    async (mode) => {
      const id = await newEvent({ waitlist_mode: mode })
      const [first, blocked, next, last] = await Promise.all([newPerson(), newPerson(), newPerson(), newPerson()])
      for (const person of [first, blocked, next, last]) await rsvp(id, person)
      expect(await statusesOf(id, [first, blocked, next, last])).toEqual(['going', 'waitlisted', 'waitlisted', 'waitlisted'])
      const cursor = await cursorNow()
      await block(blocked)
      expect([await statusesOf(id, [blocked]), await countsOf(id), await rsvpsCountOf(blocked)]).toEqual([['canceled'], [1, 2], 0])
      // The feed waits for every older transaction of the server.
      await expect.poll(() => lastChanges(cursor, 1)).toEqual(['canceled'])
      expect((await done('GET', `/events/${id}`, undefined, { as: next.email })).my_rsvp.waitlist_position).toBe(1)
      await done('PUT', `/events/${id}/rsvps/me`, { status: 'canceled' }, { as: first.email })
      expect(await statusesOf(id, [first, blocked, next, last])).toEqual(['canceled', 'canceled', 'going', 'waitlisted'])
      expect([await countsOf(id), await recipientsOf(id)]).toEqual([[1, 1], [next.email]])
      // Unblocked, the person can wait again, behind the others.
      expect((await rsvp(id, blocked)).body.error).toBe('access_denied')
      await done('POST', `/members/${blocked.member}/unblock`, {})
      expect(await statusesOf(id, [blocked])).toEqual(['canceled'])
      expect((await rsvp(id, blocked)).body).toMatchObject({ status: 'waitlisted', waitlist_position: 2 })
      expect(await rsvpsCountOf(blocked)).toBe(1)
    },
  )

  test('a person whose account is disabled leaves the waitlist when a seat becomes free, or within a minute', async () => {
    const id = await newEvent()
    const [first, disabled, next] = await Promise.all([newPerson(), newPerson(), newPerson()])
    for (const person of [first, disabled, next]) await rsvp(id, person)
    await disable(disabled)
    await done('PUT', `/events/${id}/rsvps/me`, { status: 'canceled' }, { as: first.email })
    expect([await statusesOf(id, [disabled, next]), await countsOf(id), await recipientsOf(id)]).toEqual([
      ['canceled', 'going'],
      [1, 0],
      [next.email],
    ])
    const full = await newEvent({ waitlist_mode: 'seat' })
    const [seated, waiting] = await Promise.all([newPerson(), newPerson()])
    await rsvp(full, seated)
    await rsvp(full, waiting, { status: 'going', guests: 2 })
    await disable(waiting)
    expect(await fill()).toEqual({ promoted: 0 })
    expect(await statusesOf(full, [waiting])).toEqual(['canceled'])
    expect([await countsOf(full), await rsvpsCountOf(waiting)]).toEqual([[1, 0], 0])
    await sales.service.database.transaction((writer) => enableAccount(inSchool(writer, sales.schoolId), { accountId: waiting.accountId }))
    expect(await statusesOf(full, [waiting])).toEqual(['canceled'])
  })

  test('people who were blocked by an earlier release are passed over, however many they are', async () => {
    const id = await newEvent()
    const [first, next] = await Promise.all([newPerson(), newPerson()])
    await rsvp(id, first)
    // More than one batch.
    await query(
      `INSERT INTO person (school_id, id, email, name, member_status, is_member)
       SELECT $1, gen_random_uuid(), 'blocked-' || number || '@example.org', 'Fenn', 'blocked', true FROM generate_series(1, 120) AS number`,
      [sales.schoolId],
    )
    await query(
      `INSERT INTO rsvp (school_id, id, event_id, person_id, status, guests, queued_at)
       SELECT school_id, gen_random_uuid(), $2, id, 'waitlisted', 0, now() - interval '1 day' FROM person
        WHERE school_id = $1 AND member_status = 'blocked' AND email LIKE 'blocked-%'`,
      [sales.schoolId, fromPublicId('evt', id)],
    )
    await query('UPDATE event SET waitlisted_count = 120 WHERE id = $1', [fromPublicId('evt', id)])
    await rsvp(id, next)
    await done('PUT', `/events/${id}/rsvps/me`, { status: 'canceled' }, { as: first.email })
    expect([await statusesOf(id, [next]), await countsOf(id), await recipientsOf(id)]).toEqual([['going'], [1, 0], [next.email]])
  })

  test('the offer of a person who is blocked ends, and the seat is held for the next', async () => {
    const id = await newEvent({ price })
    const [blocked, next] = await Promise.all([newPerson(), newPerson()])
    const sold = await sales.platform.report('/orders', { buyer: { email: `${newId()}@example.org` }, items: [{ type: 'event', id }] })
    await sales.platform.report(`/orders/${sold.body.number}/pay`, price)
    for (const person of [blocked, next]) expect((await rsvp(id, person)).body.status).toBe('waitlisted')
    await sales.platform.report(`/orders/${sold.body.number}/refund`, {})
    expect(await fill()).toEqual({ promoted: 1 })
    expect([await countsOf(id), await recipientsOf(id)]).toEqual([[1, 1], [blocked.email]])
    const cursor = await cursorNow()
    await block(blocked)
    expect([await statusesOf(id, [blocked, next]), await countsOf(id)]).toEqual([
      ['canceled', 'waitlisted'],
      [0, 1],
    ])
    expect(await fill()).toEqual({ promoted: 1 })
    await expect.poll(() => lastChanges(cursor, 2)).toEqual(['canceled', 'promoted'])
    expect([await countsOf(id), await recipientsOf(id)]).toEqual([
      [1, 0],
      [blocked.email, next.email],
    ])
    // The seat cannot be bought for the blocked person, neither now nor as long as it is free.
    const bought = await sales.platform.report('/orders', { buyer: { email: blocked.email }, items: [{ type: 'event', id }] })
    expect([bought.status, bought.body.error]).toEqual([403, 'access_denied'])
    const free = await newEvent({ price })
    const again = await sales.platform.report('/orders', { buyer: { email: blocked.email }, items: [{ type: 'event', id: free }] })
    expect([again.status, again.body.error, await countsOf(free)]).toEqual([403, 'access_denied', [0, 0]])
  })

  test.each(['pay', 'fail'] as const)(
    'an order that has the held seat when its buyer is blocked keeps it until the end of the checkout: %s',
    async (how) => {
      const id = await newEvent({ price })
      const [blocked, next] = await Promise.all([newPerson(), newPerson()])
      const sold = await sales.platform.report('/orders', { buyer: { email: `${newId()}@example.org` }, items: [{ type: 'event', id }] })
      await sales.platform.report(`/orders/${sold.body.number}/pay`, price)
      for (const person of [blocked, next]) await rsvp(id, person)
      await sales.platform.report(`/orders/${sold.body.number}/refund`, {})
      await fill()
      const { body } = await sales.platform.report('/orders', { buyer: { email: blocked.email }, items: [{ type: 'event', id }] })
      expect(body.status).toBe('pending')
      await block(blocked)
      expect(await fill()).toEqual({ promoted: 0 })
      expect([await statusesOf(id, [blocked, next]), await countsOf(id)]).toEqual([
        ['canceled', 'waitlisted'],
        [1, 1],
      ])
      const ended = await sales.platform.report(`/orders/${body.number}/${how}`, how === 'pay' ? price : {})
      expect(ended.status).toBe(200)
      expect(await fill()).toEqual({ promoted: how === 'pay' ? 0 : 1 })
      expect([await statusesOf(id, [blocked, next]), await countsOf(id)]).toEqual(
        how === 'pay'
          ? [
              ['going', 'waitlisted'],
              [1, 1],
            ]
          : [
              ['canceled', 'waitlisted'],
              [1, 0],
            ],
      )
      if (how === 'fail') expect((await sales.platform.report(`/orders/${body.number}/pay`, price)).body.error).toBe('access_denied')
    },
  )

  test('a blocked person keeps the seat that they have, and staff cannot give them another one', async () => {
    const [kept, other] = [await newEvent(), await newEvent()]
    const person = await newPerson()
    await rsvp(kept, person)
    const { id: rsvpId } = (await rsvp(other, person)).body
    await rsvp(other, person, { status: 'canceled' })
    await block(person)
    expect([await statusesOf(kept, [person]), await countsOf(kept)]).toEqual([['going'], [1, 0]])
    const given = await sales.call('PATCH', `/events/${other}/rsvps/${rsvpId}`, { status: 'going' })
    expect([given.status, given.body.error, await countsOf(other)]).toEqual([403, 'access_denied', [0, 0]])
  })
})

const eur = (amount: number) => ({ amount, currency: 'EUR' })

describe.each(await databasesToTest())('the places of an erased person, on $name', ({ open }) => {
  const sales = duringTests(() =>
    startSales({
      open,
      school: {
        defaults: { name: 'Shop', locale: 'en', time_zone: 'UTC', currency: 'EUR' },
        checkout_url: 'https://shop.example.com/?id={id}',
      },
    }),
  )

  const done = async (method: string, path: string, body?: object, options?: object) => {
    const answer = await sales.call(method, path, body, options)
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const job = async (name: string) => await sales.service.app.jobs.find((one) => one.name === name)?.run()
  const query = <Row extends object>(text: string, values: unknown[] = []) => sales.service.database.sql.query<Row>(text, values)
  async function newPerson(): Promise<{ email: string; member: string; student: string; personId: string }> {
    const email = `${newId()}@example.org`
    const { personId } = await sales.service.addPerson({ email })
    await query('UPDATE person SET is_member = true WHERE id = $1', [personId])
    const { data } = await done('GET', `/members?q=${email.split('@')[0]}`)
    return { email, personId, member: data[0].id, student: data[0].student_id }
  }
  async function newEvent(more: object = {}): Promise<string> {
    const place = { kind: 'in_person', location: { name: 'Kiln house' }, starts_at: inHours(23), ends_at: inHours(25) }
    const { id } = await done('POST', '/events', { title: `Kiln ${newId()}`, ...place, ...more })
    await done('POST', `/events/${id}/publish`, {})
    return id
  }
  const rsvp = (id: string, as: string, more: object = {}) => done('PUT', `/events/${id}/rsvps/me`, { status: 'going', ...more }, { as })
  const counts = async (id: string) => {
    const { going_count, waitlisted_count } = await done('GET', `/events/${id}`)
    return [going_count, waitlisted_count]
  }

  /** Takes one of everything that others can wait for. */
  async function takePlaces(person: { email: string }) {
    const [full, queue, past, priced] = [
      await newEvent({ capacity: 3, reminder_hours: 48 }),
      await newEvent({ capacity: 1 }),
      await newEvent({ capacity: 1 }),
      await newEvent({ capacity: 1, price: eur(1500) }),
    ]
    const [next, first] = [await newPerson(), await newPerson()]
    await rsvp(full, person.email, { guests: 2, note: 'Vegan' })
    expect((await rsvp(full, next.email)).status).toBe('waitlisted')
    await rsvp(queue, first.email)
    expect([(await rsvp(queue, person.email)).status, (await rsvp(queue, next.email)).status]).toEqual(['waitlisted', 'waitlisted'])
    await rsvp(past, person.email)
    await query(`UPDATE event SET starts_at = now() - interval '2 hours', ends_at = now() - interval '1 hour' WHERE id = $1`, [
      fromPublicId('evt', past),
    ])
    await done('POST', '/coupons', {
      code: `C${fromPublicId('evt', full)?.replaceAll('-', '').slice(-20)}`.toUpperCase(),
      discount: { type: 'percent', percent_off: 10 },
      max_redemptions: 1,
    })
    const { data: coupons } = await done('GET', '/coupons?sort=-created_at&limit=1')
    const order = await sales.platform.report('/orders', {
      buyer: { email: person.email },
      items: [{ type: 'event', id: priced }],
      coupon_code: coupons[0].code,
    })
    expect(order.status).toBe(201)
    const course = await done('POST', '/courses', {
      title: 'Clay',
      capacity: 1,
      lecturer_ids: [(await done('POST', '/lecturers', { display_name: 'Marlo' })).id],
    })
    const section = await done('POST', `/courses/${course.id}/sections`, { title: 'First' })
    const lesson = await done('POST', `/sections/${section.id}/lessons`, { title: 'One', kind: 'text' })
    await done('POST', `/lessons/${lesson.id}/publish`, {})
    await done('POST', `/courses/${course.id}/publish`, {})
    await done('POST', '/enrollments', { course_id: course.id }, { as: person.email })
    expect((await sales.call('POST', '/enrollments', { course_id: course.id }, { as: next.email })).status).toBe(409)
    return { full, queue, past, priced, next, first, coupon: coupons[0].id, order: order.body, course: course.id }
  }

  async function expectFreed({ full, queue, past, priced, next, first, coupon, order, course }: Awaited<ReturnType<typeof takePlaces>>) {
    await job('fill_event_seats')
    expect([await counts(full), await counts(queue), await counts(past), await counts(priced)]).toEqual([
      [1, 0],
      [1, 1],
      [1, 0],
      [0, 0],
    ])
    const mine = (id: string) => done('GET', `/events/${id}`, undefined, { as: next.email })
    expect([(await mine(full)).my_rsvp.status, (await mine(queue)).my_rsvp]).toMatchObject([
      'going',
      { status: 'waitlisted', waitlist_position: 1 },
    ])
    await done('PUT', `/events/${queue}/rsvps/me`, { status: 'canceled' }, { as: first.email })
    expect((await mine(queue)).my_rsvp.status).toBe('going')
    expect((await done('GET', `/coupons/${coupon}`)).redemptions_count).toBe(0)
    expect((await done('GET', `/orders/${order.id}`)).status).toBe('canceled')
    expect((await sales.platform.report(`/orders/${order.number}/pay`, { amount: 1350, currency: 'EUR' })).body.error).toBe('invalid_state')
    expect((await done('GET', `/courses/${course}`)).enrollments_count).toBe(0)
    await done('POST', '/enrollments', { course_id: course }, { as: next.email })
  }

  test('the school that erases a person gets back seats, waitlist places, unpaid orders with their coupons, and places in courses', async () => {
    const person = await newPerson()
    const places = await takePlaces(person)
    await done('POST', '/account/calendar/renew', undefined, { as: person.email })
    const { url } = await done('GET', '/account/calendar', undefined, { as: person.email })
    expect((await fetch(url)).status).toBe(200)
    await done('DELETE', `/students/${person.student}`)
    await expectFreed(places)
    expect((await fetch(url)).status).toBe(404)
    await query(`UPDATE rsvp SET status_changed_at = now() - interval '3 days' WHERE event_id = $1`, [fromPublicId('evt', places.full)])
    await job('remind_of_events')
    const { title } = await done('GET', `/events/${places.full}`)
    const emails = (await sales.service.emails()).filter(({ subject }) => subject.includes(title))
    expect(JSON.stringify(emails.map(({ to }) => to))).not.toContain('deleted')
    const reminded = emails.filter(({ subject }) => subject.includes('reminder'))
    expect(reminded.map(({ to }) => JSON.stringify(to))).toEqual([expect.stringContaining(places.next.email)])
    const { data } = await done('GET', `/events/${places.past}/rsvps`)
    expect(data).toMatchObject([{ status: 'going', note: null, member: { display_name: expect.stringMatching(/^Deleted/) } }])
    const [row] = await query<{ rsvps_count: number }>('SELECT rsvps_count FROM person WHERE id = $1', [person.personId])
    expect(row?.rsvps_count).toBe(1)
  })

  test('a deletion that the person scheduled frees the same places', async () => {
    const person = await newPerson()
    const places = await takePlaces(person)
    await query(`UPDATE account SET deletion_scheduled_at = now() - interval '1 minute' WHERE email = $1`, [person.email])
    await job('delete_accounts')
    const [row] = await query<{ erased_at: Date | null }>('SELECT erased_at FROM person WHERE id = $1', [person.personId])
    expect(row?.erased_at).not.toBeNull()
    await expectFreed(places)
  })

  test('an invoice of an erased person keeps its number, lines, tax and country, without any personal data', async () => {
    const person = await newPerson()
    await done(
      'PATCH',
      '/school',
      { settings: { tax: { mode: 'inclusive', default_rate_bps: 1900, rates: [{ country: 'AT', rate_bps: 2000 }] } } },
      { headers: { 'if-match': '*' } },
    )
    const event = await newEvent({ price: eur(1500) })
    const { body } = await sales.platform.report('/orders', {
      buyer: { email: person.email, name: 'Quokka Worth' },
      items: [{ type: 'event', id: event }],
      billing_address: { name: 'Quokka Worth', line1: 'Quay 4', city: 'Port Lantern', postal_code: '1010', country: 'AT' },
      tax_id: 'ATU12345678',
    })
    await sales.platform.report(`/orders/${body.number}/pay`, eur(1500))
    const before = await done('GET', `/orders/${body.id}/invoice`)
    expect(JSON.stringify(before)).toContain('Quokka Worth')
    await done('DELETE', `/members/${person.member}`)
    const after = await done('GET', `/orders/${body.id}/invoice`)
    expect(JSON.stringify(after)).not.toMatch(/Quokka|Quay 4|ATU12345678/)
    expect(JSON.stringify(after)).not.toContain(person.email)
    for (const name of ['number', 'issued_at', 'total', 'tax_total', 'items']) expect([name, after[name]]).toEqual([name, before[name]])
    await sales.refresh()
    const tax = await done('GET', '/analytics/tax')
    expect(tax.groups).toMatchObject([{ country: 'AT', tax_due: eur(250) }])
    expect(await counts(event)).toEqual([0, 0])
  })
})
