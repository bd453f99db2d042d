import { expect, test } from 'vitest'
import { fromPublicId, newId, toPublicId } from '../../src/base/ids.ts'
import { demoId } from '../../src/operate/demo/ids.ts'
import { newPlan, newSubscription, type PlanRow } from '../support/memberships.ts'
import { newCoupon, newPerson } from '../support/shop.ts'
import type { Reply, SendOptions } from './demoApi.ts'
import { describeDemo } from './describeDemo.ts'

const owner = 'owner@example.com'
const learners = [1, 2, 3, 4, 5, 6, 7].map((index) => `learner00${index}@example.org`) as [
  string,
  string,
  string,
  string,
  string,
  string,
  string,
]

describeDemo('subscriptions on $name', (api) => {
  const send = (end: string, options: SendOptions) => api.send(`/api/v1/subscriptions${end}`, options)
  const start = (as: string | undefined, body: object) => send('', { as, body })
  const act = (id: unknown, verb: string, body: object = {}, as = owner) => send(`/${String(id)}/${verb}`, { as, body })
  const get = (id: unknown, as: string | undefined = owner) => api.get(`/api/v1/subscriptions/${String(id)}`, { as })
  const code = ({ status, json }: Reply) => [status, json.error]
  const query = <Row extends object>(text: string, values: unknown[] = []) => api.database.sql.query<Row>(text, [api.school.id, ...values])

  async function planOf(row: PlanRow = {}) {
    const { planId, priceId } = await newPlan(api.database.sql, api.school.id, row)
    return { planId, priceId, plan_id: toPublicId('mpl', planId), price_id: toPublicId('prc', priceId) }
  }
  async function addPrice(planId: string, amount: number): Promise<string> {
    const priceId = newId()
    await query(`INSERT INTO plan_price (school_id, id, plan_id, interval, amount, currency) VALUES ($1, $2, $3, 'month', $4, 'EUR')`, [
      priceId,
      planId,
      amount,
    ])
    return toPublicId('prc', priceId)
  }
  const member = async (): Promise<{ personId: string; member_id: string }> => {
    const personId = await newPerson(api.database.sql, api.school.id)
    return { personId, member_id: toPublicId('mbr', personId) }
  }
  const personOf = async (email: string): Promise<string> => {
    const [row] = await query<{ id: string }>(
      'SELECT p.id FROM person p JOIN account a ON a.school_id = p.school_id AND a.id = p.account_id WHERE p.school_id = $1 AND a.email = $2',
      [email],
    )
    return row?.id as string
  }
  const count = async (planId: string): Promise<number> =>
    (await query<{ n: number }>('SELECT subscribers_count AS n FROM membership_plan WHERE school_id = $1 AND id = $2', [planId]))[0]?.n ??
    -1
  const tier = async (personId: string): Promise<string | undefined> =>
    (await query<{ tier: string }>('SELECT tier FROM person WHERE school_id = $1 AND id = $2', [personId]))[0]?.tier

  test('a free plan starts immediately and makes the person a member', async () => {
    const { planId, plan_id, price_id } = await planOf({ amount: 0 })
    const made = await start(learners[0], { plan_id, price_id })
    expect(made.status).toBe(201)
    expect(made.json).toMatchObject({
      object: 'subscription',
      status: 'active',
      collection: 'automatic',
      amount: { amount: 0, currency: 'EUR' },
      access: true,
      latest_order_id: null,
    })
    expect(made.json).not.toHaveProperty('metadata')
    const personId = await personOf(learners[0])
    expect(await tier(personId)).toBe('free')
    const [person] = await query<{ is_member: boolean }>('SELECT is_member FROM person WHERE school_id = $1 AND id = $2', [personId])
    expect([person?.is_member, await count(planId)]).toEqual([true, 1])
    expect(code(await start(learners[0], { plan_id, price_id }))).toEqual([409, 'already_subscribed'])
  })

  test('a paid plan is not started through the API: the response has the checkout URL', async () => {
    const { planId, plan_id, price_id } = await planOf()
    const refused = await start(learners[0], { plan_id, price_id, coupon_code: 'WELCOME10' })
    expect(code(refused)).toEqual([422, 'checkout_required'])
    expect(refused.json.details).toMatchObject([
      { meta: { price_id, checkout_url: `https://shop.example.com/pay?item=membership_plan/${plan_id}&code=WELCOME10` } },
    ])
    expect(await count(planId)).toBe(0)
  })

  test('a trial is for once: who ends it and comes back pays', async () => {
    const { plan_id, price_id } = await planOf({ trial_days: 14 })
    const made = await start(learners[1], { plan_id, price_id })
    expect(made.json).toMatchObject({ status: 'trialing', access: true, amount: { amount: 1200 } })
    expect(made.json.trial_ends_at).toBe(made.json.current_period_end)
    expect(await tier(await personOf(learners[1]))).toBe('paid')
    await act(made.json.id, 'cancel', { at: 'now' })
    expect((await get(made.json.id)).json).toMatchObject({ status: 'canceled', access: false, cancellation: { reason: 'staff' } })
    expect(await tier(await personOf(learners[1]))).toBe('free')
    expect(code(await start(learners[1], { plan_id, price_id }))).toEqual([422, 'checkout_required'])
  })

  test('a person acts for themselves, at their own risk and on nothing else', async () => {
    const { plan_id, price_id } = await planOf({ amount: 0 })
    const { member_id } = await member()
    expect(code(await start(learners[0], { plan_id, price_id, member_id }))).toEqual([403, 'access_denied'])
    expect(code(await start(learners[0], { plan_id, price_id, collection: 'comped' }))).toEqual([422, 'read_only_field'])
    expect(code(await start(learners[0], { plan_id, price_id, start_at: '2026-01-01T00:00:00Z' }))).toEqual([422, 'read_only_field'])
    expect(code(await start(learners[0], { plan_id, price_id, metadata: { a: 'b' } }))).toEqual([422, 'unknown_field'])
    expect(code(await start(learners[0], { plan_id, price_id, status: 'active' }))).toEqual([422, 'read_only_field'])
    const other = await start(owner, { plan_id, price_id, member_id, collection: 'comped' })
    expect(other.status).toBe(201)
    for (const as of [learners[0], 'lecturer1@example.com']) {
      expect((await get(other.json.id, as)).status).toBe(404)
      for (const verb of ['cancel', 'resume', 'change_plan', 'change_plan/cancel']) {
        expect((await act(other.json.id, verb, {}, as)).status).toBe(404)
      }
      const listed = await api.get('/api/v1/subscriptions?limit=100', { as })
      expect(listed.text).not.toContain(String(other.json.id))
    }
    expect((await api.get('/api/v1/subscriptions')).status).toBe(403)
  })

  test('a person ends with the period and changes with it; now is for the staff', async () => {
    const { planId, plan_id, price_id } = await planOf({ trial_days: 14 })
    const next = await addPrice(planId, 900)
    const made = await start(learners[2], { plan_id, price_id })
    const own = (verb: string, body: object = {}) => act(made.json.id, verb, body, learners[2])
    expect(code(await own('cancel', { at: 'now' }))).toEqual([403, 'access_denied'])
    expect(code(await own('pause'))).toEqual([403, 'access_denied'])
    expect(code(await own('change_plan', { price_id: next, when: 'now' }))).toEqual([403, 'access_denied'])
    expect(code(await own('cancel', { reason: 'payment_failed' }))).toEqual([422, 'validation_failed'])
    const changed = await own('change_plan', { price_id: next })
    expect(changed.json.pending_change).toEqual({ plan_id, price_id: next, effective_at: made.json.current_period_end })
    expect((await own('change_plan/cancel')).json.pending_change).toBeNull()
    const ending = await own('cancel', { reason: 'too_expensive', comment: 'Next year.' })
    expect(ending.json).toMatchObject({
      status: 'trialing',
      access: true,
      cancel_at_period_end: true,
      cancel_at: made.json.current_period_end,
      cancellation: { reason: 'too_expensive', comment: 'Next year.' },
    })
    expect(code(await own('change_plan', { price_id: next }))).toEqual([409, 'invalid_state'])
    expect((await own('resume')).json).toMatchObject({
      cancel_at_period_end: false,
      cancel_at: null,
      canceled_at: null,
      cancellation: null,
    })
  })

  test('plans and prices that a person cannot have are not there for them', async () => {
    const { plan_id, price_id } = await planOf({ amount: 0 })
    const [hidden, draft, other] = [
      await planOf({ amount: 0, visibility: 'hidden' }),
      await planOf({ amount: 0, status: 'draft' }),
      await planOf({ amount: 0 }),
    ]
    for (const body of [hidden, draft]) {
      const refused = await start(learners[0], { plan_id: body.plan_id, price_id: body.price_id })
      expect([...code(refused), (refused.json.details as { field: string }[])[0]?.field]).toEqual([422, 'invalid_reference', 'plan_id'])
    }
    expect(code(await start(learners[0], { plan_id, price_id: other.price_id }))).toEqual([422, 'invalid_reference'])
    await query('UPDATE plan_price SET active = false WHERE school_id = $1 AND id = $2', [other.priceId])
    expect(code(await start(learners[0], { plan_id: other.plan_id, price_id: other.price_id }))).toEqual([422, 'invalid_reference'])
    expect(code(await start(owner, { ...body(draft), member_id: (await member()).member_id }))).toEqual([422, 'invalid_reference'])
    expect((await start(owner, { ...body(hidden), member_id: (await member()).member_id })).status).toBe(201)
    const mine = await start(learners[0], { plan_id, price_id })
    expect(code(await act(mine.json.id, 'change_plan', { price_id: hidden.price_id }, learners[0]))).toEqual([422, 'invalid_reference'])
  })
  const body = ({ plan_id, price_id }: { plan_id: string; price_id: string }) => ({ plan_id, price_id })

  test('a free plan does not become a paid plan without the checkout', async () => {
    const [free, paid] = [await planOf({ amount: 0 }), await planOf()]
    const made = await start(learners[3], body(free))
    expect(code(await act(made.json.id, 'change_plan', { price_id: paid.price_id }, learners[3]))).toEqual([422, 'checkout_required'])
  })

  test('a manually collected plan creates a paid order; a complimentary plan creates none', async () => {
    const { planId, plan_id, price_id } = await planOf()
    const [payer, guest] = [await member(), await member()]
    const made = await start(owner, { plan_id, price_id, member_id: payer.member_id })
    expect(made.json).toMatchObject({ status: 'active', collection: 'manual', latest_order_id: expect.stringMatching(/^ord_/) })
    const [order] = await query<object>(
      'SELECT kind, status, payment_provider, total_amount::int AS total FROM orders WHERE school_id = $1 AND person_id = $2',
      [payer.personId],
    )
    expect(order).toEqual({ kind: 'subscription_initial', status: 'paid', payment_provider: 'manual', total: 1200 })
    const given = await start(owner, { plan_id, price_id, member_id: guest.member_id, collection: 'comped' })
    expect(given.json).toMatchObject({ status: 'active', amount: { amount: 0 }, latest_order_id: null })
    expect([await tier(payer.personId), await tier(guest.personId), await count(planId)]).toEqual(['paid', 'comped', 2])
    const beside = await api.get(`/api/v1/subscriptions/${String(made.json.id)}?expand=member,plan`, { as: owner })
    expect(beside.json).toMatchObject({ member: { id: payer.member_id, tier: 'paid' }, plan: { id: plan_id, subscribers_count: 2 } })
    expect(code(await start(owner, { plan_id, price_id, member_id: (await member()).member_id, collection: 'automatic' }))).toEqual([
      422,
      'validation_failed',
    ])
  })

  test('a coupon takes its part off, is counted once, and is refused where it does not count', async () => {
    const { plan_id, price_id } = await planOf()
    const coupon = await newCoupon(api.database.sql, api.school.id, { code: 'HALFBENCH', each: 1 })
    await query('UPDATE coupon SET percent_bps = 2500 WHERE school_id = $1 AND id = $2', [coupon])
    const { member_id, personId } = await member()
    const made = await start(owner, { plan_id, price_id, member_id, coupon_code: 'HALFBENCH' })
    expect(made.json).toMatchObject({
      amount: { amount: 900 },
      discount: { coupon_id: toPublicId('cpn', coupon), code: 'HALFBENCH', ends_at: made.json.current_period_end },
    })
    const [order] = await query<object>(
      'SELECT total_amount::int AS total, coupon_code FROM orders WHERE school_id = $1 AND person_id = $2',
      [personId],
    )
    expect(order).toEqual({ total: 900, coupon_code: 'HALFBENCH' })
    for (const wrong of ['NOSUCHCODE', 'HALFBENCH']) {
      const asked =
        wrong === 'HALFBENCH'
          ? { member_id, plan_id, price_id: await addPrice((await planOf()).planId, 5) }
          : { member_id: (await member()).member_id, plan_id, price_id }
      expect((await start(owner, { ...asked, coupon_code: wrong })).json.error).toBe('invalid_reference')
    }
    expect(
      code(
        await start(owner, { plan_id, price_id, member_id: (await member()).member_id, collection: 'comped', coupon_code: 'HALFBENCH' }),
      ),
    ).toEqual([422, 'validation_failed'])
  })

  test('a coupon for other people, or for a first purchase, is rejected', async () => {
    const { plan_id, price_id } = await planOf()
    const { member_id, personId } = await member()
    const only = async (change: string): Promise<string> => {
      const made = `FEW${newId()}`.toUpperCase()
      const id = await newCoupon(api.database.sql, api.school.id, { code: made })
      await query(`UPDATE coupon SET ${change} WHERE school_id = $1 AND id = $2`, [id])
      return made
    }
    await start(owner, { ...body(await planOf()), member_id })
    for (const change of [
      `audience = '{"labels": ["kiln crew"]}'`,
      'first_purchase_only = true',
      'applies_to_all = false',
      'paused_at = now()',
    ]) {
      const refused = await start(owner, { plan_id, price_id, member_id, coupon_code: await only(change) })
      expect([change, ...code(refused)]).toEqual([change, 422, 'invalid_reference'])
    }
    const fits = await only(`audience = jsonb_build_object('person_ids', jsonb_build_array('${toPublicId('mbr', personId)}'))`)
    expect((await start(owner, { plan_id, price_id, member_id, coupon_code: fits })).status).toBe(201)
  })

  test('one that began earlier is in the period of now; none begins later, or in another age', async () => {
    const { plan_id, price_id } = await planOf()
    const { member_id, personId } = await member()
    const startAt = new Date(Date.now() - 75 * 86_400_000)
    const made = await start(owner, { plan_id, price_id, member_id, start_at: startAt.toISOString() })
    const [from, to] = [made.json.current_period_start, made.json.current_period_end].map((time) => Date.parse(String(time))) as [
      number,
      number,
    ]
    expect([made.json.started_at, from <= Date.now(), to > Date.now()]).toEqual([startAt.toISOString(), true, true])
    const orders = await query('SELECT id FROM orders WHERE school_id = $1 AND person_id = $2', [personId])
    expect(orders).toHaveLength(1)
    for (const days of [-1, 6 * 366]) {
      const at = new Date(Date.now() - days * 86_400_000).toISOString()
      expect(code(await start(owner, { plan_id, price_id, member_id: (await member()).member_id, start_at: at }))).toEqual([
        422,
        'validation_failed',
      ])
    }
  })

  test('a change of plan now begins a whole period and is an order; of what the checkout collects there is none', async () => {
    const [first, second] = [await planOf(), await planOf({ amount: 2900 })]
    const { member_id, personId } = await member()
    const made = await start(owner, { ...body(first), member_id })
    const changed = await act(made.json.id, 'change_plan', { price_id: second.price_id, when: 'now' })
    expect(changed.json).toMatchObject({
      plan_id: second.plan_id,
      price_id: second.price_id,
      amount: { amount: 2900 },
      pending_change: null,
    })
    expect([await count(first.planId), await count(second.planId)]).toEqual([0, 1])
    const orders = await query<object>(
      'SELECT kind, total_amount::int AS total FROM orders WHERE school_id = $1 AND person_id = $2 ORDER BY id',
      [personId],
    )
    expect(orders).toEqual([
      { kind: 'subscription_initial', total: 1200 },
      { kind: 'subscription_renewal', total: 2900 },
    ])
    const automatic = await newSubscription(api.database.sql, api.school.id, { personId: (await member()).personId, ...first })
    expect(code(await act(toPublicId('sub', automatic), 'change_plan', { price_id: second.price_id, when: 'now' }))).toEqual([
      409,
      'invalid_state',
    ])
  })

  test('a change of plan now credits the unused time if the school or the request says so, and never more than the new price', async () => {
    const [first, second, small] = [await planOf(), await planOf({ amount: 2900 }), await planOf({ amount: 100 })]
    const { member_id } = await member()
    const made = await start(owner, { ...body(first), member_id })
    await query(
      `UPDATE subscription SET current_period_start = now() - interval '1 month' / 2, current_period_end = now() + interval '15 days'
        WHERE school_id = $1 AND id = $2`,
      [fromPublicId('sub', made.json.id as string)],
    )
    const change = (price_id: string, more: object, headers = {}) =>
      api.send(`/api/v1/subscriptions/${made.json.id}/change_plan`, { as: owner, headers, body: { price_id, when: 'now', ...more } })
    const refused = await change(small.price_id, { credit: 'unused_time' })
    expect([code(refused), refused.json.error_description]).toEqual([[409, 'invalid_state'], expect.stringContaining('new price, 100,')])
    const settings = (plan_change_credit: string) =>
      api.send('/api/v1/school', { method: 'PATCH', as: owner, body: { settings: { plan_change_credit } } })
    expect((await settings('unused_time')).status).toBe(200)
    expect(code(await change(small.price_id, {}, { 'dry-run': 'true' }))).toEqual([409, 'invalid_state'])
    expect((await change(small.price_id, { credit: 'none' }, { 'dry-run': 'true' })).status).toBe(200)
    const done = await change(second.price_id, {})
    expect(done.json).toMatchObject({ amount: { amount: 2900 } })
    const order = (await api.get(`/api/v1/orders/${done.json.latest_order_id}`, { as: owner })).json as Record<string, { amount: number }>
    const credit = order.discount_total?.amount as number
    expect(credit).toBeGreaterThan(500)
    expect(credit).toBeLessThan(700)
    expect(order).toMatchObject({ subtotal: { amount: 2900 }, total: { amount: 2900 - credit } })
    await settings('none')
  })

  test('a subscription cannot change to a plan that the person already has', async () => {
    const [first, second] = [await planOf(), await planOf()]
    const { member_id } = await member()
    const made = await start(owner, { ...body(first), member_id })
    await start(owner, { ...body(second), member_id })
    for (const when of ['now', 'period_end'])
      expect(code(await act(made.json.id, 'change_plan', { price_id: second.price_id, when }))).toEqual([409, 'already_subscribed'])
  })

  test('a change of plan ends access to courses that the new plan does not include, and keeps the others', async () => {
    const [big, small] = [await planOf(), await planOf()]
    const [kept, lost] = await query<{ id: string }>(
      `SELECT id FROM course WHERE school_id = $1 AND status = 'published' ORDER BY id LIMIT 2`,
    )
    for (const [plan, course] of [
      [big, kept],
      [big, lost],
      [small, kept],
    ] as const)
      await query(`INSERT INTO plan_item (school_id, plan_id, product_type, product_id) VALUES ($1, $2, 'course', $3)`, [
        plan.planId,
        course?.id,
      ])
    const { member_id, personId } = await member()
    const made = await start(owner, { ...body(big), member_id })
    const [row] = await query<{ id: string }>('SELECT id FROM subscription WHERE school_id = $1 AND person_id = $2', [personId])
    for (const course of [kept, lost])
      await query(
        `INSERT INTO enrollment (school_id, id, person_id, course_id, source, subscription_id) VALUES ($1, $2, $3, $4, 'plan', $5)`,
        [newId(), personId, course?.id, row?.id],
      )
    const states = async () =>
      new Map(
        (
          await query<{ course_id: string; status: string }>(
            'SELECT course_id, status FROM enrollment WHERE school_id = $1 AND person_id = $2',
            [personId],
          )
        ).map(({ course_id, status }) => [course_id, status]),
      )
    await act(made.json.id, 'change_plan', { price_id: small.price_id, when: 'now' })
    expect([(await states()).get(kept?.id as string), (await states()).get(lost?.id as string)]).toEqual(['active', 'canceled'])
    await act(made.json.id, 'cancel', { at: 'now' })
    expect((await states()).get(kept?.id as string)).toBe('canceled')
  })

  test('the times of what the school collects itself can be moved, and no others', async () => {
    const plan = await planOf()
    const { member_id } = await member()
    const made = await start(owner, { ...body(plan), member_id })
    const patch = (id: unknown, sent: object, as = owner) => send(`/${String(id)}`, { method: 'PATCH', as, body: sent })
    const later = new Date(Date.now() + 100 * 86_400_000).toISOString()
    expect((await patch(made.json.id, { current_period_end: later, metadata: { note: 'x' } })).json).toMatchObject({
      current_period_end: later,
      metadata: { note: 'x' },
    })
    expect(code(await patch(made.json.id, { trial_ends_at: later }))).toEqual([409, 'invalid_state'])
    expect(code(await patch(made.json.id, { current_period_end: null }))).toEqual([422, 'validation_failed'])
    expect(code(await patch(made.json.id, { current_period_end: '2020-01-01T00:00:00Z' }))).toEqual([422, 'validation_failed'])
    expect(code(await patch(made.json.id, { current_period_end: '9999-01-01T00:00:00Z' }))).toEqual([422, 'validation_failed'])
    expect(code(await patch(made.json.id, { plan_id: plan.plan_id }))).toEqual([422, 'immutable_field'])
    expect(code(await patch(made.json.id, { start_at: later }))).toEqual([422, 'immutable_field'])
    const automatic = toPublicId(
      'sub',
      await newSubscription(api.database.sql, api.school.id, { personId: (await member()).personId, ...plan }),
    )
    expect(code(await patch(automatic, { current_period_end: later }))).toEqual([409, 'invalid_state'])
    expect((await patch(automatic, { metadata: { a: 'b' } })).status).toBe(200)
    expect(code(await patch(automatic, { metadata: {} }, learners[0]))).toEqual([403, 'access_denied'])
  })

  test('a pause keeps the rest of the period, and gives no access meanwhile', async () => {
    const plan = await planOf()
    const { personId } = await member()
    const id = toPublicId('sub', await newSubscription(api.database.sql, api.school.id, { personId, ...plan }))
    expect((await get(id)).json.access).toBe(true)
    const paused = await act(id, 'pause')
    expect(paused.json).toMatchObject({ status: 'paused', access: false, pause: { resumes_at: null } })
    await query(
      `UPDATE subscription SET paused_at = paused_at - interval '5 days', current_period_end = current_period_end - interval '5 days'
      WHERE school_id = $1 AND person_id = $2`,
      [personId],
    )
    const resumed = await act(id, 'resume')
    expect(resumed.json).toMatchObject({ status: 'active', access: true, pause: null })
    expect(Math.abs(Date.parse(String(resumed.json.current_period_end)) - Date.parse(String(paused.json.current_period_end)))).toBeLessThan(
      60_000,
    )
    expect(code(await act(id, 'pause', { resumes_at: '2020-01-01T00:00:00Z' }))).toEqual([422, 'validation_failed'])
  })

  test('without an end of a period, or behind it, what ends ends now', async () => {
    const plan = await planOf({ amount: 0, interval: 'one_time' })
    const made = await start(learners[4], body(plan))
    expect(made.json.current_period_end).toBeNull()
    expect((await act(made.json.id, 'cancel', {}, learners[4])).json).toMatchObject({
      status: 'canceled',
      access: false,
      cancel_at_period_end: false,
    })
    const late = await newSubscription(api.database.sql, api.school.id, {
      personId: await personOf(learners[4]),
      ...(await planOf()),
      status: 'past_due',
    })
    expect((await act(toPublicId('sub', late), 'cancel', {}, learners[4])).json).toMatchObject({ status: 'canceled', access: false })
  })

  test('twenty concurrent requests of one person start the plan once', async () => {
    const plan = await planOf({ amount: 0 })
    const replies = await Promise.all(Array.from({ length: 20 }, () => start(learners[5], body(plan))))
    const codes = replies.map(({ status, json }) => (status === 201 ? 'made' : String(json.error)))
    expect(codes.toSorted()).toEqual([...Array.from({ length: 19 }, () => 'already_subscribed'), 'made'])
    expect(await count(plan.planId)).toBe(1)
  })

  test('a plan never exceeds its seats, also under concurrency; leaving frees a seat', async () => {
    const plan = await planOf({ max_members: 3 })
    const people = await Promise.all(Array.from({ length: 10 }, member))
    const replies = await Promise.all(people.map(({ member_id }) => start(owner, { ...body(plan), member_id, collection: 'comped' })))
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(3)
    expect(replies.filter(({ json }) => json.error === 'invalid_state')).toHaveLength(7)
    const [first] = replies.filter(({ status }) => status === 201)
    await act(first?.json.id, 'cancel', { at: 'now' })
    expect(await count(plan.planId)).toBe(2)
    expect((await start(owner, { ...body(plan), member_id: (await member()).member_id })).status).toBe(201)
    expect(await count(plan.planId)).toBe(3)
  })

  test('two people who swap plans concurrently do not deadlock', async () => {
    const [left, right] = [await planOf(), await planOf()]
    const pairs = await Promise.all(
      Array.from({ length: 6 }, async (_, index) => {
        const [from, to] = index % 2 === 0 ? [left, right] : [right, left]
        const made = await start(owner, {
          ...body(from),
          ...(await member().then(({ member_id }) => ({ member_id }))),
          collection: 'comped',
        })
        return { id: made.json.id, price_id: to.price_id }
      }),
    )
    const replies = await Promise.all(pairs.map(({ id, price_id }) => act(id, 'change_plan', { price_id, when: 'now' })))
    expect(replies.map(({ status }) => status)).toEqual(pairs.map(() => 200))
    expect([await count(left.planId), await count(right.planId)]).toEqual([3, 3])
  })

  test('a blocked person cannot start a plan', async () => {
    const plan = await planOf({ amount: 0 })
    await query(`UPDATE person SET is_member = true, member_status = 'blocked' WHERE school_id = $1 AND id = $2`, [
      await personOf(learners[6]),
    ])
    expect(code(await start(learners[6], body(plan)))).toEqual([403, 'access_denied'])
  })

  test('persons, plans and prices of another school are not there', async () => {
    const plan = await planOf()
    for (const wrong of [
      { member_id: toPublicId('mbr', newId()) },
      { plan_id: toPublicId('mpl', newId()) },
      { price_id: toPublicId('prc', newId()) },
    ]) {
      expect(code(await start(owner, { ...body(plan), member_id: (await member()).member_id, ...wrong }))).toEqual([
        422,
        'invalid_reference',
      ])
    }
    expect((await get(toPublicId('sub', demoId(api.school.id, 'none', 1)))).status).toBe(404)
  })
})
