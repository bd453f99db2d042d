import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { newId, toPublicId } from '../../../src/base/ids.ts'
import { expireOrders } from '../../../src/school/orders/jobs/expireOrders.ts'
import { duringTests } from '../../support/duringTests.ts'
import { newReference, type Reported, startPlatform } from '../../support/platform.ts'
import { startService } from '../../support/service.ts'
import { newCoupon, newProduct } from '../../support/shop.ts'

const service = duringTests(() => startService())
const platform = duringTests(() => startPlatform(service))
let schoolId: string
let coupon: { id: string; code: string }
const products: { id: string; price: number }[] = []
const couponUses = 3
beforeAll(async () => {
  schoolId = service.schoolId()
  const { sql } = service.database
  for (const price of [333, 4999]) products.push({ id: await newProduct(sql, schoolId, { price }), price })
  const code = `P${newId()}`.toUpperCase()
  coupon = { code, id: await newCoupon(sql, schoolId, { code, max: couponUses, each: 100 }) }
  await sql.query(`UPDATE coupon SET percent_bps = 3333 WHERE school_id = $1 AND id = $2`, [schoolId, coupon.id])
  await sql.query(`UPDATE school SET settings = settings || '{"tax":{"mode":"exclusive","default_rate_bps":700}}' WHERE id = $1`, [
    schoolId,
  ])
})

type Status = 'pending' | 'paid' | 'partially_refunded' | 'refunded' | 'failed' | 'canceled' | 'expired'

/** The expected state of an order, computed from the reports alone. */
interface ModelOrder {
  number: string
  email: string
  productId: string
  total: number
  hasCoupon: boolean
  status: Status
  received: number
  returned: number
}

/** A report that was accepted or rejected, to be repeated. */
interface Sent {
  path: string
  body: { reference: string }
  answer: Reported
}

type Step =
  | { do: 'create'; product: number; buyer: number; withCoupon: boolean }
  | { do: 'pay' | 'fail' | 'cancel' | 'expire'; order: number }
  | { do: 'refund'; order: number; percent: number }
  | { do: 'repeat'; report: number }

const order = fc.nat({ max: 3 })
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('create' as const),
      product: fc.nat({ max: 1 }),
      buyer: fc.nat({ max: 1 }),
      withCoupon: fc.boolean(),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom('pay' as const, 'pay' as const, 'fail' as const, 'cancel' as const, 'expire' as const),
      order,
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('refund' as const), order, percent: fc.constantFrom(1, 40, 100) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('repeat' as const), report: fc.nat({ max: 9 }) }) },
)

const isHeld = ({ hasCoupon, status }: ModelOrder): boolean => hasCoupon && !['failed', 'canceled', 'expired'].includes(status)
const isOpen = ({ status }: ModelOrder): boolean => status === 'paid' || status === 'partially_refunded'

/** One history with separate buyers, and the model that predicts it. */
class History {
  readonly orders: ModelOrder[] = []
  readonly sent: Sent[] = []
  readonly emails = [`${newId()}@example.org`, `${newId()}@example.org`]

  async report(path: string, body: object): Promise<Reported> {
    const report = { reference: newReference(), ...body }
    const answer = await platform.report(path, report)
    this.sent.push({ path, body: report, answer })
    return answer
  }

  async run(what: Step): Promise<void> {
    switch (what.do) {
      case 'create':
        return await this.create(what)
      case 'repeat':
        return await this.repeat(what.report)
      default: {
        const found = this.orders[what.order]
        if (found) await this.change(found, what)
      }
    }
  }

  async create({ product, buyer, withCoupon }: Extract<Step, { do: 'create' }>): Promise<void> {
    const { id, price } = products[product] as { id: string; price: number }
    const email = this.emails[buyer] as string
    const { status, body } = await this.report('/orders', {
      buyer: { email },
      items: [{ type: 'digital_product', id: toPublicId('dgp', id) }],
      ...(withCoupon && { coupon_code: coupon.code }),
    })
    const isOwned = this.orders.some((one) => one.email === email && one.productId === id && isOpen(one))
    const isUsedUp = withCoupon && this.orders.filter(isHeld).length >= couponUses
    expect(status).toBe(isOwned || isUsedUp ? 409 : 201)
    if (status !== 201) return
    const net = price - (withCoupon ? Math.floor((price * 3333 + 5000) / 10_000) : 0)
    const total = net + Math.floor((net * 700 + 5000) / 10_000)
    expect(body.total.amount).toBe(total)
    this.orders.push({
      number: body.number,
      email,
      productId: id,
      total,
      hasCoupon: withCoupon,
      status: 'pending',
      received: 0,
      returned: 0,
    })
  }

