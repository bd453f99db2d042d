import { newId } from '../../base/ids.ts'
import { Problem } from '../../base/problem.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'
import { isAmong } from '../../database/statements/expressions.ts'
import { unnest } from '../../database/statements/unnest.ts'
import { releaseConfirmedUses } from '../coupons/reserveCoupon.ts'
import { endOrderedSubscription } from '../memberships/orderedSubscriptions.ts'
import { announce } from '../notifications/announce.ts'
import type { InSchool } from '../schoolHandles.ts'
import { issueCreditNote } from './documentNumbers.ts'
import { closeAccess } from './orderAccess.ts'
import { addSpend, type OrderRow, orderColumns, recordOrderChange } from './orderContext.ts'
import { type RefundableLine, type RefundedAmounts, type RefundPart, refundParts } from './refundParts.ts'

export const refundReasons = ['requested', 'duplicate', 'fraud', 'other'] as const

interface RefundRequest extends InSchool, RefundedAmounts {
  orderId: string
  reason: (typeof refundReasons)[number]
}

/**
 * paid → partially_refunded → refunded: records a refund and the part of each line. A line that is wholly refunded ends its access; a
 * refund of the rest of the order ends the access of every line. The coupon of an order with a total stays used. An order with a total of 0
 * is undone: its coupon can be used again.
 * @throws Problem not_found, invalid_state, validation_failed if an amount is below 1 or above the rest
 */
export async function refundOrder(
  writer: SchoolWriter,
  { schoolId, now, orderId, reason, ...amounts }: RefundRequest,
): Promise<{ refundId: string; amount: number; isWhole: boolean }> {
  const order = await lockPaidOrder(writer, orderId)
  const lines = await findLines(writer, orderId)
  const parts = refundParts(lines, amounts, order)
  const [refunded, tax] = [sumOf(parts, ({ amount }) => amount), sumOf(parts, (part) => part.tax)]
  const isWhole = Number(order.refunded_amount) + refunded === Number(order.total_amount)
  const changed = await writer
    .updateTable('orders')
    .set((row) => ({
      refunded_amount: row('orders.refunded_amount', '+', refunded),
      refunded_tax_amount: row('orders.refunded_tax_amount', '+', tax),
      status: isWhole ? 'refunded' : 'partially_refunded',
      refunded_at: isWhole ? now : null,
      version: row('orders.version', '+', 1),
      updated_at: now,
    }))
    .where('id', '=', orderId)
    .returning(['id', 'version'])
    .executeTakeFirstOrThrow()
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
      tax_amount: tax,
      currency: order.currency,
      reason,
    })
    .execute()
  const ended = isWhole ? lines.filter(({ isRefunded }) => !isRefunded) : parts.filter(({ isRest }) => isRest).map(({ line }) => line)
  await storeParts(writer, { schoolId, now, refundId, parts })
  await markRefunded(writer, { schoolId, now, lines: ended })
  if (Number(order.total_amount) === 0) await releaseConfirmedUses(writer, { now, orderIds: [orderId] })
  await closeAccess(writer, { schoolId, now, orderId, personId: order.person_id, products: productsOf(ended, lines) })
  if (isWhole) await endOrderedSubscription(writer, { schoolId, now, orderId })
  await addSpend(writer, order.person_id, -refunded)
  await recordOrderChange(writer, changed, 'refunded')
  await announce(writer, { kind: 'refund', subjectIds: [refundId], at: now })
  await issueCreditNote(writer, { schoolId, now, refundId, amount: refunded })
  return { refundId, amount: refunded, isWhole }
}

async function lockPaidOrder(writer: SchoolWriter, orderId: string): Promise<OrderRow> {
  const order = await writer.selectFrom('orders').select(orderColumns).where('id', '=', orderId).forUpdate().executeTakeFirst()
  if (!order) throw new Problem('not_found', { description: 'The school has no such order.' })
  if (order.status === 'paid' || order.status === 'partially_refunded') return order
  throw new Problem('invalid_state', { description: `An order with the status ${order.status} cannot be refunded.` })
}

async function findLines(writer: SchoolWriter, orderId: string): Promise<RefundableLine[]> {
  const rows = await writer
    .selectFrom('order_item')
    .select(['id', 'product_type', 'product_id', 'total_amount', 'tax_amount', 'refunded_amount', 'refunded_tax_amount', 'refunded_at'])
    .where('order_id', '=', orderId)
    .orderBy('position')
    .execute()
  return rows.map(({ id, product_type, product_id, ...row }) => ({
    id,
    product_type,
    product_id,
    total: Number(row.total_amount),
    tax: Number(row.tax_amount),
    refunded: Number(row.refunded_amount),
    refundedTax: Number(row.refunded_tax_amount),
    isRefunded: row.refunded_at !== null,
  }))
}

interface Refund extends InSchool {
  refundId: string
  parts: readonly RefundPart[]
}

async function storeParts(writer: SchoolWriter, { now, refundId, parts }: Refund): Promise<void> {
  if (parts.length === 0) return
  await writer
    .insertInto('refund_item')
    .values(
      parts.map(({ line, amount, tax }) => ({
        school_id: writer.schoolId,
        refund_id: refundId,
        order_item_id: line.id,
        amount,
        tax_amount: tax,
      })),
    )
    .execute()
  await writer
    .updateTable('order_item')
    .from(
      unnest('part', {
        id: { type: 'uuid', values: parts.map(({ line }) => line.id) },
        amount: { type: 'bigint', values: parts.map(({ amount }) => amount) },
        tax: { type: 'bigint', values: parts.map(({ tax }) => tax) },
      }),
    )
    .set((row) => ({
      refunded_amount: row('order_item.refunded_amount', '+', row.ref('part.amount')),
      refunded_tax_amount: row('order_item.refunded_tax_amount', '+', row.ref('part.tax')),
      version: row('order_item.version', '+', 1),
      updated_at: now,
    }))
    .whereRef('order_item.id', '=', 'part.id')
    .execute()
}

async function markRefunded(
  writer: SchoolWriter,
  { now, lines }: InSchool & { lines: readonly Pick<RefundableLine, 'id'>[] },
): Promise<void> {
  if (lines.length === 0) return
  await writer
    .updateTable('order_item')
    .set({ refunded_at: now, updated_at: now })
    .where((item) =>
      isAmong(
        item.ref('order_item.id'),
        lines.map(({ id }) => id),
      ),
    )
    .execute()
}

/** Returns the products of ended lines, unless another line of the order still grants the same one. */
function productsOf(ended: readonly RefundableLine[], lines: readonly RefundableLine[]) {
  const left = new Set(lines.filter((line) => !line.isRefunded && !ended.includes(line)).map(({ product_id }) => product_id))
  return ended.filter(({ product_id }) => !left.has(product_id))
}

const sumOf = (parts: readonly RefundPart[], of: (part: RefundPart) => number): number => parts.reduce((sum, part) => sum + of(part), 0)
