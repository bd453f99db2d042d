/** How long one payment lasts. What is paid once lasts as long as the subscription. */
export interface Period {
  interval: string
  interval_count: number
}

/**
 * The first end of a period after `after`, counted from the anchor in whole periods (UTC). A month that is too short for the day of
 * the anchor ends on its last day, and the next one comes back to it. Null where nothing ends.
 */
export function nextPeriodEnd(anchor: Date, { interval, interval_count }: Period, after: Date): Date | null {
  if (interval === 'one_time') return null
  const months = interval_count * (interval === 'year' ? 12 : 1)
  let count = Math.max(1, Math.floor(monthsBetween(anchor, after) / months))
  while (plusMonths(anchor, count * months) <= after) count += 1
  return plusMonths(anchor, count * months)
}

/** The same day and time so many months later, or the last day of that month. */
export function plusMonths(from: Date, months: number): Date {
  const first = new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + months, 1))
  const lastDay = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate()
  const day = Math.min(from.getUTCDate(), lastDay)
  return new Date(first.getTime() + (day - 1) * dayLong + (from.getTime() % dayLong))
}

export const dayLong = 86_400_000

const monthsBetween = (from: Date, to: Date): number =>
  (to.getUTCFullYear() - from.getUTCFullYear()) * 12 + to.getUTCMonth() - from.getUTCMonth() - 1
