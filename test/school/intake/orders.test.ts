import { beforeAll, describe, expect, test } from 'vitest'
import { newId, toPublicId } from '../../../src/base/ids.ts'
import { expireOrders } from '../../../src/school/orders/jobs/expireOrders.ts'
import { duringTests } from '../../support/duringTests.ts'
import { newPlan } from '../../support/memberships.ts'
import { startPlatform } from '../../support/platform.ts'
import { startService } from '../../support/service.ts'
import { newCoupon, newPerson, newProduct } from '../../support/shop.ts'

const service = duringTests(() => startService({ school: { defaults: { name: 'Shop', locale: 'en', time_zone: 'UTC', currency: 'EUR' } } }))
const platform = duringTests(() => startPlatform(service))
let schoolId: string
beforeAll(async () => {
  schoolId = service.schoolId()
  await service.database.sql.query(
    `UPDATE school SET settings = settings || '{"tax":{"mode":"inclusive","default_rate_bps":1900}}' WHERE id = $1`,
    [schoolId],
  )
})

const product = async (price = 3900): Promise<{ id: string; item: { type: string; id: string } }> => {
  const id = await newProduct(service.database.sql, schoolId, { price })
  return { id, item: { type: 'digital_product', id: toPublicId('dgp', id) } }
}
const paidCourse = async (): Promise<{ id: string; item: { type: string; id: string } }> => {
  const id = newId()
  await service.database.sql.query(
    `INSERT INTO course (school_id, id, slug, title, status, language, position, access, price_amount, price_currency)
     VALUES ($1, $2, $3, 'Salt Glazing', 'published', 'en', 0, 'paid', 12900, 'EUR')`,
    [schoolId, id, `paid-${id}`],
  )
  return { id, item: { type: 'course', id: toPublicId('crs', id) } }
}
const coupon = async (percent: number, max: number | null = null): Promise<{ id: string; code: string }> => {
  const code = `P${newId()}`.toUpperCase()
  const id = await newCoupon(service.database.sql, schoolId, { code, max })
  await service.database.sql.query('UPDATE coupon SET percent_bps = $3 WHERE school_id = $1 AND id = $2', [schoolId, id, percent * 100])
  return { id, code }
}
const buyer = () => ({ email: `${newId()}@example.org`, name: 'Wren Tallow' })
const rows = <Row extends object>(text: string, values: unknown[]): Promise<Row[]> =>
  service.database.sql.query<Row>(text, [schoolId, ...values])
const usesOf = (couponId: string) =>
  rows<{ status: string; count: number }>(
    `SELECT status, (SELECT redemptions_count FROM coupon c WHERE c.school_id = r.school_id AND c.id = r.coupon_id) AS count
       FROM coupon_redemption r WHERE school_id = $1 AND coupon_id = $2`,
    [couponId],
  )
const accessOf = async (email: string) =>
  (
    await rows<{ id: string }>(
      `SELECT product_id AS id FROM product_grant g JOIN person p ON p.school_id = g.school_id AND p.id = g.person_id
        WHERE g.school_id = $1 AND p.email = $2 AND g.revoked_at IS NULL
       UNION SELECT course_id FROM enrollment e JOIN person p ON p.school_id = e.school_id AND p.id = e.person_id
        WHERE e.school_id = $1 AND p.email = $2 AND e.status = 'active'`,
      [email],
    )
  ).map(({ id }) => id)

