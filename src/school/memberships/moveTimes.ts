import { fieldError, Problem, type ProblemDetail } from '../../base/problem.ts'
import { isInTrial } from './subscriptionColumns.ts'
import type { SubscriptionColumns, SubscriptionRow } from './subscriptionRow.ts'
import { wrongSubscriptionState } from './wrongSubscriptionState.ts'

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
