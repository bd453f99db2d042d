import { Problem } from '../../base/problem.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'
import { withinSavepoint } from '../../database/connection/savepoint.ts'
import type { Payment } from '../orders/payment.ts'
import { recordOrder } from '../orders/recordOrder.ts'
import type { InSchool } from '../schoolHandles.ts'
import { discountOn, findCouponTerms, type PriceTerms } from './priceTerms.ts'
import { isDiscounted } from './subscriptionColumns.ts'
import { type SubscriptionRow, setLatestOrder } from './subscriptionRow.ts'

interface OrderedPeriod {
  row: SubscriptionRow
  terms: PriceTerms
  payment: Payment
  from: Date
  /** When the order expires if it is not paid. Without it, the period is already paid. */
  awaitedUntil?: Date | undefined
}

/** Records the paid or pending order of a period as the latest order of the subscription. A free period has no order. */
export async function orderPeriod(
  writer: SchoolWriter,
  { now }: InSchool,
  { row, terms, payment, from, awaitedUntil }: OrderedPeriod,
): Promise<void> {
  const coupon = isDiscounted(row, from) ? await findCouponTerms(writer, row.coupon_id) : undefined
  if (row.collection === 'comped' || terms.amount === 0) return
  const isFirst = row.latest_order_id === null
  const country = await countryOfOrder(writer, row.latest_order_id)
  const order = (isNewUse: boolean) =>
    recordOrder(writer, {
      schoolId: writer.schoolId,
      now,
      personId: row.person_id,
      kind: isFirst ? 'subscription_initial' : 'subscription_renewal',
      status: awaitedUntil ? 'pending' : 'paid',
      expiresAt: awaitedUntil,
      country,
      items: [{ type: 'membership_plan', id: terms.plan_id, priceId: terms.price_id, title: terms.plan_name, unitAmount: terms.amount }],
      ...(coupon && { coupon: { id: coupon.id, code: coupon.code, discounts: [discountOn(terms.amount, coupon)], isNewUse } }),
      subscriptionId: row.id,
      payment,
    })
  const { orderId } = coupon && isFirst ? await withCountedUse(writer, order) : await order(false)
  await setLatestOrder(writer, { subscriptionId: row.id, orderId })
}

export const manualPayment: Payment = { provider: 'manual' }

/** Keeps the discount that was promised at the start of the subscription, even if the coupon has been used up since. */
async function withCountedUse(
  writer: SchoolWriter,
  order: (isNewUse: boolean) => ReturnType<typeof recordOrder>,
): ReturnType<typeof recordOrder> {
  try {
    return await withinSavepoint(writer, () => order(true))
  } catch (error) {
    if (error instanceof Problem && ['coupon_unavailable', 'coupon_already_used'].includes(error.code)) return await order(false)
    throw error
  }
}

/** Returns the country for which the order was taxed, so that a renewal is taxed for the same one. */
async function countryOfOrder(writer: SchoolWriter, orderId: string | null): Promise<string | null> {
  if (orderId === null) return null
  const order = await writer.selectFrom('orders').select('tax_country').where('id', '=', orderId).executeTakeFirst()
  return order?.tax_country ?? null
}
