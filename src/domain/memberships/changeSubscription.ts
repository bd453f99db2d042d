import { fromPublicId, toPublicId } from '../../lib/ids.ts'
import { Problem } from '../../lib/problem.ts'
import { audienceOf } from '../../policy/caller.ts'
import { checkoutRequired } from '../checkoutRequired.ts'
import { lockPlansOf } from './clock.ts'
import { followPlan, moveSeat } from './planChange.ts'
import { leaveSeat, requireNoOther } from './planSeats.ts'
import { isPlanOf } from './planVisibility.ts'
import { settle } from './settle.ts'
import { dueStep, ended, nothingPending, pausedAt, periodFrom, resumedAt } from './steps.ts'
import type { Subscribing } from './subscribe.ts'
import { byHand, orderPeriod } from './subscriptionOrder.ts'
import type { SubscriptionColumns, SubscriptionRow } from './subscriptionRow.ts'
import { isFinal, stateAfter, statesBefore } from './subscriptionTransitions.ts'
import { wrongState } from './subscriptionWrongState.ts'
import { amountDue, type Terms, termsOf } from './terms.ts'

type Values = Readonly<Record<string, unknown>>

/**
 * Ends a subscription with its period, or now. One without an end of its period, or whose period is over, ends now.
 * @throws Problem access_denied for who may not end it now, invalid_state
 */
export async function cancelSubscription(
  { sql, caller, now }: Subscribing,
  row: SubscriptionRow,
  { at, reason, comment }: Values,
): Promise<SubscriptionColumns | undefined> {
  const isStaff = audienceOf(caller) === 'staff'
  if (at === 'now' && !isStaff)
    throw new Problem('access_denied', { description: 'You end a subscription with its period; the staff ends it now.' })
  if (row.status === 'canceled') return undefined
  if (!stateAfter(row.status, 'canceled')) throw wrongState('cancel', row.status, statesBefore('canceled'))
  const end = row.current_period_end
  const isNow = at === 'now' || end === null || end <= now
  if (!isNow && row.cancel_at_period_end) return undefined
  const said = {
    cancellation_reason: (reason as string | undefined) ?? row.cancellation_reason ?? (isStaff ? 'staff' : 'other'),
    cancellation_comment: (comment as string | undefined) ?? row.cancellation_comment,
  }
  if (!isNow) return { cancel_at_period_end: true, cancel_at: end, canceled_at: now, ...said, ...nothingPending }
  await lockPlansOf(sql, row)
  await leaveSeat(sql, row, 'canceled')
  return { ...ended(row, now), cancel_at: now, ...said }
}

/**
 * Takes back that a subscription ends with its period, and ends a pause.
 * @throws Problem invalid_state for one that is over, or never began
 */
export async function resumeSubscription({ now }: Subscribing, row: SubscriptionRow): Promise<SubscriptionColumns | undefined> {
  const isOver = dueStep(row, now)?.kind === 'end'
  if (isFinal(row.status) || row.status === 'incomplete' || isOver) {
    throw wrongState('resume', isOver ? 'canceled' : row.status, statesBefore('canceled'))
  }
  const notEnding = row.cancel_at_period_end
    ? { cancel_at_period_end: false, cancel_at: null, canceled_at: null, cancellation_reason: null, cancellation_comment: null }
    : undefined
  if (row.status === 'paused') return { ...resumedAt({ ...row, cancel_at_period_end: false }, now), ...notEnding }
  return notEnding
}

/**
 * Lets a subscription stand still, until somebody resumes it or a time has come.
 * @throws Problem invalid_state, or validation_failed for a time that has passed
 */
export async function pauseSubscription(
  { now }: Subscribing,
  row: SubscriptionRow,
  { resumes_at }: Values,
): Promise<SubscriptionColumns | undefined> {
  const resumesAt = typeof resumes_at === 'string' ? new Date(resumes_at) : null
  if (resumesAt && resumesAt <= now) {
    throw new Problem('validation_failed', { details: [{ field: 'resumes_at', code: 'min', message: 'resumes_at: must lie ahead' }] })
  }
  if (row.status === 'paused') {
    const isSame = resumes_at === undefined || resumesAt?.getTime() === row.resumes_at?.getTime()
    return isSame ? undefined : { resumes_at: resumesAt }
  }
  if (!stateAfter(row.status, 'paused')) throw wrongState('pause', row.status, statesBefore('paused'))
  return pausedAt(now, resumesAt)
}

