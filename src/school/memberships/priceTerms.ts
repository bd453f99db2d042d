import type { SchoolReader, Stored } from '../../database/connection/database.ts'
import { quote } from '../coupons/quote.ts'
import { type CouponRow, discountOf } from '../coupons/validateCoupon.ts'
import type { Period } from './periods.ts'

export interface PriceTerms extends Period, Stored<'plan_price', 'plan_id' | 'currency' | 'trial_days' | 'active'> {
  price_id: string
  plan_name: string
  plan_status: string
  /** `confirm` if staff must confirm a payment that the school collects itself before the next period begins. */
  manual_renewal: string
  amount: number
}

export type CouponTerms = Pick<CouponRow, 'discount_type' | 'percent_bps' | 'amount_off'> &
  Stored<'coupon', 'id' | 'code' | 'duration' | 'duration_months'>

export async function findTerms(reader: SchoolReader, priceId: string): Promise<PriceTerms | undefined> {
  const row = await reader
    .selectFrom('plan_price')
    .innerJoin('membership_plan', 'membership_plan.id', 'plan_price.plan_id')
    .select(['plan_price.id as price_id', 'plan_price.plan_id', 'plan_price.interval', 'plan_price.interval_count'])
    .select(['plan_price.amount', 'plan_price.currency', 'plan_price.trial_days', 'plan_price.active'])
    .select(['membership_plan.name as plan_name', 'membership_plan.status as plan_status', 'membership_plan.manual_renewal'])
    .where('plan_price.id', '=', priceId)
    .executeTakeFirst()
  return row && { ...row, amount: Number(row.amount) }
}

export async function requireTerms(reader: SchoolReader, priceId: string): Promise<PriceTerms> {
  const terms = await findTerms(reader, priceId)
  if (!terms) throw new Error(`there is no price ${priceId}`)
  return terms
}

export async function findCouponTerms(reader: SchoolReader, couponId: string | null): Promise<CouponTerms | undefined> {
  if (couponId === null) return undefined
  return await reader
    .selectFrom('coupon')
    .select(['id', 'code', 'discount_type', 'percent_bps', 'amount_off', 'duration', 'duration_months'])
    .where('id', '=', couponId)
    .executeTakeFirst()
}

export const discountOn = (amount: number, coupon: CouponTerms | undefined): number =>
  quote([{ price: amount, applies: coupon !== undefined }], coupon && discountOf(coupon)).discount

/** Returns the price of a period after the discount. A complimentary subscription costs nothing. */
export const amountDue = (terms: Pick<PriceTerms, 'amount'>, collection: string, coupon?: CouponTerms): number =>
  collection === 'comped' ? 0 : terms.amount - discountOn(terms.amount, coupon)
