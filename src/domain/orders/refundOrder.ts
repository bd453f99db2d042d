import { newId } from '../../lib/ids.ts'
import { Problem } from '../../lib/problem.ts'
import type { Writer } from '../../store/database.ts'
import { unnest } from '../../store/unnest.ts'
import type { InSchool } from '../inSchool.ts'
import { endOrderedSubscription } from '../memberships/orderedSubscriptions.ts'
import { closeAccess } from './orderAccess.ts'
import { addSpend, orderColumns, recordOrderChange } from './orderContext.ts'
import { prorateAmounts } from './prorateAmounts.ts'

export const refundReasons = ['requested', 'duplicate', 'fraud', 'other'] as const

interface RefundRequest extends InSchool {
  orderId: string
  /** In the smallest unit. Without it, everything that is not refunded yet. */
  amount?: number | undefined
  reason: (typeof refundReasons)[number]
}

/**
 * paid → partially_refunded → refunded: records a refund and prorates it over what is left of each line. A full refund revokes the access
 * that the order granted. Its coupon stays used.
 * @throws Problem not_found, invalid_state, validation_failed if the amount is below 1 or above the rest
 */
export async function refundOrder(
  writer: Writer,
  { schoolId, now, orderId, amount, reason }: RefundRequest,
): Promise<{ refundId: string; amount: number; isWhole: boolean }> {
  const order = await writer
    .selectFrom('orders')
    .select(orderColumns)
    .where('school_id', '=', schoolId)
    .where('id', '=', orderId)
    .forUpdate()
    .executeTakeFirst()
  if (!order) throw new Problem('not_found', { description: 'The school has no such order.' })
  if (order.status !== 'paid' && order.status !== 'partially_refunded') {
    throw new Problem('invalid_state', { description: `An order with the status ${order.status} cannot be refunded.` })
  }
  const rest = Number(order.total_amount) - Number(order.refunded_amount)
  const refunded = amount ?? rest
  if (!Number.isSafeInteger(refunded) || refunded < 1 || refunded > rest) {
    throw new Problem('validation_failed', {
      description: `amount must be from 1 to ${rest}, in the smallest unit of ${order.currency}.`,
    })
  }
  const isWhole = refunded === rest
  const changed = await writer
    .updateTable('orders')
    .set((row) => ({
      refunded_amount: row('orders.refunded_amount', '+', refunded),
      status: isWhole ? 'refunded' : 'partially_refunded',
      refunded_at: isWhole ? now : null,
      version: row('orders.version', '+', 1),
      updated_at: now,
    }))
    .where('school_id', '=', schoolId)
    .where('id', '=', orderId)
    .returning(['id', 'version'])
    .executeTakeFirstOrThrow()
  await prorateOverItems(writer, { schoolId, now, orderId, refunded })
  const refundId = newId()
  await writer
    .insertInto('refund')
    .values({
      school_id: schoolId,
      id: refundId,
      created_at: now,
      updated_at: now,
      order_id: orderId,
      amount: refunded,
      currency: order.currency,
      reason,
    })
    .execute()
  if (isWhole) {
    await closeAccess(writer, { schoolId, now, orderId })
    await endOrderedSubscription(writer, { schoolId, now, orderId })
  }
  await addSpend(writer, schoolId, order.person_id, -refunded)
  await recordOrderChange(writer, schoolId, changed, 'refunded')
  return { refundId, amount: refunded, isWhole }
}

async function prorateOverItems(
  writer: Writer,
  { schoolId, now, orderId, refunded }: InSchool & { orderId: string; refunded: number },
): Promise<void> {
  const items = await writer
    .selectFrom('order_item')
    .select(['id', 'total_amount', 'refunded_amount'])
    .where('school_id', '=', schoolId)
    .where('order_id', '=', orderId)
    .orderBy('position')
    .execute()
  const parts = prorateAmounts(
    refunded,
    items.map(({ total_amount, refunded_amount }) => Number(total_amount) - Number(refunded_amount)),
  )
  await writer
    .updateTable('order_item')
    .from(unnest('part', { id: { type: 'uuid', values: items.map(({ id }) => id) }, amount: { type: 'bigint', values: parts } }))
    .set((row) => ({
      refunded_amount: row('order_item.refunded_amount', '+', row.ref('part.amount')),
      version: row('order_item.version', '+', 1),
      updated_at: now,
    }))
    .where('order_item.school_id', '=', schoolId)
    .whereRef('order_item.id', '=', 'part.id')
    .where('part.amount', '>', 0)
    .execute()
}
