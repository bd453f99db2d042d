import { audienceOf, type Caller } from '../../base/caller.ts'
import type { SchoolReader } from '../../database/connection/database.ts'
import { appliesTo, type CouponRow, discountOf, findCoupon } from './couponRow.ts'
import type { Offer } from './findOffers.ts'
import { type IneligibilityReason, ineligibilityReason } from './ineligibilityReason.ts'
import { type Quote, quote } from './quote.ts'

export interface Validation {
  coupon: CouponRow | undefined
  /** Undefined if the coupon can be used. */
  reason: IneligibilityReason | undefined
  /** The prices after the discount; unchanged if the coupon cannot be used. */
  quote: Quote
}

export async function validateCoupon(
  reader: SchoolReader,
  {
    code,
    offers,
    currency,
    personId,
    isLocked = false,
  }: {
    code: string
    offers: readonly Offer[]
    currency: string
    personId: string | undefined | null
    isLocked?: boolean
  },
): Promise<Validation> {
  const coupon = await findCoupon(reader, code, isLocked)
  const reason = await ineligibilityReason(reader, coupon, { currency, offers, personId })
  const usable = reason === undefined ? coupon : undefined
  const lines = offers.map((offer) => ({ price: offer.amount, applies: usable !== undefined && appliesTo(usable, offer) }))
  return { coupon, reason, quote: quote(lines, usable && discountOf(usable)) }
}

/** Returns the reason as the caller may see it. The limits, dates and audience of a coupon are for staff only. */
export const publicReason = (reason: IneligibilityReason | undefined, caller: Caller): string | null =>
  reason === undefined ? null : audienceOf(caller) === 'staff' ? reason : 'not_applicable'
