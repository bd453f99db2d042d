import { toPublicId } from '../../lib/ids.ts'
import type { Sql } from '../../store/sql.ts'
import type { Offer } from './couponOffers.ts'
import { type CouponRow, isGoodFor } from './couponRow.ts'

/** Why a coupon cannot be used, in words for programs of the staff. Everybody else is told `not_applicable`. */
export type IneligibilityReason =
  | 'unknown_code'
  | 'scheduled'
  | 'paused'
  | 'exhausted'
  | 'expired'
  | 'archived'
  | 'other_currency'
  | 'other_items'
  | 'below_minimum'
  | 'other_audience'
  | 'not_first_purchase'
  | 'already_used'

interface Asked {
  schoolId: string
  currency: string
  offers: readonly Offer[]
  /** Who would use it; undefined where nobody is known, null where it does not matter. */
  personId: string | undefined | null
}

/** The first thing that keeps the coupon from being used for these offers, or undefined. Nothing is locked: using it decides. */
export async function ineligibilityReason(
  sql: Sql,
  coupon: CouponRow | undefined,
  { schoolId, currency, offers, personId }: Asked,
): Promise<IneligibilityReason | undefined> {
  if (!coupon) return 'unknown_code'
  if (coupon.status !== 'active') return coupon.status
  if (coupon.currency !== null && coupon.currency !== currency) return 'other_currency'
  if (!offers.some((offer) => isGoodFor(coupon, offer))) return 'other_items'
  const subtotal = offers.reduce((total, { amount }) => total + amount, 0)
  if (coupon.minimum_amount !== null && subtotal < Number(coupon.minimum_amount)) return 'below_minimum'
  return personId === null ? undefined : await whyNotPerson(sql, schoolId, coupon, personId)
}

async function whyNotPerson(
  sql: Sql,
  schoolId: string,
  coupon: CouponRow,
  personId: string | undefined,
): Promise<IneligibilityReason | undefined> {
  const { labels, person_ids } = coupon.audience
  const isForSome = labels !== undefined || person_ids !== undefined
  if (personId === undefined) return isForSome ? 'other_audience' : undefined
  if (person_ids && !['std', 'mbr'].some((prefix) => person_ids.includes(toPublicId(prefix, personId)))) return 'other_audience'
  const [person] = await sql.query<{ is_labelled: boolean; has_bought: boolean; uses: number }>(
    `SELECT EXISTS (SELECT 1 FROM person_tag t WHERE t.school_id = $1 AND t.person_id = $2 AND t.tag = ANY ($4::text[])) AS is_labelled,
            EXISTS (SELECT 1 FROM orders o WHERE o.school_id = $1 AND o.person_id = $2 AND o.paid_at IS NOT NULL) AS has_bought,
            (SELECT count(*)::int FROM coupon_redemption r
              WHERE r.school_id = $1 AND r.coupon_id = $3 AND r.person_id = $2 AND r.status <> 'released') AS uses`,
    [schoolId, personId, coupon.id, labels ?? []],
  )
  if (labels && !person?.is_labelled) return 'other_audience'
  if (coupon.first_purchase_only && person?.has_bought) return 'not_first_purchase'
  return (person?.uses ?? 0) >= coupon.max_redemptions_per_person ? 'already_used' : undefined
}
