import { beforeAll, describe, expect, test } from 'vitest'
import { fromPublicId, newId } from '../../../src/base/ids.ts'
import type { Sql } from '../../../src/database/connection/sql.ts'
import { inSchool } from '../../../src/database/school/inSchool.ts'
import { retryOrder } from '../../../src/school/orders/orderTransitions.ts'
import { everyDatabase } from '../../support/databases.ts'
import { duringTests } from '../../support/duringTests.ts'
import { until } from '../../support/poll.ts'
import { startSales } from '../../support/sales.ts'

const eur = (amount: number) => ({ amount, currency: 'EUR' })

describe.each(await everyDatabase())('concurrent purchases, on $name', ({ open }) => {
  const sales = duringTests(() =>
    startSales({
      open,
      school: {
        defaults: { name: 'Shop', locale: 'en', time_zone: 'UTC', currency: 'EUR' },
        checkout_url: 'https://shop.example.com/?id={id}',
      },
    }),
  )
  let courses: string[]
  /** A course that no test orders successfully. */
  let spare: string
  beforeAll(async () => {
    courses = []
    for (const title of ['Clay', 'Glaze', 'Kiln']) courses.push(await newCourse(title))
    spare = await newCourse('Bowl')
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

  /** A plan of 100 euros a month with a trial of so many days. Returns its id and that of its price. */
  async function newPlan(trialDays = 0): Promise<{ plan_id: string; price_id: string }> {
    const { id } = await done('POST', '/membership_plans', { name: `Bench ${newId()}` })
    const { prices } = await done('POST', `/membership_plans/${id}/prices`, {
      interval: 'month',
      amount: eur(10_000),
      trial_days: trialDays,
    })
    await done('POST', `/membership_plans/${id}/activate`, {})
    return { plan_id: id, price_id: prices[0].id }
  }
  async function newMember(): Promise<{ email: string; member_id: string }> {
    const email = `${newId()}@example.org`
    const { id } = await done('POST', '/members', { email, display_name: 'Wren' })
    return { email, member_id: id }
  }
  const subscribe = (member_id: string, plan: object, coupon_code?: string) =>
    sales.call('POST', '/subscriptions', { member_id, ...plan, ...(coupon_code && { coupon_code }) })
  const orderPlan = (email: string, { plan_id, price_id }: { plan_id: string; price_id: string }, code: string) =>
    sales.platform.report('/orders', { buyer: { email }, items: [{ type: 'membership_plan', id: plan_id, price_id }], coupon_code: code })
  const outcomeOf = ({ status, body }: { status: number; body: { error?: string; details?: { code: string; message: string }[] } }) =>
    status === 201 ? 'kept' : [status, body.error, body.details?.map(({ code, message }) => `${code} ${message}`)]
  /** The responses to a purchase that is not the first one. */
  const later = {
    subscription: [422, 'invalid_reference', ['invalid_reference coupon_code: the coupon cannot be used here: not_first_purchase']],
    order: [409, 'coupon_unavailable', ['not_first_purchase coupon_code: not first purchase']],
  }
  /** The coupons with which a person has a discount: of orders that are not undone, and of subscriptions. */
  const discountsOf = async ({ email, member_id }: { email: string; member_id: string }) => {
    const orders = await done('GET', `/orders?q=${email.split('@')[0]}`)
    const subscriptions = await done('GET', `/subscriptions?member_id=${member_id}`)
    return new Set([
      ...orders.data.flatMap((one: { coupon: { code: string } | null }) => one.coupon?.code ?? []),
      ...subscriptions.data.flatMap((one: { discount: { code: string } | null }) => one.discount?.code ?? []),
    ])
  }

  type Purchase = 'subscription' | 'trial' | 'plan order' | 'course order'
  const mixtures: { percent: number; kinds: Purchase[] }[] = [
    { percent: 50, kinds: ['subscription', 'subscription', 'subscription'] },
    { percent: 50, kinds: ['trial', 'trial', 'trial'] },
    { percent: 50, kinds: ['subscription', 'trial', 'plan order'] },
    { percent: 50, kinds: ['trial', 'course order', 'course order'] },
    { percent: 100, kinds: ['subscription', 'subscription', 'trial'] },
    { percent: 100, kinds: ['subscription', 'course order', 'plan order'] },
  ]
  test.each(mixtures)(
    'of concurrent purchases with a coupon of $percent % for the first one, exactly one keeps the discount: $kinds',
    async ({ kinds, percent }) => {
      for (const isOneCoupon of [false, true]) {
        const member = await newMember()
        const one = await newCoupon(percent, { max_redemptions_per_person: 9 })
        const codes = await Promise.all(kinds.map(async () => (isOneCoupon ? one : await newCoupon(percent)).code))
        const plans = await Promise.all(kinds.map((kind) => newPlan(kind === 'trial' ? 14 : 0)))
        const answers = await Promise.all(
          kinds.map((kind, index) => {
            const [code, plan] = [codes[index] ?? '', plans[index] as Awaited<ReturnType<typeof newPlan>>]
            if (kind === 'course order') return order(member.email, courses[index], code)
            return kind === 'plan order' ? orderPlan(member.email, plan, code) : subscribe(member.member_id, plan, code)
          }),
        )
        const outcomes = answers.map(outcomeOf)
        expect([kinds, outcomes.filter((outcome) => outcome === 'kept')]).toEqual([kinds, ['kept']])
        const winner = outcomes.indexOf('kept')
        expect(outcomes.filter((_, index) => index !== winner)).toEqual(
          kinds.filter((_, index) => index !== winner).map((kind) => (kind.endsWith('order') ? later.order : later.subscription)),
        )
        expect(await discountsOf(member)).toEqual(new Set([codes[winner]]))
        // The same purchase later has the same outcome.
        const [plan, code] = [await newPlan(), (await newCoupon(percent)).code]
        expect(outcomeOf(await subscribe(member.member_id, plan, code))).toEqual(later.subscription)
        expect(outcomeOf(await order(member.email, spare, code))).toEqual(later.order)
      }
    },
  )

  test('a coupon with one use left starts one of several concurrent subscriptions with its discount', async () => {
    const coupon = await newCoupon(50, { first_purchase_only: false, max_redemptions: 1 })
    const plan = await newPlan()
    const people = await Promise.all([newMember(), newMember(), newMember()])
    const answers = await Promise.all(people.map(({ member_id }) => subscribe(member_id, plan, coupon.code)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 422, 422])
    expect(await usesOf([coupon])).toEqual([1])
  })

  test('a refund that frees a seat while somebody takes one leaves as many seats taken as there are subscriptions', async () => {
    const plan = await newPlan()
    await done('PATCH', `/membership_plans/${plan.plan_id}`, { max_members: 1 })
    let member = await newMember()
    for (let round = 0; round < 4; round++) {
      const ordered = await sales.platform.report('/orders', {
        buyer: { email: member.email },
        items: [{ type: 'membership_plan', id: plan.plan_id, price_id: plan.price_id }],
      })
      expect([ordered.status, (await sales.platform.report(`/orders/${ordered.body.number}/pay`, eur(10_000))).body.status]).toEqual([
        201,
        'paid',
      ])
      const next = await newMember()
      const [refunded, taken] = await Promise.all([
        sales.platform.report(`/orders/${ordered.body.number}/refund`, {}),
        subscribe(next.member_id, plan),
      ])
      expect([refunded.status, [201, 409].includes(taken.status)]).toEqual([200, true])
      const running = taken.status === 201 ? 1 : 0
      expect((await done('GET', `/membership_plans/${plan.plan_id}`)).subscribers_count).toBe(running)
      if (running > 0) await done('POST', `/subscriptions/${taken.body.id}/cancel`, { at: 'now' })
      member = await newMember()
    }
  })

  test('a trial that ends without a payment leaves the discount for the first purchase', async () => {
    const member = await newMember()
    const coupon = await newCoupon(50, { max_redemptions_per_person: 9 })
    const trial = await subscribe(member.member_id, await newPlan(14), coupon.code)
    expect([trial.status, trial.body.status, trial.body.discount.code]).toEqual([201, 'trialing', coupon.code])
    expect(outcomeOf(await order(member.email, courses[0], coupon.code))).toEqual(later.order)
    await done('POST', `/subscriptions/${trial.body.id}/cancel`, { at: 'now' })
    expect(outcomeOf(await order(member.email, courses[0], coupon.code))).toBe('kept')
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

// The embedded database runs one transaction after the other: nothing can happen between two statements of a retry.
const concurrent = (await everyDatabase()).filter(({ name }) => name === 'postgresql')

describe.each(concurrent)('another attempt to pay a declined order, on $name', ({ open }) => {
  const opened = duringTests(open)
  const sales = duringTests(() =>
    startSales({
      database: opened.database,
      school: { defaults: { name: 'Shop', locale: 'en', time_zone: 'UTC', currency: 'EUR' } },
    }),
  )

  const done = async (method: string, path: string, body?: object) => {
    const answer = await sales.call(method, path, body)
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const changeCurrency = () => sales.call('PATCH', '/school', { currency: 'USD' }, { headers: { 'if-match': '*' } })

  /** Sells an event in euros, and declines its payment. */
  async function declinedOrder(): Promise<{ id: string; number: string }> {
    const time = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString()
    const place = { kind: 'in_person', location: { name: 'Kiln house' }, starts_at: time(24), ends_at: time(25) }
    const event = await done('POST', '/events', { title: `Kiln ${newId()}`, ...place, price: eur(1500) })
    await done('POST', `/events/${event.id}/publish`, {})
    const { body } = await sales.platform.report('/orders', {
      buyer: { email: `${newId()}@example.org` },
      items: [{ type: 'event', id: event.id }],
    })
    expect((await sales.platform.report(`/orders/${body.number}/fail`, {})).body.status).toBe('failed')
    return body
  }

  /** Sends a request while a transaction is open. Waits until the request waits for the transaction, or has its response. */
  async function sendDuring<Response>(sql: Sql, request: () => Promise<Response>): Promise<{ response: Promise<Response> }> {
    let isAnswered = false
    const response = request().finally(() => {
      isAnswered = true
    })
    await until(
      async () => {
        await sql.query('SELECT pg_stat_clear_snapshot()')
        const waiting = await sql.query(
          `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND pid <> pg_backend_pid()`,
        )
        return isAnswered || waiting.length > 0
      },
      { what: 'the request waits' },
    )
    return { response }
  }

  test('makes a change of the currency wait that comes between, and be refused', async () => {
    const { id, number } = await declinedOrder()
    const { response } = await opened.database.transaction(async (writer, sql) => {
      await retryOrder(inSchool(writer, sales.schoolId), {
        schoolId: sales.schoolId,
        now: new Date(),
        orderId: fromPublicId('ord', id) ?? '',
      })
      return await sendDuring(sql, changeCurrency)
    })
    const { status, body } = await response
    expect([status, body.error, (await done('GET', '/school')).currency]).toEqual([409, 'currency_locked', 'EUR'])
    expect((await sales.platform.report(`/orders/${number}/pay`, eur(1500))).body.status).toBe('paid')
  })

  test('waits for a change of the currency that has begun, and is refused', async () => {
    const { number } = await declinedOrder()
    const { response } = await opened.database.transaction(async (_writer, sql) => {
      // As a request that changes the school locks it.
      await sql.query('SELECT id FROM school WHERE id = $1 FOR UPDATE', [sales.schoolId])
      await sql.query(`UPDATE school SET currency = 'USD' WHERE id = $1`, [sales.schoolId])
      return await sendDuring(sql, () => sales.platform.report(`/orders/${number}/pay`, eur(1500)))
    })
    const { status, body } = await response
    expect([status, body.error]).toEqual([409, 'invalid_state'])
    const [order] = await opened.database.sql.query('SELECT status, currency FROM orders WHERE number = $1', [number])
    expect(order).toEqual({ status: 'failed', currency: 'EUR' })
  })
})
