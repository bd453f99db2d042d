import { fieldError, type ProblemDetail } from '../base/problem.ts'

type Money = { amount: number; currency: string } | null | undefined

export interface Priced {
  access?: unknown
  price?: Money
  compare_at_price?: Money
}

export function priceErrors({ access, price, compare_at_price: compareAt }: Priced, currency: string, noun: string): ProblemDetail[] {
  const isPaid = access === 'paid'
  const fieldErrors: ProblemDetail[] = []
  const report = (field: string, code: string, message: string): number => fieldErrors.push(fieldError(field, code, message))
  if (isPaid && !price) report('price', 'required', `is required for a paid ${noun}`)
  if (!isPaid && price) report('price', 'not_allowed', `is only allowed for a paid ${noun}: set access to paid, or remove the price`)
  if (price && price.amount === 0) report('price.amount', 'min', 'must be greater than 0')
  if (compareAt && (!price || compareAt.amount <= price.amount)) report('compare_at_price.amount', 'min', 'must be greater than the price')
  for (const [field, money] of Object.entries({ price, compare_at_price: compareAt })) {
    if (money && money.currency !== currency) report(`${field}.currency`, 'not_allowed', `must be ${currency}, the currency of the school`)
  }
  return fieldErrors
}
