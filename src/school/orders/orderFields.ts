import { z } from 'zod'
import { listOf } from '../../engine/declare/elementList.ts'
import { money, reference, timestamp } from '../../engine/declare/fields.ts'
import { itemRef } from './itemFields.ts'
import { paymentProviders } from './payment.ts'
import { refundReasons } from './refundOrder.ts'

export const orderStatuses = ['pending', 'paid', 'partially_refunded', 'refunded', 'failed', 'canceled', 'expired'] as const

export const text = (description: string, example: string | null = null) => z.string().nullable().meta({ description, example })
export const address = (description: string) =>
  z
    .object({
      name: text('Name.', 'Wren Tallow'),
      line1: text('Street and number.', '4 Kiln Lane'),
      line2: text('Second line of the address.'),
      postal_code: text('Postal code.', '10115'),
      city: text('City.', 'Berlin'),
      region: text('Region or state.'),
      country: text('ISO 3166-1 code.', 'DE'),
    })
    .meta({ component: 'Address' })
    .nullable()
    .meta({ description, example: null })

export const orderItem = z
  .object({
    id: reference('oit', 'Id of the line.').meta({ description: 'Id of the line.', idPrefix: 'oit' }),
    product: itemRef('The item.'),
    title: z.string().meta({ description: 'Title of the item at the time of the order.', example: 'Clay From Scratch' }),
    quantity: z.int().meta({ description: 'Number of units.', example: 1 }),
    unit_price: money('Price of one unit.'),
    discount: money('Discount on the line.'),
    tax: money('Tax on the line, included in or added to the price.'),
    total: money('Total of the line.'),
    refunded: money('Refunded part of the line, including tax.'),
    refunded_tax: money('Tax within the refunded part of the line.'),
  })
  .meta({ component: 'OrderItem' })

const orderRefund = z
  .object({
    id: reference('rfd', 'Id of the refund.').meta({ description: 'Id of the refund.', idPrefix: 'rfd' }),
    amount: money('Refunded amount, including tax; 0 if an order with a total of 0 was undone.'),
    tax: money('Tax within the refunded amount.'),
    items: z
      .array(
        z.object({
          line_id: reference('oit', 'Id of the line.').meta({ description: 'Id of the line.', idPrefix: 'oit' }),
          amount: money('Refunded part of the line, including tax.'),
          tax: money('Tax within this part.'),
        }),
      )
      .meta({ description: 'The parts of the lines. They add up to the refund.', example: [] }),
    reason: z.enum(refundReasons).meta({ component: 'RefundReason' }).meta({ description: 'Reason of the refund.', example: 'requested' }),
    credit_note_number: text('Number of the credit note; null for a refund of 0 and for refunds of earlier releases.', 'CN-2026-000001'),
    created_at: timestamp().meta({ description: 'Time of the refund.', example: '2026-03-01T09:30:00.000Z' }),
  })
  .meta({ component: 'Refund' })

export const orderItemList = listOf(orderItem, 'The items; lecturers see only their own courses.')

export const orderRefundList = listOf(orderRefund, 'The refunds, the oldest first.')

const own = { view: 'own' } as const
const sum = (description: string) => money(description).meta({ description, ...own })
const time = (description: string) => timestamp().nullable().meta({ description, example: null })

