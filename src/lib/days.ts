/** A day as text, without a time or a time zone: `2026-03-01`. */
export type Day = string

const dayMs = 86_400_000
const utc = (day: Day): Date => new Date(`${day}T00:00:00.000Z`)
const text = (date: Date): Day => date.toISOString().slice(0, 10)

export const addDays = (day: Day, days: number): Day => text(new Date(utc(day).getTime() + days * dayMs))

/** Returns the number of days from one day to another, excluding the last. */
export const daysBetween = (from: Day, to: Day): number => Math.round((utc(to).getTime() - utc(from).getTime()) / dayMs)

/** Returns the same day of another year; 29 February becomes the 28th in other years. */
export function addYears(day: Day, years: number): Day {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  const moved = new Date(Date.UTC(year + years, month - 1, date))
  return text(moved.getUTCMonth() === month - 1 ? moved : new Date(Date.UTC(year + years, month, 0)))
}

/** Returns the Monday of the day's week. */
export const mondayOf = (day: Day): Day => addDays(day, -((utc(day).getUTCDay() + 6) % 7))

export const firstOfMonth = (day: Day): Day => `${day.slice(0, 7)}-01`

/** Returns the first day of the month that is `months` later. */
export function addMonths(month: Day, months: number): Day {
  const [year = 0, number = 1] = month.split('-').map(Number)
  return text(new Date(Date.UTC(year, number - 1 + months, 1)))
}

/** Returns the day in a time zone. */
export function dayIn(timeZone: string, now: Date): Day {
  return new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(now)
}

/** Groups consecutive days into spans of at most `most` days. The days must be sorted. */
export function spansOf(days: readonly Day[], most: number): { first: Day; last: Day }[] {
  const spans: { first: Day; last: Day }[] = []
  for (const day of days) {
    const span = spans.at(-1)
    if (span && daysBetween(span.last, day) === 1 && daysBetween(span.first, day) < most) span.last = day
    else spans.push({ first: day, last: day })
  }
  return spans
}

/** Returns every day from one to another, both included. */
export const daysFrom = (first: Day, last: Day): Day[] =>
  Array.from({ length: Math.max(0, daysBetween(first, last) + 1) }, (_, index) => addDays(first, index))
