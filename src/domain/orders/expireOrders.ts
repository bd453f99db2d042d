import { recordChanges } from '../../store/changeLog.ts'
import type { Sql } from '../../store/sql.ts'
import { releaseUses } from '../coupons/releaseCoupon.ts'

/** Ends up to `limit` checkouts whose time is over, and frees the uses of coupons that they had reserved. */
export async function expireOrders(sql: Sql, { now, limit }: { now: Date; limit: number }): Promise<number> {
  const ended = await sql.query<{ school_id: string; id: string; version: number }>(
    `UPDATE orders SET status = 'expired', version = version + 1, updated_at = $1
      WHERE (school_id, id) IN (
        SELECT school_id, id FROM orders WHERE status = 'pending' AND expires_at <= now()
         ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED)
      RETURNING school_id, id, version`,
    [now, limit],
  )
  for (const [schoolId, orders] of Map.groupBy(ended, ({ school_id }) => school_id)) {
    await releaseUses(sql, { schoolId, now, orderIds: orders.map(({ id }) => id) })
    await recordChanges(sql, { school_id: schoolId, type: 'order', action: 'expired' }, orders)
  }
  return ended.length
}
