import { portion } from './prorateAmounts.ts'

/** The tax settings of a school: whether its prices include tax, and the rate in hundredths of a percent. */
export interface Tax {
  mode: 'inclusive' | 'exclusive' | 'none'
  rateBps: number
}

/** Amounts in the smallest unit of the currency. */
export interface LineInput {
  unitAmount: number
  quantity: number
  discount: number
}

export interface LineAmounts {
  gross: number
  discount: number
  tax: number
  total: number
}

export interface OrderAmounts {
  lines: LineAmounts[]
  subtotal: number
  discount: number
  tax: number
  total: number
}

export const maxAmount = 99_999_999_999

/**
 * Returns the amounts of an order. Each sum is the sum of its lines, which are rounded one by one; included tax is part of the total.
 * @throws RangeError if an amount is negative, not an integer or above `maxAmount`
 */
export function priceLines(lines: readonly LineInput[], tax: Tax): OrderAmounts {
  const priced = lines.map((line) => priceLine(line, tax))
  const sum = (of: (line: LineAmounts) => number): number => priced.reduce((total, line) => total + of(line), 0)
  const amounts = {
    lines: priced,
    subtotal: sum(({ gross }) => gross),
    discount: sum(({ discount }) => discount),
    tax: sum((line) => line.tax),
    total: sum(({ total }) => total),
  }
  requireAmount(amounts.subtotal)
  requireAmount(amounts.total)
  return amounts
}

function priceLine({ unitAmount, quantity, discount }: LineInput, { mode, rateBps }: Tax): LineAmounts {
  const gross = unitAmount * quantity
  for (const amount of [unitAmount, gross, discount]) requireAmount(amount)
  if (discount > gross) throw new RangeError('the discount exceeds the amount of its line')
  const net = gross - discount
  const tax = mode === 'none' ? 0 : portion(net, rateBps, mode === 'inclusive' ? 10_000 + rateBps : 10_000)
  return { gross, discount, tax, total: mode === 'exclusive' ? net + tax : net }
}

function requireAmount(amount: number): void {
  if (!Number.isSafeInteger(amount) || amount < 0 || amount > maxAmount) {
    throw new RangeError(`an amount must be an integer from 0 to ${maxAmount}`)
  }
}