/**
 * Asks for another price: from the next period on, or now. Nothing is given back for what is left of the period; one that begins now is
 * a whole one.
 * @throws Problem access_denied for who may not change it now, invalid_reference, invalid_state, already_subscribed
 * @throws Problem checkout_required for who pays nothing now and would have to
 */
export async function changePlan(
  subscribing: Subscribing,
  row: SubscriptionRow,
  { price_id, when }: Values,
): Promise<SubscriptionColumns | undefined> {
  const { sql, school, caller, now } = subscribing
  const isStaff = audienceOf(caller) === 'staff'
  if (when === 'now' && !isStaff)
    throw new Problem('access_denied', { description: 'You change with the next period; the staff changes now.' })
  const priceId = fromPublicId('prc', price_id as string) as string
  const terms = await knownTerms(subscribing, priceId)
  if (priceId === row.price_id && !isFinal(row.status)) return row.pending_price_id === null ? undefined : nothingPending
  if (priceId === row.pending_price_id && when !== 'now') return undefined
  if (row.status !== 'active' && row.status !== 'trialing') throw wrongState('change_plan', row.status, ['active', 'trialing'])
  if (row.cancel_at_period_end)
    throw new Problem('invalid_state', { description: 'This subscription ends with its period. Resume it first.' })
  if (!terms?.active || terms.plan_status !== 'active') throw unknownPrice()
  if (!isStaff && Number(row.amount) === 0 && row.status === 'active' && terms.amount > 0) {
    throw checkoutRequired(
      subscribing,
      { type: 'membership_plan', id: toPublicId('mpl', terms.plan_id) },
      { meta: { price_id: toPublicId('prc', priceId) } },
    )
  }
  await lockPlansOf(sql, row, [terms.plan_id])
  if (when === 'now') {
    if (row.collection === 'automatic') {
      throw new Problem('invalid_state', { description: 'What the checkout collects changes with the next period.' })
    }
    await moveSeat(sql, row, terms)
    return { plan_id: terms.plan_id, price_id: priceId, ...startedAnew(row, terms, now), ...nothingPending }
  }
  if (row.current_period_end === null)
    throw new Problem('invalid_state', { description: 'No period of this subscription ends. Change it now.' })
  if (terms.plan_id !== row.plan_id) await requireNoOther(sql, { schoolId: school.id, planId: terms.plan_id, personId: row.person_id })
  return { pending_price_id: priceId, pending_effective_at: row.current_period_end }
}

/** A trial goes on under the new price; else a period begins. The discount was one of the former plan. */
function startedAnew(row: SubscriptionRow, terms: Terms, now: Date): SubscriptionColumns {
  const amount = { amount: amountDue(terms, row.collection), currency: terms.currency, coupon_id: null, discount_ends_at: null }
  return row.status === 'trialing' ? amount : { ...amount, ...periodFrom(now, terms, null) }
}

/** What follows a step that was written. */
export async function afterStep({ sql, school, now }: Subscribing, row: { id: string; person_id: string }): Promise<void> {
  await settle(sql, { schoolId: school.id, now, subscriptionId: row.id }, row)
}

/** The same where the plan may be another one by now. */
export async function afterPlanChange(subscribing: Subscribing, row: SubscriptionRow): Promise<void> {
  const { sql, school, now } = subscribing
  const at = { schoolId: school.id, now }
  if (row.pending_price_id === null) await followPlan(sql, at, row)
  await afterStep(subscribing, row)
  const isNew = row.status === 'active' && row.current_period_start?.getTime() === now.getTime()
  const terms = isNew && row.collection === 'manual' ? await termsOf(sql, school.id, row.price_id) : undefined
  if (terms) await orderPeriod(sql, at, { row, terms, payment: byHand, from: now })
}

async function knownTerms({ sql, writer, school, caller }: Subscribing, priceId: string): Promise<Terms | undefined> {
  const terms = await termsOf(sql, school.id, priceId)
  if (!terms) throw unknownPrice()
  const plan = await writer
    .selectFrom('membership_plan')
    .select('id')
    .where('school_id', '=', school.id)
    .where('id', '=', terms.plan_id)
    .where((row) => isPlanOf(row, caller))
    .executeTakeFirst()
  if (!plan) throw unknownPrice()
  return terms
}

const unknownPrice = (): Problem =>
  new Problem('invalid_reference', {
    details: [{ field: 'price_id', code: 'invalid_reference', message: 'price_id: there is no such price that one can choose now' }],
  })
