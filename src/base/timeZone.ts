/** The names that the runtime lists. It knows others, such as older names of the same zones. */
const listed: ReadonlySet<string> = new Set([...Intl.supportedValuesOf('timeZone'), 'UTC'])

/** Returns the time zone if the runtime knows it, otherwise UTC. */
export function knownTimeZone(name: string): string {
  if (listed.has(name)) return name
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone && name
  } catch {
    return 'UTC'
  }
}

/**
 * Returns true for every name of the IANA database, also for one that the runtime lists under an older name, such as Asia/Kolkata. Offsets
 * are not names: PostgreSQL reads their sign the other way round.
 */
export const isTimeZone = (name: string): boolean => /^[A-Za-z]/.test(name) && knownTimeZone(name) === name

/** Writes a period of time in a time zone: the day once if it begins and ends on it. */
export function periodText(start: string | Date, end: string | Date, { timeZone, locale }: { timeZone: string; locale: string }): string {
  const options = { dateStyle: 'full', timeStyle: 'short', timeZone: knownTimeZone(timeZone) } as const
  return new Intl.DateTimeFormat(locale, options).formatRange(new Date(start), new Date(end))
}
