import { portion, prorateAmounts } from '../orders/prorateAmounts.ts'

/** The discount of a coupon: hundredths of a percent of each line, or an amount that is prorated over the lines. */
export type Discount = { type: 'percent'; bps: number } | { type: 'amount'; amount: number }

export interface QuotedLine {
  /** In the smallest unit. */
  price: number
  applies: boolean
}

export interface Quote {
  lines: { price: number; discount: number; total: number }[]
  subtotal: number
  discount: number
  total: number
}

/** Applies a discount to prices. A line is never discounted by more than its price. */
export function quote(lines: readonly QuotedLine[], discount: Discount | undefined): Quote {
  const bases = lines.map(({ price, applies }) => (applies ? price : 0))
  const off = discount === undefined ? bases.map(() => 0) : discountOf(bases, discount)
  const quoted = lines.map(({ price }, index) => {
    const less = off[index] ?? 0
    return { price, discount: less, total: price - less }
  })
  const sum = (of: (line: Quote['lines'][number]) => number): number => quoted.reduce((total, line) => total + of(line), 0)
  return { lines: quoted, subtotal: sum(({ price }) => price), discount: sum((line) => line.discount), total: sum(({ total }) => total) }
}

function discountOf(bases: readonly number[], discount: Discount): number[] {
  if (discount.type === 'percent') return bases.map((base) => Math.min(base, portion(base, discount.bps, 10_000)))
  const whole = bases.reduce((total, base) => total + base, 0)
  return prorateAmounts(Math.min(discount.amount, whole), bases)
}
