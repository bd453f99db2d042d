import { beforeAll, expect, test } from 'vitest'
import { toPublicId } from '../../src/base/ids.ts'
import { inSchool } from '../../src/database/school/inSchool.ts'
import { recordOrder } from '../../src/school/orders/recordOrder.ts'
import { refundOrder } from '../../src/school/orders/refundOrder.ts'
import { newCoupon, newCourse, newProduct } from '../support/shop.ts'
import type { Reply } from './demoApi.ts'
import { describeDemo } from './describeDemo.ts'

const owner = 'owner@example.com'
const lecturer = 'lecturer2@example.com'
const [buyer, other] = ['learner001@example.org', 'learner002@example.org']

describeDemo('orders on $name', (api) => {
  let course: string
  let product: string
  let orderId: string
  let number: string
  let pending: string
  beforeAll(async () => {
    const { sql } = api.database
    const schoolId = api.school.id
    // Orders of the demo school are distinguished from orders of this test by their lines.
    await sql.query('DELETE FROM order_item')
    course = await newCourse(sql, schoolId)
    product = await newProduct(sql, schoolId)
    await sql.query(
      `INSERT INTO course_lecturer (school_id, course_id, lecturer_id, position)
       SELECT $1, $2, s.lecturer_id, 0 FROM staff s JOIN person p ON p.school_id = s.school_id AND p.id = s.person_id WHERE s.school_id = $1 AND p.email = $3`,
      [schoolId, course, lecturer],
    )
    const [person] = await sql.query<{ id: string }>('SELECT id FROM person WHERE school_id = $1 AND email = $2', [schoolId, buyer])
    const items = [
      { type: 'course', id: course, title: '<b>Salt</b> & Glaze', unitAmount: 8900 },
      { type: 'digital_product', id: product, title: 'Kiln Log', unitAmount: 901 },
    ] as const
    const order = { schoolId, now: new Date(), personId: person?.id as string, kind: 'one_time', items } as const
    const address = { name: 'Wren', line1: '4 Kiln Lane', line2: null, postal_code: '10115', city: 'Berlin', region: null, country: 'DE' }
    const attribution = { source: 'zq7xk', medium: 'email', campaign: null, referrer_host: null }
    const payment = { provider: 'card', cardBrand: 'visa', cardLast4: '4242', reference: 'zq7xk-ref' } as const
    await api.database.transaction(async (writer) => {
      const paid = await recordOrder(inSchool(writer, schoolId), {
        ...order,
        status: 'paid',
        payment,
        billingAddress: address,
        attribution,
      })
      ;({ number } = paid)
      orderId = paid.orderId
      pending = (await recordOrder(inSchool(writer, schoolId), { ...order, status: 'pending' })).orderId
      await refundOrder(inSchool(writer, schoolId), { schoolId, now: order.now, orderId, amount: 801, reason: 'requested' })
    })
  })

  const at = (id: string, end = '') => `/api/v1/orders/${toPublicId('ord', id)}${end}`
  const rows = ({ json }: Reply) => json.data as Record<string, unknown>[]
  const euros = (amount: number) => ({ amount, currency: 'EUR' })

  test('the buyer sees all of it but what is the staff’s, by id and by number', async () => {
    const reply = await api.get(at(orderId), { as: buyer })
    expect(reply.json).toMatchObject({
      number,
      status: 'partially_refunded',
      buyer: { email: buyer, student_id: expect.stringMatching(/^std_/) },
      items: [
        { product: { type: 'course', id: toPublicId('crs', course) }, total: euros(8900), refunded: euros(727) },
        { title: 'Kiln Log', total: euros(901), refunded: euros(74) },
      ],
      subtotal: euros(9801),
      total: euros(9801),
      refunded_total: euros(801),
      net_total: euros(9000),
      payment: { provider: 'card', card_last4: '4242' },
      refunds: [{ amount: euros(801), reason: 'requested' }],
      billing_address: { city: 'Berlin' },
      receipt_number: number,
    })
    expect(reply.text).not.toContain('zq7xk')
    expect((await api.get(`/api/v1/orders/${number}`, { as: buyer })).text).toBe(reply.text)
    const staff = await api.get(`/api/v1/orders/${number}`, { as: owner })
    expect(staff.json).toMatchObject({ payment: { reference: 'zq7xk-ref' }, attribution: { source: 'zq7xk' } })
  })

  test('a lecturer sees their own courses of it, and nothing of the payment or the rest', async () => {
    const { json, text } = await api.get(at(orderId), { as: lecturer })
    expect((json.items as { title: string }[]).map(({ title }) => title)).toEqual(['<b>Salt</b> & Glaze'])
    for (const hidden of ['payment', 'billing_address', 'attribution', 'total', 'subtotal', 'refunds', 'coupon', 'receipt_number'])
      expect(json).not.toHaveProperty(hidden)
    expect(text).not.toContain('Kiln Log')
    expect(rows(await api.get(at(orderId, '/items'), { as: lecturer }))).toHaveLength(1)
    for (const end of ['/refunds', '/receipt']) expect((await api.get(at(orderId, end), { as: lecturer })).status).toBe(403)
    const sought = await api.get(`/api/v1/orders?product_id=${toPublicId('dgp', product)}`, { as: lecturer })
    expect(rows(sought)).toEqual([])
    expect(rows(await api.get(`/api/v1/orders?product_id=${toPublicId('crs', course)}`, { as: lecturer }))).toHaveLength(2)
    for (const query of ['total[gte]=1', 'sort=total', `email=${buyer}`])
      expect([query, (await api.get(`/api/v1/orders?${query}`, { as: lecturer })).json.error]).toEqual([query, 'invalid_parameter'])
  })

  test('its coupon is a filter for the buyer and the staff, and shows a lecturer nothing', async () => {
    const { sql } = api.database
    const coupon = await newCoupon(sql, api.school.id, { code: 'LANTERN5' })
    await sql.query('UPDATE orders SET coupon_id = $2 WHERE id = $1', [orderId, coupon])
    const found = async (as: string) => {
      const { json } = await api.get(`/api/v1/orders?coupon_id=${toPublicId('cpn', coupon)}&product_id=${toPublicId('crs', course)}`, {
        as,
      })
      return (json.data as object[]).length
    }
    try {
      expect([await found(buyer), await found('owner@example.com'), await found(lecturer)]).toEqual([1, 1, 0])
    } finally {
      await sql.query('UPDATE orders SET coupon_id = NULL WHERE id = $1', [orderId])
    }
  })

  test('other people do not see it', async () => {
    for (const key of [toPublicId('ord', orderId), number])
      for (const as of [other, 'lecturer3@example.com']) expect((await api.get(`/api/v1/orders/${key}`, { as })).status).toBe(404)
    expect((await api.get(at(orderId))).status).toBe(403)
    expect((await api.get('/api/v1/orders/2026-1', { as: owner })).json.error).toBe('invalid_id')
  })

  test.each([
    ['status=pending', 1],
    ['status=partially_refunded,expired', 1],
    ['total[gte]=9801&total[lte]=9801', 2],
    ['total[gte]=9802&total[lte]=9803', 0],
    ['product_type=digital_product', 2],
    ['q=learner001', 2],
  ])('?%s finds what it names', async (query, count) => {
    const mine = (await api.get(`/api/v1/orders?limit=100&${query}`, { as: owner })).json.data as { number: string; items: object[] }[]
    expect(mine.filter(({ items }) => items.length > 0)).toHaveLength(count)
  })

  test('a checkout past its time reads as expired and is found as such', async () => {
    await api.database.sql.query(`UPDATE orders SET expires_at = now() - interval '1 second' WHERE id = $1`, [pending])
    expect((await api.get(at(pending), { as: buyer })).json.status).toBe('expired')
    const found = async (status: string) =>
      rows(await api.get(`/api/v1/orders?status=${status}&limit=100`, { as: buyer })).map(({ id }) => id)
    expect(await found('expired')).toContain(toPublicId('ord', pending))
    expect(await found('pending')).not.toContain(toPublicId('ord', pending))
  })

  test('a receipt is there once it is paid, as JSON or as a document in which nothing of people is markup', async () => {
    expect((await api.get(at(pending, '/receipt'), { as: buyer })).json.error).toBe('invalid_state')
    const json = await api.get(at(orderId, '/receipt'), { as: buyer })
    expect(json.json).toMatchObject({ receipt_number: number, total: euros(9801), tax_mode: 'none', refunded_total: euros(801) })
    const page = await api.get(at(orderId, '/receipt'), { as: buyer, headers: { accept: 'text/html' } })
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page.text).toContain('&lt;b&gt;Salt&lt;/b&gt; &amp; Glaze')
    expect(page.text).not.toMatch(/<b>|<script|style=|zq7xk/)
    expect(page.text).toContain('<html lang="en">')
    await api.database.sql.query(`UPDATE school SET locale = 'de' WHERE id = $1`, [api.school.id])
    expect((await api.get(at(orderId, '/receipt'), { as: buyer, headers: { accept: 'text/html' } })).text).toMatch(/Beleg[\s\S]*98,01\s€/)
  })

  test('a course that was sold stays, also as a draft', async () => {
    await api.database.sql.query(`UPDATE course SET status = 'draft' WHERE id = $1`, [course])
    await api.database.sql.query(`DELETE FROM enrollment WHERE course_id = $1`, [course])
    const reply = await api.send(`/api/v1/courses/${toPublicId('crs', course)}`, { method: 'DELETE', as: owner })
    expect([reply.status, reply.json.error]).toEqual([409, 'resource_in_use'])
  })

  test('staff can have all of them as CSV', async () => {
    const csv = await api.get('/api/v1/orders', { as: owner, headers: { accept: 'text/csv' } })
    expect([csv.status, csv.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/csv')])
    expect(csv.text).toContain(number)
  })
})
