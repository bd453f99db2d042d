import { comparisonForm } from './text/comparisonForm.ts'

/** The names that the runtime lists. It knows others, such as older names of the same zones. */
const listed: ReadonlySet<string> = new Set([...Intl.supportedValuesOf('timeZone'), 'UTC'])

/** Returns the time zone if the runtime knows it, otherwise UTC. */
export const knownTimeZone = (name: string): string => (listed.has(name) ? name : timeZoneOf(name) === undefined ? 'UTC' : name)

/**
 * Returns a typed name of the IANA database as it is stored: with the capitals of the runtime. Older and newer names of the same zone stay.
 * Undefined for other text: offsets are not names, because PostgreSQL reads their sign the other way round.
 */
export function timeZoneOf(typed: string): string | undefined {
  const form = comparisonForm(typed).replaceAll(' ', '_')
  const name = typed.trim().replaceAll(' ', '_')
  if (!/^[a-z]/.test(form)) return undefined
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: form }).resolvedOptions()
    return name === form || timeZone.toLowerCase() === form || name.toLowerCase() !== form ? timeZone : name
  } catch {
    return undefined
  }
}

interface Place {
  timeZone: string
  locale: string
}

/**
 * Writes a period of time in a time zone: the day once if it begins and ends on it. If the clock changes in between, or a time occurs twice
 * that day, both times have the name of their offset.
 */
export function periodText(start: string | Date, end: string | Date, { timeZone, locale }: Place): string {
  const [from, to, zone] = [new Date(start), new Date(end), knownTimeZone(timeZone)]
  const format = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'short', timeZone: zone })
  if (offsetAt(from, zone) === offsetAt(to, zone) && !isRepeated(from, zone) && !isRepeated(to, zone)) return format.formatRange(from, to)
  const withOffset = new Intl.DateTimeFormat(locale, { ...longDate, weekday: 'long', ...shortTime, timeZone: zone })
  return `${withOffset.format(from)} – ${withOffset.format(to)}`
}

/** Writes a time in a time zone, with the name of its offset if the time occurs twice that day. */
export function momentText(time: string | Date, { timeZone, locale }: Place): string {
  const [moment, zone] = [new Date(time), knownTimeZone(timeZone)]
  const style = isRepeated(moment, zone) ? { ...longDate, ...shortTime } : ({ dateStyle: 'long', timeStyle: 'short' } as const)
  return new Intl.DateTimeFormat(locale, { ...style, timeZone: zone }).format(moment)
}

const longDate = { year: 'numeric', month: 'long', day: 'numeric' } as const
const shortTime = { hour: 'numeric', minute: '2-digit', timeZoneName: 'short' } as const

/** Returns the offset from UTC in milliseconds. */
function offsetAt(moment: Date, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' }).formatToParts(moment)
  const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? ''
  const [, sign = '+', hours = 0, minutes = 0, seconds = 0] = /([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(name) ?? []
  return Number(`${sign}1`) * (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000
}

const hours = 3_600_000

/** True if the clock shows this time twice, because it is put back. */
function isRepeated(moment: Date, timeZone: string): boolean {
  const offset = offsetAt(moment, timeZone)
  return [-3, 3].some((distance) => {
    const other = offsetAt(new Date(moment.getTime() + distance * hours), timeZone)
    return other !== offset && offsetAt(new Date(moment.getTime() + offset - other), timeZone) === other
  })
}

/** Writes a time as the clock of a zone shows it, in the form of an input of a page: `2026-03-01T18:30`. */
export function clockText(time: string | Date, timeZone: string): string {
  const moment = new Date(time)
  return new Date(moment.getTime() + offsetAt(moment, knownTimeZone(timeZone))).toISOString().slice(0, 16)
}

/** Returns the time at which the clock of a zone shows a text such as `2026-03-01T18:30`; undefined for other texts. */
export function timeOfClock(text: string, timeZone: string): Date | undefined {
  const shown = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?$/.test(text) ? Date.parse(`${text}Z`) : Number.NaN
  if (Number.isNaN(shown)) return undefined
  const near = new Date(shown - offsetAt(new Date(shown), knownTimeZone(timeZone)))
  return new Date(shown - offsetAt(near, knownTimeZone(timeZone)))
}
