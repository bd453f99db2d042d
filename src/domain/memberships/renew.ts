import type { Sql } from '../../store/sql.ts'
import type { Payment } from '../orders/payment.ts'
import { followPlan, pendingTerms } from './planChange.ts'
import { settle } from './settle.ts'
import { isDiscounted, nothingPending, outstanding, outstandingUntil, periodFrom } from './steps.ts'
import { byHand, orderPeriod } from './subscriptionOrder.ts'
import { type InSchool, type SubscriptionColumns, type SubscriptionRow, writeStep } from './subscriptionRow.ts'
import { amountDue, discountOf, type Terms, termsOf } from './terms.ts'

export interface Renewal {
  from: Date
  payment?: Payment | undefined
  /** The period is paid by an order that exists already. */
  isOrdered?: boolean | undefined
  more?: SubscriptionColumns | undefined
}

/**
 * Begins the next period, at the terms that were asked for meanwhile. A period that has to be paid begins with its payment, and the
 * subscription is past due until then. Where the school collects itself, an order waits for that payment, unless the plan renews without
 * confirmation. The row and its plans are locked.
 */
export async function renew(
  sql: Sql,
  at: InSchool,
  row: SubscriptionRow,
  { from, payment, isOrdered = false, more = {} }: Renewal,
): Promise<SubscriptionRow> {
  const current = (await termsOf(sql, at.schoolId, row.price_id)) as Terms
  const wanted = row.pending_price_id === null ? current : ((await termsOf(sql, at.schoolId, row.pending_price_id)) as Terms)
  const isPaid = payment !== undefined || isOrdered
  const due = amountDue(wanted, row.collection, await discountAt(sql, row, { terms: wanted, from }))
  if (row.collection === 'automatic' && due > 0 && !isPaid) {
    const written = await writeStep(sql, row, { columns: outstanding(from), action: 'past_due', now: at.now })
    await settle(sql, { ...at, subscriptionId: row.id }, written)
    return written
  }
  const change = await pendingTerms(sql, row)
  const terms = change ?? current
  const discount = await discountAt(sql, row, { terms, from })
  const amount = amountDue(terms, row.collection, discount)
  const isAwaited = row.collection === 'manual' && terms.manual_renewal === 'confirm' && amount > 0 && !isPaid
  const anchor = change ? null : row.period_anchor
  const written = await writeStep(sql, row, {
    columns: {
      ...(isAwaited ? { ...outstanding(from), period_anchor: anchor } : periodFrom(from, terms, anchor)),
      amount,
      currency: terms.currency,
      price_id: terms.price_id,
      plan_id: terms.plan_id,
      ...nothingPending,
      ...(!discount && { coupon_id: null, discount_ends_at: null }),
      ...more,
    },
    action: isAwaited ? 'past_due' : 'renewed',
    now: at.now,
  })
  if (terms.plan_id !== row.plan_id) await followPlan(sql, at, written)
  await settle(sql, { ...at, subscriptionId: row.id }, written)
  if (isOrdered || !(payment || row.collection === 'manual')) return written
  const awaitedUntil = isAwaited ? outstandingUntil(from) : undefined
  await orderPeriod(sql, at, { row: written, terms, payment: payment ?? byHand, from, awaitedUntil })
  return written
}

/** The coupon that counts for a period. One of another plan does not. */
async function discountAt(sql: Sql, row: SubscriptionRow, { terms, from }: { terms: Terms; from: Date }) {
  return isDiscounted(row, from) && terms.plan_id === row.plan_id ? await discountOf(sql, row.school_id, row.coupon_id) : undefined
}
