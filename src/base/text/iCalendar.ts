/** One event of a calendar. Times are RFC 3339 in UTC. */
export interface CalendarEntry {
  /** Globally unique, and the same in every export. */
  uid: string
  changedAt: string
  createdAt: string
  startsAt: string
  endsAt: string
  title: string
  /** Without markup (section 3.8.1.5). */
  description: string | null
  /** The same with markup, for the programs that read X-ALT-DESC. */
  html: string | null
  location: string | null
  position: { latitude: number; longitude: number } | null
  url: string | null
  isCanceled: boolean
  /** Number of the revision (section 3.8.7.4). */
  sequence: number
}

export interface Subscribed {
  /** Name of the calendar (RFC 7986 section 5.1). */
  name: string
  /** How often programs should read it again (RFC 7986 section 5.7). */
  refreshHours: number
}

const maxOctets = 75

/** Returns entries as an iCalendar object (RFC 5545). Text is escaped, so that it cannot end a line, a property or the object. */
export function iCalendar(product: string, entries: readonly CalendarEntry[], subscribed?: Subscribed): string {
  const lines = ['BEGIN:VCALENDAR', 'VERSION:2.0', `PRODID:${text(product)}`, 'CALSCALE:GREGORIAN', 'METHOD:PUBLISH']
  if (subscribed) lines.push(...subscription(subscribed))
  for (const entry of entries) lines.push(...linesOf(entry))
  return [...lines, 'END:VCALENDAR'].map((line) => `${folded(line)}\r\n`).join('')
}

/** The X- properties are for programs that do not know RFC 7986. */
const subscription = ({ name, refreshHours }: Subscribed): string[] => [
  `NAME:${text(name)}`,
  `X-WR-CALNAME:${text(name)}`,
  `REFRESH-INTERVAL;VALUE=DURATION:PT${refreshHours}H`,
  `X-PUBLISHED-TTL:PT${refreshHours}H`,
]

function linesOf({ position, url, ...entry }: CalendarEntry): string[] {
  const optional = (name: string, value: string | null): string[] => (value === null || value === '' ? [] : [`${name}:${text(value)}`])
  return [
    'BEGIN:VEVENT',
    `UID:${text(entry.uid)}`,
    `DTSTAMP:${time(entry.changedAt)}`,
    `CREATED:${time(entry.createdAt)}`,
    `LAST-MODIFIED:${time(entry.changedAt)}`,
    `SEQUENCE:${entry.sequence}`,
    `DTSTART:${time(entry.startsAt)}`,
    `DTEND:${time(entry.endsAt)}`,
    `SUMMARY:${text(entry.title)}`,
    ...optional('DESCRIPTION', entry.description),
    ...optional('X-ALT-DESC;FMTTYPE=text/html', entry.html),
    ...optional('LOCATION', entry.location),
    ...(position === null ? [] : [`GEO:${position.latitude};${position.longitude}`]),
    // A URL is not a text value and cannot be escaped (section 3.3.13), so an invalid one is omitted.
    ...(url !== null && /^https?:[\x21-\x7e]+$/.test(url) ? [`URL:${url}`] : []),
    `STATUS:${entry.isCanceled ? 'CANCELLED' : 'CONFIRMED'}`,
    'END:VEVENT',
  ]
}

/** Formats a time: `2026-03-01T18:30:00.000Z` becomes `20260301T183000Z` (section 3.3.5). */
const time = (value: string): string => new Date(value).toISOString().replace(/\.\d+/, '').replace(/[-:]/g, '')

/** Escapes a text value (section 3.3.11). Every kind of line break becomes one; other control characters are removed. */
const text = (value: string): string =>
  value
    .toWellFormed()
    .replace(/\r\n|[\r\n\u0085\u2028\u2029]/g, '\n')
    .replace(/[^\P{Cc}\n\t]/gu, '')
    .replace(/[\\;,]/g, '\\$&')
    .replaceAll('\n', '\\n')

/** Folds a line into lines of at most 75 octets, without splitting a character (section 3.1). */
function folded(line: string): string {
  let result = ''
  let octets = 0
  for (const character of line) {
    const size = Buffer.byteLength(character)
    if (octets + size > maxOctets) {
      result += '\r\n '
      octets = 1
    }
    result += character
    octets += size
  }
  return result
}
