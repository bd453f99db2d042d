import { beforeAll, describe, expect, test } from 'vitest'
import { fromPublicId, newId, toPublicId } from '../../../src/base/ids.ts'
import { expireOrders } from '../../../src/school/orders/jobs/expireOrders.ts'
import { duringTests } from '../../support/duringTests.ts'
import { startSales } from '../../support/sales.ts'
import { newCoupon } from '../../support/shop.ts'

const sales = duringTests(() =>
  startSales({
    school: {
      defaults: { name: 'Shop', locale: 'en', time_zone: 'UTC', currency: 'EUR' },
      checkout_url: 'https://shop.example.com/?type={type}&id={id}',
    },
  }),
)
const buyer = 'buyer@example.org'
beforeAll(async () => {
  await sales.service.addPerson({ email: buyer })
})

const price = { amount: 1500, currency: 'EUR' }
const inHours = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString()
const fields = (more: object = {}) => ({
  title: 'Open Kiln Evening',
  kind: 'in_person',
  location: { name: 'Kiln house' },
  starts_at: inHours(24),
  ends_at: inHours(26),
  price,
  ...more,
})
async function event(more: object = {}): Promise<string> {
  const { status, body } = await sales.call('POST', '/events', fields(more))
  expect([status, body.details]).toEqual([201, undefined])
  expect((await sales.call('POST', `/events/${body.id}/publish`, {})).status).toBe(200)
  return body.id
}
const order = (id: string, { email = `${newId()}@example.org`, ...more }: { email?: string; coupon_code?: string } = {}) =>
  sales.platform.report('/orders', { buyer: { email, name: 'Wren Tallow' }, items: [{ type: 'event', id }], ...more })
const pay = (number: string, amount = 1500) => sales.platform.report(`/orders/${number}/pay`, { amount, currency: 'EUR' })
const seats = async (id: string) => {
  const [row] = await sales.service.database.sql.query(
    `SELECT going_count AS taken, waitlisted_count AS waiting,
            (SELECT coalesce(sum(guests + 1), 0)::int FROM rsvp r WHERE r.school_id = e.school_id AND r.event_id = e.id AND status = 'going') AS going,
            (SELECT coalesce(sum(reserved_seats), 0)::int FROM order_item i WHERE i.school_id = e.school_id AND i.product_id = e.id) AS reserved
       FROM event e WHERE school_id = $1 AND id = $2`,
    [sales.schoolId, fromPublicId('evt', id)],
  )
  return row
}
const rsvp = (id: string, body: object = { status: 'going' }) => sales.call('PUT', `/events/${id}/rsvps/me`, body, { as: buyer })

