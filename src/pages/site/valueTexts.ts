/** Writes a duration in hours and minutes; an empty text for none. */
export function durationText(minutes: number, language: string): string {
  const unit = (value: number, name: 'hour' | 'minute'): string =>
    new Intl.NumberFormat(language, { style: 'unit', unit: name, unitDisplay: 'short' }).format(value)
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60]
  return [...(hours > 0 ? [unit(hours, 'hour')] : []), ...(rest > 0 ? [unit(rest, 'minute')] : [])].join(' ')
}

/** Returns the name of a language in another one; the tag itself if it has no name. */
export function languageName(tag: string, language: string): string {
  try {
    return new Intl.DisplayNames([language], { type: 'language' }).of(tag) ?? tag
  } catch {
    return tag
  }
}

/** Writes a period of time in a time zone: the day once if it begins and ends on it. */
export function periodText(start: string, end: string, { timeZone, language }: { timeZone: string; language: string }): string {
  const options = { dateStyle: 'full', timeStyle: 'short' } as const
  const [from, to] = [new Date(start), new Date(end)]
  try {
    return new Intl.DateTimeFormat(language, { ...options, timeZone }).formatRange(from, to)
  } catch {
    return new Intl.DateTimeFormat(language, { ...options, timeZone: 'UTC' }).formatRange(from, to)
  }
}
