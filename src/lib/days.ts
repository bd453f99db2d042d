/** A day as text, `2026-03-01`: it has no zone and no hour. */
export type Day = string

const dayMs = 86_400_000
const utc = (day: Day): Date => new Date(`${day}T00:00:00.000Z`)
const text = (date: Date): Day => date.toISOString().slice(0, 10)

export const addDays = (day: Day, days: number): Day => text(new Date(utc(day).getTime() + days * dayMs))

/** How many days from one to the other, the last not counted. */
export const daysBetween = (from: Day, to: Day): number => Math.round((utc(to).getTime() - utc(from).getTime()) / dayMs)

/** The same day of another year; of 29 February the 28th where there is none. */
export function addYears(day: Day, years: number): Day {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  const moved = new Date(Date.UTC(year + years, month - 1, date))
  return text(moved.getUTCMonth() === month - 1 ? moved : new Date(Date.UTC(year + years, month, 0)))
}

/** The Monday of the day's week. */
export const mondayOf = (day: Day): Day => addDays(day, -((utc(day).getUTCDay() + 6) % 7))

export const firstOfMonth = (day: Day): Day => `${day.slice(0, 7)}-01`

/** The first day of a month some months later. */
export function addMonths(month: Day, months: number): Day {
  const [year = 0, number = 1] = month.split('-').map(Number)
  return text(new Date(Date.UTC(year, number - 1 + months, 1)))
}

/** The day in a place of the world. */
export function dayIn(timeZone: string, now: Date): Day {
  return new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(now)
}

/** Days in a row become spans of at most so many. They must come in order. */
export function spansOf(days: readonly Day[], most: number): { first: Day; last: Day }[] {
  const spans: { first: Day; last: Day }[] = []
  for (const day of days) {
    const span = spans.at(-1)
    if (span && daysBetween(span.last, day) === 1 && daysBetween(span.first, day) < most) span.last = day
    else spans.push({ first: day, last: day })
  }
  return spans
}

/** Every day from one to another, both included. */
export const daysFrom = (first: Day, last: Day): Day[] =>
  Array.from({ length: Math.max(0, daysBetween(first, last) + 1) }, (_, index) => addDays(first, index))
