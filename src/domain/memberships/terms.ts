import type { Sql } from '../../store/sql.ts'
import { discountOf as rateOf } from '../coupons/couponRow.ts'
import { quote } from '../coupons/quote.ts'
import type { Period } from './periods.ts'

/** What a price asks for, and of which plan it is. */
export interface Terms extends Period {
  price_id: string
  plan_id: string
  plan_name: string
  plan_status: string
  /** Whether somebody confirms a payment that the school collects itself before the next period begins. */
  manual_renewal: string
  amount: number
  currency: string
  trial_days: number
  active: boolean
}

/** What a coupon takes off. */
export interface Discount {
  id: string
  code: string
  discount_type: 'percent' | 'amount'
  percent_bps: number | null
  amount_off: number | string | null
  duration: string
  duration_months: number | null
}

export async function termsOf(sql: Sql, schoolId: string, priceId: string): Promise<Terms | undefined> {
  const [row] = await sql.query<Omit<Terms, 'amount'> & { amount: number | string }>(
    `SELECT p.id AS price_id, p.plan_id, m.name AS plan_name, m.status AS plan_status, m.manual_renewal, p.interval, p.interval_count, p.amount, p.currency,
            p.trial_days, p.active
       FROM plan_price p JOIN membership_plan m ON m.school_id = p.school_id AND m.id = p.plan_id
      WHERE p.school_id = $1 AND p.id = $2`,
    [schoolId, priceId],
  )
  return row && { ...row, amount: Number(row.amount) }
}

export async function discountOf(sql: Sql, schoolId: string, couponId: string | null): Promise<Discount | undefined> {
  if (couponId === null) return undefined
  const [row] = await sql.query<Discount>(
    'SELECT id, code, discount_type, percent_bps, amount_off, duration, duration_months FROM coupon WHERE school_id = $1 AND id = $2',
    [schoolId, couponId],
  )
  return row
}

/** What a coupon takes off an amount: never more than there is. */
export const takenOff = (amount: number, coupon: Discount | undefined): number =>
  quote([{ price: amount, applies: coupon !== undefined }], coupon && rateOf(coupon)).discount

/** What a period costs who has the plan as a present: nothing. Others pay the price, less what a coupon takes off. */
export const amountDue = (terms: Pick<Terms, 'amount'>, collection: string, discount?: Discount): number =>
  collection === 'comped' ? 0 : terms.amount - takenOff(terms.amount, discount)
