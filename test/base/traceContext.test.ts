// Proves W3C Trace Context section 3.2: A valid `traceparent` is continued and logged, an invalid one ignored

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseTraceparent } from '../../src/base/log/traceContext.ts'

const [trace, span] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7']

test('a valid traceparent names a trace, the span of the caller, and whether the caller records it (W3C Trace Context section 3.2)', () => {
  expect(parseTraceparent(`00-${trace}-${span}-01`)).toEqual({ traceId: trace, spanId: span, isSampled: true })
  expect(parseTraceparent(`00-${trace}-${span}-00`)).toEqual({ traceId: trace, spanId: span, isSampled: false })
  expect(parseTraceparent(`00-${trace}-${span}-03`)?.isSampled).toBe(true)
  // A later version may append members.
  expect(parseTraceparent(`01-${trace}-${span}-01-more`)?.traceId).toBe(trace)
})

test.each([
  ['', 'empty'],
  [`00-${trace}-${span}`, 'without flags'],
  [`00-${trace}-${span}-01-more`, 'version 00 with a further member'],
  [`ff-${trace}-${span}-01`, 'the invalid version'],
  [`00-${'0'.repeat(32)}-${span}-01`, 'a trace id of zeros'],
  [`00-${trace}-${'0'.repeat(16)}-01`, 'a parent id of zeros'],
  [`00-${trace.toUpperCase()}-${span}-01`, 'upper case'],
  [`00-${trace}-${span}-01, 00-${trace}-${span}-01`, 'two headers'],
  [`01-${trace}-${span}-01-${'x'.repeat(100)}`, 'too long'],
  [`00-${trace}-${span}-01\n`, 'a line break'],
])('%j is ignored: %s', (header) => {
  expect(parseTraceparent(header)).toBeUndefined()
})

test('any other text is ignored', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(parseTraceparent(text)).toBeUndefined()
    }),
  )
})
