import { expect, test } from 'vitest'
import { fromPublicId, newId } from '../../src/base/ids.ts'
import type { SchoolWriter } from '../../src/database/connection/database.ts'
import { inSchool } from '../../src/database/school/inSchool.ts'
import { rebuildSchool } from '../../src/school/analytics/rollups/refreshSchool.ts'
import { advanceSubscriptions } from '../../src/school/memberships/jobs/advanceSubscriptions.ts'
import { confirmPayment } from '../../src/school/memberships/subscriptionPayments.ts'
import { expireOrders } from '../../src/school/orders/jobs/expireOrders.ts'
import { payOrder } from '../../src/school/orders/orderTransitions.ts'
import type { Reply } from './demoApi.ts'
import { describeDemoOn } from './describeDemo.ts'

const owner = 'owner@example.com'

interface Subscription extends Record<string, unknown> {
  id: string
  member_id: string
  status: string
  latest_order_id: string
  current_period_start: string
  current_period_end: string
}

describeDemoOn('last', 'renewals that the school collects itself, on $name', (api) => {
  const call = (method: string, path: string, body?: object, as = owner): Promise<Reply> =>
    api.send(`/api/v1${path}`, { method, as, ...(body && { body }) })
  const done = async (method: string, path: string, body?: object): Promise<Record<string, unknown>> => {
    const reply = await call(method, path, body)
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.text}`)
    return reply.json
  }
  const newPlan = async (fields: object = {}, price: object = {}) => {
    const { id } = await done('POST', '/membership_plans', { name: `Workbench ${newId()}`, ...fields })
    const amount = { amount: 1200, currency: 'EUR' }
    const { prices } = await done('POST', `/membership_plans/${id}/prices`, { interval: 'month', amount, ...price })
    await done('POST', `/membership_plans/${id}/activate`, {})
    return { plan_id: String(id), price_id: (prices as { id: string }[])[0]?.id as string }
  }
  /** A subscription that the school collects itself, in a period that ended so many days ago. */
  const subscribe = async (plan: object, days: number | null = 2) => {
    const member = await done('POST', '/members', { email: `${newId()}@example.org`, display_name: 'Er' })
    const { id } = await done('POST', '/subscriptions', { member_id: member.id, ...plan, collection: 'manual' })
    if (days !== null) {
      await api.database.sql.query(
        `UPDATE subscription SET current_period_end = now() - make_interval(days => $3), trial_ends_at = NULL, period_anchor = NULL,
                current_period_start = now() - make_interval(days => $3 + 31)
          WHERE school_id = $1 AND id = $2`,
        [api.school.id, fromPublicId('sub', String(id)), days],
      )
    }
    return await read(id)
  }
  const read = async (id: unknown) => (await done('GET', `/subscriptions/${String(id)}`)) as Subscription
  const ordersOf = async ({ id }: Subscription) =>
    ((await done('GET', `/orders?subscription_id=${id}&sort=created_at`)).data as { id: string; status: string; kind: string }[]).map(
      ({ status, kind }) => `${kind} ${status}`,
    )
  const spent = async ({ member_id }: Subscription): Promise<number> => {
    const [row] = await api.database.sql.query<{ spend: string }>(
      'SELECT lifetime_spend AS spend FROM person WHERE school_id = $1 AND id = $2',
      [api.school.id, fromPublicId('mbr', member_id)],
    )
    return Number(row?.spend)
  }
  const clock = (now = new Date()) => advanceSubscriptions(api.database, now, 500)
  const within = <Result>(work: (writer: SchoolWriter) => Promise<Result>) =>
    api.database.transaction((writer) => work(inSchool(writer, api.school.id)))
  const keyOf = ({ id }: Subscription) => ({
    schoolId: api.school.id,
    now: new Date(),
    subscriptionId: fromPublicId('sub', id) as string,
  })
  const orderKeyOf = ({ latest_order_id }: Subscription) => ({
    schoolId: api.school.id,
    now: new Date(),
    orderId: fromPublicId('ord', latest_order_id) as string,
  })
  /** Everything that counts money of the school. */
  const figures = async () => {
    await rebuildSchool(api.database, { schoolId: api.school.id, now: new Date() })
    const today = new Date().toISOString().slice(0, 10)
    const revenue = await done('GET', `/analytics/revenue?from=${today}&to=${today}`)
    const subscriptions = await done('GET', `/analytics/subscriptions?from=${today}&to=${today}`)
    return {
      gross: (revenue.totals as { gross: { amount: number } }).gross.amount,
      mrr: (subscriptions.totals as { mrr: { amount: number } }).mrr.amount,
    }
  }

  test('a plan asks for confirmation unless it says otherwise, and only the staff see it', async () => {
    const { plan_id } = await newPlan()
    expect((await done('GET', `/membership_plans/${plan_id}`)).manual_renewal).toBe('confirm')
    expect((await api.get(`/api/v1/membership_plans/${plan_id}`)).json).not.toHaveProperty('manual_renewal')
    expect((await done('PATCH', `/membership_plans/${plan_id}`, { manual_renewal: 'automatic' })).manual_renewal).toBe('automatic')
    expect((await call('PATCH', `/membership_plans/${plan_id}`, { manual_renewal: 'never' })).status).toBe(422)
  })

  test('a renewal is a pending order and past due, exactly once, and no figure counts it before it is confirmed', async () => {
    const plan = await newPlan()
    const before = await figures()
    const subscription = await subscribe(plan)
    const started = await figures()
    expect(started).toEqual({ gross: before.gross + 1200, mrr: before.mrr + 1200 })
    await Promise.all([clock(), clock()])
    await clock()
    const due = await read(subscription.id)
    expect(due).toMatchObject({ status: 'past_due', current_period_end: subscription.current_period_end, access: true })
    expect(await ordersOf(subscription)).toEqual(['subscription_initial paid', 'subscription_renewal pending'])
    expect(due.latest_order_id).not.toBe(subscription.latest_order_id)
    const order = await done('GET', `/orders/${due.latest_order_id}`)
    const ends = new Date(Date.parse(subscription.current_period_end) + 14 * 86_400_000).toISOString()
    expect(order).toMatchObject({ status: 'pending', paid_at: null, receipt_number: null, expires_at: ends })
    expect((await call('GET', `/orders/${due.latest_order_id}/receipt`)).status).toBe(409)
    expect([await spent(subscription), await figures()]).toEqual([1200, { gross: started.gross, mrr: before.mrr }])
  })

  const confirmations: [string, (subscription: Subscription) => Promise<unknown>][] = [
    ['the staff through the API', ({ id }) => done('POST', `/subscriptions/${id}/mark_paid`, { reference: newId() })],
    [
      'an operator who names the subscription',
      (one) => within((writer) => confirmPayment(writer, { ...keyOf(one), payment: { provider: 'manual' } })),
    ],
    [
      'an operator who names the order',
      (one) => within((writer) => payOrder(writer, { ...orderKeyOf(one), payment: { provider: 'manual' } })),
    ],
  ]
  test.each(confirmations)(
    'confirmed by %s, the order is paid and the next period begins where the last one ended',
    async (_by, confirm) => {
      const subscription = await subscribe(await newPlan())
      await clock()
      const due = await read(subscription.id)
      await confirm(due)
      const paid = await read(subscription.id)
      expect(paid).toMatchObject({ status: 'active', latest_order_id: due.latest_order_id })
      expect(paid.current_period_start).toBe(subscription.current_period_end)
      expect(Date.parse(paid.current_period_end)).toBeGreaterThan(Date.now())
      expect(await ordersOf(subscription)).toEqual(['subscription_initial paid', 'subscription_renewal paid'])
      expect(await spent(subscription)).toBe(2400)
    },
  )

  test('two who confirm at the same time, one the order and one the subscription, confirm once', async () => {
    const subscription = await subscribe(await newPlan())
    await clock()
    const due = await read(subscription.id)
    const outcomes = await Promise.allSettled(confirmations.map(([, confirm]) => confirm(due)))
    expect(outcomes.some(({ status }) => status === 'fulfilled')).toBe(true)
    expect(await ordersOf(subscription)).toEqual(['subscription_initial paid', 'subscription_renewal paid'])
    expect(await spent(subscription)).toBe(2400)
  })

  test('confirming again has no effect; another payment is not due', async () => {
    const subscription = await subscribe(await newPlan())
    await clock()
    const first = await call('POST', `/subscriptions/${subscription.id}/mark_paid`, {})
    const second = await call('POST', `/subscriptions/${subscription.id}/mark_paid`, {})
    expect([first.status, second.status, second.headers.get('etag')]).toEqual([200, 200, first.headers.get('etag')])
    expect(await ordersOf(subscription)).toHaveLength(2)
  })

  test('only the staff confirm renewals, and only of subscriptions that the school collects itself', async () => {
    const plan = await newPlan()
    const subscription = await subscribe(plan)
    await api.database.sql.query(`UPDATE subscription SET collection = 'automatic' WHERE school_id = $1 AND id = $2`, [
      api.school.id,
      fromPublicId('sub', subscription.id),
    ])
    const refused = await call('POST', `/subscriptions/${subscription.id}/mark_paid`, {})
    expect([refused.status, refused.json.error]).toEqual([409, 'invalid_state'])
    const learner = await call('POST', `/subscriptions/${subscription.id}/mark_paid`, {}, 'learner001@example.org')
    expect([learner.status, learner.json.error]).toEqual([403, 'access_denied'])
  })

  test('access ends with the grace period, and a renewal that is not confirmed within fourteen days ends with its order', async () => {
    const subscription = await subscribe(await newPlan(), 8)
    // After the grace period the access has ended, even before the job has run.
    expect((await read(subscription.id)).access).toBe(false)
    await clock()
    expect(await read(subscription.id)).toMatchObject({ status: 'past_due', access: false })
    const later = new Date(Date.now() + 7 * 86_400_000)
    await clock(later)
    expect(await read(subscription.id)).toMatchObject({ status: 'canceled', cancellation: { reason: 'payment_failed' } })
    expect((await ordersOf(subscription)).at(-1)).toMatch(/ (canceled|expired)$/)
    expect((await call('POST', `/subscriptions/${subscription.id}/mark_paid`, {})).status).toBe(409)
  })

  test('a checkout sweep leaves the order of a renewal pending for its fourteen days', async () => {
    const subscription = await subscribe(await newPlan())
    await clock()
    await within((writer) => expireOrders(writer, { now: new Date(), limit: 100 }))
    expect((await ordersOf(subscription)).at(-1)).toBe('subscription_renewal pending')
  })

  test('a subscription that is ended while its payment is awaited takes its order with it', async () => {
    const subscription = await subscribe(await newPlan())
    await clock()
    const due = await read(subscription.id)
    await done('POST', `/subscriptions/${subscription.id}/cancel`, { at: 'now' })
    expect(await ordersOf(subscription)).toEqual(['subscription_initial paid', 'subscription_renewal canceled'])
    await expect(within((writer) => payOrder(writer, { ...orderKeyOf(due), payment: { provider: 'manual' } }))).rejects.toMatchObject({
      code: 'invalid_state',
    })
    const other = await subscribe(await newPlan())
    await clock()
    expect((await call('DELETE', `/members/${other.member_id}?cancel_subscriptions=true`)).status).toBe(204)
    expect((await ordersOf(other)).at(-1)).toBe('subscription_renewal canceled')
  })

  test('the pending order has the requested change of price', async () => {
    const [plan, next] = [await newPlan(), await newPlan({}, { amount: { amount: 3000, currency: 'EUR' } })]
    const subscription = await subscribe(plan, null)
    await done('POST', `/subscriptions/${subscription.id}/change_plan`, { price_id: next.price_id, when: 'period_end' })
    await api.database.sql.query(
      `UPDATE subscription SET current_period_end = now() - interval '1 day', current_period_start = now() - interval '32 days'
        WHERE school_id = $1 AND id = $2`,
      [api.school.id, fromPublicId('sub', subscription.id)],
    )
    await clock()
    const due = await read(subscription.id)
    expect(due).toMatchObject({ status: 'past_due', ...next, amount: { amount: 3000 }, pending_change: null })
    expect((await done('GET', `/orders/${due.latest_order_id}`)).total).toMatchObject({ amount: 3000 })
    await done('POST', `/subscriptions/${subscription.id}/mark_paid`, {})
    expect(await read(subscription.id)).toMatchObject({ status: 'active', ...next })
    expect(await spent(subscription)).toBe(4200)
  })

  test('after a trial the first payment is awaited as a renewal is', async () => {
    const subscription = await subscribe(await newPlan({}, { trial_days: 7 }), null)
    expect(subscription).toMatchObject({ status: 'trialing', latest_order_id: null })
    await clock(new Date(Date.now() + 8 * 86_400_000))
    expect(await read(subscription.id)).toMatchObject({ status: 'past_due' })
    expect(await ordersOf(subscription)).toEqual(['subscription_initial pending'])
    await done('POST', `/subscriptions/${subscription.id}/mark_paid`, {})
    expect([await ordersOf(subscription), await spent(subscription)]).toEqual([['subscription_initial paid'], 1200])
  })

  test('a plan that renews by itself goes on with a paid order, as its setting says', async () => {
    const subscription = await subscribe(await newPlan({ manual_renewal: 'automatic' }))
    await clock()
    expect(await read(subscription.id)).toMatchObject({ status: 'active' })
    expect(await ordersOf(subscription)).toEqual(['subscription_initial paid', 'subscription_renewal paid'])
  })

  test('a free renewal needs no confirmation', async () => {
    const subscription = await subscribe(await newPlan({}, { amount: { amount: 0, currency: 'EUR' } }))
    await clock()
    expect(await read(subscription.id)).toMatchObject({ status: 'active' })
    expect(await ordersOf(subscription)).toEqual([])
  })
})
