import { toPublicId } from '../../base/ids.ts'
import { demoId } from './ids.ts'

export interface MarkArguments {
  schoolId: string
  now: Date
  passwordHash: string
  /** Document numbers count by year in this time zone. */
  timeZone: string
}

const dayMs = 86_400_000
const isTime = /^@-?\d+T\d/
const mark = /"((?:[a-z]{3}_)?@[^"\\]+)"/g

/**
 * Replaces the marks in the rows of the demo:
 *
 * - `@school`: the id of the school
 * - `@course/3`: the id of the fourth row of the table course; `crs_@course/3`: the same as a public id
 * - `@-12T17:00:00Z`: a time 12 days before the day of `now`
 * - `@password`: the hash of the demo password
 * - `@number/INV-/-12T17:00:00Z/5`: the next number of the year of this time, as `INV-2026-000001`; the last part tells documents apart
 * - `@code/certificate/3`: a number that no other school has
 */
export function createMarks({ schoolId, now, passwordHash, timeZone }: MarkArguments) {
  const today = Math.floor(now.getTime() / dayMs)
  const yearOf = new Intl.DateTimeFormat('en', { timeZone, year: 'numeric' })
  const ids = new Map([
    ['@school', schoolId],
    ['@password', passwordHash],
  ])
  const days = new Map<string, string>()
  const lastNumbers = new Map<string, { prefix: string; year: number; last: number }>()

  function timeOf(mark: string): string {
    const end = mark.indexOf('T')
    const named = mark.slice(1, end)
    const day = days.get(named) ?? new Date((today + Number(named)) * dayMs).toISOString().slice(0, 10)
    days.set(named, day)
    return day + mark.slice(end)
  }

  function nextNumber(prefix: string, at: string): string {
    const year = Number(yearOf.format(new Date(at)))
    const key = `${prefix}${year}`
    const last = (lastNumbers.get(key)?.last ?? 0) + 1
    lastNumbers.set(key, { prefix, year, last })
    return `${key}-${String(last).padStart(6, '0')}`
  }

  function valueOfMark(text: string): string {
    const [, prefix, time] = /^@number\/([A-Z-]*)\/(-?\d+T[^/]+)\/\d+$/.exec(text) ?? []
    if (prefix !== undefined && time !== undefined) return nextNumber(prefix, timeOf(`@${time}`))
    const [, start, table, place] = /^([a-z]{3}_|@code\/)?@?([a-z_]+)\/(\d+)$/.exec(text) ?? []
    if (table === undefined) return text
    const id = demoId(schoolId, table, Number(place))
    if (start === undefined) return id
    return start === '@code/' ? toPublicId('num', id).slice(-16).toUpperCase() : toPublicId(start.slice(0, 3), id)
  }

  function fillMark(_: string, text: string): string {
    if (isTime.test(text)) return `"${timeOf(text)}"`
    const value = ids.get(text) ?? valueOfMark(text)
    ids.set(text, value)
    return `"${value}"`
  }

  return {
    fill: (line: string): string => line.replace(mark, fillMark),
    /** Returns the last number of each kind and year. */
    lastNumbers: () => [...lastNumbers.values()],
  }
}

export type Marks = ReturnType<typeof createMarks>
