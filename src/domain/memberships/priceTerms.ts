import type { Reader } from '../../store/database.ts'
import { type CouponRow, discountOf } from '../coupons/couponRow.ts'
import { quote } from '../coupons/quote.ts'
import type { Period } from './periods.ts'

/** The terms of a price, and its plan. */
export interface PriceTerms extends Period {
  price_id: string
  plan_id: string
  plan_name: string
  plan_status: string
  /** `confirm` if staff must confirm a payment that the school collects itself before the next period begins. */
  manual_renewal: string
  amount: number
  currency: string
  trial_days: number
  active: boolean
}

/** The discount of a coupon, and for how long it applies. */
export interface CouponTerms extends Pick<CouponRow, 'discount_type' | 'percent_bps' | 'amount_off'> {
  id: string
  code: string
  duration: string
  duration_months: number | null
}

/** Returns the terms of a price. */
export async function findTerms(reader: Reader, schoolId: string, priceId: string): Promise<PriceTerms | undefined> {
  const row = await reader
    .selectFrom('plan_price')
    .innerJoin('membership_plan', (join) =>
      join.onRef('membership_plan.school_id', '=', 'plan_price.school_id').onRef('membership_plan.id', '=', 'plan_price.plan_id'),
    )
    .select(['plan_price.id as price_id', 'plan_price.plan_id', 'plan_price.interval', 'plan_price.interval_count'])
    .select(['plan_price.amount', 'plan_price.currency', 'plan_price.trial_days', 'plan_price.active'])
    .select(['membership_plan.name as plan_name', 'membership_plan.status as plan_status', 'membership_plan.manual_renewal'])
    .where('plan_price.school_id', '=', schoolId)
    .where('plan_price.id', '=', priceId)
    .executeTakeFirst()
  return row && { ...row, amount: Number(row.amount) }
}

/** Returns the terms of a price that a row refers to. */
export async function requireTerms(reader: Reader, schoolId: string, priceId: string): Promise<PriceTerms> {
  const terms = await findTerms(reader, schoolId, priceId)
  if (!terms) throw new Error(`there is no price ${priceId}`)
  return terms
}

/** Returns the terms of a coupon, if there is one. */
export async function findCouponTerms(reader: Reader, schoolId: string, couponId: string | null): Promise<CouponTerms | undefined> {
  if (couponId === null) return undefined
  return await reader
    .selectFrom('coupon')
    .select(['id', 'code', 'discount_type', 'percent_bps', 'amount_off', 'duration', 'duration_months'])
    .where('school_id', '=', schoolId)
    .where('id', '=', couponId)
    .executeTakeFirst()
}

/** Returns the discount on an amount: at most the amount. */
export const discountOn = (amount: number, coupon: CouponTerms | undefined): number =>
  quote([{ price: amount, applies: coupon !== undefined }], coupon && discountOf(coupon)).discount

/** Returns the price of a period after the discount. A complimentary subscription costs nothing. */
export const amountDue = (terms: Pick<PriceTerms, 'amount'>, collection: string, coupon?: CouponTerms): number =>
  collection === 'comped' ? 0 : terms.amount - discountOn(terms.amount, coupon)
