import { Problem, type ProblemDetail } from '../../lib/problem.ts'
import type { Subscribing } from './subscribe.ts'
import type { SubscriptionColumns, SubscriptionRow } from './subscriptionRow.ts'
import { wrongState } from './subscriptionWrongState.ts'

type Values = Readonly<Record<string, unknown>>

/** What is wrong with other times of a subscription. */
export function checkTimes({ trial_ends_at, current_period_end }: Values, { now }: Subscribing, row: SubscriptionRow): ProblemDetail[] {
  const fieldErrors: ProblemDetail[] = []
  const check = (field: 'trial_ends_at' | 'current_period_end', sent: unknown) => {
    if (sent === (row[field]?.toISOString() ?? null)) return
    const [from, to] = [row.current_period_start, now.getTime() + 10 * 366 * 86_400_000]
    const at = typeof sent === 'string' ? new Date(sent).getTime() : Number.NaN
    const message = Number.isNaN(at)
      ? 'cannot be taken away'
      : from && at <= from.getTime()
        ? 'must be later than current_period_start'
        : at > to
          ? 'must not be more than ten years ahead'
          : undefined
    if (message) fieldErrors.push({ field, code: 'not_allowed', message: `${field}: ${message}` })
  }
  check('trial_ends_at', trial_ends_at)
  check('current_period_end', current_period_end)
  return fieldErrors
}

/**
 * Columns that follow from other times: the next periods are counted from the new end.
 * @throws Problem invalid_state where the checkout collects, or the subscription is over or has no such time
 */
export function moveTimes(row: SubscriptionRow, { trial_ends_at, current_period_end }: Values): SubscriptionColumns {
  const isMoved = (field: 'trial_ends_at' | 'current_period_end', sent: unknown) => sent !== (row[field]?.toISOString() ?? null)
  const [trial, period] = [isMoved('trial_ends_at', trial_ends_at), isMoved('current_period_end', current_period_end)]
  if (!trial && !period) return {}
  if (row.collection === 'automatic') throw new Problem('invalid_state', { description: 'What the checkout collects keeps its times.' })
  if (trial && row.status !== 'trialing') throw wrongState('another trial_ends_at', row.status, ['trialing'])
  if (!['active', 'trialing', 'paused'].includes(row.status))
    throw wrongState('another current_period_end', row.status, ['active', 'trialing', 'paused'])
  const at = new Date((trial ? trial_ends_at : current_period_end) as string)
  return {
    current_period_end: at,
    period_anchor: at,
    ...(row.status === 'trialing' && { trial_ends_at: at }),
    ...(row.cancel_at_period_end && { cancel_at: at }),
    ...(row.pending_price_id !== null && { pending_effective_at: at }),
  }
}
