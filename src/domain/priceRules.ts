import type { ProblemDetail } from '../lib/problem.ts'

type Money = { amount: number; currency: string } | null | undefined

/** What says what something costs. */
export interface Priced {
  access?: unknown
  price?: Money
  compare_at_price?: Money
}

/** Whether access, price and former price fit together, in the currency that the school sells in. */
export function priceErrors({ access, price, compare_at_price: compareAt }: Priced, currency: string, noun: string): ProblemDetail[] {
  const isPaid = access === 'paid'
  const fieldErrors: ProblemDetail[] = []
  const fault = (field: string, code: string, message: string): number => fieldErrors.push({ field, code, message: `${field}: ${message}` })
  if (isPaid && !price) fault('price', 'required', `a paid ${noun} needs one`)
  if (!isPaid && price) fault('price', 'not_allowed', `only a paid ${noun} has one`)
  if (price && price.amount === 0) fault('price.amount', 'min', 'must be greater than 0')
  if (compareAt && (!price || compareAt.amount <= price.amount)) fault('compare_at_price.amount', 'min', 'must be greater than the price')
  for (const [field, money] of Object.entries({ price, compare_at_price: compareAt })) {
    if (money && money.currency !== currency) fault(`${field}.currency`, 'not_allowed', `the school sells in ${currency}`)
  }
  return fieldErrors
}
