import { assert, date, integer, property } from 'fast-check'
import { types } from 'pg'
import { expect, test } from 'vitest'
import { timestampParser } from '../../src/database/connection/timestampParser.ts'

const usual = types.getTypeParser(types.builtins.TIMESTAMPTZ) as (text: string) => Date
const parse = timestampParser(usual)

test('a time of the database is the same as the usual parser reads, with any number of fractional digits', async () => {
  const range = { min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }
  await assert(
    property(date(range), integer({ min: 0, max: 6 }), integer({ min: 0, max: 999_999 }), (time, digits, micros) => {
      const fraction = digits === 0 ? '' : `.${String(micros).padStart(6, '0').slice(0, digits)}`
      const text = `${time.toISOString().slice(0, 19).replace('T', ' ')}${fraction}+00`
      expect(parse(text)).toEqual(usual(text))
    }),
  )
})

test('other texts go to the usual parser', () => {
  for (const text of ['infinity', '-infinity', '0044-03-15 10:00:00+00 BC', '12026-01-01 00:00:00+00', '2026-01-01 00:00:00+05:30'])
    expect(parse(text)).toEqual(usual(text))
})