describe('a one-time sale', () => {
  test('a course and a product with a partial coupon: reserved, paid to the cent, open; after the whole refund closed', async () => {
    const [course, guide] = [await paidCourse(), await product()]
    const { id: couponId, code } = await coupon(25, 1)
    const person = buyer()
    const created = await platform.report('/orders', {
      buyer: person,
      items: [course.item, guide.item],
      coupon_code: code,
      billing_address: { city: 'Berlin', country: 'DE' },
      expected_total: 12_600,
    })
    expect([created.status, created.body.status, created.body.kind, created.body.total]).toEqual([
      201,
      'pending',
      'one_time',
      { amount: 12_600, currency: 'EUR' },
    ])
    expect(created.body.items.map((item: { discount: { amount: number } }) => item.discount.amount)).toEqual([3225, 975])
    expect(created.body.tax_total.amount).toBe(1545 + 467)
    expect(await usesOf(couponId)).toEqual([{ status: 'reserved', count: 1 }])
    expect(await accessOf(person.email)).toEqual([])

    const { number } = created.body
    const paid = await platform.report(`/orders/${number}/pay`, {
      reference: 'pi_first',
      amount: 12_600,
      currency: 'EUR',
      card_brand: 'visa',
      card_last4: '4242',
    })
    expect([paid.status, paid.body.status, paid.body.receipt_number]).toEqual([200, 'paid', number])
    expect(await usesOf(couponId)).toEqual([{ status: 'confirmed', count: 1 }])
    expect((await accessOf(person.email)).toSorted()).toEqual([course.id, guide.id].toSorted())

    const part = await platform.report(`/orders/${number}/refund`, { amount: 600 })
    expect([part.body.status, part.body.refunded_total.amount, (await accessOf(person.email)).length]).toEqual([
      'partially_refunded',
      600,
      2,
    ])
    const whole = await platform.report(`/orders/${number}/refund`, { reason: 'duplicate' })
    expect([whole.body.status, whole.body.refunded_total.amount, whole.body.refunds.length]).toEqual(['refunded', 12_600, 2])
    expect(await accessOf(person.email)).toEqual([])
    const feed = await rows<{ action: string; actor_kind: string }>(
      `SELECT action, actor_kind FROM change_log WHERE school_id = $1 AND type = 'order' AND resource_id = (SELECT id FROM orders o WHERE o.school_id = $1 AND o.number = $2) ORDER BY id`,
      [number],
    )
    expect(feed.map(({ action }) => action)).toEqual(['created', 'paid', 'refunded', 'refunded'])
    expect(new Set(feed.map(({ actor_kind: kind }) => kind))).toEqual(new Set(['platform']))
    const audit = await rows<{ event: string }>(
      `SELECT event FROM audit_log WHERE school_id = $1 AND details ->> 'order' = $2 ORDER BY id`,
      [number],
    )
    expect(audit.map(({ event }) => event)).toEqual([
      'platform.order_created',
      'platform.order_paid',
      'platform.order_refunded',
      'platform.order_refunded',
    ])
  })

  test('a declined payment releases the coupon; the next payment takes it again', async () => {
    const [{ item }, { id: couponId, code }] = [await product(), await coupon(50, 1)]
    const { body } = await platform.report('/orders', { buyer: buyer(), items: [item], coupon_code: code })
    const failed = await platform.report(`/orders/${body.number}/fail`, { failure_code: 'card_declined' })
    expect([failed.body.status, await usesOf(couponId)]).toEqual(['failed', [{ status: 'released', count: 0 }]])
    const paid = await platform.report(`/orders/${body.number}/pay`, { amount: 1950, currency: 'EUR' })
    expect([paid.status, paid.body.status, await usesOf(couponId)]).toEqual([200, 'paid', [{ status: 'confirmed', count: 1 }]])
  })

  test('a payment after a declined one is rejected if somebody else has used up the coupon', async () => {
    const [{ item }, { code }] = [await product(), await coupon(50, 1)]
    const { body } = await platform.report('/orders', { buyer: buyer(), items: [item], coupon_code: code })
    await platform.report(`/orders/${body.number}/fail`, {})
    expect((await platform.report('/orders', { buyer: buyer(), items: [item], coupon_code: code })).status).toBe(201)
    const late = await platform.report(`/orders/${body.number}/pay`, { amount: 1950, currency: 'EUR' })
    expect([late.status, late.body.error]).toEqual([409, 'coupon_unavailable'])
  })

  test('an expired and a cancelled checkout release their coupon and take no payment', async () => {
    const [{ item }, { id: couponId, code }] = [await product(), await coupon(50, 1)]
    const first = await platform.report('/orders', { buyer: buyer(), items: [item], coupon_code: code, expires_in_minutes: 5 })
    await service.database.sql.query(`UPDATE orders SET expires_at = now() - interval '1 second' WHERE school_id = $1 AND number = $2`, [
      schoolId,
      first.body.number,
    ])
    expect((await platform.report(`/orders/${first.body.number}/pay`, { amount: 1950, currency: 'EUR' })).body.error).toBe('invalid_state')
    await service.database.transaction((writer) => expireOrders(writer, { now: new Date(), limit: 10 }))
    expect(await usesOf(couponId)).toEqual([{ status: 'released', count: 0 }])
    const second = await platform.report('/orders', { buyer: buyer(), items: [item], coupon_code: code })
    const canceled = await platform.report(`/orders/${second.body.number}/cancel`, {})
    expect([canceled.body.status, (await usesOf(couponId)).map(({ status }) => status)]).toEqual(['canceled', ['released', 'released']])
    const late = await platform.report(`/orders/${second.body.number}/pay`, { amount: 1950, currency: 'EUR' })
    expect([late.status, late.body.error]).toEqual([409, 'invalid_state'])
  })

  test('an order that a coupon makes free is paid immediately and opens', async () => {
    const [course, { id: couponId, code }] = [await paidCourse(), await coupon(100)]
    const person = buyer()
    const { body } = await platform.report('/orders', { buyer: person, items: [course.item], coupon_code: code })
    expect([body.status, body.kind, body.total.amount, await accessOf(person.email)]).toEqual(['paid', 'zero_total', 0, [course.id]])
    expect(await usesOf(couponId)).toEqual([{ status: 'confirmed', count: 1 }])
  })

  test('a membership plan starts with its payment, or immediately if a coupon makes it free, and ends with the whole refund', async () => {
    const planId = newId()
    const priceId = newId()
    await service.database.sql.query(
      `INSERT INTO membership_plan (school_id, id, slug, name, status, position) VALUES ($1, $2, $3, 'Studio', 'active', 0)`,
      [schoolId, planId, `studio-${planId}`],
    )
    await service.database.sql.query(
      `INSERT INTO plan_price (school_id, id, plan_id, amount, currency, interval, interval_count, active) VALUES ($1, $2, $3, 1500, 'EUR', 'month', 1, true)`,
      [schoolId, priceId, planId],
    )
    const item = { type: 'membership_plan', id: toPublicId('mpl', planId), price_id: toPublicId('prc', priceId) }
    const person = buyer()
    const { body } = await platform.report('/orders', { buyer: person, items: [item] })
    expect([body.status, body.kind, body.total.amount]).toEqual(['pending', 'subscription_initial', 1500])
    const states = async (email: string) =>
      (
        await rows<{ status: string }>(
          `SELECT status FROM subscription s JOIN person p ON p.school_id = s.school_id AND p.id = s.person_id WHERE s.school_id = $1 AND p.email = $2`,
          [email],
        )
      ).map(({ status }) => status)
    expect(await states(person.email)).toEqual([])
    await platform.report(`/orders/${body.number}/pay`, { amount: 1500, currency: 'EUR' })
    expect(await states(person.email)).toEqual(['active'])
    const again = await platform.report('/orders', { buyer: person, items: [item] })
    expect([again.status, again.body.error]).toEqual([409, 'already_subscribed'])
    await platform.report(`/orders/${body.number}/refund`, {})
    expect(await states(person.email)).toEqual(['canceled'])
    const free = buyer()
    const { code } = await coupon(100)
    const gift = await platform.report('/orders', { buyer: free, items: [item], coupon_code: code })
    expect([gift.body.status, gift.body.total.amount, await states(free.email)]).toEqual(['paid', 0, ['active']])
    const two = await platform.report('/orders', { buyer: buyer(), items: [item, (await product()).item] })
    expect([two.status, two.body.error]).toEqual([422, 'validation_failed'])
  })
})

