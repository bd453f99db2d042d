import fc from 'fast-check'
import { expect, test } from 'vitest'
import { momentText, periodText } from '../../src/base/timeZone.ts'

const berlin = { timeZone: 'Europe/Berlin', locale: 'en-GB' }

test.each([
  [
    'put back between',
    '2026-10-25T00:30:00Z',
    '2026-10-25T02:30:00Z',
    'Sunday, 25 October 2026 at 02:30 CEST – Sunday, 25 October 2026 at 03:30 CET',
  ],
  [
    'repeated start and end',
    '2026-10-25T01:10:00Z',
    '2026-10-25T01:40:00Z',
    'Sunday, 25 October 2026 at 02:10 CET – Sunday, 25 October 2026 at 02:40 CET',
  ],
  [
    'repeated end',
    '2026-10-24T22:00:00Z',
    '2026-10-25T00:40:00Z',
    'Sunday, 25 October 2026 at 00:00 CEST – Sunday, 25 October 2026 at 02:40 CEST',
  ],
  [
    'put forward between',
    '2026-03-29T00:30:00Z',
    '2026-03-29T01:30:00Z',
    'Sunday, 29 March 2026 at 01:30 CET – Sunday, 29 March 2026 at 03:30 CEST',
  ],
  ['the day before', '2026-10-24T00:30:00Z', '2026-10-24T02:30:00Z', 'Saturday, 24 October 2026, 02:30–04:30'],
  ['the same night, after it', '2026-10-25T02:00:00Z', '2026-10-25T03:00:00Z', 'Sunday, 25 October 2026, 03:00–04:00'],
])('a period in the night of the clock change has the offsets if its times are not clear without them: %s', (_name, start, end, shown) => {
  expect(periodText(start, end, berlin).replaceAll(/[\u2009\u202f]/g, '')).toBe(shown)
})

test('a time that occurs twice has its offset, in every zone and language', () => {
  expect(momentText('2026-10-25T00:30:00Z', berlin)).toBe('25 October 2026 at 02:30 CEST')
  expect(momentText('2026-10-25T01:30:00Z', { ...berlin, locale: 'de' })).toBe('25. Oktober 2026 um 02:30 MEZ')
  expect(momentText('2026-10-25T02:30:00Z', berlin)).toBe('25 October 2026 at 03:30')
  // The clock of Lord Howe is put back by half an hour.
  expect(momentText('2026-04-04T14:45:00Z', { timeZone: 'Australia/Lord_Howe', locale: 'en-GB' })).toContain('01:45 GMT+11')
  expect(momentText('2026-04-04T15:15:00Z', { timeZone: 'Australia/Lord_Howe', locale: 'en-GB' })).toContain('01:45 GMT+10:30')
  expect(momentText('2026-11-01T05:30:00Z', { timeZone: 'America/New_York', locale: 'en-US' })).toContain('1:30 AM EDT')
})

test('different moments have different texts in every time zone', () => {
  const zones = Intl.supportedValuesOf('timeZone')
  const hour = Date.UTC(2026, 0, 1) / 3_600_000
  fc.assert(
    fc.property(
      fc.constantFrom(...zones),
      fc.integer({ min: 0, max: 365 * 24 * 4 }),
      fc.integer({ min: 1, max: 12 }),
      (timeZone, quarter, later) => {
        const start = new Date((hour + quarter / 4) * 3_600_000)
        const end = new Date(start.getTime() + later * 900_000)
        const place = { timeZone, locale: 'en-GB' }
        expect(momentText(start, place)).not.toBe(momentText(end, place))
        expect(periodText(start, end, place)).not.toBe(periodText(start, new Date(end.getTime() + 900_000), place))
      },
    ),
    { numRuns: 300 },
  )
})