describe('an event with a price', () => {
  test('has a price above 0 in the currency of the school, which lecturers set only if the school lets them', async () => {
    const fieldsOf = async (more: object, as?: string) => {
      const { status, body } = await sales.call('POST', '/events', fields(more), as === undefined ? {} : { as })
      return [status, ...(body.details ?? []).map(({ field }: { field: string }) => field)]
    }
    expect(await fieldsOf({ price: { amount: 0, currency: 'EUR' } })).toEqual([422, 'price.amount'])
    expect(await fieldsOf({ price: { amount: 5, currency: 'USD' } })).toEqual([422, 'price.currency'])
    await sales.service.addPerson({ email: 'teacher@example.com', role: 'lecturer' })
    expect(await fieldsOf({}, 'teacher@example.com')).toEqual([422, 'price'])
    expect((await fieldsOf({ price: null }, 'teacher@example.com'))[0]).toBe(201)
    const id = await event()
    expect((await sales.call('GET', `/events/${id}`, undefined, { as: null })).body.price).toEqual(price)
  })

  test('sends people to the checkout; a paid order gives the seat, which they can give up and take again; a refund takes it back', async () => {
    const id = await event({ capacity: 5 })
    const refused = await rsvp(id)
    expect([refused.status, refused.body.error, refused.body.details[0].meta]).toEqual([
      422,
      'checkout_required',
      { item: { type: 'event', id }, checkout_url: `https://shop.example.com/?type=event&id=${id}` },
    ])
    const { body } = await order(id, { email: buyer })
    expect([body.status, body.total, await seats(id)]).toEqual(['pending', price, { taken: 1, waiting: 0, going: 0, reserved: 1 }])
    expect((await rsvp(id)).status).toBe(422)
    const draft = await sales.call('POST', `/events/${id}/unpublish`, {})
    expect(draft.body.error).toBe('invalid_state')
    expect((await pay(body.number)).body.status).toBe('paid')
    expect(await seats(id)).toEqual({ taken: 1, waiting: 0, going: 1, reserved: 0 })
    expect((await order(id, { email: buyer })).body.error).toBe('invalid_state')
    expect((await rsvp(id, { status: 'going', guests: 1 })).body.error).toBe('checkout_required')
    expect((await rsvp(id, { status: 'canceled' })).status).toBe(200)
    expect(await seats(id)).toEqual({ taken: 0, waiting: 0, going: 0, reserved: 0 })
    expect((await rsvp(id)).status).toBe(200)
    const line = body.items[0].id
    expect((await sales.platform.report(`/orders/${body.number}/refund`, { items: [{ line, amount: 1 }] })).status).toBe(200)
    expect(await seats(id)).toMatchObject({ taken: 1, going: 1 })
    await sales.platform.report(`/orders/${body.number}/refund`, { items: [{ line }] })
    expect(await seats(id)).toEqual({ taken: 0, waiting: 0, going: 0, reserved: 0 })
    expect((await rsvp(id)).body.error).toBe('checkout_required')
    await sales.refresh()
    const { body: report } = await sales.call('GET', `/analytics/revenue?product_id=${id}&group_by=product`)
    expect([report.totals.gross.amount, report.totals.refunds.amount, report.groups[0]]).toMatchObject([
      1500,
      1500,
      { key: id, title: 'Open Kiln Evening' },
    ])
    expect((await sales.call('GET', `/orders?product_id=${id}`)).body.data).toHaveLength(1)
  })

  test('sells no seat twice: of twenty concurrent checkouts, three get the three seats', async () => {
    const id = await event({ capacity: 3 })
    const orders = await Promise.all(Array.from({ length: 20 }, () => order(id)))
    expect(orders.filter(({ status }) => status === 201)).toHaveLength(3)
    expect(new Set(orders.filter(({ status }) => status !== 201).map(({ body }) => body.error))).toEqual(new Set(['event_full']))
    expect(await seats(id)).toEqual({ taken: 3, waiting: 0, going: 0, reserved: 3 })
  })

  test('gets its seats back once if the order fails, is cancelled or expires, and a declined payment is accepted while a seat is free', async () => {
    const id = await event({ capacity: 1 })
    const { body: first } = await order(id)
    for (const end of ['fail', 'fail', 'cancel', 'cancel'])
      expect((await sales.platform.report(`/orders/${first.number}/${end}`, {})).status).toBe(200)
    expect(await seats(id)).toEqual({ taken: 0, waiting: 0, going: 0, reserved: 0 })
    const { body: second } = await order(id)
    await sales.platform.report(`/orders/${second.number}/fail`, {})
    const { body: third } = await order(id)
    const late = await pay(second.number)
    expect([late.status, late.body.error]).toEqual([409, 'event_full'])
    await sales.service.database.sql.query(
      `UPDATE orders SET expires_at = now() - interval '1 second' WHERE school_id = $1 AND number = $2`,
      [sales.schoolId, third.number],
    )
    await sales.service.database.transaction((writer) => expireOrders(writer, { now: new Date(), limit: 10 }))
    expect(await seats(id)).toEqual({ taken: 0, waiting: 0, going: 0, reserved: 0 })
    expect((await pay(second.number)).body.status).toBe('paid')
    expect(await seats(id)).toEqual({ taken: 1, waiting: 0, going: 1, reserved: 0 })
  })

  test('is not sold without a price, as a draft, when it is over or cancelled; a payment for a cancelled event is rejected', async () => {
    const free = await event({ price: null })
    const { body: draft } = await sales.call('POST', '/events', fields())
    for (const id of [free, draft.id, toPublicId('evt', newId())]) expect((await order(id)).body.error).toBe('invalid_reference')
    const id = await event()
    const { body } = await order(id)
    await sales.call('POST', `/events/${id}/cancel`, {})
    expect((await order(id)).body.error).toBe('invalid_reference')
    const late = await pay(body.number)
    expect([late.status, late.body.error]).toEqual([409, 'invalid_state'])
    expect((await sales.platform.report(`/orders/${body.number}/cancel`, {})).status).toBe(200)
  })

  test('takes a coupon: an order that it makes free has its seat immediately, and gives it back when it is undone', async () => {
    const code = `E${newId()}`.toUpperCase()
    await newCoupon(sales.service.database.sql, sales.schoolId, { code })
    const id = await event({ capacity: 2 })
    const { body } = await order(id, { coupon_code: ` ${code.toLowerCase()}\u00a0` })
    expect([body.status, await seats(id)]).toEqual(['paid', { taken: 1, waiting: 0, going: 1, reserved: 0 }])
    await sales.platform.report(`/orders/${body.number}/refund`, {})
    expect(await seats(id)).toEqual({ taken: 0, waiting: 0, going: 0, reserved: 0 })
  })
})
