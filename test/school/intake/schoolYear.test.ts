import { beforeAll, describe, expect, test } from 'vitest'
import { everyDatabase } from '../../support/databases.ts'
import { duringTests } from '../../support/duringTests.ts'
import { startSales } from '../../support/sales.ts'

const learner = 'learner@example.org'
const anyVersion = { headers: { 'if-match': '*' } }
const inHours = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString()
const eur = (amount: number) => ({ amount, currency: 'EUR' })

/** The money of the school, counted from what the steps below send. */
class Books {
  paid = 0
  tax = 0
  refunded = 0
  refundedTax = 0
  orders = 0
  discounts = 0
  readonly byCountry = new Map<string, number>()

  sell(total: number, { tax, country, discount = 0 }: { tax: number; country: string; discount?: number }): void {
    this.paid += total
    this.tax += tax
    this.orders += 1
    this.discounts += discount
    this.byCountry.set(country, (this.byCountry.get(country) ?? 0) + tax)
  }

  refund(amount: number, { tax, country }: { tax: number; country: string }): void {
    this.refunded += amount
    this.refundedTax += tax
    this.byCountry.set(country, (this.byCountry.get(country) ?? 0) - tax)
  }
}

describe.each(await everyDatabase())('a school on $name', ({ open }) => {
  const sales = duringTests(() =>
    startSales({
      open,
      school: {
        defaults: { name: 'Shop', locale: 'en', time_zone: 'Asia/Tokyo', currency: 'EUR' },
        checkout_url: 'https://shop.example.com/?id={id}',
      },
    }),
  )
  beforeAll(async () => {
    await sales.service.addPerson({ email: learner })
  })

  const done = async (method: string, path: string, body?: object, options?: object) => {
    const answer = await sales.call(method, path, body, options)
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const report = async (path: string, body: object) => {
    const answer = await sales.platform.report(path, body)
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const buyer = { email: learner, name: 'Wren Tallow' }

  test('starts empty, sells courses, seats and plans, refunds some, and its figures equal the books of the test', async () => {
    const books = new Books()
    expect((await done('GET', '/orders')).data).toEqual([])
    await done(
      'PATCH',
      '/school',
      { settings: { tax: { mode: 'inclusive', default_rate_bps: 1900, rates: [{ country: 'AT', rate_bps: 2000 }] } } },
      anyVersion,
    )

    const lecturer = await done('POST', '/lecturers', { display_name: 'Marlo Quillfeather' })
    const newCourse = async (title: string, amount: number) => {
      const course = await done('POST', '/courses', { title, access: 'paid', price: eur(amount), lecturer_ids: [lecturer.id] })
      const section = await done('POST', `/courses/${course.id}/sections`, { title: 'First' })
      const lesson = await done('POST', `/sections/${section.id}/lessons`, { title: 'One', kind: 'text', content: 'Centre the clay.' })
      await done('POST', `/lessons/${lesson.id}/publish`, {})
      await done('POST', `/courses/${course.id}/publish`, {})
      return { id: course.id, lesson: lesson.id, item: { type: 'course', id: course.id } }
    }
    const [clay, glaze] = [await newCourse('Clay', 12_000), await newCourse('Glaze', 6001)]
    const evening = await done('POST', '/events', {
      title: 'Kiln evening',
      kind: 'in_person',
      location: { name: 'Kiln house' },
      starts_at: inHours(24),
      ends_at: inHours(26),
      capacity: 1,
      price: eur(1500),
    })
    await done('POST', `/events/${evening.id}/publish`, {})
    const plan = await done('POST', '/membership_plans', { name: 'Workbench' })
    const { prices } = await done('POST', `/membership_plans/${plan.id}/prices`, { interval: 'month', amount: eur(1190) })
    await done('POST', `/membership_plans/${plan.id}/activate`, {})
    const newCoupon = (code: string, percent: number) =>
      done('POST', '/coupons', { code, discount: { type: 'percent', percent_off: percent }, max_redemptions: 1, duration: 'forever' })
    const [half, gift, free] = [await newCoupon('HALF', 50), await newCoupon('GIFT', 100), await newCoupon('FREEPLAN', 100)]

    // A learner meets the checkout, buys two courses with a coupon in Austria, and learns.
    const locked = await sales.call('POST', '/enrollments', { course_id: clay.id }, { as: learner })
    expect([locked.status, locked.body.details[0].meta.checkout_url]).toEqual([422, `https://shop.example.com/?id=${clay.id}`])
    const first = await report('/orders', {
      buyer,
      items: [clay.item, glaze.item],
      coupon_code: 'HALF',
      country: 'AT',
      expected_total: 9000,
    })
    expect(
      (await sales.platform.report('/orders', { buyer: { email: 'late@example.org' }, items: [clay.item], coupon_code: 'HALF' })).status,
    ).toBe(409)
    await report(`/orders/${first.number}/pay`, { reference: 'pi_1', amount: 9000, currency: 'EUR' })
    books.sell(9000, { tax: 1000 + 500, country: 'AT', discount: 9001 })
    const { data: enrolled } = await done('GET', '/enrollments', undefined, { as: learner })
    expect(enrolled.map(({ course_id }: { course_id: string }) => course_id).toSorted()).toEqual([clay.id, glaze.id].toSorted())
    expect((await done('GET', `/lessons/${glaze.lesson}`, undefined, { as: learner })).content).toContain('clay')

    // One course is refunded in two parts: its access ends, that of the other one stays.
    const line = first.items[1].id
    await report(`/orders/${first.number}/refund`, { items: [{ line, amount: 1000 }] })
    books.refund(1000, { tax: 167, country: 'AT' })
    await report(`/orders/${first.number}/refund`, { items: [{ line }] })
    books.refund(2000, { tax: 333, country: 'AT' })
    expect((await sales.call('GET', `/lessons/${glaze.lesson}`, undefined, { as: learner })).body.content).toBeUndefined()
    expect((await done('GET', `/lessons/${clay.lesson}`, undefined, { as: learner })).content).toContain('clay')

    // The only seat of the event is sold, refunded, and held for the person who waits until they have paid.
    expect((await sales.call('PUT', `/events/${evening.id}/rsvps/me`, { status: 'going' }, { as: learner })).body.error).toBe(
      'checkout_required',
    )
    const seat = await report('/orders', { buyer, items: [{ type: 'event', id: evening.id }], country: 'DE' })
    await report(`/orders/${seat.number}/pay`, { reference: 'pi_2', amount: 1500, currency: 'EUR' })
    books.sell(1500, { tax: 239, country: 'DE' })
    const waiting = await done('POST', '/members', { email: 'waiting@example.org', display_name: 'Fenn' })
    await done('POST', `/events/${evening.id}/rsvps`, { member_id: waiting.id, status: 'waitlisted' })
    await report(`/orders/${seat.number}/refund`, {})
    books.refund(1500, { tax: 239, country: 'DE' })
    await sales.service.app.jobs.find(({ name }) => name === 'fill_event_seats')?.run()
    const statuses = async () =>
      (await done('GET', `/events/${evening.id}/rsvps`)).data.map(({ status }: { status: string }) => status).toSorted()
    expect(await statuses()).toEqual(['canceled', 'waitlisted'])
    const second = { email: 'waiting@example.org', name: 'Fenn' }
    const taken = await report('/orders', { buyer: second, items: [{ type: 'event', id: evening.id }], country: 'DE' })
    await report(`/orders/${taken.number}/pay`, { reference: 'pi_3', amount: 1500, currency: 'EUR' })
    books.sell(1500, { tax: 239, country: 'DE' })
    expect(await statuses()).toEqual(['canceled', 'going'])

    // A coupon makes a plan free, and another one a course, which is undone; a third order is never paid.
    const joined = await report('/orders', {
      buyer,
      items: [{ type: 'membership_plan', id: plan.id, price_id: prices[0].id }],
      coupon_code: 'FREEPLAN',
    })
    expect(joined.status).toBe('paid')
    books.sell(0, { tax: 0, country: '', discount: 1190 })
    const { data: subscriptions } = await done('GET', '/subscriptions', undefined, { as: learner })
    expect(subscriptions.map(({ status }: { status: string }) => status)).toEqual(['active'])
    const given = await report('/orders', { buyer: { email: 'guest@example.org' }, items: [clay.item], coupon_code: 'GIFT' })
    books.sell(0, { tax: 0, country: '', discount: 12_000 })
    await report(`/orders/${given.number}/refund`, {})
    const left = await report('/orders', { buyer: { email: 'guest@example.org' }, items: [clay.item] })
    await report(`/orders/${left.number}/cancel`, {})

    // Invoices less credit notes, the reports and the coupons say the same as the books.
    const { data: orders } = await done('GET', '/orders')
    let [invoiced, invoicedTax] = [0, 0]
    for (const { id, invoice_number, refunds } of orders) {
      if (invoice_number === null) continue
      const invoice = await done('GET', `/orders/${id}/invoice`)
      invoiced += invoice.total.amount
      invoicedTax += invoice.tax_total.amount
      for (const refund of refunds) {
        const note = await done('GET', `/orders/${id}/credit_notes/${refund.id}`)
        invoiced -= note.total.amount
        invoicedTax -= note.tax_total.amount
      }
    }
    expect([invoiced, invoicedTax]).toEqual([books.paid - books.refunded, books.tax - books.refundedTax])
    await sales.refresh()
    const revenue = await done('GET', '/analytics/revenue?group_by=coupon')
    expect(revenue.totals).toMatchObject({
      gross: eur(books.paid + books.discounts),
      discounts: eur(books.discounts),
      refunds: eur(books.refunded),
      tax: eur(books.tax - books.refundedTax),
      net: eur(books.paid - books.refunded),
      orders: books.orders,
    })
    const sum = (name: string): number =>
      revenue.groups.reduce((total: number, group: Record<string, { amount: number }>) => total + (group[name]?.amount ?? 0), 0)
    expect([sum('gross'), sum('refunds'), sum('net')]).toEqual([books.paid + books.discounts, books.refunded, books.paid - books.refunded])
    expect(revenue.groups.map(({ title }: { title: string | null }) => title).toSorted()).toEqual(
      ['FREEPLAN', 'GIFT', 'HALF', null].toSorted(),
    )
    const tax = await done('GET', '/analytics/tax')
    expect(tax.totals.tax_due).toEqual(eur(books.tax - books.refundedTax))
    expect(
      Object.fromEntries(
        tax.groups.map((group: { country: string | null; tax_due: { amount: number } }) => [group.country ?? '', group.tax_due.amount]),
      ),
    ).toEqual(Object.fromEntries([...books.byCountry].filter(([country]) => country !== '')))
    const uses = await Promise.all([half, gift, free].map(async ({ id }) => (await done('GET', `/coupons/${id}`)).redemptions_count))
    expect(uses).toEqual([1, 0, 1])
  })
})
