import { Problem } from '../../base/problem.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'
import { payOrder } from '../orders/orderTransitions.ts'
import type { Payment } from '../orders/payment.ts'
import { orderStatus } from '../orders/shopExpressions.ts'
import { dueStep, renewSubscription } from './renewSubscription.ts'
import { pastDueColumns } from './subscriptionColumns.ts'
import { lockSubscription, type OfSubscription, type SubscriptionRow, writeTransition } from './subscriptionRow.ts'
import { stateAfter } from './subscriptionTransitions.ts'
import { lockPlansOf, syncAccess } from './syncAccess.ts'

/**
 * Records the first payment of a subscription, or the one for its next period. A payment with a known reference is ignored. Returns
 * whether anything changed.
 * @throws Problem not_found, or invalid_state if no payment is due
 */
export async function confirmPayment(
  writer: SchoolWriter,
  { payment, ...subscription }: OfSubscription & { payment: Payment },
): Promise<boolean> {
  const { now } = subscription
  const row = await requireSubscription(writer, subscription)
  if (await isRecorded(writer, payment)) return false
  await lockPlansOf(writer, row)
  const due = dueStep(row, now)
  const isOver = due !== undefined && due.kind !== 'renew'
  const isDue = row.status !== 'active' || due !== undefined
  if (isOver || !isDue || !stateAfter(row.status, 'paid')) throw nothingDue(row)
  const orderId = await findPendingOrder(writer, row)
  if (orderId !== undefined) return await payOrder(writer, { schoolId: writer.schoolId, now, orderId, payment })
  if (row.status === 'incomplete') {
    await renewSubscription(writer, subscription, { ...row, period_anchor: null }, { from: now, payment, more: { started_at: now } })
  } else if (row.status === 'trialing' && !due && row.trial_ends_at) {
    // A payment during the trial does not shorten it.
    const more = { current_period_start: row.current_period_start }
    await renewSubscription(writer, subscription, row, { from: row.trial_ends_at, payment, more })
  } else {
    await renewSubscription(writer, subscription, row, { from: row.current_period_end ?? now, payment })
  }
  return true
}

/**
 * Records that a payment of the checkout was declined: it is outstanding from now on. Returns whether anything changed.
 * @throws Problem not_found, or invalid_state if no payment is due
 */
export async function failPayment(writer: SchoolWriter, subscription: OfSubscription): Promise<boolean> {
  const { now } = subscription
  const row = await requireSubscription(writer, subscription)
  if (row.status === 'incomplete' || row.status === 'past_due') return false
  if (!stateAfter(row.status, 'unpaid')) throw nothingDue(row)
  const end = row.current_period_end
  const written = await writeTransition(writer, row, { columns: pastDueColumns(end && end < now ? end : now), action: 'past_due', now })
  await syncAccess(writer, subscription, written)
  return true
}

/**
 * Records a payment that the school collected itself, as staff confirm it. Returns whether anything changed: false if nothing is due.
 * @throws Problem invalid_state if the checkout collects the payments, or the subscription has ended
 */
export async function confirmByStaff(
  { writer, now }: { writer: SchoolWriter; now: Date },
  row: SubscriptionRow,
  payment: Payment,
): Promise<boolean> {
  if (row.collection !== 'manual')
    throw new Problem('invalid_state', { description: 'Staff can confirm payments only of subscriptions with the collection manual.' })
  if (row.status === 'active' && dueStep(row, now) === undefined) return false
  return await confirmPayment(writer, { schoolId: writer.schoolId, now, subscriptionId: row.id, payment })
}

async function findPendingOrder(
  writer: SchoolWriter,
  { school_id, latest_order_id, status }: SubscriptionRow,
): Promise<string | undefined> {
  if (status !== 'past_due' || latest_order_id === null) return undefined
  const order = await writer
    .selectFrom('orders')
    .select('id')
    .where('school_id', '=', school_id)
    .where('id', '=', latest_order_id)
    .where(orderStatus, '=', 'pending')
    .executeTakeFirst()
  return order?.id
}

async function requireSubscription(writer: SchoolWriter, subscription: OfSubscription): Promise<SubscriptionRow> {
  const row = await lockSubscription(writer, subscription)
  if (row) return row
  throw new Problem('not_found', { description: 'The school has no such subscription.' })
}

async function isRecorded(writer: SchoolWriter, { provider, reference }: Payment): Promise<boolean> {
  if (reference === null || reference === undefined) return false
  const order = await writer
    .selectFrom('orders')
    .select('id')
    .where('payment_provider', '=', provider)
    .where('payment_reference', '=', reference)
    .executeTakeFirst()
  return order !== undefined
}

const nothingDue = ({ status }: SubscriptionRow): Problem =>
  new Problem('invalid_state', { description: `A subscription with the status ${status} has no payment due.` })