  async change(one: ModelOrder, what: Exclude<Step, { do: 'create' | 'repeat' }>): Promise<void> {
    const { number, status, total } = one
    const path = `/orders/${number}/${what.do}`
    if (what.do === 'expire') {
      if (status === 'pending') await this.expire(one)
    } else if (what.do === 'pay') {
      const answer = await this.report(path, { amount: total, currency: 'EUR' })
      const isFree = !one.hasCoupon || status !== 'failed' || this.orders.filter(isHeld).length < couponUses
      const isTaken = (status === 'pending' || status === 'failed') && isFree
      expect([what, answer.status]).toEqual([what, isTaken ? 200 : 409])
      if (isTaken) Object.assign(one, { status: 'paid', received: total })
    } else if (what.do === 'refund') {
      const left = one.received - one.returned
      const amount = Math.max(1, Math.floor((left * what.percent) / 100))
      const answer = await this.report(path, { amount })
      expect([what, answer.status]).toEqual([what, isOpen(one) ? 200 : 409])
      if (answer.status === 200)
        Object.assign(one, { returned: one.returned + amount, status: amount === left ? 'refunded' : 'partially_refunded' })
    } else {
      const answer = await this.report(path, {})
      const target = what.do === 'fail' ? 'failed' : 'canceled'
      const from: Status[] = what.do === 'fail' ? ['pending', 'failed'] : ['pending', 'failed', 'canceled']
      expect([what, answer.status]).toEqual([what, from.includes(status) ? 200 : 409])
      if (answer.status === 200) one.status = target
    }
  }

  async expire(one: ModelOrder): Promise<void> {
    await service.database.sql.query(`UPDATE orders SET expires_at = now() - interval '1 second' WHERE school_id = $1 AND number = $2`, [
      schoolId,
      one.number,
    ])
    await service.database.transaction((writer) => expireOrders(writer, { now: new Date(), limit: 10 }))
    one.status = 'expired'
  }

  /** A report that was accepted has the same response for ever, whatever happened since. */
  async repeat(index: number): Promise<void> {
    const earlier = this.sent[index]
    if (!earlier || earlier.answer.status >= 400) return
    const again = await platform.report(earlier.path, earlier.body)
    expect([again.status, again.body]).toEqual([earlier.answer.status, earlier.answer.body])
    const changed = await platform.report(earlier.path, {
      ...earlier.body,
      reference: earlier.body.reference,
      ...(earlier.path === '/orders' ? { tax_id: 'X' } : { reason: 'other', amount: 7, failure_code: 'x' }),
    })
    expect(changed.status).toBeGreaterThanOrEqual(400)
  }

  /** Money received equals money shown, and access equals what is paid. */
  async verify(): Promise<void> {
    const { sql } = service.database
    const stored = await sql.query<{ number: string; status: string; total: string; refunded: string }>(
      `SELECT number, status, total_amount AS total, refunded_amount AS refunded FROM orders WHERE school_id = $1 AND buyer_email = ANY ($2) ORDER BY number`,
      [schoolId, this.emails],
    )
    const shown = stored.map(({ number, status, total, refunded }) => ({
      number,
      status,
      received: ['paid', 'partially_refunded', 'refunded'].includes(status) ? Number(total) : 0,
      returned: Number(refunded),
    }))
    const byNumber = this.orders.toSorted((left, right) => (left.number < right.number ? -1 : 1))
    expect(shown).toEqual(byNumber.map(({ number, status, received, returned }) => ({ number, status, received, returned })))
    const people = await sql.query<{ email: string; spend: string; owned: string[] }>(
      `SELECT p.email, p.lifetime_spend AS spend,
              coalesce((SELECT array_agg(g.product_id::text ORDER BY g.product_id) FROM product_grant g
                         WHERE g.school_id = p.school_id AND g.person_id = p.id AND g.revoked_at IS NULL), '{}') AS owned
         FROM person p WHERE p.school_id = $1 AND p.email = ANY ($2)`,
      [schoolId, this.emails],
    )
    for (const { email, spend, owned } of people) {
      const own = this.orders.filter((one) => one.email === email)
      expect([email, Number(spend)]).toEqual([email, own.reduce((sum, { received, returned }) => sum + received - returned, 0)])
      expect([email, owned]).toEqual([email, [...new Set(own.filter(isOpen).map(({ productId }) => productId))].toSorted()])
    }
    const [lines] = await sql.query<{ difference: string }>(
      `SELECT coalesce(sum(abs(o.total_amount - i.total) + abs(o.refunded_amount - i.refunded)), 0) AS difference
         FROM orders o JOIN LATERAL (SELECT sum(total_amount) AS total, sum(refunded_amount) AS refunded FROM order_item
                                      WHERE school_id = o.school_id AND order_id = o.id) i ON true WHERE o.school_id = $1`,
      [schoolId],
    )
    expect(Number(lines?.difference)).toBe(0)
    const [uses] = await sql.query<{ count: number; held: string }>(
      `SELECT redemptions_count AS count, (SELECT count(*) FROM coupon_redemption r WHERE r.school_id = c.school_id AND r.coupon_id = c.id AND r.status <> 'released') AS held
         FROM coupon c WHERE c.school_id = $1 AND c.id = $2`,
      [schoolId, coupon.id],
    )
    const held = this.orders.filter(isHeld).length
    expect([uses?.count, Number(uses?.held)]).toEqual([held, held])
  }

  /** Makes the uses of the coupon available to the next history. */
  async end(): Promise<void> {
    await service.database.sql.query('DELETE FROM coupon_redemption WHERE school_id = $1', [schoolId])
    await service.database.sql.query('UPDATE coupon SET redemptions_count = 0 WHERE school_id = $1', [schoolId])
  }
}

test('for every sequence of pay, refund, cancel, expire and retries: money received equals money shown, and access equals what is paid', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
      const history = new History()
      try {
        for (const one of steps) await history.run(one)
        await history.verify()
      } finally {
        await history.end()
      }
    }),
    { numRuns: 25, endOnFailure: false },
  )
})
