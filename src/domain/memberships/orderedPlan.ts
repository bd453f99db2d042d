import type { Sql } from '../../store/sql.ts'
import { lockPlansOf } from './clock.ts'
import { endNow } from './endSubscriptions.ts'
import { lockPlans } from './planSeats.ts'
import { renew } from './renew.ts'
import { settle } from './settle.ts'
import { startSubscription } from './startSubscription.ts'
import { periodFrom } from './steps.ts'
import { type InSchool, lockSubscription, type SubscriptionRow, writeStep } from './subscriptionRow.ts'
import { isFinal } from './subscriptionTransitions.ts'
import { type Terms, termsOf } from './terms.ts'

interface OfOrder extends InSchool {
  orderId: string
}

interface OrderedPlan extends OfOrder {
  personId: string
  planId: string
  priceId: string
  couponId: string | null
}

/**
 * Starts the subscriptions that an order about plans has paid for. One that belongs to a subscription already starts nothing.
 * @throws Problem already_subscribed, invalid_state where the plan takes nobody now, invalid_reference for a price that is gone
 */
export async function startOrdered(sql: Sql, { schoolId, now, orderId }: OfOrder): Promise<void> {
  const plans = await sql.query<Pick<OrderedPlan, 'personId' | 'planId' | 'priceId' | 'couponId'>>(
    `SELECT o.person_id AS "personId", i.product_id AS "planId", i.price_id AS "priceId", o.coupon_id AS "couponId"
       FROM order_item i JOIN orders o ON o.school_id = i.school_id AND o.id = i.order_id
      WHERE i.school_id = $1 AND i.order_id = $2 AND i.product_type = 'membership_plan' AND i.price_id IS NOT NULL
        AND o.subscription_id IS NULL AND o.person_id IS NOT NULL
      ORDER BY i.product_id`,
    [schoolId, orderId],
  )
  for (const plan of plans) await startPaid(sql, { schoolId, now, orderId, ...plan })
}

/** Locks the subscription that an order is about, before the order: as the clock does. Undefined where it is about none yet. */
export async function lockOrdered(sql: Sql, { schoolId, orderId }: Omit<OfOrder, 'now'>): Promise<SubscriptionRow | undefined> {
  const [order] = await sql.query<{ subscription_id: string | null }>(
    'SELECT subscription_id FROM orders WHERE school_id = $1 AND id = $2',
    [schoolId, orderId],
  )
  return order?.subscription_id ? await lockSubscription(sql, { schoolId, subscriptionId: order.subscription_id }) : undefined
}

/** Begins the period that an order has paid for, where its subscription waited for that. The subscription is locked. */
export async function renewOrdered(sql: Sql, { schoolId, now, orderId }: OfOrder, row: SubscriptionRow | undefined): Promise<void> {
  if (row?.status !== 'past_due' || row.latest_order_id !== orderId) return
  await lockPlansOf(sql, row)
  await renew(sql, { schoolId, now }, row, { from: row.current_period_end ?? now, isOrdered: true })
}

/** The first period is the order's. The days of a trial are kept. */
async function startPaid(sql: Sql, { orderId, couponId, ...asked }: OrderedPlan): Promise<void> {
  const { schoolId, now } = asked
  const { subscriptionId } = await startSubscription(sql, { ...asked, collection: 'automatic', couponId })
  const of = { schoolId, now, subscriptionId }
  const row = (await lockSubscription(sql, of)) as SubscriptionRow
  if (row.status === 'incomplete' || row.status === 'trialing') {
    const terms = (await termsOf(sql, schoolId, asked.priceId)) as Terms
    const from = row.trial_ends_at ?? now
    const period = { ...periodFrom(from, terms, null), current_period_start: row.current_period_start ?? now }
    await settle(sql, of, await writeStep(sql, row, { columns: { ...period, started_at: row.started_at ?? now }, action: 'paid', now }))
  }
  await sql.query('UPDATE subscription SET latest_order_id = $3 WHERE school_id = $1 AND id = $2', [schoolId, subscriptionId, orderId])
  await sql.query('UPDATE orders SET subscription_id = $3 WHERE school_id = $1 AND id = $2', [schoolId, orderId, subscriptionId])
}

/** Ends the subscription whose running period an order has paid for, once all of it is paid back. An earlier order ends nothing. */
export async function endOrdered(sql: Sql, { schoolId, now, orderId }: OfOrder): Promise<void> {
  const [row] = await sql.query<SubscriptionRow>('SELECT * FROM subscription WHERE school_id = $1 AND latest_order_id = $2 FOR UPDATE', [
    schoolId,
    orderId,
  ])
  if (!row || isFinal(row.status)) return
  await lockPlans(sql, schoolId, [row.plan_id])
  await endNow(sql, { schoolId, now }, row, { cancellation_reason: row.cancellation_reason ?? 'staff' })
}
