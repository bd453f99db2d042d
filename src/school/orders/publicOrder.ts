import { publicItem } from '../itemRef.ts'

export interface StoredOrderItem {
  id: string
  product_type: string
  product_id: string
  title: string
  quantity: number
  currency: string
  unit_amount: number | string
  discount_amount: number | string
  tax_amount: number | string
  total_amount: number | string
  refunded_amount: number | string
  refunded_tax_amount: number | string
}

export interface StoredRefund {
  id: string
  amount: number | string
  tax_amount: number | string
  items: readonly StoredRefundItem[] | null
  currency: string
  reason: string
  credit_note_number: string | null
  created_at: string | Date
}

export interface StoredRefundItem {
  order_item_id: string
  amount: number | string
  tax_amount: number | string
}

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
