import type { Writer } from '../../../database/connection/database.ts'
import { inSchool } from '../../../database/school/inSchool.ts'
import { now as databaseTime } from '../../../database/statements/expressions.ts'
import { recordChanges } from '../../../database/tables/changeLog.ts'
import { releaseUses } from '../../coupons/reserveCoupon.ts'
import { releaseReservedSeats } from '../../events/orderedSeats.ts'

/**
 * Expires up to `limit` checkouts that were not paid in time, and releases the coupon uses and the seats that they had reserved. Skips orders that
 * another transaction has locked. Returns the number of expired orders.
 */
export async function expireOrders(writer: Writer, { now, limit }: { now: Date; limit: number }): Promise<number> {
  const expired = await writer
    .updateTable('orders')
    .set((order) => ({ status: 'expired', version: order('version', '+', 1), updated_at: now }))
    .where((order) =>
      order(
        order.refTuple('orders.school_id', 'orders.id'),
        'in',
        order
          .selectFrom('orders as due')
          .select(['due.school_id', 'due.id'])
          .where('due.status', '=', 'pending')
          .where('due.expires_at', '<=', databaseTime)
          .orderBy('due.expires_at')
          .limit(limit)
          .forUpdate()
          .skipLocked()
          .$asTuple('school_id', 'id'),
      ),
    )
    .returning(['school_id', 'id', 'version'])
    .execute()
  for (const [schoolId, orders] of Map.groupBy(expired, ({ school_id }) => school_id)) {
    const own = inSchool(writer, schoolId)
    const orderIds = orders.map(({ id }) => id)
    await releaseUses(own, { now, orderIds })
    await releaseReservedSeats(own, { orderIds })
    await recordChanges(own, { type: 'order', action: 'expired' }, orders)
  }
  return expired.length
}
