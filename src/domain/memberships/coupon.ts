import type { Sql } from '../../store/sql.ts'
import { isUsableSql } from '../coupons/useCoupon.ts'
import type { Discount, Terms } from './terms.ts'

/** The coupon of this code where it can be used by the person for the plan now; undefined where it cannot, for whatever reason. */
export async function isOfferedCoupon(
  { sql, school }: { sql: Sql; school: { id: string } },
  { code, terms, personId }: { code: string; terms: Terms; personId: string | null },
): Promise<Discount | undefined> {
  const [coupon] = await sql.query<Discount>(
    `SELECT id, code, discount_type, percent_bps, amount_off, duration, duration_months FROM coupon
      WHERE school_id = $1 AND code = upper($2) AND ${isUsableSql} AND (currency IS NULL OR currency = $5) AND coalesce(minimum_amount, 0) <= $6
        AND (applies_to_all OR EXISTS (SELECT 1 FROM coupon_item i WHERE i.school_id = coupon.school_id AND i.coupon_id = coupon.id
                                          AND i.product_type = 'membership_plan' AND i.product_id = $4))
        AND max_redemptions_per_person > (SELECT count(*) FROM coupon_redemption r
              WHERE r.school_id = coupon.school_id AND r.coupon_id = coupon.id AND r.person_id = $3 AND r.status <> 'released')`,
    [school.id, code, personId, terms.plan_id, terms.currency, terms.amount],
  )
  return coupon
}
