import { newId } from '../../lib/ids.ts'
import { Problem } from '../../lib/problem.ts'
import { recordChange } from '../../store/changeLog.ts'
import type { Sql } from '../../store/sql.ts'
import { dayLong, nextPeriodEnd } from './periods.ts'
import { requireNoOther, takeSeat } from './planSeats.ts'
import { makeMember, settle } from './settle.ts'
import { discountEnd } from './steps.ts'
import { byHand, orderPeriod } from './subscriptionOrder.ts'
import type { InSchool, SubscriptionColumns, SubscriptionRow } from './subscriptionRow.ts'
import type { SubscriptionState } from './subscriptionTransitions.ts'
import { amountDue, discountOf, type Terms, termsOf } from './terms.ts'

export interface NewSubscription extends InSchool {
  personId: string
  planId: string
  priceId: string
  /** Who collects: the school's checkout, the school itself, or nobody, since it is a present. */
  collection: 'automatic' | 'manual' | 'comped'
  couponId?: string | null | undefined
  /** From when on it counts, not later than now. Without it: now. */
  startAt?: Date | undefined
}

/**
 * Starts a subscription: with a trial where the price has one and the person had none, at once where nothing has to be paid or the
 * school collects itself, and else incomplete until the first payment. Part of the caller's transaction.
 * @throws Problem invalid_reference for a price that is not one of the plan that can be chosen
 * @throws Problem already_subscribed, or invalid_state where the plan takes nobody now
 */
export async function startSubscription(sql: Sql, asked: NewSubscription): Promise<{ subscriptionId: string; status: SubscriptionState }> {
  const { schoolId, now, personId } = asked
  const terms = await termsOf(sql, schoolId, asked.priceId)
  if (!terms?.active || terms.plan_id !== asked.planId) throw new Problem('invalid_reference')
  const columns = await beginning(sql, asked, terms)
  const id = newId()
  const written = { ...columns, person_id: personId, collection: asked.collection, plan_id: asked.planId, price_id: asked.priceId }
  const names = Object.keys(written)
  const [row] = await sql.query<SubscriptionRow>(
    `INSERT INTO subscription (school_id, id, created_at, updated_at, ${names.map((name) => `"${name}"`).join(', ')})
     VALUES ($1, $2, $3, $3, ${names.map((_, index) => `$${index + 4}`).join(', ')}) RETURNING *`,
    [schoolId, id, now, ...Object.values(written)],
  )
  await recordChange(sql, { school_id: schoolId, type: 'subscription', resource_id: id, action: 'created', version: 1 })
  await begun(sql, { schoolId, now }, row as SubscriptionRow, terms)
  return { subscriptionId: id, status: columns.status as SubscriptionState }
}

/** Takes a place in the plan, and answers the columns of the new row. What the caller writes next stands in the same transaction. */
export async function beginning(sql: Sql, asked: NewSubscription, terms: Terms): Promise<SubscriptionColumns> {
  const { schoolId, now, personId, planId, collection, startAt = now } = asked
  await takeSeat(sql, { schoolId, planId })
  await requireNoOther(sql, { schoolId, planId, personId })
  const discount = await discountOf(sql, schoolId, asked.couponId ?? null)
  const amount = amountDue(terms, collection, discount)
  const trialEnd = new Date(startAt.getTime() + terms.trial_days * dayLong)
  const isTrial = terms.trial_days > 0 && collection !== 'comped' && trialEnd > now && !(await hadTrial(sql, asked))
  const columns: SubscriptionColumns = {
    amount,
    currency: terms.currency,
    ...(discount && { coupon_id: discount.id, discount_ends_at: discountEnd(discount, isTrial ? trialEnd : startAt, terms) }),
  }
  if (isTrial) {
    const period = { current_period_start: startAt, current_period_end: trialEnd, trial_ends_at: trialEnd, period_anchor: trialEnd }
    return { ...columns, status: 'trialing', started_at: startAt, ...period }
  }
  if (collection === 'automatic' && amount > 0) return { ...columns, status: 'incomplete' }
  return { ...columns, status: 'active', started_at: startAt, ...periodAround(startAt, terms, now) }
}

/** What follows once the row of a new subscription stands: the person is a member, and what the school has collected is an order. */
export async function begun(sql: Sql, at: InSchool, row: SubscriptionRow, terms: Terms): Promise<void> {
  await makeMember(sql, at, row.person_id)
  await settle(sql, { ...at, subscriptionId: row.id }, row)
  if (row.status === 'active' && row.collection === 'manual') {
    await orderPeriod(sql, at, { row, terms, payment: byHand, from: row.current_period_start ?? at.now })
  }
}

/** The period in which we are, of what began back then. */
function periodAround(start: Date, terms: Terms, now: Date): SubscriptionColumns {
  const end = nextPeriodEnd(start, terms, now)
  let from = start
  for (let next = nextPeriodEnd(start, terms, from); next !== null && next <= now; next = nextPeriodEnd(start, terms, from)) from = next
  return { current_period_start: from, current_period_end: end, period_anchor: start }
}

/** A trial is for once: who had one of this plan pays the next time. */
export async function hadTrial(
  sql: Sql,
  { schoolId, personId, planId }: Pick<NewSubscription, 'schoolId' | 'personId' | 'planId'>,
): Promise<boolean> {
  const [earlier] = await sql.query(
    'SELECT id FROM subscription WHERE school_id = $1 AND person_id = $2 AND plan_id = $3 AND trial_ends_at IS NOT NULL LIMIT 1',
    [schoolId, personId, planId],
  )
  return earlier !== undefined
}
