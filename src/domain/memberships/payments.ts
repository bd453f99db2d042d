import { Problem } from '../../lib/problem.ts'
import { orderStatusSql } from '../../store/shopExpressions.ts'
import type { Sql } from '../../store/sql.ts'
import { payOrder } from '../orders/orderTransitions.ts'
import type { Payment } from '../orders/payment.ts'
import { lockPlansOf } from './clock.ts'
import { renew } from './renew.ts'
import { settle } from './settle.ts'
import { dueStep, outstanding } from './steps.ts'
import type { Subscribing } from './subscribe.ts'
import { lockSubscription, type OfSubscription, type SubscriptionRow, writeStep } from './subscriptionRow.ts'
import { stateAfter } from './subscriptionTransitions.ts'

/**
 * A payment of the checkout has come: the first one, or the one of the next period. A payment that is known by its reference changes
 * nothing. Answers whether anything changed.
 * @throws Problem not_found, or invalid_state where nothing is to be paid
 */
export async function confirmPayment(sql: Sql, { payment, ...of }: OfSubscription & { payment: Payment }): Promise<boolean> {
  const { now } = of
  const row = await found(sql, of)
  if (await isKnown(sql, of.schoolId, payment)) return false
  await lockPlansOf(sql, row)
  const due = dueStep(row, now)
  const isOver = due !== undefined && due.kind !== 'renew'
  const isDue = row.status !== 'active' || due !== undefined
  if (isOver || !isDue || !stateAfter(row.status, 'paid')) throw nothingToPay(row)
  const awaited = await awaitedOrder(sql, row)
  if (awaited !== undefined) return await payOrder(sql, { schoolId: of.schoolId, now, orderId: awaited, payment })
  if (row.status === 'incomplete') {
    await renew(sql, of, { ...row, period_anchor: null }, { from: now, payment, more: { started_at: now } })
  } else if (row.status === 'trialing' && !due && row.trial_ends_at) {
    // Paid before the trial is over: the days of the trial are kept.
    await renew(sql, of, row, { from: row.trial_ends_at, payment, more: { current_period_start: row.current_period_start } })
  } else {
    await renew(sql, of, row, { from: row.current_period_end ?? now, payment })
  }
  return true
}

/**
 * A payment of the checkout was refused: it is outstanding from now on. Answers whether that is new.
 * @throws Problem not_found, or invalid_state where nothing is to be paid
 */
export async function failPayment(sql: Sql, of: OfSubscription): Promise<boolean> {
  const row = await found(sql, of)
  if (row.status === 'incomplete' || row.status === 'past_due') return false
  if (!stateAfter(row.status, 'unpaid')) throw nothingToPay(row)
  const end = row.current_period_end
  const since = end && end < of.now ? end : of.now
  const written = await writeStep(sql, row, { columns: outstanding(since), action: 'past_due', now: of.now })
  await settle(sql, of, written)
  return true
}

/**
 * Staff confirm a payment that the school has collected itself. Answers whether anything changed: a subscription with nothing due stays.
 * @throws Problem invalid_state where the checkout collects, or the subscription is over
 */
export async function confirmByStaff(
  { sql, school, now }: Pick<Subscribing, 'sql' | 'school' | 'now'>,
  row: SubscriptionRow,
  payment: Payment,
): Promise<boolean> {
  if (row.collection !== 'manual')
    throw new Problem('invalid_state', { description: 'Only payments of subscriptions with collection manual are confirmed here.' })
  if (row.status === 'active' && dueStep(row, now) === undefined) return false
  return await confirmPayment(sql, { schoolId: school.id, now, subscriptionId: row.id, payment })
}

/** The order of a renewal that waits for its payment. */
async function awaitedOrder(sql: Sql, { school_id, latest_order_id, status }: SubscriptionRow): Promise<string | undefined> {
  if (status !== 'past_due' || latest_order_id === null) return undefined
  const [order] = await sql.query<{ id: string }>(
    `SELECT id FROM orders WHERE school_id = $1 AND id = $2 AND ${orderStatusSql} = 'pending'`,
    [school_id, latest_order_id],
  )
  return order?.id
}

async function found(sql: Sql, of: OfSubscription): Promise<SubscriptionRow> {
  const row = await lockSubscription(sql, of)
  if (row) return row
  throw new Problem('not_found', { description: 'There is no such subscription.' })
}

async function isKnown(sql: Sql, schoolId: string, { provider, reference }: Payment): Promise<boolean> {
  if (reference === null || reference === undefined) return false
  const rows = await sql.query('SELECT id FROM orders WHERE school_id = $1 AND payment_provider = $2 AND payment_reference = $3', [
    schoolId,
    provider,
    reference,
  ])
  return rows.length > 0
}

const nothingToPay = ({ status }: SubscriptionRow): Problem =>
  new Problem('invalid_state', { description: `A subscription that is ${status} has nothing to be paid now.` })