export const orderSchema = z.object({
  number: z.string().meta({ description: 'Order number: the year and a sequence number.', example: '2026-000512' }),
  status: z.enum(orderStatuses).meta({ component: 'OrderStatus' }).meta({ description: 'Status of the order.', example: 'paid' }),
  kind: z
    .enum(['one_time', 'subscription_initial', 'subscription_renewal', 'zero_total'])
    .meta({ component: 'OrderKind' })
    .meta({ description: 'Kind of the order.', example: 'one_time' }),
  buyer: z
    .object({
      student_id: z.string().nullable().meta({ description: 'Id as a student.', idPrefix: 'std', example: null }),
      member_id: z.string().nullable().meta({ description: 'Id as a member.', idPrefix: 'mbr', example: null }),
      name: z.string().meta({ description: 'Name at the time of the order.', example: 'Wren Tallow' }),
      email: z.string().meta({ description: 'E-mail address at the time of the order.', example: 'wren@example.org' }),
    })
    .meta({ description: 'The buyer.' }),
  items: z.array(orderItem).meta({ description: 'The items; lecturers see only their own courses.', example: [] }),
  currency: z.string().meta({ description: 'ISO 4217 code of all amounts.', example: 'EUR' }),
  subtotal: sum('Prices before the discount.'),
  discount_total: sum('Discount.'),
  tax_total: sum('Tax. `tax_mode` determines how it relates to the prices.'),
  total: sum('Amount to pay.'),
  refunded_total: sum('Refunded amount, including tax.'),
  refunded_tax_total: sum('Tax within the refunded amount.'),
  net_total: sum('Total less refunds.'),
  tax_mode: z.enum(['inclusive', 'exclusive', 'none']).meta({ component: 'TaxMode' }).meta({
    description: 'inclusive: prices include the tax. exclusive: the tax is added to them. none: there is no tax.',
    example: 'inclusive',
  }),
  tax_country: z
    .string()
    .nullable()
    .meta({ description: 'Country of the buyer for the tax, an ISO 3166-1 code; null if it is unknown.', example: 'DE', ...own }),
  tax_rate_bps: z
    .int()
    .nullable()
    .meta({ description: 'Tax rate in hundredths of a percent; null for orders of earlier releases.', example: 1900, ...own }),
  coupon: z
    .object({
      id: z.string().meta({ description: 'Id of the coupon.', idPrefix: 'cpn' }),
      code: z.string().meta({ description: 'Code of the coupon.', example: 'SPRING25' }),
    })
    .nullable()
    .meta({ description: 'The coupon that was used.', example: null, ...own }),
  subscription_id: z
    .string()
    .nullable()
    .meta({ description: 'The subscription that the order pays for.', idPrefix: 'sub', example: null, ...own }),
  payment: z
    .object({
      provider: z.enum(paymentProviders).meta({ component: 'PaymentProvider' }).meta({ description: 'Payment method.', example: 'card' }),
      card_brand: text('Card brand.', 'visa'),
      card_last4: text('Last four digits of the card number.', '4242'),
      reference: z.string().nullable().meta({ description: 'Identifier of the payment at the provider.', example: null, view: 'staff' }),
      failure_code: text('Why the payment was declined.'),
    })
    .nullable()
    .meta({ description: 'The payment.', example: null, ...own }),
  refunds: z.array(orderRefund).meta({ description: 'The refunds, the oldest first.', example: [], ...own }),
  billing_address: address('Billing address.').meta({ description: 'Billing address.', example: null, ...own }),
  tax_id: z
    .string()
    .nullable()
    .meta({ description: 'Tax id of the buyer.', example: null, ...own }),
  attribution: z
    .object({
      source: text('Traffic source.', 'newsletter'),
      medium: text('Marketing medium.', 'email'),
      campaign: text('Campaign.'),
      referrer_host: text('Host of the referring site.'),
    })
    .nullable()
    .meta({ description: 'Marketing attribution of the order.', example: null, view: 'staff' }),
  placed_at: time('When the order was placed.'),
  paid_at: time('When the order was paid.'),
  failed_at: time('When the payment was declined.'),
  canceled_at: time('When the order was cancelled.'),
  refunded_at: time('When the order was fully refunded.'),
  expires_at: time('When the checkout expires if the order is not paid.'),
  receipt_number: z
    .string()
    .nullable()
    .meta({ description: 'Number of the receipt; null until the order is paid.', example: null, ...own }),
  invoice_number: z
    .string()
    .nullable()
    .meta({
      description:
        'Number of the invoice; null until the order is paid, for a total of 0, and for orders that an earlier release recorded as paid.',
      example: 'INV-2026-000512',
      ...own,
    }),
})
