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

export const mondayOf = (day: Day): Day => addDays(day, -((utc(day).getUTCDay() + 6) % 7))

export const firstOfMonth = (day: Day): Day => `${day.slice(0, 7)}-01`

export function addMonths(month: Day, months: number): Day {
  const [year = 0, number = 1] = month.split('-').map(Number)
  return text(new Date(Date.UTC(year, number - 1 + months, 1)))
}

export const dayIn = (timeZone: string, now: Date): Day => dayFormat(timeZone).format(now)

const dayFormat = (timeZone: string): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' })

/** Returns true if the text is a date of the calendar: `2026-02-28`. */
export function isDay(day: string): boolean {
  const date = /^\d{4}-\d{2}-\d{2}$/.test(day) ? utc(day) : undefined
  return date !== undefined && !Number.isNaN(date.getTime()) && text(date) === day
}

/** Returns when a day begins in a time zone. A day that the zone skipped begins with the next one. */
export const dayStart = (day: Day, timeZone: string): Date => firstMoment(timeZone, day, (found) => found >= day)

/** Returns when a day ends in a time zone: the beginning of the next one. */
export const dayEnd = (day: Day, timeZone: string): Date => firstMoment(timeZone, day, (found) => found > day)

/** Returns the first moment near a day for which a condition on its day holds, to the second. */
function firstMoment(timeZone: string, near: Day, holds: (day: Day) => boolean): Date {
  const format = dayFormat(timeZone)
  const longestOffset = 16 * 3600
  let before = utc(near).getTime() / 1000 - longestOffset
  let at = before + 2 * longestOffset + dayMs / 1000
  // Midnight can be missing or occur twice, so its offset cannot be computed. Days never go backwards.
  while (at - before > 1) {
    const middle = Math.floor((before + at) / 2)
    if (holds(format.format(middle * 1000))) at = middle
    else before = middle
  }
  return new Date(at * 1000)
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
