import type { SchoolWriter } from '../../database/connection/database.ts'
import { countedBy } from '../../database/statements/expressions.ts'
import { unnest } from '../../database/statements/unnest.ts'
import { recordChanges } from '../../database/tables/changeLog.ts'

interface OfOrders {
  now: Date
  orderIds: readonly string[]
}

export async function confirmUses(writer: SchoolWriter, orders: OfOrders): Promise<void> {
  const rows = await changeUses(writer, orders, { from: 'reserved', to: 'confirmed' })
  await recordChanges(writer, { type: 'coupon_redemption', action: 'confirmed' }, rows)
}

export const releaseUses = (writer: SchoolWriter, orders: OfOrders): Promise<void> => release(writer, orders, 'reserved')

export const releaseConfirmedUses = (writer: SchoolWriter, orders: OfOrders): Promise<void> => release(writer, orders, 'confirmed')

async function release(writer: SchoolWriter, orders: OfOrders, from: 'reserved' | 'confirmed'): Promise<void> {
  const rows = await changeUses(writer, orders, { from, to: 'released' })
  if (rows.length === 0) return
  const couponIds = rows.map(({ coupon_id }) => coupon_id)
  await writer
    .selectFrom('coupon')
    .select('id')
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
    .set((coupon) => ({ redemptions_count: countedBy(coupon.ref('coupon.redemptions_count'), coupon.neg(coupon.ref('released.uses'))) }))
    .whereRef('coupon.id', '=', 'released.coupon_id')
    .execute()
  await recordChanges(writer, { type: 'coupon_redemption', action: 'released' }, rows)
}

const changeUses = async (
  writer: SchoolWriter,
  { now, orderIds }: OfOrders,
  { from, to }: { from: 'reserved' | 'confirmed'; to: 'confirmed' | 'released' },
) =>
  orderIds.length === 0
    ? []
    : await writer
        .updateTable('coupon_redemption')
        .set((use) => ({ status: to, version: use('version', '+', 1), updated_at: now }))
        .where('order_id', 'in', [...orderIds])
        .where('status', '=', from)
        .returning(['id', 'version', 'coupon_id'])
        .execute()
