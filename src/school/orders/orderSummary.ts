import { toPublicId } from '../../base/ids.ts'
import { Problem } from '../../base/problem.ts'
import type { SchoolReader } from '../../database/connection/database.ts'
import { refundItemsOf } from './orderVisibility.ts'
import { publicOrderItem, publicRefund, type StoredRefund } from './publicOrder.ts'
import { orderStatus } from './shopExpressions.ts'

export async function requireOrderNumber(reader: SchoolReader, number: string): Promise<string> {
  const row = await reader.selectFrom('orders').select('id').where('number', '=', number).executeTakeFirst()
  if (!row) throw new Problem('not_found', { description: 'The school has no order with this number.' })
  return row.id
}

/** Returns an order with its lines and refunds, without personal data. */
export async function orderSummary(reader: SchoolReader, orderId: string): Promise<Record<string, unknown>> {
  const order = await reader
    .selectFrom('orders')
    .select(['id', 'number', orderStatus.as('status'), 'kind', 'currency', 'subtotal_amount', 'discount_amount', 'tax_amount', 'tax_mode'])
    .select(['tax_country', 'tax_rate_bps', 'invoice_number'])
    .select([
      'total_amount',
      'refunded_amount',
      'refunded_tax_amount',
      'coupon_code',
      'placed_at',
      'paid_at',
      'expires_at',
      'receipt_number',
    ])
    .where('id', '=', orderId)
    .executeTakeFirstOrThrow()
  const items = await reader
    .selectFrom('order_item')
    .select(['id', 'product_type', 'product_id', 'title', 'quantity', 'currency'])
    .select(['unit_amount', 'discount_amount', 'tax_amount', 'total_amount', 'refunded_amount', 'refunded_tax_amount'])
    .where('order_id', '=', orderId)
    .orderBy('position')
    .execute()
  const refunds = await reader
    .selectFrom('refund')
    .select(['id', 'amount', 'tax_amount', 'currency', 'reason', 'credit_note_number', 'created_at'])
    .select(refundItemsOf)
    .where('order_id', '=', orderId)
    .orderBy('id')
    .execute()
  const money = (amount: number | string) => ({ amount: Number(amount), currency: order.currency })
  return {
    object: 'order',
    id: toPublicId('ord', order.id),
    number: order.number,
    status: order.status,
    kind: order.kind,
    currency: order.currency,
    items: items.map((item) => ({ ...publicOrderItem(item), id: toPublicId('oit', item.id) })),
    subtotal: money(order.subtotal_amount),
    discount_total: money(order.discount_amount),
    tax_total: money(order.tax_amount),
    tax_mode: order.tax_mode,
    tax_country: order.tax_country,
    tax_rate_bps: order.tax_rate_bps,
    total: money(order.total_amount),
    refunded_total: money(order.refunded_amount),
    refunded_tax_total: money(order.refunded_tax_amount),
    coupon_code: order.coupon_code,
    refunds: refunds.map(withPublicIds),
    placed_at: order.placed_at,
    paid_at: order.paid_at,
    expires_at: order.expires_at,
    receipt_number: order.receipt_number,
    invoice_number: order.invoice_number,
  }
}

function withPublicIds(stored: StoredRefund) {
  const { items, ...refund } = publicRefund(stored)
  return {
    ...refund,
    id: toPublicId('rfd', refund.id),
    items: items.map(({ line_id, ...item }) => ({ line_id: toPublicId('oit', line_id), ...item })),
  }
}
