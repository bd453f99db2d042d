import type { Sql } from '../../store/sql.ts'
import { endNow } from './endSubscriptions.ts'
import { lockPlans } from './seats.ts'
import { settle } from './settle.ts'
import { startSubscription } from './startSubscription.ts'
import { periodFrom } from './steps.ts'
import { type InSchool, lockSubscription, type SubscriptionRow, writeStep } from './subscriptionRow.ts'
import { type Terms, termsOf } from './terms.ts'
import { isFinal } from './transitions.ts'

interface OrderedPlan extends InSchool {
  orderId: string
  personId: string
  planId: string
  priceId: string
  couponId: string | null
}

/**
 * Starts the subscription that an order has paid for: its first period is this order's. The days of a trial are kept.
 * @throws Problem already_subscribed, invalid_state where the plan takes nobody now, invalid_reference for a price that is gone
 */
export async function startOrdered(sql: Sql, { orderId, couponId, ...asked }: OrderedPlan): Promise<void> {
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
export async function endOrdered(sql: Sql, { schoolId, now, orderId }: InSchool & { orderId: string }): Promise<void> {
  const [row] = await sql.query<SubscriptionRow>('SELECT * FROM subscription WHERE school_id = $1 AND latest_order_id = $2 FOR UPDATE', [
    schoolId,
    orderId,
  ])
  if (!row || isFinal(row.status)) return
  await lockPlans(sql, schoolId, [row.plan_id])
  await endNow(sql, { schoolId, now }, row, { cancellation_reason: row.cancellation_reason ?? 'staff' })
}
