import { z } from 'zod'
import { money, reference, timestamp } from '../../engine/declare/fields.ts'
import { address, orderItem, text } from './orderFields.ts'
import { refundReasons } from './refundOrder.ts'

const seller = {
  name: z.string().meta({ description: 'Name of the school.', example: 'Quill Harbour' }),
  address: address('Address of the school.'),
  contact_email: z.string().nullable().meta({ description: 'Contact address of the school.', example: null }),
}

const buyer = z
  .object({
    name: z.string().meta({ description: 'Name at the time of the order.', example: 'Wren Tallow' }),
    email: z.string().meta({ description: 'E-mail address at the time of the order.', example: 'wren@example.org' }),
  })
  .meta({ description: 'The buyer.', component: 'Buyer' })

const place = {
  locale: z.string().meta({ description: 'Language of the school.', example: 'en' }),
  time_zone: z.string().meta({ description: 'Time zone of the school.', example: 'Europe/Berlin' }),
}

const taxMode = z.enum(['inclusive', 'exclusive', 'none']).meta({ component: 'TaxMode' }).meta({
  description: 'inclusive: prices include the tax. exclusive: the tax is added to them. none: there is no tax.',
  example: 'inclusive',
})

const taxed = {
  tax_mode: taxMode,
  tax_rate_bps: z.int().nullable().meta({ description: 'Tax rate in hundredths of a percent.', example: 1900 }),
  tax_country: text('ISO 3166-1 code of the country of the buyer.', 'DE'),
}

export const receiptSchema = z
  .object({
    receipt_number: z.string().meta({ description: 'Number of the receipt.', example: '2026-000512' }),
    order_number: z.string().meta({ description: 'Number of the order.', example: '2026-000512' }),
    issued_at: timestamp().meta({ description: 'When the order was paid.', example: '2026-03-01T09:30:00.000Z' }),
    ...place,
    seller: z.object(seller).meta({ description: 'The seller.' }),
    buyer,
    billing_address: address('Billing address.'),
    tax_id: text('Tax id of the buyer.'),
    items: z.array(orderItem).meta({ description: 'The items.', example: [] }),
    subtotal: money('Prices before the discount.'),
    discount_name: text('Name of the discount.', 'Spring sale'),
    discount_total: money('Discount.'),
    tax_mode: taxMode,
    tax_total: money('Tax.'),
    total: money('Amount paid.'),
    refunded_total: money('Refunded amount.'),
  })
  .meta({ component: 'Receipt' })

/** The seller of an invoice, as it was when the invoice was issued. */
const taxedSeller = z
  .object({ ...seller, tax_id: z.string().nullable().meta({ description: 'Tax id of the school.', example: 'DE123456789' }) })
  .meta({ description: 'The seller at the time of the invoice.', component: 'Seller' })

export const invoiceSchema = z
  .object({
    invoice_number: z.string().meta({ description: 'Number of the invoice.', example: 'INV-2026-000512' }),
    order_number: z.string().meta({ description: 'Number of the order.', example: '2026-000512' }),
    issued_at: timestamp().meta({ description: 'When the order was paid.', example: '2026-03-01T09:30:00.000Z' }),
    ...place,
    seller: taxedSeller,
    buyer,
    billing_address: address('Billing address.'),
    tax_id: text('Tax id of the buyer.'),
    items: z.array(orderItem.omit({ refunded: true, refunded_tax: true })).meta({ description: 'The items.', example: [] }),
    discount_total: money('Discount.'),
    ...taxed,
    net_total: money('Total without tax.'),
    tax_total: money('Tax.'),
    total: money('Amount paid, including tax.'),
  })
  .meta({ component: 'Invoice' })

export const refundPath = z.object({
  refund_id: reference('rfd', 'Id of the refund.').meta({ description: 'Id of the refund.', example: 'rfd_01jgwejj00e6srgkpqm2sqf05m' }),
})

export const creditNoteSchema = z
  .object({
    credit_note_number: z.string().meta({ description: 'Number of the credit note.', example: 'CN-2026-000031' }),
    invoice_number: text('Number of the invoice that it corrects; null if the order has none.', 'INV-2026-000512'),
    order_number: z.string().meta({ description: 'Number of the order.', example: '2026-000512' }),
    issued_at: timestamp().meta({ description: 'Time of the refund.', example: '2026-03-09T09:30:00.000Z' }),
    ...place,
    seller: taxedSeller,
    buyer,
    billing_address: address('Billing address.'),
    tax_id: text('Tax id of the buyer.'),
    reason: z.enum(refundReasons).meta({ component: 'RefundReason' }).meta({ description: 'Reason of the refund.', example: 'requested' }),
    items: z
      .array(
        z.object({
          title: z.string().meta({ description: 'Title of the item at the time of the order.', example: 'Clay From Scratch' }),
          tax: money('Refunded tax of the line.'),
          total: money('Refunded part of the line, including tax.'),
        }),
      )
      .meta({ description: 'The refunded parts of the lines.', example: [] }),
    ...taxed,
    net_total: money('Refunded amount without tax.'),
    tax_total: money('Refunded tax.'),
    total: money('Refunded amount, including tax.'),
  })
  .meta({ component: 'CreditNote' })
