import { couponStatusSql } from '../../store/shopExpressions.ts'
import type { Sql } from '../../store/sql.ts'
import type { Discount } from './quote.ts'

export const couponStatuses = ['scheduled', 'active', 'paused', 'exhausted', 'expired', 'archived'] as const
export type CouponStatus = (typeof couponStatuses)[number]

/** A coupon as its rules need it. Amounts in the smallest unit. */
export interface CouponRow {
  id: string
  code: string
  status: CouponStatus
  discount_type: 'percent' | 'amount'
  percent_bps: number | null
  amount_off: string | number | null
  minimum_amount: string | number | null
  currency: string | null
  applies_to_all: boolean
  audience: { all?: true; labels?: string[]; person_ids?: string[] }
  first_purchase_only: boolean
  max_redemptions_per_person: number
  /** What it is good for, where that is not everything. */
  items: { type: string; id: string }[]
}

/** The coupon with this code, in capitals or not; locked for who is about to use it. */
export async function findCoupon(sql: Sql, schoolId: string, code: string, isLocked = false): Promise<CouponRow | undefined> {
  const [row] = await sql.query<CouponRow>(
    `SELECT id, code, ${couponStatusSql} AS status, discount_type, percent_bps, amount_off, minimum_amount, currency, applies_to_all, audience,
            first_purchase_only, max_redemptions_per_person,
            (SELECT coalesce(jsonb_agg(jsonb_build_object('type', i.product_type, 'id', i.product_id)), '[]'::jsonb)
               FROM coupon_item i WHERE i.school_id = coupon.school_id AND i.coupon_id = coupon.id) AS items
       FROM coupon WHERE school_id = $1 AND code = $2 ${isLocked ? 'FOR UPDATE OF coupon' : ''}`,
    [schoolId, code.toUpperCase()],
  )
  return row
}

export const discountOf = (coupon: Pick<CouponRow, 'discount_type' | 'percent_bps' | 'amount_off'>): Discount =>
  coupon.discount_type === 'percent'
    ? { type: 'percent', bps: coupon.percent_bps ?? 0 }
    : { type: 'amount', amount: Number(coupon.amount_off ?? 0) }

export const isGoodFor = ({ applies_to_all, items }: CouponRow, item: { type: string; id: string }): boolean =>
  applies_to_all || items.some(({ type, id }) => type === item.type && id === item.id)