describe('a payment that does not fit', () => {
  test('is rejected with another amount, another currency, or if the order has another payment; the same payment counts once', async () => {
    const { item } = await product()
    const { body } = await platform.report('/orders', { buyer: buyer(), items: [item] })
    const pay = (more: object) => platform.report(`/orders/${body.number}/pay`, { amount: 3900, currency: 'EUR', ...more })
    expect((await pay({ amount: 3899 })).body.details[0].field).toBe('amount')
    expect((await pay({ currency: 'USD' })).body.details[0].field).toBe('currency')
    expect((await pay({ reference: 'pi_once' })).status).toBe(200)
    const second = await pay({ reference: 'pi_twice' })
    expect([second.status, second.body.error]).toEqual([409, 'invalid_state'])
    const other = await platform.report('/orders', { buyer: buyer(), items: [item] })
    const reused = await platform.report(`/orders/${other.body.number}/pay`, { reference: 'pi_once', amount: 3900, currency: 'EUR' })
    expect([reused.status, reused.body.error]).toEqual([409, 'reference_reused'])
  })

  test('a refund above the paid amount is rejected and leaves the order as it is', async () => {
    const { item } = await product()
    const { body } = await platform.report('/orders', { buyer: buyer(), items: [item] })
    await platform.report(`/orders/${body.number}/pay`, { amount: 3900, currency: 'EUR' })
    const { status, body: problem } = await platform.report(`/orders/${body.number}/refund`, { amount: 3901 })
    expect([status, problem.error]).toEqual([422, 'validation_failed'])
  })
})

