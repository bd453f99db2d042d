import { Problem } from '../../base/problem.ts'
import type { SchoolReader, Stored } from '../../database/connection/database.ts'
import { fromJson } from '../../engine/declare/expressions.ts'
import { publicOrderItem, type StoredOrderItem, type StoredRefund } from './publicOrder.ts'

type DocumentedOrder = Stored<
  'orders',
  'number' | 'status' | 'currency' | 'invoice_number' | 'buyer_name' | 'buyer_email' | 'billing_address'
> &
  Stored<'orders', 'tax_id' | 'tax_mode' | 'tax_rate_bps' | 'tax_country' | 'discount_amount' | 'tax_amount'> &
  Stored<'orders', 'total_amount'> & {
    paid_at: Date | string | null
  }

export interface Seller extends Stored<'school', 'name' | 'address' | 'contact_email'> {
  tax_id: string | null
}

/** Returns the language and the time zone in which documents are written, and the seller for orders without an invoice. */
export async function findIssuer(database: SchoolReader) {
  const { locale, time_zone, name, address, contact_email, settings } = await database
    .selectFrom('school')
    .select(['locale', 'time_zone', 'name', 'address', 'contact_email', 'settings'])
    .where('id', '=', database.schoolId)
    .executeTakeFirstOrThrow()
  const tax_id = fromJson<{ tax?: { tax_id?: string | null } } | null>(settings)?.tax?.tax_id ?? null
  return { locale, time_zone, seller: { name, address, contact_email, tax_id } }
}

/**
 * Returns the contents of the invoice of an order.
 * @throws Problem invalid_state if the order has none
 */
export function invoiceOf(order: DocumentedOrder, items: readonly StoredOrderItem[]) {
  if (order.invoice_number === null) {
    const description =
      order.paid_at === null ? `An order with the status ${order.status} has no invoice.` : 'This order has a receipt, but no invoice.'
    throw new Problem('invalid_state', { description })
  }
  const { currency } = order
  return {
    invoice_number: order.invoice_number,
    issued_at: order.paid_at,
    ...headOf(order),
    items: items.map(publicOrderItem),
    discount_total: { amount: Number(order.discount_amount), currency },
    ...totals(currency, { tax: Number(order.tax_amount), total: Number(order.total_amount) }),
  }
}

/**
 * Returns the contents of the credit note of a refund.
 * @throws Problem not_found, invalid_state if the refund has none
 */
export function creditNoteOf(
  order: DocumentedOrder,
  { items, refunds, refundId }: { items: readonly StoredOrderItem[]; refunds: readonly StoredRefund[]; refundId: string },
) {
  const refund = refunds.find(({ id }) => id === refundId)
  if (!refund) throw new Problem('not_found', { description: 'The order has no refund with this id.' })
  if (refund.credit_note_number === null) throw new Problem('invalid_state', { description: 'This refund has no credit note.' })
  const { currency } = order
  const titles = new Map(items.map(({ id, title }) => [id, title]))
  return {
    credit_note_number: refund.credit_note_number,
    invoice_number: order.invoice_number,
    issued_at: new Date(refund.created_at).toISOString(),
    ...headOf(order),
    reason: refund.reason,
    items: (refund.items ?? []).map(({ order_item_id, amount, tax_amount }) => ({
      title: titles.get(order_item_id) ?? '',
      tax: { amount: Number(tax_amount), currency },
      total: { amount: Number(amount), currency },
    })),
    ...totals(currency, { tax: Number(refund.tax_amount), total: Number(refund.amount) }),
  }
}

const headOf = ({ number, buyer_name, buyer_email, billing_address, tax_id, tax_mode, tax_rate_bps, tax_country }: DocumentedOrder) => ({
  order_number: number,
  buyer: { name: buyer_name, email: buyer_email },
  billing_address,
  tax_id,
  tax_mode,
  tax_rate_bps,
  tax_country,
})

const totals = (currency: string, { tax, total }: { tax: number; total: number }) => ({
  net_total: { amount: total - tax, currency },
  tax_total: { amount: tax, currency },
  total: { amount: total, currency },
})
