import { dayLong, nextPeriodEnd, type Period, plusMonths } from './periods.ts'
import type { CouponTerms } from './priceTerms.ts'
import type { SubscriptionColumns, SubscriptionRow } from './subscriptionRow.ts'

export const outstandingDays = 14

export const outstandingUntil = (since: Date): Date => new Date(since.getTime() + outstandingDays * dayLong)

/** Returns the columns of a subscription that ended at `at`, now or in the past. Discards pending changes. */
export const canceledColumns = (row: SubscriptionRow, at: Date) =>
  ({
    status: 'canceled',
    canceled_at: row.canceled_at ?? at,
    ended_at: at,
    cancel_at_period_end: false,
    cancel_at: row.cancel_at ?? at,
    ...noPendingChange,
    ...noPause,
  }) satisfies SubscriptionColumns

export const expiredColumns = (at: Date) => ({ status: 'expired', ended_at: at, ...noPendingChange }) satisfies SubscriptionColumns

export const pastDueColumns = (since: Date) => ({ status: 'past_due', past_due_since: since }) satisfies SubscriptionColumns

/** Returns the columns of a paused subscription. It keeps the rest of its period. */
export const pausedColumns = (at: Date, resumesAt: Date | null) =>
  ({ status: 'paused', paused_at: at, resumes_at: resumesAt }) satisfies SubscriptionColumns

/**
 * Returns the columns of a resumed subscription: as it was before the pause, with every time that lies ahead later by the length of the
 * pause. Periods are counted from the new end, or from the same day of the month as before if the pause was shorter than a day.
 */
export function resumedColumns(row: SubscriptionRow, at: Date): SubscriptionColumns {
  const pause = row.paused_at ? Math.max(0, at.getTime() - row.paused_at.getTime()) : 0
  const later = (time: Date | null): Date | null => time && new Date(time.getTime() + pause)
  const end = later(row.current_period_end)
  const isTrial = isInTrial(row)
  return {
    status: isTrial ? 'trialing' : 'active',
    ...noPause,
    current_period_end: end,
    period_anchor: row.period_anchor && (pause < dayLong ? later(row.period_anchor) : end),
    discount_ends_at: later(row.discount_ends_at),
    pending_effective_at: later(row.pending_effective_at),
    ...(isTrial && { trial_ends_at: end }),
    ...(row.cancel_at_period_end && { cancel_at: end }),
  }
}

/** True if the current period is the trial; also while it is paused. */
export const isInTrial = ({ trial_ends_at, current_period_end }: Pick<SubscriptionRow, 'trial_ends_at' | 'current_period_end'>): boolean =>
  trial_ends_at !== null && trial_ends_at.getTime() === current_period_end?.getTime()

/** Returns the columns of a paid period that begins at `start`. Its end is counted from the anchor, or without one from `start`. */
export function periodColumns(start: Date, period: Period, anchor: Date | null): SubscriptionColumns {
  const from = anchor ?? start
  return {
    status: 'active',
    current_period_start: start,
    current_period_end: nextPeriodEnd(from, period, start),
    period_anchor: from,
    past_due_since: null,
  }
}

/** Returns until when a coupon applies: for the first period, for its number of months, or forever (null). */
export function discountEnd({ duration, duration_months }: CouponTerms, start: Date, period: Period): Date | null {
  if (duration === 'forever') return null
  return duration === 'repeating' ? plusMonths(start, duration_months ?? 1) : (nextPeriodEnd(start, period, start) ?? start)
}

export const isDiscounted = ({ coupon_id, discount_ends_at }: SubscriptionRow, from: Date): boolean =>
  coupon_id !== null && (discount_ends_at === null || discount_ends_at > from)

export const noPendingChange = { pending_price_id: null, pending_effective_at: null } as const
const noPause = { paused_at: null, resumes_at: null } as const
