import { audienceOf } from '../../base/caller.ts'
import { toPublicId, uuidOf } from '../../base/ids.ts'
import { fieldError, fieldProblem, Problem, type ProblemDetail } from '../../base/problem.ts'
import { checkoutRequired } from '../checkoutRequired.ts'
import { isVisiblePlan } from './planVisibility.ts'
import { amountDue, findTerms, type PriceTerms, requireTerms } from './priceTerms.ts'
import { dueStep } from './renewSubscription.ts'
import { canceledColumns, isInTrial, noPendingChange, pausedColumns, periodColumns, resumedColumns } from './subscriptionColumns.ts'
import { changeSeat, manualPayment, orderPeriod, replaceEnrollments } from './subscriptionOrder.ts'
import type { SubscriptionColumns, SubscriptionRow } from './subscriptionRow.ts'
import { isFinal, stateAfter, statesBefore } from './subscriptionTransitions.ts'
import type { SubscriptionContext } from './subscriptionWriting.ts'
import { leaveSeat, lockPlansOf, requireNotSubscribed, syncAccess } from './syncAccess.ts'
import { schoolCredit, unusedCredit } from './unusedCredit.ts'
import { wrongSubscriptionState } from './wrongSubscriptionState.ts'

interface Cancellation {
  at?: string | undefined
  reason?: string | undefined
  comment?: string | undefined
}

/**
 * Cancels a subscription at the end of its period, or now. A subscription without a period, or whose period is over, ends now.
 * @throws Problem access_denied for a caller who may not end it now, invalid_state
 */
export async function cancelSubscription(
  { writer, caller, now }: SubscriptionContext,
  row: SubscriptionRow,
  { at, reason, comment }: Cancellation,
): Promise<SubscriptionColumns | undefined> {
  const isStaff = audienceOf(caller) === 'staff'
  if (at === 'now' && !isStaff)
    throw new Problem('access_denied', { description: 'Only staff can end a subscription now. Cancel it at the end of its period.' })
  if (row.status === 'canceled') return undefined
  if (!stateAfter(row.status, 'canceled')) throw wrongSubscriptionState('cancel', row.status, statesBefore('canceled'))
  const end = row.current_period_end
  const isNow = at === 'now' || end === null || end <= now
  if (!isNow && row.cancel_at_period_end) return undefined
  const feedback = {
    cancellation_reason: reason ?? row.cancellation_reason ?? (isStaff ? 'staff' : 'other'),
    cancellation_comment: comment ?? row.cancellation_comment,
  }
  // A pending change of plan stays: it takes effect if the cancellation is revoked.
  if (!isNow) return { cancel_at_period_end: true, cancel_at: end, canceled_at: now, ...feedback }
  await lockPlansOf(writer, row)
  await leaveSeat(writer, row, 'canceled')
  return { ...canceledColumns(row, now), cancel_at: now, ...feedback }
}

/**
 * Takes back the pause of a subscription or its cancellation at the end of the period; of both, the later one.
 * @throws Problem invalid_state for one that has ended
 */
export async function resumeSubscription({ now }: SubscriptionContext, row: SubscriptionRow): Promise<SubscriptionColumns | undefined> {
  if (dueStep(row, now)?.kind === 'end') throw wrongSubscriptionState('resume', 'canceled', statesBefore('canceled'))
  const isCanceledInPause =
    row.cancel_at_period_end && row.paused_at !== null && row.canceled_at !== null && row.canceled_at > row.paused_at
  if (row.status === 'paused' && !isCanceledInPause) return resumedColumns(row, now)
  if (!row.cancel_at_period_end) return undefined
  return { cancel_at_period_end: false, cancel_at: null, canceled_at: null, cancellation_reason: null, cancellation_comment: null }
}

/**
 * Pauses a subscription until it is resumed, or until `resumes_at`.
 * @throws Problem validation_failed for a time in the past
 */
export async function pauseSubscription(
  { now }: SubscriptionContext,
  row: SubscriptionRow,
  { resumes_at }: { resumes_at?: string | null | undefined },
): Promise<SubscriptionColumns | undefined> {
  const resumesAt = typeof resumes_at === 'string' ? new Date(resumes_at) : null
  if (resumesAt && resumesAt <= now) {
    throw fieldProblem('validation_failed', 'resumes_at', 'min', 'must be in the future')
  }
  if (row.status === 'paused') {
    const isSame = resumes_at === undefined || resumesAt?.getTime() === row.resumes_at?.getTime()
    return isSame ? undefined : { resumes_at: resumesAt }
  }
  return pausedColumns(now, resumesAt)
}

