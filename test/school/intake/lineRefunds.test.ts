import { beforeAll, describe, expect, test } from 'vitest'
import { newId, toPublicId } from '../../../src/base/ids.ts'
import { duringTests } from '../../support/duringTests.ts'
import { startPlatform } from '../../support/platform.ts'
import { startService } from '../../support/service.ts'
import { newCoupon, newProduct } from '../../support/shop.ts'

const service = duringTests(() => startService())
const platform = duringTests(() => startPlatform(service))
let schoolId: string
beforeAll(() => {
  schoolId = service.schoolId()
})

/** Sets the currency of the school and its tax. */
async function sellIn(currency: string, mode: string): Promise<void> {
  await service.database.sql.query(
    `UPDATE school SET currency = $2, settings = settings || jsonb_build_object('tax', jsonb_build_object('mode', $3::text, 'default_rate_bps', 1000)) WHERE id = $1`,
    [schoolId, currency, mode],
  )
}

async function paidCourse(currency: string, price: number): Promise<{ id: string; item: { type: string; id: string } }> {
  const id = newId()
  await service.database.sql.query(
    `INSERT INTO course (school_id, id, slug, title, status, language, position, access, price_amount, price_currency)
     VALUES ($1, $2, $3, 'Salt Glazing', 'published', 'en', 0, 'paid', $4, $5)`,
    [schoolId, id, `paid-${id}`, price, currency],
  )
  return { id, item: { type: 'course', id: toPublicId('crs', id) } }
}

const openTo = async (email: string): Promise<string[]> =>
  (
    await service.database.sql.query<{ id: string }>(
      `SELECT e.course_id AS id FROM enrollment e JOIN person p ON p.school_id = e.school_id AND p.id = e.person_id
        WHERE e.school_id = $1 AND p.email = $2 AND e.status = 'active'
       UNION SELECT g.product_id FROM product_grant g JOIN person p ON p.school_id = g.school_id AND p.id = g.person_id
        WHERE g.school_id = $1 AND p.email = $2 AND g.revoked_at IS NULL`,
      [schoolId, email],
    )
  ).map(({ id }) => id)

const paidOrder = async (items: object[], total: number, currency: string) => {
  const email = `${newId()}@example.org`
  const created = await platform.report('/orders', { buyer: { email, name: 'Wren Tallow' }, items, expected_total: total })
  expect(created.status).toBe(201)
  const { number } = created.body
  const { body } = await platform.report(`/orders/${number}/pay`, { amount: total, currency })
  return { email, number, order: body, refund: (more: object) => platform.report(`/orders/${number}/refund`, more) }
}

