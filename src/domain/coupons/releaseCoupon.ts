import { recordChanges } from '../../store/changeLog.ts'
import type { Sql } from '../../store/sql.ts'

interface OfOrders {
  schoolId: string
  now: Date
  orderIds: readonly string[]
}

/** The uses that were reserved for these orders count for good. */
export async function confirmUses(sql: Sql, { schoolId, now, orderIds }: OfOrders): Promise<void> {
  const rows = await sql.query<{ id: string; version: number }>(
    `UPDATE coupon_redemption SET status = 'confirmed', version = version + 1, updated_at = $2
      WHERE school_id = $1 AND order_id = ANY ($3::uuid[]) AND status = 'reserved' RETURNING id, version`,
    [schoolId, now, [...orderIds]],
  )
  await recordChanges(sql, { school_id: schoolId, type: 'coupon_redemption', action: 'confirmed' }, rows)
}

/** The uses that were reserved for these orders are free again. */
export async function releaseUses(sql: Sql, { schoolId, now, orderIds }: OfOrders): Promise<void> {
  const rows = await sql.query<{ id: string; version: number; coupon_id: string }>(
    `UPDATE coupon_redemption SET status = 'released', version = version + 1, updated_at = $2
      WHERE school_id = $1 AND order_id = ANY ($3::uuid[]) AND status = 'reserved' RETURNING id, version, coupon_id`,
    [schoolId, now, [...orderIds]],
  )
  if (rows.length === 0) return
  const couponIds = [...new Set(rows.map(({ coupon_id }) => coupon_id))].toSorted()
  await sql.query('SELECT id FROM coupon WHERE school_id = $1 AND id = ANY ($2::uuid[]) ORDER BY id FOR UPDATE', [schoolId, couponIds])
  await sql.query(
    `UPDATE coupon SET redemptions_count = redemptions_count - freed.uses
       FROM (SELECT coupon_id, count(*)::int AS uses FROM unnest($2::uuid[]) AS freed (coupon_id) GROUP BY coupon_id) freed
      WHERE coupon.school_id = $1 AND coupon.id = freed.coupon_id`,
    [schoolId, rows.map(({ coupon_id }) => coupon_id)],
  )
  await recordChanges(sql, { school_id: schoolId, type: 'coupon_redemption', action: 'released' }, rows)
}
