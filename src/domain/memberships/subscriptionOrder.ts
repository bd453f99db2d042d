import { Problem } from '../../lib/problem.ts'
import { withinSavepoint } from '../../store/savepoint.ts'
import type { Sql } from '../../store/sql.ts'
import type { Payment } from '../orders/payment.ts'
import { recordOrder } from '../orders/recordOrder.ts'
import { isDiscounted } from './steps.ts'
import type { InSchool, SubscriptionRow } from './subscriptionRow.ts'
import { discountOf, type Terms, takenOff } from './terms.ts'

interface OrderedPeriod {
  row: SubscriptionRow
  terms: Terms
  payment: Payment
  from: Date
  /** Until when its payment is waited for. Without it: the period is paid. */
  awaitedUntil?: Date | undefined
}

/** Records the order of a period, paid or awaited, and names it in the subscription. What costs nothing has no order. */
export async function orderPeriod(
  sql: Sql,
  { schoolId, now }: InSchool,
  { row, terms, payment, from, awaitedUntil }: OrderedPeriod,
): Promise<void> {
  const discount = isDiscounted(row, from) ? await discountOf(sql, schoolId, row.coupon_id) : undefined
  if (row.collection === 'comped' || terms.amount === 0) return
  const isFirst = row.latest_order_id === null
  const order = (isNewUse: boolean) =>
    recordOrder(sql, {
      schoolId,
      now,
      personId: row.person_id,
      kind: isFirst ? 'subscription_initial' : 'subscription_renewal',
      status: awaitedUntil ? 'pending' : 'paid',
      expiresAt: awaitedUntil,
      items: [{ type: 'membership_plan', id: terms.plan_id, priceId: terms.price_id, title: terms.plan_name, unitAmount: terms.amount }],
      ...(discount && { coupon: { id: discount.id, code: discount.code, discounts: [takenOff(terms.amount, discount)], isNewUse } }),
      subscriptionId: row.id,
      payment,
    })
  const { orderId } = discount && isFirst ? await countedOnce(sql, order) : await order(false)
  await sql.query('UPDATE subscription SET latest_order_id = $3 WHERE school_id = $1 AND id = $2', [schoolId, row.id, orderId])
}

/** What the school has collected itself. */
export const byHand: Payment = { provider: 'manual' }

/** A discount that was promised when the subscription began is kept, also where the coupon has been used up meanwhile. */
async function countedOnce(sql: Sql, order: (isNewUse: boolean) => ReturnType<typeof recordOrder>): ReturnType<typeof recordOrder> {
  try {
    return await withinSavepoint(sql, () => order(true))
  } catch (error) {
    if (error instanceof Problem && ['coupon_unavailable', 'coupon_already_used'].includes(error.code)) return await order(false)
    throw error
  }
}
