import { decimalAmount } from '../lib/decimalAmount.ts'

interface Money {
  amount: number
  currency: string
}

/** The members that all rows with a price share. */
export interface PricedRow {
  id: string
  slug?: string
  name?: string
  title?: string
  price?: Money | null
  compare_at_price?: Money | null
  prices?: readonly RecurringPrice[]
  subtitle?: string | null
  badge?: string | null
  benefits?: readonly string[]
  access_duration_days?: number | null
}

interface RecurringPrice {
  interval: 'month' | 'year' | 'one_time'
  interval_count?: number
  amount: Money
  trial_days?: number
  active?: boolean
}

export interface Price {
  /** `89.00`. */
  amount: string
  currency: string
  /** `month`, `3 months`, `once`. */
  period: string
  /** The row's description. */
  notes: readonly string[]
}

/** Returns every price of a row that can be paid now. */
export function pricesOf(row: PricedRow): Price[] {
  const { price, compare_at_price: former, prices = [], badge, subtitle, benefits = [], access_duration_days: days } = row
  const notes = [badge, subtitle, ...benefits, days && `open for ${days} days`].filter((note): note is string => Boolean(note))
  const once = price && { ...decimal(price), period: 'once', notes: former ? [...notes, `formerly ${decimal(former).amount}`] : notes }
  return [...prices.filter(({ active }) => active !== false).map((one) => recurring(one, notes)), ...(once ? [once] : [])]
}

function recurring({ amount, interval, interval_count: count = 1, trial_days: days = 0 }: RecurringPrice, notes: readonly string[]): Price {
  const period = interval === 'one_time' ? 'once' : count === 1 ? interval : `${count} ${interval}s`
  return { ...decimal(amount), period, notes: days > 0 ? [`first ${days} days free`, ...notes] : notes }
}

const decimal = ({ amount, currency }: Money): Pick<Price, 'amount' | 'currency'> => ({
  amount: decimalAmount({ amount, currency }),
  currency,
})