describe('a checkout is rejected', () => {
  test('with another total than the buyer saw: nothing is stored, and the reference can be used again', async () => {
    const { item } = await product()
    const person = buyer()
    const order = { reference: 'cart-1', buyer: person, items: [item] }
    const wrong = await platform.report('/orders', { ...order, expected_total: 3800 })
    expect([wrong.status, wrong.body.details[0].field]).toEqual([422, 'expected_total'])
    expect(await rows('SELECT id FROM person WHERE school_id = $1 AND email = $2', [person.email])).toEqual([])
    expect((await platform.report('/orders', { ...order, expected_total: 3900 })).status).toBe(201)
  })

  test('for items that are not for sale, twice the same, already owned, or for a suspended student', async () => {
    const { item } = await product()
    const person = buyer()
    const codeOf = async (items: object[], who = person) => {
      const { status, body } = await platform.report('/orders', { buyer: who, items })
      return [status, body.error]
    }
    const draft = await newProduct(service.database.sql, schoolId, { status: 'draft' })
    expect(await codeOf([{ type: 'digital_product', id: toPublicId('dgp', draft) }])).toEqual([422, 'invalid_reference'])
    expect(await codeOf([{ type: 'course', id: item.id }])).toEqual([422, 'invalid_reference'])
    expect(await codeOf([{ ...item, price_id: 'prc_nothing' }])).toEqual([422, 'invalid_reference'])
    expect(await codeOf([item, item])).toEqual([422, 'validation_failed'])
    const { body } = await platform.report('/orders', { buyer: person, items: [item] })
    await platform.report(`/orders/${body.number}/pay`, { amount: 3900, currency: 'EUR' })
    expect(await codeOf([item])).toEqual([409, 'invalid_state'])
    const email = `${newId()}@example.org`
    const id = await newPerson(service.database.sql, schoolId, { email })
    await service.database.sql.query(`UPDATE person SET student_status = 'suspended' WHERE school_id = $1 AND id = $2`, [schoolId, id])
    expect(await codeOf([item], { email, name: 'Wren' })).toEqual([422, 'validation_failed'])
  })

  test('for a plan at a price that is no longer offered, or a plan that is archived', async () => {
    const { sql } = service.database
    const { planId, priceId } = await newPlan(sql, schoolId)
    const item = { type: 'membership_plan', id: toPublicId('mpl', planId), price_id: toPublicId('prc', priceId) }
    const order = async () => (await platform.report('/orders', { buyer: buyer(), items: [item] })).body
    expect(await order()).toMatchObject({ status: 'pending' })
    await sql.query('UPDATE plan_price SET active = false WHERE school_id = $1 AND id = $2', [schoolId, priceId])
    expect(await order()).toMatchObject({ error: 'invalid_reference' })
    await sql.query('UPDATE plan_price SET active = true WHERE school_id = $1 AND id = $2', [schoolId, priceId])
    await sql.query(`UPDATE membership_plan SET status = 'archived' WHERE school_id = $1 AND id = $2`, [schoolId, planId])
    expect(await order()).toMatchObject({ error: 'invalid_reference' })
  })

  test('with an unknown coupon, or one that its buyer has used', async () => {
    const { item } = await product()
    const { code } = await coupon(10)
    const unknown = await platform.report('/orders', { buyer: buyer(), items: [item], coupon_code: 'NOPE' })
    expect([unknown.status, unknown.body.error]).toEqual([409, 'coupon_unavailable'])
    const person = buyer()
    await platform.report('/orders', { buyer: person, items: [item], coupon_code: code })
    const second = await platform.report('/orders', { buyer: person, items: [(await product()).item], coupon_code: code })
    expect([second.status, second.body.error]).toEqual([409, 'coupon_already_used'])
  })

  test('with a coupon that discounts nothing, and says whether the items are free or cost too little', async () => {
    const { code } = await coupon(10)
    const reasonAt = async (amount: number): Promise<string> => {
      const { item } = await product(amount)
      const { status, body } = await platform.report('/orders', { buyer: buyer(), items: [item], coupon_code: code })
      expect([status, body.error]).toEqual([409, 'coupon_unavailable'])
      return body.error_description
    }
    expect(await reasonAt(0)).toMatch(/are free/)
    expect(await reasonAt(1)).toMatch(/rounds to nothing/)
  })
})

test('twenty concurrent checkouts with the last use of a coupon: one gets it', async () => {
  const [{ item }, { id: couponId, code }] = [await product(), await coupon(50, 1)]
  const all = await Promise.all(
    Array.from({ length: 20 }, () => platform.report('/orders', { buyer: buyer(), items: [item], coupon_code: code })),
  )
  const statuses = all.map(({ status }) => status).filter((status) => status !== 503)
  expect(statuses.filter((status) => status === 201)).toHaveLength(1)
  expect(new Set(statuses)).toEqual(new Set([201, 409]))
  expect(await usesOf(couponId)).toEqual([{ status: 'reserved', count: 1 }])
})
