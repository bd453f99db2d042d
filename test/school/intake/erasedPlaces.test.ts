// Proves GDPR article 17: An erased person frees seats, waitlist places, unpaid orders with their coupons, and places in courses; their invoices keep number, lines, tax and country without personal data, on both databases

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fromPublicId, newId } from '../../../src/base/ids.ts'
import { databasesToTest, type TestDatabase } from '../../support/databases.ts'
import { type SalesService, startSales } from '../../support/sales.ts'

const inHours = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString()
const eur = (amount: number) => ({ amount, currency: 'EUR' })

describe.each(await databasesToTest())('the places of an erased person, on $name', ({ open }) => {
  let opened: TestDatabase
  let sales: SalesService
  beforeAll(async () => {
    opened = await open()
    sales = await startSales({
      database: opened.database,
      school: {
        defaults: { name: 'Shop', locale: 'en', time_zone: 'UTC', currency: 'EUR' },
        checkout_url: 'https://shop.example.com/?id={id}',
      },
    })
  })
  afterAll(async () => {
    await sales.stop()
    await opened.drop()
  })

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