interface PlanChange {
  price_id: string
  when?: string | undefined
  credit?: string | undefined
}

/**
 * Changes the price of a subscription, from the next period on or now. A change now begins a full period at the full price, less the credit
 * for the unused time of the current period.
 * @throws Problem access_denied for a caller who may not change it now, invalid_reference, already_subscribed
 * @throws Problem invalid_state, also for a credit above the new price, the rest of which would be lost
 * @throws Problem checkout_required if the caller paid nothing so far and must pay for the new price
 */
export async function changePlan(
  context: SubscriptionContext,
  row: SubscriptionRow,
  { price_id, when, credit }: PlanChange,
): Promise<SubscriptionColumns | undefined> {
  const { writer, caller, now } = context
  const isStaff = audienceOf(caller) === 'staff'
  if (when === 'now' && !isStaff)
    throw new Problem('access_denied', { description: 'Only staff can change the plan now. Change it with the next period.' })
  const priceId = uuidOf('prc', price_id)
  const terms = await requireVisibleTerms(context, priceId)
  if (priceId === row.price_id && !isFinal(row.status)) return row.pending_price_id === null ? undefined : noPendingChange
  if (priceId === row.pending_price_id && when !== 'now') return undefined
  if (row.status !== 'active' && row.status !== 'trialing') throw wrongSubscriptionState('change_plan', row.status, ['active', 'trialing'])
  if (row.cancel_at_period_end)
    throw new Problem('invalid_state', { description: 'This subscription ends with its period. Resume it first.' })
  if (!terms.active || terms.plan_status !== 'active') throw unknownPrice()
  if (!isStaff && Number(row.amount) === 0 && row.status === 'active' && terms.amount > 0) {
    throw checkoutRequired(
      context,
      { type: 'membership_plan', id: toPublicId('mpl', terms.plan_id) },
      { meta: { price_id: toPublicId('prc', priceId) } },
    )
  }
  await lockPlansOf(writer, row, [terms.plan_id])
  if (when === 'now') {
    if (row.collection === 'automatic') {
      throw new Problem('invalid_state', {
        description: 'The checkout collects the payments of this subscription, so its plan can only change with the next period.',
      })
    }
    const amount = amountDue(terms, row.collection)
    const unused = await creditFor(context, row, { price_id, credit })
    if (unused > amount) {
      throw new Problem('invalid_state', {
        description: `The credit for the unused time, ${unused}, is more than the new price, ${amount}, in the smallest unit of the currency. Change the plan with the next period, or send \`credit\` none and refund the order.`,
        details: [{ field: 'credit', code: 'invalid_state', message: 'must not exceed the new price', meta: { credit: unused, amount } }],
      })
    }
    await changeSeat(writer, row, terms)
    return { plan_id: terms.plan_id, price_id: priceId, ...restartedColumns(row, terms, now), ...noPendingChange }
  }
  if (row.current_period_end === null) {
    throw new Problem('invalid_state', { description: 'This subscription has no next period. Change the plan now instead.' })
  }
  if (terms.plan_id !== row.plan_id) {
    await requireNotSubscribed(writer, { planId: terms.plan_id, personId: row.person_id })
  }
  return { pending_price_id: priceId, pending_effective_at: row.current_period_end }
}

/** Returns the columns for a new price. A trial continues; otherwise a new period begins. The discount of the former plan ends. */
function restartedColumns(row: SubscriptionRow, terms: PriceTerms, now: Date): SubscriptionColumns {
  const amount = { amount: amountDue(terms, row.collection), currency: terms.currency, coupon_id: null, discount_ends_at: null }
  return row.status === 'trialing' ? amount : { ...amount, ...periodColumns(now, terms, null) }
}

export async function afterTransition({ writer, now }: SubscriptionContext, row: { id: string; person_id: string }): Promise<void> {
  await syncAccess(writer, { schoolId: writer.schoolId, now, subscriptionId: row.id }, row)
}

