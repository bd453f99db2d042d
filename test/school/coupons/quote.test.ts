import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Discount, quote } from '../../../src/school/coupons/quote.ts'

const line = fc.record({ price: fc.integer({ min: 0, max: 9_999_999_999 }), applies: fc.boolean() })
const lines = fc.array(line, { minLength: 1, maxLength: 20 })
const percent = fc.integer({ min: 1, max: 10_000 }).map((bps): Discount => ({ type: 'percent', bps }))
const amount = fc.integer({ min: 1, max: 99_999_999_999 }).map((one): Discount => ({ type: 'amount', amount: one }))
const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0)

describe('prices with a coupon', () => {
  test('takes nothing off what it is not for, and from no line more than it costs; the lines add up', () => {
    fc.assert(
      fc.property(lines, fc.oneof(percent, amount), (given, discount) => {
        const quoted = quote(given, discount)
        for (const [index, { price, discount: less, total }] of quoted.lines.entries()) {
          expect(Number.isSafeInteger(less)).toBe(true)
          expect(less).toBeGreaterThanOrEqual(0)
          expect(less).toBeLessThanOrEqual(given[index]?.applies ? price : 0)
          expect(total).toBe(price - less)
        }
        expect(sum(quoted.lines.map((one) => one.discount))).toBe(quoted.discount)
        expect(sum(quoted.lines.map(({ total }) => total))).toBe(quoted.total)
        expect(quoted.total).toBe(quoted.subtotal - quoted.discount)
      }),
    )
  })

  test('is the whole amount, where the lines are worth that much', () => {
    fc.assert(
      fc.property(lines, amount, (given, discount) => {
        const worth = sum(given.map(({ price, applies }) => (applies ? price : 0)))
        expect(quote(given, discount).discount).toBe(Math.min(worth, (discount as { amount: number }).amount))
      }),
    )
  })

  test.each([
    [999, 5000, 500],
    [1, 4999, 0],
    [1, 5000, 1],
    [8900, 1000, 890],
    [333, 3333, 111],
    [99_999_999_999, 10_000, 99_999_999_999],
  ])('%i with %i hundredths of a percent gives %i, half a unit rounded up', (price, bps, discount) => {
    expect(quote([{ price, applies: true }], { type: 'percent', bps }).discount).toBe(discount)
  })
})
