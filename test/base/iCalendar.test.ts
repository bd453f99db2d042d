import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type CalendarEntry, iCalendar } from '../../src/base/text/iCalendar.ts'

const entry: CalendarEntry = {
  uid: 'evt_1@school.example',
  changedAt: '2026-02-01T08:00:00.000Z',
  createdAt: '2026-01-01T08:00:00.000Z',
  startsAt: '2026-03-01T18:30:00.000Z',
  endsAt: '2026-03-01T20:30:00.000Z',
  title: 'Open Kiln Evening',
  description: null,
  location: null,
  position: null,
  url: null,
  isCanceled: false,
  sequence: 1,
  html: null,
}

/** The lines of a calendar as its readers see them: unfolded (RFC 5545 section 3.1). */
const linesOf = (calendar: string): string[] => calendar.replaceAll('\r\n ', '').split('\r\n').slice(0, -1)

/** A text value as its readers see it (section 3.3.11). */
const unescaped = (value: string): string => value.replace(/\\(.)/g, (_all, character: string) => (character === 'n' ? '\n' : character))

const textOf = (calendar: string, name: string): string | undefined =>
  linesOf(calendar)
    .find((line) => line.startsWith(`${name}:`))
    ?.slice(name.length + 1)

describe('an iCalendar object (RFC 5545)', () => {
  test('has what a calendar asks for, and says what was called off', () => {
    expect(
      linesOf(
        iCalendar('-//school.example//Schoolgate//EN', [{ ...entry, isCanceled: true, position: { latitude: 53.5, longitude: 10 } }]),
      ),
    ).toEqual([
      'BEGIN:VCALENDAR',
      'VERSION:2.0',
      'PRODID:-//school.example//Schoolgate//EN',
      'CALSCALE:GREGORIAN',
      'METHOD:PUBLISH',
      'BEGIN:VEVENT',
      'UID:evt_1@school.example',
      'DTSTAMP:20260201T080000Z',
      'CREATED:20260101T080000Z',
      'LAST-MODIFIED:20260201T080000Z',
      'SEQUENCE:1',
      'DTSTART:20260301T183000Z',
      'DTEND:20260301T203000Z',
      'SUMMARY:Open Kiln Evening',
      'GEO:53.5;10',
      'STATUS:CANCELLED',
      'END:VEVENT',
      'END:VCALENDAR',
    ])
  })

  const hostile = fc.string({
    unit: fc.oneof(
      fc.constantFrom('\r', '\n', '\r\n', ';', ',', '\\', ':', '\u2028', '\u0085', '\0', 'é', '🏺'),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    ),
    maxLength: 200,
  })

  test('no text ends its line, adds a property or tears a character; and it is read as it was written', () => {
    fc.assert(
      fc.property(hostile, hostile, (title, description) => {
        const calendar = iCalendar('-//x//EN', [
          { ...entry, title, description: `${description}x`, html: `${title}<p>`, location: title || 'x' },
        ])
        for (const line of calendar.split('\r\n')) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75)
        expect(calendar).not.toMatch(/(?<!\r)\n|\r(?!\n)/)
        expect(calendar.isWellFormed()).toBe(true)
        const names = linesOf(calendar).map((line) => line.split(':')[0])
        expect(names).toEqual(
          'BEGIN VERSION PRODID CALSCALE METHOD BEGIN UID DTSTAMP CREATED LAST-MODIFIED SEQUENCE DTSTART DTEND SUMMARY DESCRIPTION X-ALT-DESC;FMTTYPE=text/html LOCATION STATUS END END'.split(
            ' ',
          ),
        )
        const read = title
          .toWellFormed()
          .replace(/\r\n|[\r\n\u0085\u2028\u2029]/g, '\n')
          .replace(/[^\P{Cc}\n\t]/gu, '')
        expect(unescaped(textOf(calendar, 'SUMMARY') as string)).toBe(read)
      }),
      { numRuns: 300 },
    )
  })

  test('an invalid address is left out', () => {
    for (const url of ['javascript:alert(1)', 'https://a.example/\r\nATTENDEE:x', 'https://a.example/ x']) {
      expect(textOf(iCalendar('-//x//EN', [{ ...entry, url }]), 'URL')).toBeUndefined()
    }
    expect(textOf(iCalendar('-//x//EN', [{ ...entry, url: 'https://a.example/x' }]), 'URL')).toBe('https://a.example/x')
  })
})
