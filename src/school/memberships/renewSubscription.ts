import type { SchoolWriter } from '../../database/connection/database.ts'
import type { Payment } from '../orders/payment.ts'
import type { InSchool } from '../schoolHandles.ts'
import { amountDue, findCouponTerms, type PriceTerms, requireTerms } from './priceTerms.ts'
import { isDiscounted, noPendingChange, outstandingUntil, pastDueColumns, periodColumns } from './subscriptionColumns.ts'
import { applyPendingTerms, manualPayment, orderPeriod, replaceEnrollments } from './subscriptionOrder.ts'
import { type SubscriptionColumns, type SubscriptionRow, writeTransition } from './subscriptionRow.ts'
import { isFinal } from './subscriptionTransitions.ts'
import { syncAccess } from './syncAccess.ts'

export interface Renewal {
  from: Date
  payment?: Payment | undefined
  isOrdered?: boolean | undefined
  more?: SubscriptionColumns | undefined
}

/**
 * Begins the next period, at the pending terms if there are any. A period with a price begins once it is paid, and until then the
 * subscription is past due. If the school collects payments itself, a pending order waits for the payment, unless the plan renews without
 * confirmation. The row and its plans are locked.
 */
export async function renewSubscription(
  writer: SchoolWriter,
  school: InSchool,
  row: SubscriptionRow,
  { from, payment, isOrdered = false, more = {} }: Renewal,
): Promise<SubscriptionRow> {
  const { now } = school
  const current = await requireTerms(writer, row.price_id)
  const next = row.pending_price_id === null ? current : await requireTerms(writer, row.pending_price_id)
  const isPaid = payment !== undefined || isOrdered
  const due = amountDue(next, row.collection, await findCoupon(writer, row, { terms: next, from }))
  if (row.collection === 'automatic' && due > 0 && !isPaid) {
    const written = await writeTransition(writer, row, { columns: pastDueColumns(from), action: 'past_due', now })
    await syncAccess(writer, { schoolId: writer.schoolId, now, subscriptionId: row.id }, written)
    return written
  }
  const newTerms = await applyPendingTerms(writer, row)
  const terms = newTerms ?? current
  const coupon = await findCoupon(writer, row, { terms, from })
  const amount = amountDue(terms, row.collection, coupon)
  const isAwaited = row.collection === 'manual' && terms.manual_renewal === 'confirm' && amount > 0 && !isPaid
  const anchor = newTerms ? null : row.period_anchor
  const written = await writeTransition(writer, row, {
    columns: {
      ...(isAwaited ? { ...pastDueColumns(from), period_anchor: anchor } : periodColumns(from, terms, anchor)),
      amount,
      currency: terms.currency,
      price_id: terms.price_id,
      plan_id: terms.plan_id,
      ...noPendingChange,
      ...(!coupon && { coupon_id: null, discount_ends_at: null }),
      ...more,
    },
    action: isAwaited ? 'past_due' : 'renewed',
    now,
  })
  if (terms.plan_id !== row.plan_id) await replaceEnrollments(writer, school, written)
  await syncAccess(writer, { schoolId: writer.schoolId, now, subscriptionId: row.id }, written)
  if (isOrdered || !(payment || row.collection === 'manual')) return written
  const awaitedUntil = isAwaited ? outstandingUntil(from) : undefined
  await orderPeriod(writer, school, { row: written, terms, payment: payment ?? manualPayment, from, awaitedUntil })
  return written
}

/** Returns the coupon that applies to a period. The coupon of a former plan does not apply. */
async function findCoupon(writer: SchoolWriter, row: SubscriptionRow, { terms, from }: { terms: PriceTerms; from: Date }) {
  return isDiscounted(row, from) && terms.plan_id === row.plan_id ? await findCouponTerms(writer, row.coupon_id) : undefined
}

export const firstPaymentHours = 23

/** A transition of a subscription that is due now, and the time at which it became due. */
export type DueStep =
  | { kind: 'give_up' | 'end' | 'end_unpaid' | 'resume'; at: Date }
  /** A trial or a period has ended: the next one begins once it is paid. */
  | { kind: 'renew'; at: Date }

export function dueStep(row: SubscriptionRow, now: Date): DueStep | undefined {
  if (isFinal(row.status)) return undefined
  const isDue = (at: Date | null): at is Date => at !== null && at <= now
  const end = row.current_period_end
  switch (row.status) {
    case 'incomplete': {
      const at = new Date(row.created_at.getTime() + firstPaymentHours * 3_600_000)
      return isDue(at) ? { kind: 'give_up', at } : undefined
    }
    case 'past_due': {
      if (row.cancel_at_period_end && isDue(end)) return { kind: 'end', at: end }
      const at = row.past_due_since && outstandingUntil(row.past_due_since)
      return isDue(at) ? { kind: 'end_unpaid', at } : undefined
    }
    case 'paused': {
      const [resume, cancel] = [row.resumes_at, row.cancel_at_period_end ? end : null]
      if (isDue(cancel) && !(isDue(resume) && resume < cancel)) return { kind: 'end', at: cancel }
      return isDue(resume) ? { kind: 'resume', at: resume } : undefined
    }
    default:
      if (!isDue(end)) return undefined
      return { kind: row.cancel_at_period_end ? 'end' : 'renew', at: end }
  }
}
