import { sql } from 'kysely'
import type { SchoolReader } from '../../database/connection/database.ts'
import { couponStatus } from '../orders/shopExpressions.ts'
import type { Discount } from './quote.ts'

export const couponStatuses = ['scheduled', 'active', 'paused', 'exhausted', 'expired', 'archived'] as const
export type CouponStatus = (typeof couponStatuses)[number]

/** A coupon as its rules need it. Amounts in the smallest unit. */
export interface CouponRow {
  id: string
  code: string
  status: CouponStatus
  discount_type: string
  percent_bps: number | null
  amount_off: string | number | null
  minimum_amount: string | number | null
  currency: string | null
  applies_to_all: boolean
  audience: CouponAudience
  first_purchase_only: boolean
  max_redemptions_per_person: number
  /** The items that it applies to, unless it applies to all. */
  items: { type: string; id: string }[]
}

interface CouponAudience {
  all?: true
  labels?: string[]
  person_ids?: string[]
}

/** Returns the coupon with this code, whatever its case. `isLocked` locks it for a use that follows in the same transaction. */
export async function findCoupon(reader: SchoolReader, code: string, isLocked = false): Promise<CouponRow | undefined> {
  return await reader
    .selectFrom('coupon')
    .select(['id', 'code', 'discount_type', 'percent_bps', 'amount_off', 'minimum_amount', 'currency', 'applies_to_all'])
    .select(['first_purchase_only', 'max_redemptions_per_person'])
    .select((coupon) => [
      couponStatus.$castTo<CouponStatus>().as('status'),
      sql<CouponAudience>`${coupon.ref('coupon.audience')}`.as('audience'),
      coupon
        .selectFrom('coupon_item')
        .select((item) => {
          const listed = sql`jsonb_build_object('type', ${item.ref('coupon_item.product_type')}, 'id', ${item.ref('coupon_item.product_id')})`
          return sql<CouponRow['items']>`coalesce(jsonb_agg(${listed}), '[]'::jsonb)`.as('items')
        })
        .whereRef('coupon_item.coupon_id', '=', 'coupon.id')
        .$asScalar()
        .$notNull()
        .as('items'),
    ])
    .where('coupon.code', '=', code.toUpperCase())
    .$if(isLocked, (query) => query.forUpdate('coupon'))
    .executeTakeFirst()
}

export const discountOf = (coupon: Pick<CouponRow, 'discount_type' | 'percent_bps' | 'amount_off'>): Discount =>
  coupon.discount_type === 'percent'
    ? { type: 'percent', bps: coupon.percent_bps ?? 0 }
    : { type: 'amount', amount: Number(coupon.amount_off ?? 0) }

export const appliesTo = ({ applies_to_all, items }: CouponRow, item: { type: string; id: string }): boolean =>
  applies_to_all || items.some(({ type, id }) => type === item.type && id === item.id)
