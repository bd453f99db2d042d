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

/** Writes a period of time in a time zone: the day once if it begins and ends on it. */
export function periodText(start: string | Date, end: string | Date, { timeZone, locale }: { timeZone: string; locale: string }): string {
  const options = { dateStyle: 'full', timeStyle: 'short', timeZone: knownTimeZone(timeZone) } as const
  return new Intl.DateTimeFormat(locale, options).formatRange(new Date(start), new Date(end))
}
