import type { Stored } from '../../database/connection/database.ts'

/** The period that one payment covers. A `one_time` payment covers the whole subscription. */
export type Period = Stored<'plan_price', 'interval' | 'interval_count'>

/**
 * Returns the first end of a period after `after`, counted from the anchor in whole periods (UTC). In a month without the day of the
 * anchor, the period ends on the last day; the next period returns to the day of the anchor. Returns null for a one-time payment.
 */
export function nextPeriodEnd(anchor: Date, { interval, interval_count }: Period, after: Date): Date | null {
  if (interval === 'one_time') return null
  const months = interval_count * (interval === 'year' ? 12 : 1)
  let count = Math.max(1, Math.floor(monthsBetween(anchor, after) / months))
  while (plusMonths(anchor, count * months) <= after) count += 1
  return plusMonths(anchor, count * months)
}

/** Returns the same day and time some months later, or the last day of that month if it is too short. */
export function plusMonths(from: Date, months: number): Date {
  const first = new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + months, 1))
  const lastDay = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate()
  const day = Math.min(from.getUTCDate(), lastDay)
  return new Date(first.getTime() + (day - 1) * dayLong + (from.getTime() % dayLong))
}

export const dayLong = 86_400_000

const monthsBetween = (from: Date, to: Date): number =>
  (to.getUTCFullYear() - from.getUTCFullYear()) * 12 + to.getUTCMonth() - from.getUTCMonth() - 1