describe('a refund of lines', () => {
  test.each([
    ['EUR', 'inclusive', 1095, { total: 1095, tax: 100 }],
    ['JPY', 'inclusive', 1095, { total: 1095, tax: 100 }],
    ['KWD', 'exclusive', 1095, { total: 1205, tax: 110 }],
  ])(
    'in %s with %s tax ends the access of the line alone, and reduces tax and net to the unit',
    async (currency, mode, price, { total, tax }) => {
      await sellIn(currency, mode)
      const [course, other] = [await paidCourse(currency, price), await paidCourse(currency, price)]
      const { email, order, refund } = await paidOrder([course.item, other.item], 2 * total, currency)
      expect(order.items[0]).toMatchObject({ total: { amount: total }, tax: { amount: tax } })
      const line = order.items[0].id
      const part = await refund({ items: [{ line, amount: 100 }] })
      expect([part.status, part.body.status, part.body.items[0].refunded_tax.amount]).toEqual([200, 'partially_refunded', 9])
      expect((await openTo(email)).toSorted()).toEqual([course.id, other.id].toSorted())
      const rest = await refund({ items: [{ line }] })
      expect(rest.body).toMatchObject({ status: 'partially_refunded', refunded_tax_total: { amount: tax, currency } })
      expect(rest.body.items.map(({ refunded }: { refunded: { amount: number } }) => refunded.amount)).toEqual([total, 0])
      expect(rest.body.refunds.map((one: { items: { line_id: string }[] }) => one.items.map(({ line_id }) => line_id))).toEqual([
        [line],
        [line],
      ])
      expect(await openTo(email)).toEqual([other.id])
      const last = await refund({})
      expect(last.body).toMatchObject({ status: 'refunded', refunded_tax_total: last.body.tax_total, refunded_total: last.body.total })
      expect(await openTo(email)).toEqual([])
    },
  )

  test('that is invalid names the line and changes nothing', async () => {
    await sellIn('EUR', 'none')
    const [course, other] = [await paidCourse('EUR', 500), await paidCourse('EUR', 700)]
    const { order, refund } = await paidOrder([course.item, other.item], 1200, 'EUR')
    const elsewhere = await paidOrder([(await paidCourse('EUR', 500)).item], 500, 'EUR')
    const [line] = order.items.map(({ id }: { id: string }) => id)
    const fieldOf = async (body: object) => {
      const answer = await refund(body)
      return [answer.status, answer.body.error, answer.body.details?.[0]?.field]
    }
    expect(await fieldOf({ items: [{ line, amount: 501 }] })).toEqual([422, 'validation_failed', 'items.0.amount'])
    expect(await fieldOf({ items: [{ line: elsewhere.order.items[0].id }] })).toEqual([422, 'validation_failed', 'items.0.line'])
    expect(await fieldOf({ items: [{ line }, { line }] })).toEqual([422, 'validation_failed', 'items.1.line'])
    expect(await fieldOf({ items: [{ line }], amount: 5 })).toEqual([422, 'validation_failed', 'items'])
    expect(await fieldOf({ items: [] })).toEqual([422, 'validation_failed', 'items'])
    expect(await fieldOf({ items: Array.from({ length: 21 }, () => ({ line })) })).toEqual([422, 'validation_failed', 'items'])
    const answers = await Promise.all([1, 2, 3].map(() => refund({ items: [{ line, amount: 250 }] })))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 422])
    expect((await refund({ items: [{ line }] })).body.details[0].message).toContain('nothing left')
  })
})

describe('an order with a total of 0', () => {
  test('can be undone once: the access ends, and the same person can use the coupon again', async () => {
    await sellIn('EUR', 'inclusive')
    const course = await paidCourse('EUR', 900)
    const code = `Z${newId()}`.toUpperCase()
    const couponId = await newCoupon(service.database.sql, schoolId, { code, max: 1 })
    const buyer = { email: `${newId()}@example.org`, name: 'Wren Tallow' }
    const product = await newProduct(service.database.sql, schoolId, { price: 300 })
    const items = [course.item, { type: 'digital_product', id: toPublicId('dgp', product) }]
    const create = () => platform.report('/orders', { buyer, items, coupon_code: code })
    const { body } = await create()
    expect([body.status, (await openTo(buyer.email)).length]).toEqual(['paid', 2])
    expect((await create()).status).toBe(409)
    expect((await platform.report(`/orders/${body.number}/refund`, { amount: 1 })).body.details[0].message).toContain('total of 0')
    const undone = await platform.report(`/orders/${body.number}/refund`, { reason: 'other' })
    expect(undone.body).toMatchObject({
      status: 'refunded',
      refunded_total: { amount: 0 },
      refunds: [{ amount: { amount: 0 }, items: [] }],
    })
    expect(await openTo(buyer.email)).toEqual([])
    const uses = () =>
      service.database.sql.query(
        `SELECT c.redemptions_count AS count, array_agg(r.status ORDER BY r.id) AS states FROM coupon c
           JOIN coupon_redemption r ON r.school_id = c.school_id AND r.coupon_id = c.id WHERE c.school_id = $1 AND c.id = $2 GROUP BY 1`,
        [schoolId, couponId],
      )
    expect(await uses()).toEqual([{ count: 0, states: ['released'] }])
    expect((await platform.report(`/orders/${body.number}/refund`, {})).body.error).toBe('invalid_state')
    expect((await create()).body.status).toBe('paid')
    expect(await uses()).toEqual([{ count: 1, states: ['released', 'confirmed'] }])
  })
})
