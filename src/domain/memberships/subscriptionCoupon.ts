import type { Reader } from '../../store/database.ts'
import { type Validation, validateCoupon } from '../coupons/validateCoupon.ts'
import type { PriceTerms } from './priceTerms.ts'

/** Applies the coupon of this code to a price, if the person can use it. */
export const couponFor = (
  { writer, school }: { writer: Reader; school: { id: string } },
  { code, terms, personId }: { code: string; terms: PriceTerms; personId: string },
): Promise<Validation> =>
  validateCoupon(writer, {
    schoolId: school.id,
    code,
    offers: [{ type: 'membership_plan', id: terms.plan_id, title: terms.plan_name, amount: terms.amount, priceId: terms.price_id }],
    currency: terms.currency,
    personId,
  })
