import { beforeAll, describe, expect, test } from 'vitest'
import type { SchoolWriter } from '../../../src/database/connection/database.ts'
import type { Sql } from '../../../src/database/connection/sql.ts'
import { inSchool } from '../../../src/database/school/inSchool.ts'
import { expireOrders } from '../../../src/school/orders/jobs/expireOrders.ts'
import { cancelOrder, failOrder, payOrder, retryOrder } from '../../../src/school/orders/orderTransitions.ts'
import { type NewOrder, recordOrder } from '../../../src/school/orders/recordOrder.ts'
import { refundOrder } from '../../../src/school/orders/refundOrder.ts'
import { databasesToTest } from '../../support/databases.ts'
import { duringTests } from '../../support/duringTests.ts'
import { newPlan } from '../../support/memberships.ts'
import { newSchool } from '../../support/rows.ts'
import { newCoupon, newCourse, newPerson, newProduct } from '../../support/shop.ts'

const now = new Date()
const spring = new Date('2026-03-01T00:00:00.000Z')

describe.each(await databasesToTest())('on $name', ({ open }) => {
  const opened = duringTests(open)
  let sql: Sql
  let schoolId: string
  let course: string
  let product: string
  beforeAll(async () => {
    ;({ sql } = opened.database)
    schoolId = await newSchool(sql)
    await sql.query(`UPDATE school SET settings = '{"tax":{"mode":"inclusive","default_rate_bps":1900}}' WHERE id = $1`, [schoolId])
    course = await newCourse(sql, schoolId)
    product = await newProduct(sql, schoolId)
  })

  const inOne = <Result>(work: (writer: SchoolWriter) => Promise<Result>, owner = schoolId): Promise<Result> =>
    opened.database.transaction((writer) => work(inSchool(writer, owner)))
  const items = () => [
    { type: 'course', id: course, title: 'Salt Glazing', unitAmount: 8900 } as const,
    { type: 'digital_product', id: product, title: 'Kiln Log', unitAmount: 901 } as const,
  ]
  const order = (given: Partial<NewOrder> & { personId: string }) =>
    inOne((inner) => recordOrder(inner, { schoolId, now, kind: 'one_time', status: 'pending', items: items(), ...given }), given.schoolId)
  const step = (orderId: string) => ({ schoolId, now, orderId })
  const payment = { provider: 'card', cardBrand: 'visa', cardLast4: '4242' } as const
  const one = async <Row extends object>(text: string, ...values: unknown[]): Promise<Row> => (await sql.query<Row>(text, values))[0] as Row
  const statusOf = async (id: string): Promise<string> =>
    (await one<{ status: string }>('SELECT status FROM orders WHERE id = $1', id)).status
  const opensOf = (personId: string) =>
    one<{ enrolled: string | null; owned: boolean; live: string; spend: string }>(
      `SELECT (SELECT status FROM enrollment WHERE person_id = $1 AND course_id = $2) AS enrolled,
              EXISTS (SELECT 1 FROM product_grant WHERE person_id = $1 AND revoked_at IS NULL) AS owned,
              (SELECT count(*) FROM entitlement WHERE person_id = $1 AND revoked_at IS NULL)::text AS live,
              (SELECT lifetime_spend::text FROM person WHERE id = $1) AS spend`,
      personId,
      course,
    )

  test('numbers follow one another within a year of the school, none twice, and a change that fails takes none', async () => {
    const personId = await newPerson(sql, schoolId)
    const other = await newSchool(sql)
    await sql.query(`UPDATE school SET time_zone = 'Pacific/Auckland' WHERE id = $1`, [other])
    const there = { schoolId: other, personId: await newPerson(sql, other), items: items() }
    const eve = { ...there, now: new Date('2025-12-31T10:59:00.000Z') }
    const numbers = [(await order(eve)).number, (await order({ ...there, now: new Date('2025-12-31T11:00:00.000Z') })).number]
    expect(numbers).toEqual(['2025-000001', '2026-000001'])
    const made = await Promise.all(Array.from({ length: 12 }, () => order({ personId, now: spring })))
    await expect(
      inOne(async (inner) => {
        await recordOrder(inner, { schoolId, now: spring, kind: 'one_time', status: 'pending', personId, items: items() })
        throw new Error('the buyer has gone')
      }),
    ).rejects.toThrow('gone')
    made.push(await order({ personId, now: spring }))
    expect(made.map(({ number }) => number).toSorted()).toEqual(made.map((_, index) => `2026-${String(index + 1).padStart(6, '0')}`))
  })

  test('an order about a plan starts its subscription once it is paid, and ends it once all of it is paid back', async () => {
    const personId = await newPerson(sql, schoolId)
    const { planId, priceId } = await newPlan(sql, schoolId)
    const { orderId } = await order({
      personId,
      items: [{ type: 'membership_plan', id: planId, priceId, title: 'Workbench', unitAmount: 1200 }],
    })
    const subscription = () =>
      one<{ status: string; is_latest: boolean; months: number }>(
        `SELECT s.status, s.latest_order_id = o.id AS is_latest,
                round(extract(epoch FROM s.current_period_end - s.current_period_start) / 2629800)::int AS months
           FROM subscription s JOIN orders o ON o.subscription_id = s.id WHERE o.id = $1`,
        orderId,
      )
    expect(await subscription()).toBeUndefined()
    for (let count = 0; count < 2; count++) await inOne((inner) => payOrder(inner, { ...step(orderId), payment }))
    expect(await subscription()).toEqual({ status: 'active', is_latest: true, months: 1 })
    expect(await one('SELECT tier FROM person WHERE id = $1', personId)).toEqual({ tier: 'paid' })
    await inOne((inner) => refundOrder(inner, { ...step(orderId), amount: 200, reason: 'requested' }))
    expect(await subscription()).toMatchObject({ status: 'active' })
    await inOne((inner) => refundOrder(inner, { ...step(orderId), reason: 'requested' }))
    expect(await subscription()).toMatchObject({ status: 'canceled' })
    expect(await one('SELECT tier FROM person WHERE id = $1', personId)).toEqual({ tier: 'free' })
  })

  test('a paid order opens what it is for and counts what was spent, once', async () => {
    const personId = await newPerson(sql, schoolId)
    const { orderId } = await order({ personId })
    expect(await opensOf(personId)).toEqual({ enrolled: null, owned: false, live: '0', spend: '0' })
    const outcomes = await Promise.all([1, 2, 3].map(() => inOne((inner) => payOrder(inner, { ...step(orderId), payment }))))
    expect(outcomes.toSorted()).toEqual([false, false, true])
    expect(await opensOf(personId)).toEqual({ enrolled: 'active', owned: true, live: '2', spend: '9801' })
    expect(await one('SELECT number = receipt_number AS same, version, expires_at FROM orders WHERE id = $1', orderId)).toEqual({
      same: true,
      version: 2,
      expires_at: null,
    })
  })

  test('the buyer and the items stay what they were', async () => {
    const personId = await newPerson(sql, schoolId, { name: 'Wren Tallow', email: 'wren@example.org' })
    const { orderId } = await order({ personId, status: 'paid' })
    await sql.query(`UPDATE person SET name = 'Somebody Else', email = 'else@example.org' WHERE id = $1`, [personId])
    expect(await one('SELECT buyer_name, buyer_email, subtotal_amount::text AS subtotal FROM orders WHERE id = $1', orderId)).toEqual({
      buyer_name: 'Wren Tallow',
      buyer_email: 'wren@example.org',
      subtotal: '9801',
    })
  })

  test('refunds never exceed what was paid, divide over the lines to the unit, and close access with the last of them', async () => {
    const personId = await newPerson(sql, schoolId)
    const { orderId } = await order({ personId, status: 'paid' })
    const refund = (amount?: number) => inOne((inner) => refundOrder(inner, { ...step(orderId), amount, reason: 'requested' }))
    for (const amount of [0, -1, 1.5, 9802, Number.NaN]) await expect(refund(amount)).rejects.toMatchObject({ code: 'validation_failed' })
    const outcomes = await Promise.allSettled([refund(3333), refund(3333), refund(3333)])
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
    expect(await opensOf(personId)).toMatchObject({ enrolled: 'active', owned: true, live: '2', spend: '3135' })
    expect(await refund()).toMatchObject({ amount: 3135, isWhole: true })
    expect(await opensOf(personId)).toEqual({ enrolled: 'canceled', owned: false, live: '0', spend: '0' })
    expect(
      await one(
        `SELECT o.status, o.refunded_amount::text AS refunded, (SELECT sum(refunded_amount) FROM order_item i WHERE i.order_id = o.id)::text AS lines,
                (SELECT bool_and(refunded_amount = total_amount) FROM order_item i WHERE i.order_id = o.id) AS whole,
                (SELECT sum(amount) FROM refund r WHERE r.order_id = o.id)::text AS refunds FROM orders o WHERE id = $1`,
        orderId,
      ),
    ).toEqual({ status: 'refunded', refunded: '9801', lines: '9801', whole: true, refunds: '9801' })
    await expect(refund()).rejects.toMatchObject({ code: 'invalid_state' })
  })

  test('access that another order also opens stays', async () => {
    const personId = await newPerson(sql, schoolId)
    const first = await order({ personId, status: 'paid' })
    await order({ personId, status: 'paid', items: items().slice(1) })
    await inOne((inner) => refundOrder(inner, { ...step(first.orderId), reason: 'other' }))
    expect(await opensOf(personId)).toMatchObject({ owned: true, live: '1' })
  })

  test('a coupon is reserved by a checkout, kept by a payment and free again where there is none', async () => {
    const personId = await newPerson(sql, schoolId)
    const coupon = await newCoupon(sql, schoolId, { max: 2 })
    const uses = () =>
      one(
        `SELECT redemptions_count AS count, (SELECT array_agg(status ORDER BY id) FROM coupon_redemption r WHERE r.coupon_id = c.id) AS states
           FROM coupon c WHERE id = $1`,
        coupon,
      )
    const withCoupon = { personId, coupon: { id: coupon, code: 'HALF', discounts: [4450, 0] } }
    const { orderId } = await order(withCoupon)
    expect(await uses()).toEqual({ count: 1, states: ['reserved'] })
    await expect(order(withCoupon)).rejects.toMatchObject({ code: 'coupon_already_used' })
    expect(await inOne((inner) => failOrder(inner, { ...step(orderId), failureCode: 'declined' }))).toBe(true)
    expect(await uses()).toEqual({ count: 0, states: ['released'] })
    expect(await inOne((inner) => retryOrder(inner, step(orderId)))).toBe(true)
    expect(await uses()).toEqual({ count: 1, states: ['reserved'] })
    await inOne((inner) => payOrder(inner, { ...step(orderId), payment }))
    expect(await uses()).toEqual({ count: 1, states: ['confirmed'] })
    await inOne((inner) => refundOrder(inner, { ...step(orderId), reason: 'other' }))
    expect(await uses()).toEqual({ count: 1, states: ['confirmed'] })
    const next = await order({ ...withCoupon, personId: await newPerson(sql, schoolId) })
    await expect(order({ ...withCoupon, personId: await newPerson(sql, schoolId) })).rejects.toMatchObject({ code: 'coupon_unavailable' })
    await inOne((inner) => cancelOrder(inner, step(next.orderId)))
    expect(await uses()).toEqual({ count: 1, states: ['confirmed', 'released'] })
  })

  test('a checkout past its time is over before a job says so; the job frees its coupon, once', async () => {
    const coupon = await newCoupon(sql, schoolId)
    const personId = await newPerson(sql, schoolId)
    const { orderId } = await order({ personId, coupon: { id: coupon, code: 'HALF', discounts: [100, 0] } })
    await order({ personId })
    await sql.query(`UPDATE orders SET expires_at = now() - interval '1 second' WHERE id = $1`, [orderId])
    await sql.query(`UPDATE orders SET expires_at = now() + interval '1 hour' WHERE id <> $1 AND expires_at IS NOT NULL`, [orderId])
    await expect(inOne((inner) => payOrder(inner, { ...step(orderId), payment }))).rejects.toMatchObject({ code: 'invalid_state' })
    const ended = await Promise.all([1, 2].map(() => inOne((inner) => expireOrders(inner, { now, limit: 100 }))))
    expect(ended.toSorted()).toEqual([0, 1])
    expect(await statusOf(orderId)).toBe('expired')
    expect(await one('SELECT redemptions_count FROM coupon WHERE id = $1', coupon)).toEqual({ redemptions_count: 0 })
  })

  const past: Record<string, string> = {
    pending: `status = 'pending', expires_at = now() + interval '1 hour'`,
    paid: `status = 'paid', expires_at = NULL`,
    partially_refunded: `status = 'partially_refunded', refunded_amount = 1`,
    refunded: `status = 'refunded', refunded_amount = total_amount`,
    failed: `status = 'failed'`,
    canceled: `status = 'canceled'`,
    expired: `status = 'expired'`,
  }
  const steps: Record<string, (inner: SchoolWriter, orderId: string) => Promise<unknown>> = {
    pay: (inner, orderId) => payOrder(inner, { ...step(orderId), payment }),
    fail: (inner, orderId) => failOrder(inner, { ...step(orderId), failureCode: 'declined' }),
    retry: (inner, orderId) => retryOrder(inner, step(orderId)),
    cancel: (inner, orderId) => cancelOrder(inner, step(orderId)),
    refund: (inner, orderId) => refundOrder(inner, { ...step(orderId), reason: 'other' }),
  }
  /** The next state; the same state means already in effect; a dash means rejected. */
  const table = `
                       pay                 fail     retry    cancel    refund
    pending            paid                failed   pending  canceled  -
    paid               paid                -        -        -         refunded
    partially_refunded partially_refunded  -        -        -         refunded
    refunded           refunded            -        -        -         -
    failed             -                   failed   pending  canceled  -
    canceled           -                   -        -        canceled  -
    expired            -                   -        -        -         -`
  const [verbs = [], ...rows] = table
    .trim()
    .split('\n')
    .map((row) => row.trim().split(/\s+/))

  test.each(rows)('an order that is %s goes where the table says, and nowhere else', async (status, ...ends) => {
    expect(ends).toHaveLength(verbs.length)
    for (const [index, verb] of verbs.entries()) {
      const { orderId } = await order({ personId: await newPerson(sql, schoolId) })
      await sql.query(`UPDATE orders SET ${past[status as string]} WHERE id = $1`, [orderId])
      await sql.query(
        `UPDATE order_item SET refunded_amount = 1 FROM orders o WHERE order_id = $1 AND o.id = $1 AND position = 0 AND o.refunded_amount = 1`,
        [orderId],
      )
      const end = ends[index] as string
      const going = inOne((inner) => (steps[verb] as (typeof steps)[string])(inner, orderId))
      if (end === '-') await expect(going).rejects.toMatchObject({ code: 'invalid_state' })
      else await going
      expect([verb, await statusOf(orderId)]).toEqual([verb, end === '-' ? status : end])
    }
  })
})