/** Returns the credit of a change of plan now. A trial costs nothing, and has none. */
async function creditFor({ writer, now }: SubscriptionContext, row: SubscriptionRow, { credit }: PlanChange): Promise<number> {
  if ((credit ?? (await schoolCredit(writer))) === 'none') return 0
  return unusedCredit(row, await requireTerms(writer, row.price_id), now)
}

export async function afterPlanChange(
  context: SubscriptionContext,
  row: SubscriptionRow,
  { before, input }: { before: SubscriptionRow; input: PlanChange },
): Promise<void> {
  const { writer, now } = context
  const at = { schoolId: writer.schoolId, now }
  if (row.pending_price_id === null) await replaceEnrollments(writer, at, row)
  await afterTransition(context, row)
  const isNewPeriod = row.status === 'active' && row.current_period_start?.getTime() === now.getTime()
  if (!isNewPeriod || row.collection !== 'manual') return
  const terms = await requireTerms(writer, row.price_id)
  const credit = await creditFor(context, before, input)
  await orderPeriod(writer, at, { row, terms, payment: manualPayment, from: now, credit })
}

async function requireVisibleTerms({ writer, caller }: SubscriptionContext, priceId: string): Promise<PriceTerms> {
  const terms = await findTerms(writer, priceId)
  if (!terms) throw unknownPrice()
  const plan = await writer
    .selectFrom('membership_plan')
    .select('id')
    .where('id', '=', terms.plan_id)
    .where((row) => isVisiblePlan(row, caller))
    .executeTakeFirst()
  if (!plan) throw unknownPrice()
  return terms
}

const unknownPrice = (): Problem => fieldProblem('invalid_reference', 'price_id', 'invalid_reference', 'must be the id of an active price')

export interface Times {
  trial_ends_at?: string | null | undefined
  current_period_end?: string | null | undefined
}

export function checkTimes({ trial_ends_at, current_period_end }: Times, { now }: { now: Date }, row: SubscriptionRow): ProblemDetail[] {
  const fieldErrors: ProblemDetail[] = []
  const check = (field: 'trial_ends_at' | 'current_period_end', time: string | null | undefined) => {
    if (time === (row[field]?.toISOString() ?? null)) return
    const [from, to] = [row.current_period_start, now.getTime() + 10 * 366 * 86_400_000]
    const at = typeof time === 'string' ? new Date(time).getTime() : Number.NaN
    const message = Number.isNaN(at)
      ? 'cannot be removed'
      : from && at <= from.getTime()
        ? 'must be later than current_period_start'
        : at > to
          ? 'must be at most ten years in the future'
          : undefined
    if (message) fieldErrors.push(fieldError(field, 'not_allowed', message))
  }
  check('trial_ends_at', trial_ends_at)
  check('current_period_end', current_period_end)
  return fieldErrors
}

/**
 * Returns the columns for new times: the next periods are counted from the new end.
 * @throws Problem invalid_state if the checkout collects the payments, or the state of the subscription has no such time
 */
export function moveTimes(row: SubscriptionRow, { trial_ends_at, current_period_end }: Times): SubscriptionColumns {
  const isMoved = (field: 'trial_ends_at' | 'current_period_end', time: string | null | undefined) =>
    time !== (row[field]?.toISOString() ?? null)
  const [trial, period] = [isMoved('trial_ends_at', trial_ends_at), isMoved('current_period_end', current_period_end)]
  if (!trial && !period) return {}
  if (row.collection === 'automatic')
    throw new Problem('invalid_state', {
      description: 'The times of this subscription cannot be changed, because the checkout collects its payments.',
    })
  if (trial && row.status !== 'trialing') throw wrongSubscriptionState('a new trial_ends_at', row.status, ['trialing'])
  if (!['active', 'trialing', 'paused'].includes(row.status))
    throw wrongSubscriptionState('a new current_period_end', row.status, ['active', 'trialing', 'paused'])
  const at = new Date((trial ? trial_ends_at : current_period_end) as string)
  return {
    current_period_end: at,
    period_anchor: at,
    ...(isInTrial(row) && { trial_ends_at: at }),
    ...(row.cancel_at_period_end && { cancel_at: at }),
    ...(row.pending_price_id !== null && { pending_effective_at: at }),
  }
}
