import type { SchoolWriter } from '../../database/connection/database.ts'
import type { InSchool } from '../schoolHandles.ts'
import { endNow } from './endSubscriptions.ts'
import { requireTerms } from './priceTerms.ts'
import { renewSubscription } from './renewSubscription.ts'
import { startSubscription } from './startSubscription.ts'
import { periodColumns } from './subscriptionColumns.ts'
import { lockSubscription, type SubscriptionRow, setLatestOrder, writeTransition } from './subscriptionRow.ts'
import { isFinal } from './subscriptionTransitions.ts'
import { lockPlansOf, syncAccess } from './syncAccess.ts'

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
 * Starts the subscriptions that a paid order of plans is for. An order that belongs to an existing subscription starts none.
 * @throws Problem already_subscribed, invalid_state if a plan is not active or is full, invalid_reference for a price that was removed
 */
export async function startOrderedSubscriptions(writer: SchoolWriter, { now, orderId }: OfOrder): Promise<void> {
  const plans = await writer
    .selectFrom('order_item')
    .innerJoin('orders', 'orders.id', 'order_item.order_id')
    .select(['orders.person_id as personId', 'order_item.product_id as planId', 'order_item.price_id as priceId'])
    .select('orders.coupon_id as couponId')
    .where('order_item.order_id', '=', orderId)
    .where('order_item.product_type', '=', 'membership_plan')
    .where('order_item.price_id', 'is not', null)
    .where('orders.subscription_id', 'is', null)
    .where('orders.person_id', 'is not', null)
    .orderBy('order_item.product_id')
    .$narrowType<{ personId: string; priceId: string }>()
    .execute()
  for (const plan of plans) await startPaid(writer, { schoolId: writer.schoolId, now, orderId, ...plan })
}

/** Locks the subscription of an order before the order itself, as background jobs do. Returns undefined if it has none yet. */
export async function lockOrderedSubscription(
  writer: SchoolWriter,
  { orderId }: Omit<OfOrder, 'now'>,
): Promise<SubscriptionRow | undefined> {
  const order = await writer.selectFrom('orders').select('subscription_id').where('id', '=', orderId).executeTakeFirst()
  return order?.subscription_id ? await lockSubscription(writer, { subscriptionId: order.subscription_id }) : undefined
}

/** Begins the period that an order has paid for, if the locked subscription was waiting for this payment. */
export async function renewOrderedSubscription(
  writer: SchoolWriter,
  { now, orderId }: OfOrder,
  row: SubscriptionRow | undefined,
): Promise<void> {
  if (row?.status !== 'past_due' || row.latest_order_id !== orderId) return
  await lockPlansOf(writer, row)
  await renewSubscription(writer, { schoolId: writer.schoolId, now }, row, { from: row.current_period_end ?? now, isOrdered: true })
}

/** Starts a subscription whose first period the order has paid for. A trial still runs to its end. */
async function startPaid(writer: SchoolWriter, { orderId, couponId, ...plan }: OrderedPlan): Promise<void> {
  const { now } = plan
  const { subscriptionId } = await startSubscription(writer, { ...plan, collection: 'automatic', couponId })
  const subscription = { schoolId: writer.schoolId, now, subscriptionId }
  const row = await lockSubscription(writer, subscription)
  if (row?.status === 'incomplete' || row?.status === 'trialing') {
    const terms = await requireTerms(writer, plan.priceId)
    const period = { ...periodColumns(row.trial_ends_at ?? now, terms, null), current_period_start: row.current_period_start ?? now }
    const columns = { ...period, started_at: row.started_at ?? now }
    await syncAccess(writer, subscription, await writeTransition(writer, row, { columns, action: 'paid', now }))
  }
  await setLatestOrder(writer, { subscriptionId, orderId })
  await writer.updateTable('orders').set({ subscription_id: subscriptionId }).where('id', '=', orderId).execute()
}

/** Ends the subscription whose current period a fully refunded order has paid for. The refund of an earlier order ends nothing. */
export async function endOrderedSubscription(writer: SchoolWriter, { now, orderId }: OfOrder): Promise<void> {
  const row = await writer.selectFrom('subscription').selectAll().where('latest_order_id', '=', orderId).forUpdate().executeTakeFirst()
  if (!row || isFinal(row.status)) return
  await endNow(writer, { schoolId: writer.schoolId, now }, row, { cancellation_reason: row.cancellation_reason ?? 'staff' })
}
