import { recordChanges } from '../../store/changeLog.ts'
import type { Writer } from '../../store/database.ts'
import { unnest } from '../../store/unnest.ts'

interface OfOrders {
  schoolId: string
  now: Date
  orderIds: readonly string[]
}

/** Confirms the coupon uses that these orders reserved. */
export async function confirmUses(writer: Writer, orders: OfOrders): Promise<void> {
  const rows = await changeUses(writer, orders, { from: 'reserved', to: 'confirmed' })
  await recordChanges(writer, { school_id: orders.schoolId, type: 'coupon_redemption', action: 'confirmed' }, rows)
}

/** Releases the coupon uses that these orders reserved. */
export const releaseUses = (writer: Writer, orders: OfOrders): Promise<void> => release(writer, orders, 'reserved')

/** Releases the coupon uses of paid orders that are undone. */
export const releaseConfirmedUses = (writer: Writer, orders: OfOrders): Promise<void> => release(writer, orders, 'confirmed')

async function release(writer: Writer, orders: OfOrders, from: 'reserved' | 'confirmed'): Promise<void> {
  const { schoolId } = orders
  const rows = await changeUses(writer, orders, { from, to: 'released' })
  if (rows.length === 0) return
  const couponIds = rows.map(({ coupon_id }) => coupon_id)
  await writer
    .selectFrom('coupon')
    .select('id')
    .where('school_id', '=', schoolId)
    .where('id', 'in', [...new Set(couponIds)].toSorted())
    .orderBy('id')
    .forUpdate()
    .execute()
  await writer
    .updateTable('coupon')
    .from((query) =>
      query
        .selectFrom(unnest('use', { coupon_id: { type: 'uuid', values: couponIds } }))
        .select((use) => ['use.coupon_id', use.cast<number>(use.fn.countAll(), 'int4').as('uses')])
        .groupBy('use.coupon_id')
        .as('released'),
    )
    .set((coupon) => ({ redemptions_count: coupon('coupon.redemptions_count', '-', coupon.ref('released.uses')) }))
    .where('coupon.school_id', '=', schoolId)
    .whereRef('coupon.id', '=', 'released.coupon_id')
    .execute()
  await recordChanges(writer, { school_id: schoolId, type: 'coupon_redemption', action: 'released' }, rows)
}

const changeUses = async (
  writer: Writer,
  { schoolId, now, orderIds }: OfOrders,
  { from, to }: { from: 'reserved' | 'confirmed'; to: 'confirmed' | 'released' },
) =>
  orderIds.length === 0
    ? []
    : await writer
        .updateTable('coupon_redemption')
        .set((use) => ({ status: to, version: use('version', '+', 1), updated_at: now }))
        .where('school_id', '=', schoolId)
        .where('order_id', 'in', [...orderIds])
        .where('status', '=', from)
        .returning(['id', 'version', 'coupon_id'])
        .execute()
