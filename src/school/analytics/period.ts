import { addDays, addMonths, addYears, type Day, daysBetween, firstOfMonth, mondayOf } from '../../base/days.ts'
import { Problem } from '../../base/problem.ts'

export const intervals = ['day', 'week', 'month'] as const
export type Interval = (typeof intervals)[number]
export const comparisons = ['previous_period', 'previous_year'] as const

const maxDays = 731
const defaultDays = 30

/** A range of days, both ends included. */
export interface Range {
  from: Day
  to: Day
}

/** A part of a period: the day that labels it, and its days within the period. */
export interface Bucket extends Range {
  date: Day
}

export interface Period extends Range {
  interval: Interval
  buckets: readonly Bucket[]
  compare: Range | undefined
}

export interface PeriodParameters {
  from?: Day | undefined
  to?: Day | undefined
  interval?: Interval | undefined
  compare?: (typeof comparisons)[number] | undefined
}

/**
 * Returns the days of a report: the requested ones, by default the last 30 up to today.
 * @throws Problem invalid_parameter if the range is empty, too long, or outside the supported years
 */
export function periodOf(
  { from: requestedFrom, to: requestedTo, interval: requestedInterval, compare }: PeriodParameters,
  today: Day,
): Period {
  for (const [name, day] of Object.entries({ from: requestedFrom, to: requestedTo })) {
    if (day !== undefined && (day < '1970-01-01' || day > '2999-12-31')) throw wrong(name, 'must be between 1970-01-01 and 2999-12-31')
  }
  const to = requestedTo ?? (requestedFrom !== undefined && requestedFrom > today ? requestedFrom : today)
  const from = requestedFrom ?? addDays(to, 1 - defaultDays)
  if (from > to) throw wrong('from', 'must not be after to')
  const days = daysBetween(from, to) + 1
  if (days > maxDays) throw wrong('from', `must be at most ${maxDays - 1} days before to`)
  const interval = requestedInterval ?? (days <= 31 ? 'day' : days <= 184 ? 'week' : 'month')
  return { from, to, interval, buckets: bucketsOf({ from, to }, interval), compare: compare && compared({ from, to }, compare) }
}

const wrong = (field: string, message: string): Problem =>
  new Problem('invalid_parameter', {
    description: `${field} ${message}.`,
    details: [{ field, code: 'range', message: `${field} ${message}.` }],
  })

const startOf = { day: (day: Day) => day, week: mondayOf, month: firstOfMonth }
const after = { day: (day: Day) => addDays(day, 1), week: (day: Day) => addDays(day, 7), month: (day: Day) => addMonths(day, 1) }

/** Splits a range into days, weeks from Monday or months. The first and the last one may be incomplete. */
function bucketsOf({ from, to }: Range, interval: Interval): Bucket[] {
  const buckets: Bucket[] = []
  for (let date = startOf[interval](from); date <= to; date = after[interval](date)) {
    const end = addDays(after[interval](date), -1)
    buckets.push({ date, from: date < from ? from : date, to: end > to ? to : end })
  }
  return buckets
}

/** Returns the range to compare with: as many days directly before, or the same days of the previous year. */
export const compared = ({ from, to }: Range, how: (typeof comparisons)[number]): Range =>
  how === 'previous_year'
    ? { from: addYears(from, -1), to: addYears(to, -1) }
    : { from: addDays(from, -1 - daysBetween(from, to)), to: addDays(from, -1) }
