import type { Stored } from '../../database/connection/database.ts'
import { publicItem } from '../itemRef.ts'

export type StoredOrderItem = Stored<
  'order_item',
  'id' | 'product_type' | 'product_id' | 'title' | 'quantity' | 'currency' | 'unit_amount'
> &
  Stored<'order_item', 'discount_amount' | 'tax_amount' | 'total_amount' | 'refunded_amount' | 'refunded_tax_amount'>

export interface StoredRefund extends Stored<'refund', 'id' | 'amount' | 'tax_amount' | 'currency' | 'reason' | 'credit_note_number'> {
  items: readonly StoredRefundItem[] | null
  created_at: string | Date
}

export type StoredRefundItem = Stored<'refund_item', 'order_item_id' | 'amount' | 'tax_amount'>

const money = (amount: number | string, currency: string) => ({ amount: Number(amount), currency })

export const publicOrderItem = (item: StoredOrderItem) => ({
  id: item.id,
  product: publicItem({ type: item.product_type, id: item.product_id }),
  title: item.title,
  quantity: item.quantity,
  unit_price: money(item.unit_amount, item.currency),
  discount: money(item.discount_amount, item.currency),
  tax: money(item.tax_amount, item.currency),
  total: money(item.total_amount, item.currency),
  refunded: money(item.refunded_amount, item.currency),
  refunded_tax: money(item.refunded_tax_amount, item.currency),
})

export const publicRefund = ({ id, amount, tax_amount, items, currency, reason, credit_note_number, created_at }: StoredRefund) => ({
  id,
  amount: money(amount, currency),
  tax: money(tax_amount, currency),
  items: (items ?? []).map((item) => ({
    line_id: item.order_item_id,
    amount: money(item.amount, currency),
    tax: money(item.tax_amount, currency),
  })),
  reason,
  credit_note_number,
  created_at: new Date(created_at).toISOString(),
})
