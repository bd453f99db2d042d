import { uuidOf } from '../../base/ids.ts'
import { fromJson } from '../../engine/declare/expressions.ts'
import { defineRead } from '../../engine/declare/typedOperations.ts'
import { documentStyle } from './documentParts.ts'
import { creditNoteOf, findIssuer, invoiceOf, type Seller } from './invoice.ts'
import { creditNotePage, invoicePage } from './invoicePage.ts'
import { creditNoteSchema, invoiceSchema, receiptSchema, refundPath } from './orderDocumentFields.ts'
import { publicOrderItem, type StoredOrderItem, type StoredRefund } from './publicOrder.ts'
import { requireReceipt, sellerOf } from './receipt.ts'
import { receiptPage } from './receiptPage.ts'

/** The documents about an order, which the buyer and the staff read as JSON or HTML. */
export const orderDocuments = {
  receipt: defineRead('orders', {
    scope: 'read',
    errors: ['invalid_state'],
    id: 'getReceipt',
    summary: 'Get the receipt of an order',
    byId: true,
    view: 'own',
    output: receiptSchema,
    async run({ database }, row) {
      const money = (amount: string | number) => ({ amount: Number(amount), currency: row.currency })
      const receiptNumber = requireReceipt(row)
      const { name, address, contact_email, locale, time_zone, discountName } = await sellerOf(database, row)
      return {
        receipt_number: receiptNumber,
        order_number: row.number,
        issued_at: row.paid_at,
        locale,
        time_zone,
        seller: { name, address, contact_email },
        buyer: { name: row.buyer_name, email: row.buyer_email },
        billing_address: row.billing_address,
        tax_id: row.tax_id,
        items: (fromJson<StoredOrderItem[] | null>(row.items) ?? []).map(publicOrderItem),
        subtotal: money(row.subtotal_amount),
        discount_name: discountName,
        discount_total: money(row.discount_amount),
        tax_mode: row.tax_mode,
        tax_total: money(row.tax_amount),
        total: money(row.total_amount),
        refunded_total: money(row.refunded_amount),
      }
    },
    asHtml: (response) => receiptPage(response),
    htmlStyle: documentStyle,
  }),
  invoice: defineRead('orders', {
    scope: 'read',
    errors: ['invalid_state'],
    id: 'getInvoice',
    summary: 'Get the invoice of an order',
    byId: true,
    view: 'own',
    output: invoiceSchema,
    async run({ database }, row) {
      const invoice = invoiceOf(row, fromJson<StoredOrderItem[] | null>(row.items) ?? [])
      const issuer = await findIssuer(database)
      return { ...issuer, ...invoice, seller: fromJson<Seller | null>(row.invoice_seller) ?? issuer.seller }
    },
    asHtml: (response) => invoicePage(response),
    htmlStyle: documentStyle,
  }),
  'credit_notes/{refund_id}': defineRead('orders', {
    scope: 'read',
    errors: ['invalid_state'],
    id: 'getCreditNote',
    summary: 'Get the credit note of a refund',
    byId: true,
    view: 'own',
    parameters: refundPath,
    output: creditNoteSchema,
    async run({ database, parameters }, row) {
      const note = creditNoteOf(row, {
        items: fromJson<StoredOrderItem[] | null>(row.items) ?? [],
        refunds: fromJson<StoredRefund[] | null>(row.refunds) ?? [],
        refundId: uuidOf('rfd', parameters.get('refund_id')),
      })
      const issuer = await findIssuer(database)
      return { ...issuer, ...note, seller: fromJson<Seller | null>(row.invoice_seller) ?? issuer.seller }
    },
    asHtml: (response) => creditNotePage(response),
    htmlStyle: documentStyle,
  }),
}
