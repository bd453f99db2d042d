import { newId } from '../../lib/ids.ts'
import { Problem } from '../../lib/problem.ts'
import type { Sql } from '../../store/sql.ts'
import { endOrdered } from '../memberships/orderedPlan.ts'
import { closeAccess } from './orderAccess.ts'
import { addSpend, type InSchool, type OrderRow, orderColumns, recordOrderChange } from './orderContext.ts'
import { shares } from './prorateAmounts.ts'

export const refundReasons = ['requested', 'duplicate', 'fraud', 'other'] as const

interface Refunding extends InSchool {
  orderId: string
  /** In the smallest unit; all that is left where it is not said. */
  amount?: number | undefined
  reason: (typeof refundReasons)[number]
}

/**
 * paid → partially_refunded → refunded: notes money that was given back, divided over the lines in the ratio of what is left of each.
 * Once all of it is back, what the order opened is closed. Its coupon stays used.
 * @throws Problem not_found, invalid_state, validation_failed where it is nothing, or more than is left
 */
export async function refundOrder(
  sql: Sql,
  { schoolId, now, orderId, amount, reason }: Refunding,
): Promise<{ refundId: string; amount: number; isWhole: boolean }> {
  const [order] = await sql.query<OrderRow>(`SELECT ${orderColumns} FROM orders WHERE school_id = $1 AND id = $2 FOR UPDATE`, [
    schoolId,
    orderId,
  ])
  if (!order) throw new Problem('not_found', { description: 'There is no such order.' })
  if (order.status !== 'paid' && order.status !== 'partially_refunded') {
    throw new Problem('invalid_state', { description: `An order that is ${order.status} cannot be refunded.` })
  }
  const left = Number(order.total_amount) - Number(order.refunded_amount)
  const back = amount ?? left
  if (!Number.isSafeInteger(back) || back < 1 || back > left) {
    throw new Problem('validation_failed', {
      description: `Of this order 1 to ${left} can be given back, in the smallest unit of ${order.currency}.`,
    })
  }
  const isWhole = back === left
  const [changed] = await sql.query<OrderRow>(
    `UPDATE orders SET refunded_amount = refunded_amount + $3, status = $4, refunded_at = CASE WHEN $4 = 'refunded' THEN $5::timestamptz END,
            version = version + 1, updated_at = $5::timestamptz
      WHERE school_id = $1 AND id = $2 RETURNING ${orderColumns}`,
    [schoolId, orderId, back, isWhole ? 'refunded' : 'partially_refunded', now],
  )
  await divide(sql, { schoolId, now, orderId, back })
  const refundId = newId()
  await sql.query(
    'INSERT INTO refund (school_id, id, created_at, updated_at, order_id, amount, currency, reason) VALUES ($1, $2, $3, $3, $4, $5, $6, $7)',
    [schoolId, refundId, now, orderId, back, order.currency, reason],
  )
  if (isWhole) {
    await closeAccess(sql, { schoolId, now, orderId })
    await endOrdered(sql, { schoolId, now, orderId })
  }
  await addSpend(sql, schoolId, order.person_id, -back)
  await recordOrderChange(sql, schoolId, changed as OrderRow, 'refunded')
  return { refundId, amount: back, isWhole }
}

async function divide(sql: Sql, { schoolId, now, orderId, back }: InSchool & { orderId: string; back: number }): Promise<void> {
  const items = await sql.query<{ id: string; total_amount: string; refunded_amount: string }>(
    'SELECT id, total_amount, refunded_amount FROM order_item WHERE school_id = $1 AND order_id = $2 ORDER BY position',
    [schoolId, orderId],
  )
  const parts = shares(
    back,
    items.map(({ total_amount, refunded_amount }) => Number(total_amount) - Number(refunded_amount)),
  )
  await sql.query(
    `UPDATE order_item SET refunded_amount = refunded_amount + part.amount, version = version + 1, updated_at = $2
       FROM unnest($3::uuid[], $4::bigint[]) AS part (id, amount)
      WHERE order_item.school_id = $1 AND order_item.id = part.id AND part.amount > 0`,
    [schoolId, now, items.map(({ id }) => id), parts],
  )
}
