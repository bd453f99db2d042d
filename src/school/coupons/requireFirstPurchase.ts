import { fieldProblem } from '../../base/problem.ts'
import type { SchoolReader, SchoolWriter } from '../../database/connection/database.ts'

interface FirstPurchase {
  personId: string
  /** The order that uses the coupon; other orders count. */
  orderId?: string | undefined
  /** The subscription that uses the coupon; other subscriptions count. */
  subscriptionId?: string | null | undefined
}

/**
 * Returns true if the person has another order that is paid or that uses a coupon for the first purchase, or another running subscription
 * with such a coupon. A trial has no order yet: its subscription alone holds the discount.
 */
export async function hasOtherPurchase(reader: SchoolReader, { personId, orderId, subscriptionId }: FirstPurchase): Promise<boolean> {
  const paid = await reader
    .selectFrom('orders')
    .select('id')
    .where('person_id', '=', personId)
    .where('paid_at', 'is not', null)
    .$if(orderId !== undefined, (query) => query.where('id', '<>', orderId ?? ''))
    .limit(1)
    .executeTakeFirst()
  if (paid) return true
  const used = await reader
    .selectFrom('coupon_redemption as use')
    .innerJoin('coupon', 'coupon.id', 'use.coupon_id')
    .select('use.id')
    .where('use.person_id', '=', personId)
    .where('use.status', '<>', 'released')
    .where('coupon.first_purchase_only', '=', true)
    .$if(orderId !== undefined, (query) => query.where('use.order_id', '<>', orderId ?? ''))
    .limit(1)
    .executeTakeFirst()
  if (used) return true
  const subscription = await reader
    .selectFrom('subscription')
    .innerJoin('coupon', 'coupon.id', 'subscription.coupon_id')
    .select('subscription.id')
    .where('subscription.person_id', '=', personId)
    .where('subscription.status', 'not in', ['canceled', 'expired'])
    .where('coupon.first_purchase_only', '=', true)
    .$if(typeof subscriptionId === 'string', (query) => query.where('subscription.id', '<>', subscriptionId ?? ''))
    .limit(1)
    .executeTakeFirst()
  return subscription !== undefined
}

/**
 * Returns true if the coupon may be used by a purchase that is already recorded: it is not limited to first purchases, or the person has no
 * other one. Locks the person, so that of concurrent purchases only one gets true. Call it after all other locks are taken.
 */
export async function isFirstPurchase(
  writer: SchoolWriter,
  { couponId, ...purchase }: FirstPurchase & { couponId: string },
): Promise<boolean> {
  const { personId } = purchase
  const coupon = await writer.selectFrom('coupon').select('first_purchase_only').where('id', '=', couponId).executeTakeFirst()
  if (coupon?.first_purchase_only !== true) return true
  await writer.selectFrom('person').select('id').where('id', '=', personId).forNoKeyUpdate().execute()
  return !(await hasOtherPurchase(writer, purchase))
}

/**
 * Checks, for an order that has recorded the use of a coupon for first purchases, that the person has no other purchase.
 * @throws Problem coupon_unavailable
 */
export async function requireFirstPurchase(
  writer: SchoolWriter,
  purchase: FirstPurchase & Required<Pick<FirstPurchase, 'orderId'>> & { couponId: string },
): Promise<void> {
  if (await isFirstPurchase(writer, purchase)) return
  throw fieldProblem('coupon_unavailable', 'coupon_code', 'not_first_purchase', 'not first purchase')
}
