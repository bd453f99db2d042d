import type { Sql } from '../../store/sql.ts'
import { type Validation, validateCoupon } from '../coupons/validateCoupon.ts'
import type { Terms } from './terms.ts'

/** What the coupon of this code makes of a price, for the person who would pay it. */
export const couponFor = (
  { sql, school }: { sql: Sql; school: { id: string } },
  { code, terms, personId }: { code: string; terms: Terms; personId: string },
): Promise<Validation> =>
  validateCoupon(sql, {
    schoolId: school.id,
    code,
    offers: [{ type: 'membership_plan', id: terms.plan_id, title: terms.plan_name, amount: terms.amount, priceId: terms.price_id }],
    currency: terms.currency,
    personId,
  })
