import { fieldError, Problem } from '../../lib/problem.ts'
import type { Writer } from '../../store/database.ts'
import type { IneligibilityReason } from '../coupons/ineligibilityReason.ts'
import { isFirstPurchase } from '../coupons/requireFirstPurchase.ts'
import { type Validation, validateCoupon } from '../coupons/validateCoupon.ts'
import type { PriceTerms } from './priceTerms.ts'
import type { SubscriptionRow } from './subscriptionRow.ts'

/** Applies the coupon of this code to a price, if the person can use it. Locks the coupon, because its use follows. */
export const couponFor = (
  { writer, school }: { writer: Writer; school: { id: string } },
  { code, terms, personId }: { code: string; terms: PriceTerms; personId: string },
): Promise<Validation> =>
  validateCoupon(writer, {
    schoolId: school.id,
    code,
    offers: [{ type: 'membership_plan', id: terms.plan_id, title: terms.plan_name, amount: terms.amount, priceId: terms.price_id }],
    currency: terms.currency,
    personId,
    isLocked: true,
  })

/** Returns the message for a coupon that cannot be used for a subscription. */
export const unusableCoupon = (reason: IneligibilityReason): string => `the coupon cannot be used here: ${reason}`

/**
 * Checks, for a subscription that was inserted, that its coupon is not for the first purchase of a person who made another one meanwhile. A
 * purchase that was already there has the same error.
 * @throws Problem invalid_reference
 */
export async function requireUsableCoupon(writer: Writer, { school_id, id, person_id, coupon_id }: SubscriptionRow): Promise<void> {
  if (coupon_id === null) return
  if (await isFirstPurchase(writer, { schoolId: school_id, personId: person_id, subscriptionId: id, couponId: coupon_id })) return
  const error = fieldError('coupon_code', 'invalid_reference', unusableCoupon('not_first_purchase'))
  throw new Problem('invalid_reference', { description: error.message, details: [error] })
}
