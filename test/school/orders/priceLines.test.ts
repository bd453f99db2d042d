import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { maxAmount, priceLines } from '../../../src/school/orders/priceLines.ts'
import { portion, prorateAmounts } from '../../../src/school/orders/prorateAmounts.ts'

const tax = fc.record({ mode: fc.constantFrom('inclusive', 'exclusive', 'none'), rateBps: fc.integer({ min: 0, max: 5000 }) })
const line = fc
  .record({
    unitAmount: fc.integer({ min: 0, max: 10_000_000 }),
    quantity: fc.integer({ min: 1, max: 100 }),
    off: fc.integer({ min: 0, max: 10_000 }),
  })
  .map(({ unitAmount, quantity, off }) => ({ unitAmount, quantity, discount: Math.floor((unitAmount * quantity * off) / 10_000) }))
const lines = fc.array(line, { minLength: 1, maxLength: 20 })
const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0)

describe('the amounts of an order', () => {
  test('are the sums of its lines, and its total is what they say', () => {
    fc.assert(
      fc.property(lines, tax, (given, rule) => {
        const order = priceLines(given, rule)
        for (const [member, total] of [
          ['gross', order.subtotal],
          ['discount', order.discount],
          ['tax', order.tax],
          ['total', order.total],
        ] as const)
          expect(sum(order.lines.map((one) => one[member]))).toBe(total)
        expect(order.total).toBe(order.subtotal - order.discount + (rule.mode === 'exclusive' ? order.tax : 0))
        for (const one of order.lines) {
          expect(one.tax).toBeGreaterThanOrEqual(0)
          expect(one.tax).toBeLessThanOrEqual(one.total)
          expect(Object.values(one).every(Number.isSafeInteger)).toBe(true)
        }
      }),
    )
  })

  test('contain a tax of which the net amount makes the total again, to the unit', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: maxAmount }), fc.integer({ min: 0, max: 5000 }), (amount, rateBps) => {
        const [one] = priceLines([{ unitAmount: amount, quantity: 1, discount: 0 }], { mode: 'inclusive', rateBps }).lines
        const net = amount - (one?.tax ?? 0)
        expect(Math.abs(net + portion(net, rateBps, 10_000) - amount)).toBeLessThanOrEqual(1)
      }),
    )
  })

  test('for a course at 89.00 with a tenth off contain 12.79 of tax at 19 per cent', () => {
    expect(priceLines([{ unitAmount: 8900, quantity: 1, discount: 890 }], { mode: 'inclusive', rateBps: 1900 })).toMatchObject({
      subtotal: 8900,
      discount: 890,
      tax: 1279,
      total: 8010,
    })
  })

  test('round half a unit up', () => {
    expect([portion(1, 1, 2), portion(3, 1, 2), portion(1, 1, 3), portion(5, 3, 10)]).toEqual([1, 2, 0, 2])
  })

  test.each([
    { unitAmount: -1, quantity: 1, discount: 0 },
    { unitAmount: 1.5, quantity: 1, discount: 0 },
    { unitAmount: 100, quantity: 1, discount: 101 },
    { unitAmount: 100, quantity: 1, discount: -1 },
    { unitAmount: maxAmount, quantity: 2, discount: 0 },
    { unitAmount: Number.NaN, quantity: 1, discount: 0 },
  ])('are rejected if they are invalid: %o', (one) => {
    expect(() => priceLines([one], { mode: 'none', rateBps: 0 })).toThrow(RangeError)
  })
})

test('a line whose discount is larger than itself is refused, also where another line makes up for it', () => {
  const lines = [
    { unitAmount: 100, quantity: 1, discount: 101 },
    { unitAmount: 5000, quantity: 1, discount: 0 },
  ]
  for (const given of [lines, lines.toReversed()]) expect(() => priceLines(given, { mode: 'none', rateBps: 0 })).toThrow(RangeError)
  expect(priceLines([{ ...(lines[0] as (typeof lines)[number]), discount: 100 }], { mode: 'none', rateBps: 0 }).total).toBe(0)
})

test('prorated amounts add up to the whole, and none is larger than its weight', () => {
  const weights = fc.array(fc.integer({ min: 0, max: maxAmount }), { maxLength: 20 })
  fc.assert(
    fc.property(weights, fc.integer({ min: 0, max: 10_000 }), (given, part) => {
      const amount = Math.floor(sum(given) * (part / 10_000))
      const parts = prorateAmounts(Math.min(amount, sum(given)), given)
      expect(sum(parts)).toBe(Math.min(amount, sum(given)))
      for (const [index, share] of parts.entries()) {
        expect(share).toBeGreaterThanOrEqual(0)
        expect(share).toBeLessThanOrEqual(given[index] as number)
      }
    }),
  )
})
