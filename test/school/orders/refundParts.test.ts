import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { priceLines } from '../../../src/school/orders/priceLines.ts'
import { type RefundableLine, type RefundedAmounts, refundParts } from '../../../src/school/orders/refundParts.ts'

const euro = { currency: 'EUR' }

/** Applies the parts of a refund to their lines. */
function refund(lines: RefundableLine[], amounts: RefundedAmounts): { amount: number; tax: number } {
  const parts = refundParts(lines, amounts, euro)
  for (const { line, amount, tax, isRest } of parts)
    Object.assign(line, { refunded: line.refunded + amount, refundedTax: line.refundedTax + tax, isRefunded: isRest })
  return { amount: parts.reduce((sum, part) => sum + part.amount, 0), tax: parts.reduce((sum, part) => sum + part.tax, 0) }
}

const linesOf = (prices: readonly number[], mode: 'inclusive' | 'exclusive' | 'none', rateBps: number): RefundableLine[] =>
  priceLines(
    prices.map((unitAmount) => ({ unitAmount, quantity: 1, discount: 0 })),
    { mode, rateBps },
  ).lines.map(({ total, tax }, index) => ({
    id: `line ${index}`,
    product_type: 'course',
    product_id: `course ${index}`,
    total,
    tax,
    refunded: 0,
    refundedTax: 0,
    isRefunded: false,
  }))

describe('the parts of refunds', () => {
  test('add up to the total and the tax of every line, to the unit, for every sequence, price, rate and mode', () => {
    const price = fc.oneof(fc.nat({ max: 20 }), fc.nat({ max: 12_000_000_000 }))
    const request = fc.record({ line: fc.nat({ max: 3 }), percent: fc.nat({ max: 100 }), isWhole: fc.boolean() })
    fc.assert(
      fc.property(
        fc.array(price, { minLength: 1, maxLength: 4 }),
        fc.constantFrom('inclusive' as const, 'exclusive' as const, 'none' as const),
        fc.nat({ max: 5000 }),
        fc.array(request, { maxLength: 12 }),
        (prices, mode, rateBps, requests) => {
          const lines = linesOf(prices, mode, rateBps)
          const rest = (): number => lines.reduce((sum, { total, refunded }) => sum + total - refunded, 0)
          const returned = { amount: 0, tax: 0 }
          for (const { line, percent, isWhole } of requests) {
            const one = lines[line % lines.length] as RefundableLine
            const left = isWhole ? rest() : one.total - one.refunded
            const amount = Math.floor((left * percent) / 100)
            if (amount < 1) continue
            const part = refund(lines, isWhole ? { amount } : { items: [{ lineId: one.id, amount }] })
            expect(part.amount).toBe(amount)
            expect(part.tax).toBeGreaterThanOrEqual(0)
            expect(part.tax).toBeLessThanOrEqual(amount)
            returned.amount += part.amount
            returned.tax += part.tax
          }
          if (rest() > 0) {
            const last = refund(lines, {})
            returned.amount += last.amount
            returned.tax += last.tax
          }
          for (const line of lines) expect([line.refunded, line.refundedTax]).toEqual([line.total, line.tax])
          expect(returned).toEqual({
            amount: lines.reduce((sum, { total }) => sum + total, 0),
            tax: lines.reduce((sum, { tax }) => sum + tax, 0),
          })
        },
      ),
    )
  })

  test('contain the tax in proportion: half of a line returns half of its tax, rounded half up', () => {
    const [line] = linesOf([1095], 'inclusive', 1000) as [RefundableLine]
    expect(line.tax).toBe(100)
    expect(refund([line], { items: [{ lineId: line.id, amount: 100 }] })).toEqual({ amount: 100, tax: 9 })
    expect(refund([line], { items: [{ lineId: line.id }] })).toEqual({ amount: 995, tax: 91 })
  })

  test.each<[string, RefundedAmounts, string]>([
    ['an amount above the rest', { amount: 301 }, 'amount'],
    ['an amount of 0', { amount: 0 }, 'amount'],
    ['half a unit', { amount: 0.5 }, 'amount'],
    ['an amount and lines', { amount: 1, items: [{ lineId: 'line 0' }] }, 'items'],
    ['a line of another order', { items: [{ lineId: 'line 7' }] }, 'items.0.line'],
    ['no id of a line', { items: [{ lineId: undefined }] }, 'items.0.line'],
    [
      'a line twice',
      {
        items: [
          { lineId: 'line 0', amount: 1 },
          { lineId: 'line 0', amount: 1 },
        ],
      },
      'items.1.line',
    ],
    ['more than a line', { items: [{ lineId: 'line 1', amount: 201 }] }, 'items.0.amount'],
    ['a free line', { items: [{ lineId: 'line 2' }] }, 'items.0.line'],
  ])('of %s are rejected, and the field is named', (_name, amounts, field) => {
    const lines = linesOf([100, 200, 0], 'none', 0)
    expect(() => refundParts(lines, amounts, euro)).toThrow(
      expect.objectContaining({ code: 'validation_failed', details: [expect.objectContaining({ field })] }),
    )
  })

  test('do not exist for an order with a total of 0, and an amount is rejected', () => {
    const lines = linesOf([0], 'none', 0)
    expect(refundParts(lines, {}, euro)).toEqual([])
    expect(() => refundParts(lines, { amount: 1 }, euro)).toThrow(expect.objectContaining({ code: 'validation_failed' }))
  })
})
