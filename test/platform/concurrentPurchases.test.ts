import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import { everyDatabase, type TestDatabase } from '../support/databases.ts'
import { type SalesService, startSales } from '../support/sales.ts'

const eur = (amount: number) => ({ amount, currency: 'EUR' })

describe.each(await everyDatabase())('concurrent purchases, on $name', ({ open }) => {
  let opened: TestDatabase
  let sales: SalesService
  let courses: string[]
  beforeAll(async () => {
    opened = await open()
    sales = await startSales({
      database: opened.database,
      school: {
        defaults: { name: 'Shop', locale: 'en', time_zone: 'UTC', currency: 'EUR' },
        checkout_url: 'https://shop.example.com/?id={id}',
      },
    })
    courses = []
    for (const title of ['Clay', 'Glaze', 'Kiln']) courses.push(await newCourse(title))
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
  async function newCourse(title: string, price = eur(10_000)): Promise<string> {
    const lecturer = await done('POST', '/lecturers', { display_name: `Marlo ${title}` })
    const course = await done('POST', '/courses', { title, access: 'paid', price, lecturer_ids: [lecturer.id] })
    const section = await done('POST', `/courses/${course.id}/sections`, { title: 'First' })
    const lesson = await done('POST', `/sections/${section.id}/lessons`, { title: 'One', kind: 'text' })
    await done('POST', `/lessons/${lesson.id}/publish`, {})
    await done('POST', `/courses/${course.id}/publish`, {})
    return course.id
  }
  const newCoupon = (percent: number, more: object = {}): Promise<{ id: string; code: string }> =>
    done('POST', '/coupons', {
      code: `C${newId().replaceAll('-', '').slice(-20)}`.toUpperCase(),
      discount: { type: 'percent', percent_off: percent },
      first_purchase_only: true,
      ...more,
    })
  const order = (email: string, course: string | undefined, code?: string) =>
    sales.platform.report('/orders', { buyer: { email }, items: [{ type: 'course', id: course }], ...(code && { coupon_code: code }) })
  const usesOf = async (coupons: readonly { id: string }[]) =>
    await Promise.all(coupons.map(async ({ id }) => (await done('GET', `/coupons/${id}`)).redemptions_count as number))

  test('of several coupons for the first purchase, one person uses one, in checkouts, in free orders and in both', async () => {
    for (const percents of [
      [50, 50, 50],
      [100, 100, 100],
      [50, 100, 50],
    ]) {
      const email = `${newId()}@example.org`
      await done('POST', '/students', { email, name: 'Wren' })
      const coupons = await Promise.all(percents.map((percent) => newCoupon(percent)))
      const answers = await Promise.all(coupons.map(({ code }, index) => order(email, courses[index], code)))
      const statuses = answers.map(({ status, body }) => (status === 201 ? 201 : body.error))
      expect([percents, statuses.toSorted()]).toEqual([percents, [201, 'coupon_unavailable', 'coupon_unavailable']])
      expect((await usesOf(coupons)).toSorted()).toEqual([0, 0, 1])
      const { data } = await done('GET', `/orders?q=${email.split('@')[0]}`)
      expect(data).toHaveLength(1)
    }
  })

  test('one coupon for the first purchase that may be used twice is used once for it, and again only if the first order is given up', async () => {
    const email = `${newId()}@example.org`
    await done('POST', '/students', { email, name: 'Wren' })
    const coupon = await newCoupon(50, { max_redemptions_per_person: 3 })
    const answers = await Promise.all(courses.map((course) => order(email, course, coupon.code)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409])
    const first = answers.find(({ status }) => status === 201)?.body
    await sales.platform.report(`/orders/${first.number}/fail`, {})
    const { body: second } = await order(email, courses[0], coupon.code)
    expect(second.status).toBe('pending')
    // A payment of the declined order would be a second first purchase.
    const late = await sales.platform.report(`/orders/${first.number}/pay`, eur(5000))
    expect([late.status, late.body.error]).toEqual([409, 'coupon_unavailable'])
    expect((await sales.platform.report(`/orders/${second.number}/pay`, eur(5000))).body.status).toBe('paid')
    expect(await usesOf([coupon])).toEqual([1])
    expect((await order(email, courses[1], coupon.code)).body.details).toMatchObject([{ code: 'not_first_purchase' }])
  })

  test('an order has the currency that the school keeps: a change waits for orders, and is refused after one', async () => {
    const change = (currency: string) => sales.call('PATCH', '/school', { currency }, { headers: { 'if-match': '*' } })
    // The orders of the other tests are removed, so that the currency can change.
    const { sql } = sales.service.database
    for (const table of ['coupon_redemption', 'refund', 'entitlement', 'enrollment']) await sql.query(`DELETE FROM ${table}`)
    await sql.query('DELETE FROM orders')
    for (let round = 0; round < 6; round++) {
      await sql.query('DELETE FROM enrollment')
      await sql.query('DELETE FROM entitlement')
      await sql.query('DELETE FROM orders')
      await sql.query(`UPDATE school SET currency = 'EUR'`)
      const [changed, placed] = await Promise.all([change('USD'), order(`${newId()}@example.org`, courses[0])])
      const { currency } = await done('GET', '/school')
      const { data } = await done('GET', '/orders')
      const seen = {
        change: changed?.status,
        order: placed?.status,
        currency,
        orders: data.map((one: { currency: string }) => one.currency),
      }
      expect([
        { change: 409, order: 201, currency: 'EUR', orders: ['EUR'] },
        // Prices in the former currency are not for sale.
        { change: 200, order: 422, currency: 'USD', orders: [] },
      ]).toContainEqual(seen)
      if (changed?.status === 409) expect((changed.body as { error: string }).error).toBe('currency_locked')
    }
  })

  test('a declined order is paid in the currency of the school or not at all, also while the currency changes', async () => {
    const { sql } = sales.service.database
    for (let round = 0; round < 6; round++) {
      for (const table of ['enrollment', 'entitlement', 'orders']) await sql.query(`DELETE FROM ${table}`)
      await sql.query(`UPDATE school SET currency = 'EUR'`)
      const { body: declined } = await order(`${newId()}@example.org`, courses[0])
      await sales.platform.report(`/orders/${declined.number}/fail`, {})
      const [changed, paid] = await Promise.all([
        sales.call('PATCH', '/school', { currency: 'USD' }, { headers: { 'if-match': '*' } }),
        sales.platform.report(`/orders/${declined.number}/pay`, eur(10_000)),
      ])
      const { currency } = await done('GET', '/school')
      expect([
        { change: 409, pay: 200, currency: 'EUR' },
        { change: 200, pay: 409, currency: 'USD' },
      ]).toContainEqual({ change: changed?.status, pay: paid?.status, currency })
    }
  })

  test('a price in the former currency is for sale again once it is set in the new one, and a declined order keeps its currency', async () => {
    const { sql } = sales.service.database
    for (const table of ['enrollment', 'entitlement', 'orders']) await sql.query(`DELETE FROM ${table}`)
    await sql.query(`UPDATE school SET currency = 'EUR'`)
    const declined = await order(`${newId()}@example.org`, courses[0])
    const change = (currency: string) => sales.call('PATCH', '/school', { currency }, { headers: { 'if-match': '*' } })
    expect((await change('USD')).body.error).toBe('currency_locked')
    await sales.platform.report(`/orders/${declined.body.number}/fail`, {})
    expect((await change('USD')).status).toBe(200)
    expect((await sales.platform.report(`/orders/${declined.body.number}/pay`, eur(10_000))).body.error).toBe('invalid_state')
    expect((await order(`${newId()}@example.org`, courses[0])).body.error).toBe('invalid_reference')
    await done('PATCH', `/courses/${courses[0]}`, { price: { amount: 11_000, currency: 'USD' } })
    const sold = await order(`${newId()}@example.org`, courses[0])
    expect([sold.status, sold.body.total]).toEqual([201, { amount: 11_000, currency: 'USD' }])
  })
})
