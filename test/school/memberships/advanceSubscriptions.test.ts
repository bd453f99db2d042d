import { beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../../src/base/ids.ts'
import type { Problem } from '../../../src/base/problem.ts'
import type { Writer } from '../../../src/database/connection/database.ts'
import { inSchool } from '../../../src/database/school/inSchool.ts'
import { cancelSubscriptionsOf, hasRunningSubscription } from '../../../src/school/memberships/endSubscriptions.ts'
import { advanceSubscriptions, closeOutstanding } from '../../../src/school/memberships/jobs/advanceSubscriptions.ts'
import { startSubscription } from '../../../src/school/memberships/startSubscription.ts'
import { confirmPayment, failPayment } from '../../../src/school/memberships/subscriptionPayments.ts'
import { databasesToTest } from '../../support/databases.ts'
import { duringTests } from '../../support/duringTests.ts'
import { newPlan, newSubscription, type PlanRow, type SubscriptionRow } from '../../support/memberships.ts'
import { newSchool } from '../../support/rows.ts'
import { newCoupon, newCourse, newPerson } from '../../support/shop.ts'

interface Stored {
  version: number
  status: string
  plan_id: string
  price_id: string
  amount: string | number
  current_period_start: Date | null
  current_period_end: Date | null
  past_due_since: Date | null
  ended_at: Date | null
  cancellation_reason: string | null
  pending_price_id: string | null
  latest_order_id: string | null
  started_at: Date | null
}

const dayLong = 86_400_000
const daysAgo = (days: number): Date => new Date(Date.now() - days * dayLong)

describe.each(await databasesToTest())('the clocks of subscriptions on $name', ({ open }) => {
  const opened = duringTests(open)
  let schoolId: string
  beforeAll(async () => {
    schoolId = await newSchool(opened.database.sql)
  })

  const query = <Row extends object>(text: string, values: unknown[] = []) => opened.database.sql.query<Row>(text, [schoolId, ...values])
  const read = async (id: string): Promise<Stored> =>
    (await query<Stored>('SELECT * FROM subscription WHERE school_id = $1 AND id = $2', [id]))[0] as Stored
  const advance = (now = new Date()) => advanceSubscriptions(opened.database, now, 500)
  const orders = (id: string) =>
    query<{ kind: string; total: number }>(
      'SELECT kind, total_amount::int AS total FROM orders WHERE school_id = $1 AND subscription_id = $2 ORDER BY id',
      [id],
    )
  const count = async (planId: string) =>
    (await query<{ n: number }>('SELECT subscribers_count AS n FROM membership_plan WHERE school_id = $1 AND id = $2', [planId]))[0]?.n
  const tier = async (personId: string) =>
    (await query<{ tier: string }>('SELECT tier FROM person WHERE school_id = $1 AND id = $2', [personId]))[0]?.tier

  async function subscription(row: Partial<SubscriptionRow> = {}, plan: PlanRow = {}) {
    const made = await newPlan(opened.database.sql, schoolId, plan)
    const personId = await newPerson(opened.database.sql, schoolId)
    const amount = plan.amount ?? 1200
    const id = await newSubscription(opened.database.sql, schoolId, { personId, ...made, amount, ...row })
    return { id, personId, ...made }
  }
  /** Creates a plan that renews automatically. */
  const byItself = { manual_renewal: 'automatic' } as const
  /** A period that ended two days ago. */
  const over = { current_period_start: `now() - interval '33 days'`, current_period_end: `now() - interval '2 days'` }
  const transaction = <Result>(work: (writer: Writer) => Promise<Result>) => opened.database.transaction(work)
  const confirm = (id: string, reference: string = newId(), now = new Date()) =>
    transaction((writer) =>
      confirmPayment(inSchool(writer, schoolId), { schoolId, now, subscriptionId: id, payment: { provider: 'card', reference } }),
    )
  const fail = (id: string) =>
    transaction((writer) => failPayment(inSchool(writer, schoolId), { schoolId, now: new Date(), subscriptionId: id }))
  const problem = (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'done',
      (error: Problem) => error.code,
    )

  test('a manually collected subscription with automatic renewal renews with one order, exactly once, however often the job runs', async () => {
    const { id } = await subscription({ collection: 'manual', more: over }, byItself)
    expect(await advance()).toBeGreaterThanOrEqual(1)
    const row = await read(id)
    expect([row.status, row.version, (row.current_period_end as Date) > new Date()]).toEqual(['active', 2, true])
    expect(await orders(id)).toEqual([{ kind: 'subscription_initial', total: 1200 }])
    expect(await advance()).toBe(0)
    expect((await read(id)).version).toBe(2)
  })

  test('two concurrent runs act as one', async () => {
    const made = await Promise.all(Array.from({ length: 5 }, () => subscription({ collection: 'manual', more: over }, byItself)))
    await Promise.all([advance(), advance(), advance()])
    for (const { id } of made) expect([(await read(id)).version, (await orders(id)).length]).toEqual([2, 1])
  })

  test('periods that were slept through are caught up, each with its order', async () => {
    const { id } = await subscription(
      {
        collection: 'manual',
        more: {
          current_period_start: `'2026-01-31T00:00:00Z'`,
          current_period_end: `'2026-02-28T00:00:00Z'`,
          period_anchor: `'2026-01-31T00:00:00Z'`,
        },
      },
      byItself,
    )
    await advance(new Date('2026-04-30T00:00:00Z'))
    expect((await read(id)).current_period_end).toEqual(new Date('2026-05-31T00:00:00Z'))
    expect((await orders(id)).map(({ kind }) => kind)).toEqual(['subscription_initial', 'subscription_renewal', 'subscription_renewal'])
    await query(`UPDATE subscription SET status = 'canceled' WHERE school_id = $1 AND id = $2`, [id])
  })

  test('a present and what costs nothing go on without an order', async () => {
    const gift = await subscription({ collection: 'comped', amount: 0, more: over })
    const free = await subscription({ more: over }, { amount: 0 })
    await advance()
    for (const { id } of [gift, free]) expect([(await read(id)).status, await orders(id)]).toEqual(['active', []])
  })

  test('a subscription that the checkout collects is past due from the end of its period, and continues from there once it is paid', async () => {
    const { id, personId } = await subscription({ more: over })
    const end = (await read(id)).current_period_end as Date
    await advance()
    expect(await read(id)).toMatchObject({ status: 'past_due', past_due_since: end, current_period_end: end })
    expect(await confirm(id, 'pay-1')).toBe(true)
    expect(await read(id)).toMatchObject({ status: 'active', current_period_start: end, past_due_since: null })
    expect(await confirm(id, 'pay-1')).toBe(false)
    expect([await orders(id), await tier(personId)]).toEqual([[{ kind: 'subscription_initial', total: 1200 }], 'paid'])
    expect(await problem(confirm(id))).toBe('invalid_state')
  })

  test('an unpaid subscription ends after fourteen days, and frees its seat', async () => {
    const { id, planId, personId } = await subscription({ status: 'past_due', more: { past_due_since: `now() - interval '15 days'` } })
    await advance()
    expect(await read(id)).toMatchObject({ status: 'canceled', cancellation_reason: 'payment_failed' })
    expect([await count(planId), await tier(personId)]).toEqual([0, 'free'])
    expect(await problem(confirm(id))).toBe('invalid_state')
  })

  test('access under an outstanding payment ends with the grace period, once', async () => {
    const { id, personId } = await subscription({ status: 'past_due', more: { past_due_since: `now() - interval '8 days'` } })
    await query(`UPDATE person SET tier = 'paid' WHERE school_id = $1 AND id = $2`, [personId])
    const course = await newCourse(opened.database.sql, schoolId)
    await query(
      `INSERT INTO enrollment (school_id, id, person_id, course_id, source, subscription_id) VALUES ($1, $2, $3, $4, 'plan', $5)`,
      [newId(), personId, course, id],
    )
    expect(await closeOutstanding(opened.database, new Date(), 100)).toBe(1)
    expect(await closeOutstanding(opened.database, new Date(), 100)).toBe(0)
    const [row] = await query<{ status: string }>('SELECT status FROM enrollment WHERE school_id = $1 AND person_id = $2', [personId])
    expect([row?.status, await tier(personId), (await read(id)).status]).toEqual(['canceled', 'free', 'past_due'])
  })

  test('a first payment may take twenty-three hours', async () => {
    const { planId, priceId } = await newPlan(opened.database.sql, schoolId)
    const personId = await newPerson(opened.database.sql, schoolId)
    const begin = (now = new Date()) =>
      transaction((writer) =>
        startSubscription(inSchool(writer, schoolId), { schoolId, now, personId, planId, priceId, collection: 'automatic' }),
      )
    const first = await begin(daysAgo(1))
    expect([first.status, await tier(personId), await count(planId)]).toEqual(['incomplete', 'free', 1])
    expect(await problem(begin())).toBe('already_subscribed')
    expect(await problem(confirm(first.subscriptionId))).toBe('invalid_state')
    await advance()
    expect([(await read(first.subscriptionId)).status, await count(planId)]).toEqual(['expired', 0])
    const second = await begin()
    expect(await confirm(second.subscriptionId)).toBe(true)
    expect(await read(second.subscriptionId)).toMatchObject({
      status: 'active',
      latest_order_id: expect.any(String),
      started_at: expect.any(Date),
    })
    expect(await tier(personId)).toBe('paid')
  })

  test('behind a trial comes the first period, where it is paid; days of a trial that is paid early are kept', async () => {
    const ended = { trial_ends_at: over.current_period_end, ...over }
    const [card, hand, gift] = [
      await subscription({ status: 'trialing', more: ended }),
      await subscription({ status: 'trialing', collection: 'manual', more: ended }, byItself),
      await subscription({ status: 'trialing', collection: 'comped', amount: 0, more: ended }),
    ]
    await advance()
    expect([(await read(card.id)).status, (await read(hand.id)).status, (await read(gift.id)).status]).toEqual([
      'past_due',
      'active',
      'active',
    ])
    expect([await orders(hand.id), await orders(gift.id)]).toEqual([[{ kind: 'subscription_initial', total: 1200 }], []])
    const early = await subscription({ status: 'trialing' })
    const trialEnd = (await read(early.id)).current_period_end as Date
    await confirm(early.id)
    const row = await read(early.id)
    expect([row.status, (row.current_period_end as Date).getTime() - trialEnd.getTime() > 27 * dayLong]).toEqual(['active', true])
  })

  test('a cancelled subscription ends with its period, also while it is paused; a paused one resumes when its time has come', async () => {
    const ends = { ...over, cancel_at_period_end: 'true' }
    const active = await subscription({ more: ends })
    const paused = await subscription({ status: 'paused', more: { ...ends, paused_at: `now() - interval '9 days'` } })
    const back = await subscription({
      status: 'paused',
      more: { paused_at: `now() - interval '9 days'`, resumes_at: `now() - interval '2 days'` },
    })
    const end = (await read(back.id)).current_period_end as Date
    await advance()
    for (const one of [active, paused]) expect([(await read(one.id)).status, await count(one.planId)]).toEqual(['canceled', 0])
    const row = await read(back.id)
    expect([row.status, Math.round(((row.current_period_end as Date).getTime() - end.getTime()) / dayLong)]).toEqual(['active', 7])
  })

  test('another price begins with the next period, and with its payment; one that is not to be had any more is forgotten', async () => {
    const next = await newPlan(opened.database.sql, schoolId, { amount: 2900, ...byItself })
    const pending = { ...over, pending_price_id: `'${next.priceId}'`, pending_effective_at: over.current_period_end }
    const hand = await subscription({ collection: 'manual', more: pending }, byItself)
    const card = await subscription({ more: pending })
    await advance()
    expect(await read(hand.id)).toMatchObject({ plan_id: next.planId, price_id: next.priceId, pending_price_id: null })
    expect((await orders(hand.id))[0]?.total).toBe(2900)
    expect([await count(hand.planId), await count(next.planId)]).toEqual([0, 1])
    expect(await read(card.id)).toMatchObject({ status: 'past_due', plan_id: card.planId, pending_price_id: next.priceId })
    await confirm(card.id)
    expect(await read(card.id)).toMatchObject({ status: 'active', plan_id: next.planId })
    expect(await count(next.planId)).toBe(2)
    await query(`UPDATE membership_plan SET status = 'archived' WHERE school_id = $1 AND id = $2`, [next.planId])
    const late = await subscription({ collection: 'manual', more: pending }, byItself)
    await advance()
    expect(await read(late.id)).toMatchObject({ status: 'active', plan_id: late.planId, pending_price_id: null })
  })

  test('a discount lasts as long as its coupon says, is counted once, and is kept where the coupon is used up meanwhile', async () => {
    const { planId, priceId } = await newPlan(opened.database.sql, schoolId)
    const coupon = await newCoupon(opened.database.sql, schoolId, { max: 1, each: 1 })
    await query(`UPDATE coupon SET percent_bps = 2500, duration = 'repeating', duration_months = 2 WHERE school_id = $1 AND id = $2`, [
      coupon,
    ])
    const uses = async () =>
      (await query<{ n: number }>('SELECT redemptions_count AS n FROM coupon WHERE school_id = $1 AND id = $2', [coupon]))[0]?.n
    const begin = async () => {
      const personId = await newPerson(opened.database.sql, schoolId)
      return await transaction((writer) =>
        startSubscription(inSchool(writer, schoolId), {
          schoolId,
          now: daysAgo(0),
          personId,
          planId,
          priceId,
          collection: 'automatic',
          couponId: coupon,
        }),
      )
    }
    const [first, second] = [await begin(), await begin()]
    await confirm(first.subscriptionId)
    await confirm(second.subscriptionId)
    expect([await orders(first.subscriptionId), await orders(second.subscriptionId), await uses()]).toEqual([
      [{ kind: 'subscription_initial', total: 900 }],
      [{ kind: 'subscription_initial', total: 900 }],
      1,
    ])
    for (const expected of [900, 1200, 1200]) {
      const end = (await read(first.subscriptionId)).current_period_end as Date
      await confirm(first.subscriptionId, newId(), new Date(end.getTime() + 1000))
      expect((await orders(first.subscriptionId)).at(-1)).toEqual({ kind: 'subscription_renewal', total: expected })
    }
    expect([Number((await read(first.subscriptionId)).amount), await uses()]).toEqual([1200, 1])
  })

  test('a failed payment is outstanding; failing it again has no effect', async () => {
    const { id } = await subscription()
    expect([await fail(id), await fail(id), (await read(id)).status]).toEqual([true, false, 'past_due'])
    expect(await problem(fail((await subscription({ status: 'paused' })).id))).toBe('invalid_state')
    expect(await problem(fail(newId()))).toBe('not_found')
  })

  test('one payment that is reported twice concurrently is one order', async () => {
    const { id } = await subscription({ status: 'past_due' })
    const confirmed = await Promise.all([confirm(id, 'pay-2'), confirm(id, 'pay-2')])
    expect([confirmed.toSorted(), (await orders(id)).length]).toEqual([[false, true], 1])
  })

  test('one that fails keeps no other waiting, and is tried again', async () => {
    const { id } = await subscription({ collection: 'manual', more: over }, byItself)
    const bad = await subscription({ collection: 'manual', more: { ...over, current_period_end: `now() - interval '3 days'` } }, byItself)
    await query(`UPDATE plan_price SET amount = 99999999999999 WHERE school_id = $1 AND id = $2`, [bad.priceId])
    await expect(advance()).rejects.toThrow()
    expect([(await read(id)).version, (await read(bad.id)).version]).toEqual([2, 1])
    await query(`UPDATE plan_price SET amount = 5 WHERE school_id = $1 AND id = $2`, [bad.priceId])
    await advance()
    expect((await read(bad.id)).version).toBe(2)
  })

  test('subscriptions that are not due take no place in a batch', async () => {
    await advance()
    const states = ['incomplete', 'active', 'trialing', 'past_due', 'paused'] as const
    for (const status of states) await Promise.all(Array.from({ length: 20 }, () => subscription({ status })))
    const { id } = await subscription({ collection: 'manual', more: over }, byItself)
    expect(await advanceSubscriptions(opened.database, new Date(), 1)).toBe(1)
    expect(await orders(id)).toHaveLength(1)
  })

  test('a person who leaves loses every subscription, cancelled ones included; a person who has cancelled has none that renews', async () => {
    const { personId, planId } = await subscription()
    expect(await hasRunningSubscription(inSchool(opened.database.kysely, schoolId), personId)).toBe(true)
    await query(`UPDATE subscription SET cancel_at_period_end = true WHERE school_id = $1 AND person_id = $2`, [personId])
    expect(await hasRunningSubscription(inSchool(opened.database.kysely, schoolId), personId)).toBe(false)
    const other = await newPlan(opened.database.sql, schoolId)
    await newSubscription(opened.database.sql, schoolId, { personId, ...other, status: 'incomplete' })
    const end = () =>
      transaction((writer) => cancelSubscriptionsOf(inSchool(writer, schoolId), { schoolId, now: new Date(), personId, reason: 'staff' }))
    expect([await end(), await end()]).toEqual([2, 0])
    const states = await query<{ status: string }>('SELECT status FROM subscription WHERE school_id = $1 AND person_id = $2 ORDER BY id', [
      personId,
    ])
    expect(states.map(({ status }) => status)).toEqual(['canceled', 'expired'])
    expect([await count(planId), await count(other.planId), await tier(personId)]).toEqual([0, 0, 'free'])
  })
})
