import { Problem } from '../../base/problem.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'
import { withinSavepoint } from '../../database/connection/savepoint.ts'
import { endEnrollments } from '../learning/restoreEnrollments.ts'
import type { Payment } from '../orders/payment.ts'
import { recordOrder } from '../orders/recordOrder.ts'
import type { InSchool } from '../schoolHandles.ts'
import { includesProduct } from './planVisibility.ts'
import { discountOn, findCouponTerms, findTerms, type PriceTerms } from './priceTerms.ts'
import { isDiscounted } from './subscriptionColumns.ts'
import { type SubscriptionRow, setLatestOrder } from './subscriptionRow.ts'
import { releaseSeat, requireNotSubscribed, takeSeat } from './syncAccess.ts'

interface OrderedPeriod {
  row: SubscriptionRow
  terms: PriceTerms
  payment: Payment
  from: Date
  /** Credit for the unused time of the former period, at most the price. */
  credit?: number
  /** When the order expires if it is not paid. Without it, the period is already paid. */
  awaitedUntil?: Date | undefined
}

/** Records the paid or pending order of a period as the latest order of the subscription. A free period has no order. */
export async function orderPeriod(
  writer: SchoolWriter,
  { now }: InSchool,
  { row, terms, payment, from, credit, awaitedUntil }: OrderedPeriod,
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
      items: [
        { type: 'membership_plan', id: terms.plan_id, priceId: terms.price_id, title: terms.plan_name, unitAmount: terms.amount, credit },
      ],
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

/**
 * Moves a subscription's seat to the plan of other terms. Both plans are locked.
 * @throws Problem invalid_state, already_subscribed
 */
export async function changeSeat(writer: SchoolWriter, row: SubscriptionRow, terms: PriceTerms): Promise<void> {
  if (!terms.active || terms.plan_status !== 'active')
    throw new Problem('invalid_state', { description: 'This price is no longer available.' })
  if (terms.plan_id === row.plan_id) return
  await requireNotSubscribed(writer, { planId: terms.plan_id, personId: row.person_id })
  await takeSeat(writer, { planId: terms.plan_id })
  await releaseSeat(writer, { planId: row.plan_id })
}

/** Moves the seat to the pending terms and returns them. Returns undefined if there are none, or they are no longer available. */
export async function applyPendingTerms(writer: SchoolWriter, row: SubscriptionRow): Promise<PriceTerms | undefined> {
  const terms = row.pending_price_id === null ? undefined : await findTerms(writer, row.pending_price_id)
  if (!terms) return undefined
  try {
    await changeSeat(writer, row, terms)
    return terms
  } catch (error) {
    if (error instanceof Problem) return undefined
    throw error
  }
}

/** Ends the enrolments that the former plan granted and the new one does not. The new plan is already written. */
export async function replaceEnrollments(writer: SchoolWriter, { now }: InSchool, row: SubscriptionRow): Promise<void> {
  const courses = await writer
    .selectFrom('enrollment')
    .innerJoin('membership_plan', (join) => join.on('membership_plan.id', '=', row.plan_id))
    .select('enrollment.course_id')
    .where('enrollment.person_id', '=', row.person_id)
    .where('enrollment.source', '=', 'plan')
    .where('enrollment.status', '<>', 'canceled')
    .where((enrollment) => enrollment.not(includesProduct(enrollment, 'course', enrollment.ref('enrollment.course_id'))))
    .execute()
  if (courses.length === 0) return
  await endEnrollments(writer, {
    schoolId: writer.schoolId,
    now,
    subscriptionId: row.id,
    courseIds: courses.map(({ course_id }) => course_id),
  })
}
