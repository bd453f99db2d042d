// Proves RFC 9110 section 14: A range of a file equals the slice of its bytes

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readRange } from '../../../src/base/http/byteRange.ts'

test('a range is a slice of the bytes (RFC 9110 section 14.1.2)', () => {
  const edge = fc.option(fc.nat({ max: 60 }), { nil: undefined })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 50 }), edge, edge, (length, first, last) => {
      const bytes = Buffer.from(Array.from({ length }, (_, index) => index))
      const range = readRange(`bytes=${first ?? ''}-${last ?? ''}`, length)
      if (first === undefined && last === undefined) return void expect(range).toBe('whole')
      if (first !== undefined && last !== undefined && last < first) return void expect(range).toBe('whole')
      const slice =
        first === undefined
          ? last === 0
            ? Buffer.alloc(0)
            : bytes.subarray(-(last as number))
          : bytes.subarray(first, last === undefined ? undefined : last + 1)
      if (slice.length === 0) return void expect(range).toBe('unsatisfiable')
      expect(range).toEqual({ first: slice[0], last: slice.at(-1) })
    }),
  )
})

test('for any other header the response is the whole file or lies within the bytes', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.string().map((text) => `bytes=${text}`),
      ),
      (header) => {
        const range = readRange(header, 10)
        if (typeof range === 'string') return
        expect(range.first).toBeGreaterThanOrEqual(0)
        expect(range.last).toBeLessThan(10)
        expect(range.first).toBeLessThanOrEqual(range.last)
      },
    ),
  )
  for (const header of ['', 'bytes=', 'bytes=-', 'bytes=0-1,3-4', 'lines=0-1', 'bytes=a-b', 'bytes=1.5-2', 'bytes=99999999999999999999-']) {
    expect(readRange(header, 10)).toBe('whole')
  }
})
