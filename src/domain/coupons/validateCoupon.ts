import { audienceOf, type Caller } from '../../policy/caller.ts'
import type { Sql } from '../../store/sql.ts'
import type { Offer } from './couponOffers.ts'
import { type CouponRow, discountOf, findCoupon, isGoodFor } from './couponRow.ts'
import { type IneligibilityReason, ineligibilityReason } from './ineligibilityReason.ts'
import { type Quote, quote } from './quote.ts'

export interface Validation {
  coupon: CouponRow | undefined
  /** Undefined where the coupon can be used. */
  reason: IneligibilityReason | undefined
  /** What it makes of the prices: nothing, where it cannot be used. */
  quote: Quote
}

/** What a code makes of these offers, for whoever asks. */
export async function validateCoupon(
  sql: Sql,
  {
    schoolId,
    code,
    offers,
    currency,
    personId,
    isLocked = false,
  }: {
    schoolId: string
    code: string
    offers: readonly Offer[]
    currency: string
    personId: string | undefined | null
    isLocked?: boolean
  },
): Promise<Validation> {
  const coupon = await findCoupon(sql, schoolId, code, isLocked)
  const reason = await ineligibilityReason(sql, coupon, { schoolId, currency, offers, personId })
  const usable = reason === undefined ? coupon : undefined
  const lines = offers.map((offer) => ({ price: offer.amount, applies: usable !== undefined && isGoodFor(usable, offer) }))
  return { coupon, reason, quote: quote(lines, usable && discountOf(usable)) }
}

/** What of a reason the caller is told: limits, dates and whom a coupon is for are the school's own business. */
export const publicReason = (reason: IneligibilityReason | undefined, caller: Caller): string | null =>
  reason === undefined ? null : audienceOf(caller) === 'staff' ? reason : 'not_applicable'
