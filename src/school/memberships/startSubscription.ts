import { newId } from '../../base/ids.ts'
import { Problem } from '../../base/problem.ts'
import type { SchoolReader, SchoolWriter } from '../../database/connection/database.ts'
import { recordChange } from '../../database/tables/changeLog.ts'
import type { InSchool } from '../schoolHandles.ts'
import { dayLong, nextPeriodEnd } from './periods.ts'
import { amountDue, findCouponTerms, findTerms, type PriceTerms } from './priceTerms.ts'
import { discountEnd } from './subscriptionColumns.ts'
import { manualPayment, orderPeriod } from './subscriptionOrder.ts'
import type { SubscriptionColumns, SubscriptionRow } from './subscriptionRow.ts'
import type { SubscriptionState } from './subscriptionTransitions.ts'
import { makeMember, requireNotSubscribed, syncAccess, takeSeat } from './syncAccess.ts'

export interface NewSubscription extends InSchool {
  personId: string
  planId: string
  priceId: string
  /** `automatic`: the school's checkout collects payments. `manual`: the school does. `comped`: the subscription is complimentary. */
  collection: 'automatic' | 'manual' | 'comped'
  couponId?: string | null | undefined
  /** When the subscription starts, not later than now. Without it: now. */
  startAt?: Date | undefined
}

export type InitialColumns = SubscriptionColumns & { status: SubscriptionState; amount: number; currency: string }

/**
 * Starts a subscription: as a trial if the price has one and the person had none yet, active if nothing is due or the school collects the
 * payment itself, and otherwise incomplete until the first payment. Call it in a transaction.
 * @throws Problem invalid_reference for a price that does not belong to the plan or is not active
 * @throws Problem already_subscribed, or invalid_state if the plan is not active or is full
 */
export async function startSubscription(
  writer: SchoolWriter,
  request: NewSubscription,
): Promise<{ subscriptionId: string; status: SubscriptionState }> {
  const { now, personId, planId, priceId, collection } = request
  const terms = await findTerms(writer, priceId)
  if (!terms?.active || terms.plan_id !== planId) throw new Problem('invalid_reference')
  const columns = await initialColumns(writer, request, terms)
  const row = await writer
    .insertInto('subscription')
    .values({
      ...columns,
      school_id: writer.schoolId,
      id: newId(),
      created_at: now,
      updated_at: now,
      person_id: personId,
      collection,
      plan_id: planId,
      price_id: priceId,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  await recordChange(writer, { type: 'subscription', resource_id: row.id, action: 'created', version: 1 })
  await afterStart(writer, { schoolId: writer.schoolId, now }, row, terms)
  return { subscriptionId: row.id, status: columns.status }
}

/** Takes a seat of the plan and returns the columns of the new row. The caller inserts the row in the same transaction. */
export async function initialColumns(writer: SchoolWriter, request: NewSubscription, terms: PriceTerms): Promise<InitialColumns> {
  const { now, personId, planId, collection, startAt = now } = request
  await takeSeat(writer, { planId })
  await requireNotSubscribed(writer, { planId, personId })
  const coupon = await findCouponTerms(writer, request.couponId ?? null)
  const amount = amountDue(terms, collection, coupon)
  const trialEnd = new Date(startAt.getTime() + terms.trial_days * dayLong)
  const isTrial = terms.trial_days > 0 && collection !== 'comped' && trialEnd > now && !(await hadTrial(writer, request))
  const columns = {
    amount,
    currency: terms.currency,
    ...(coupon && { coupon_id: coupon.id, discount_ends_at: discountEnd(coupon, isTrial ? trialEnd : startAt, terms) }),
  }
  if (isTrial) {
    const period = { current_period_start: startAt, current_period_end: trialEnd, trial_ends_at: trialEnd, period_anchor: trialEnd }
    return { ...columns, status: 'trialing', started_at: startAt, ...period }
  }
  if (collection === 'automatic' && amount > 0) return { ...columns, status: 'incomplete' }
  return { ...columns, status: 'active', started_at: startAt, ...periodAround(startAt, terms, now) }
}

/** Makes the person a member, grants access, and records an order for a payment that the school collected itself. */
export async function afterStart(writer: SchoolWriter, school: InSchool, row: SubscriptionRow, terms: PriceTerms): Promise<void> {
  await makeMember(writer, school, row.person_id)
  await syncAccess(writer, { ...school, subscriptionId: row.id }, row)
  if (row.status === 'active' && row.collection === 'manual') {
    await orderPeriod(writer, school, { row, terms, payment: manualPayment, from: row.current_period_start ?? school.now })
  }
}

function periodAround(start: Date, terms: PriceTerms, now: Date) {
  const end = nextPeriodEnd(start, terms, now)
  let from = start
  for (let next = nextPeriodEnd(start, terms, from); next !== null && next <= now; next = nextPeriodEnd(start, terms, from)) from = next
  return { current_period_start: from, current_period_end: end, period_anchor: start }
}

export async function hadTrial(reader: SchoolReader, { personId, planId }: Pick<NewSubscription, 'personId' | 'planId'>): Promise<boolean> {
  const earlier = await reader
    .selectFrom('subscription')
    .select('id')
    .where('person_id', '=', personId)
    .where('plan_id', '=', planId)
    .where('trial_ends_at', 'is not', null)
    .limit(1)
    .executeTakeFirst()
  return earlier !== undefined
}
