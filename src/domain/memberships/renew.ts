import type { Sql } from '../../store/sql.ts'
import type { Payment } from '../orders/payment.ts'
import { followPlan, pendingTerms } from './planChange.ts'
import { settle } from './settle.ts'
import { isDiscounted, nothingPending, outstanding, periodFrom } from './steps.ts'
import { byHand, orderPeriod } from './subscriptionOrder.ts'
import { type InSchool, type SubscriptionColumns, type SubscriptionRow, writeStep } from './subscriptionRow.ts'
import { amountDue, discountOf, type Terms, termsOf } from './terms.ts'

/**
 * Begins the next period, at the terms that were asked for meanwhile. What the checkout collects begins only with its payment, and is
 * outstanding until then; what the school collects itself is taken as paid. The row and its plans are locked.
 */
export async function renew(
  sql: Sql,
  at: InSchool,
  row: SubscriptionRow,
  { from, payment, more = {} }: { from: Date; payment?: Payment | undefined; more?: SubscriptionColumns },
): Promise<SubscriptionRow> {
  const current = (await termsOf(sql, at.schoolId, row.price_id)) as Terms
  const wanted = row.pending_price_id === null ? current : ((await termsOf(sql, at.schoolId, row.pending_price_id)) as Terms)
  const due = amountDue(wanted, row.collection, await discountAt(sql, row, { terms: wanted, from }))
  if (row.collection === 'automatic' && due > 0 && !payment) {
    const written = await writeStep(sql, row, { columns: outstanding(from), action: 'past_due', now: at.now })
    await settle(sql, { ...at, subscriptionId: row.id }, written)
    return written
  }
  const change = await pendingTerms(sql, row)
  const terms = change ?? current
  const discount = await discountAt(sql, row, { terms, from })
  const written = await writeStep(sql, row, {
    columns: {
      ...periodFrom(from, terms, change ? null : row.period_anchor),
      amount: amountDue(terms, row.collection, discount),
      currency: terms.currency,
      price_id: terms.price_id,
      plan_id: terms.plan_id,
      ...nothingPending,
      ...(!discount && { coupon_id: null, discount_ends_at: null }),
      ...more,
    },
    action: 'renewed',
    now: at.now,
  })
  if (terms.plan_id !== row.plan_id) await followPlan(sql, at, written)
  await settle(sql, { ...at, subscriptionId: row.id }, written)
  if (payment || row.collection === 'manual') await orderPeriod(sql, at, { row: written, terms, payment: payment ?? byHand, from })
  return written
}

/** The coupon that counts for a period. One of another plan does not. */
async function discountAt(sql: Sql, row: SubscriptionRow, { terms, from }: { terms: Terms; from: Date }) {
  return isDiscounted(row, from) && terms.plan_id === row.plan_id ? await discountOf(sql, row.school_id, row.coupon_id) : undefined
}
