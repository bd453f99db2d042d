import { z } from 'zod'
import { paymentProviders } from '../domain/orders/payment.ts'
import { refundReasons } from '../domain/orders/refundOrder.ts'
import { money, reference, timestamp } from '../framework/declare/fields.ts'
import { itemRef } from './itemFields.ts'

export const orderStatuses = ['pending', 'paid', 'partially_refunded', 'refunded', 'failed', 'canceled', 'expired'] as const

const text = (description: string, example: string | null = null) => z.string().nullable().meta({ description, example })
const address = (description: string) =>
  z
    .object({
      name: text('Name.', 'Wren Tallow'),
      line1: text('Street and number.', '4 Kiln Lane'),
      line2: text('More of the address.'),
      postal_code: text('Postal code.', '10115'),
      city: text('Town.', 'Berlin'),
      region: text('Region or state.'),
      country: text('ISO 3166-1 code.', 'DE'),
    })
    .nullable()
    .meta({ description, example: null })

export const orderItem = z.object({
  id: reference('oit', 'Id of the line.').meta({ description: 'Id of the line.', idPrefix: 'oit' }),
  product: itemRef('What was bought.'),
  title: z.string().meta({ description: 'What it was called then.', example: 'Clay From Scratch' }),
  quantity: z.int().meta({ description: 'How many.', example: 1 }),
  unit_price: money('What one cost.'),
  discount: money('What was taken off the line.'),
  tax: money('Tax of the line, contained or added.'),
  total: money('What the line came to.'),
  refunded: money('What of it went back.'),
})

export const orderRefund = z.object({
  id: reference('rfd', 'Id of the refund.').meta({ description: 'Id of the refund.', idPrefix: 'rfd' }),
  amount: money('What went back.'),
  reason: z.enum(refundReasons).meta({ description: 'Why.', example: 'requested' }),
  created_at: timestamp().meta({ description: 'When.', example: '2026-03-01T09:30:00.000Z' }),
})

const own = { view: 'own' } as const
const sum = (description: string) => money(description).meta({ description, ...own })
const time = (description: string) => timestamp().nullable().meta({ description, example: null })

export const orderSchema = z.object({
  number: z.string().meta({ description: 'What people call it: a year and a number.', example: '2026-000512' }),
  status: z.enum(orderStatuses).meta({ description: 'What has become of it.', example: 'paid' }),
  kind: z
    .enum(['one_time', 'subscription_initial', 'subscription_renewal', 'zero_total'])
    .meta({ description: 'What it is for.', example: 'one_time' }),
  buyer: z
    .object({
      student_id: z.string().nullable().meta({ description: 'Id as a student.', idPrefix: 'std', example: null }),
      member_id: z.string().nullable().meta({ description: 'Id as a member.', idPrefix: 'mbr', example: null }),
      name: z.string().meta({ description: 'Name as it was then.', example: 'Wren Tallow' }),
      email: z.string().meta({ description: 'Address as it was then.', example: 'wren@example.org' }),
    })
    .meta({ description: 'Who bought it.' }),
  items: z.array(orderItem).meta({ description: 'What was bought; lecturers see their own courses.', example: [] }),
  currency: z.string().meta({ description: 'ISO 4217 code of every amount.', example: 'EUR' }),
  subtotal: sum('Prices before the discount.'),
  discount_total: sum('What was taken off.'),
  tax_total: sum('Tax: contained in the total, or added to it, as tax_mode says.'),
  total: sum('What was to be paid.'),
  refunded_total: sum('What went back.'),
  net_total: sum('What stayed.'),
  tax_mode: z.enum(['inclusive', 'exclusive', 'none']).meta({ description: 'Whether the total contains the tax.', example: 'inclusive' }),
  coupon: z
    .object({
      id: z.string().meta({ description: 'Id of the coupon.', idPrefix: 'cpn' }),
      code: z.string().meta({ description: 'The code that was typed.', example: 'SPRING25' }),
    })
    .nullable()
    .meta({ description: 'What made it cheaper.', example: null, ...own }),
  subscription_id: z
    .string()
    .nullable()
    .meta({ description: 'The subscription that it pays for.', idPrefix: 'sub', example: null, ...own }),
  payment: z
    .object({
      provider: z.enum(paymentProviders).meta({ description: 'How it was paid.', example: 'card' }),
      card_brand: text('Brand of the card.', 'visa'),
      card_last4: text('Its last four digits.', '4242'),
      reference: z.string().nullable().meta({ description: 'What the provider calls the payment.', example: null, view: 'staff' }),
      failure_code: text('Why it was refused.'),
    })
    .nullable()
    .meta({ description: 'The payment.', example: null, ...own }),
  refunds: z.array(orderRefund).meta({ description: 'What went back, in the order of time.', example: [], ...own }),
  billing_address: address('Where the bill goes.').meta({ description: 'Where the bill goes.', example: null, ...own }),
  tax_id: z
    .string()
    .nullable()
    .meta({ description: "The buyer's tax id.", example: null, ...own }),
  attribution: z
    .object({
      source: text('Where the buyer came from.', 'newsletter'),
      medium: text('By what way.', 'email'),
      campaign: text('In which campaign.'),
      referrer_host: text('From which site.'),
    })
    .nullable()
    .meta({ description: 'How the buyer found the school.', example: null, view: 'staff' }),
  placed_at: time('When it was placed.'),
  paid_at: time('When it was paid.'),
  failed_at: time('When its payment was refused.'),
  canceled_at: time('When it was canceled.'),
  refunded_at: time('When all of it went back.'),
  expires_at: time('Until when the checkout waits for its payment.'),
  receipt_number: z
    .string()
    .nullable()
    .meta({ description: 'Number of the receipt, once it is paid.', example: null, ...own }),
})

export const receiptSchema = z.object({
  receipt_number: z.string().meta({ description: 'Number of the receipt.', example: '2026-000512' }),
  order_number: z.string().meta({ description: 'Number of the order.', example: '2026-000512' }),
  issued_at: timestamp().meta({ description: 'When it was paid.', example: '2026-03-01T09:30:00.000Z' }),
  locale: z.string().meta({ description: 'Language of the school.', example: 'en' }),
  time_zone: z.string().meta({ description: 'Time zone of the school.', example: 'Europe/Berlin' }),
  seller: z
    .object({
      name: z.string().meta({ description: 'Name of the school.', example: 'Quill Harbour' }),
      address: address('Address of the school.'),
      contact_email: z.string().nullable().meta({ description: 'Where the school is reached.', example: null }),
    })
    .meta({ description: 'Who sold it.' }),
  buyer: z
    .object({
      name: z.string().meta({ description: 'Name as it was then.', example: 'Wren Tallow' }),
      email: z.string().meta({ description: 'Address as it was then.', example: 'wren@example.org' }),
    })
    .meta({ description: 'Who bought it.' }),
  billing_address: address('Where the bill goes.'),
  tax_id: text("The buyer's tax id."),
  items: z.array(orderItem).meta({ description: 'What was bought.', example: [] }),
  subtotal: money('Prices before the discount.'),
  discount_name: text('What the discount is called.', 'Spring sale'),
  discount_total: money('What was taken off.'),
  tax_mode: z.enum(['inclusive', 'exclusive', 'none']).meta({ description: 'Whether the total contains the tax.', example: 'inclusive' }),
  tax_total: money('Tax.'),
  total: money('What was paid.'),
  refunded_total: money('What went back.'),
})
