import { z } from 'zod'
import { fromPublicId } from '../../base/ids.ts'
import { line, timestamp } from '../../engine/declare/fields.ts'
import { typedCode } from '../../engine/declare/typedTexts.ts'
import { storedItem } from '../itemRef.ts'
import { orderRefundList, orderSchema } from '../orders/orderFields.ts'
import { orderSummary, requireOrderNumber } from '../orders/orderSummary.ts'
import { cancelOrder, failOrder, reportPayment } from '../orders/orderTransitions.ts'
import { paymentProviders } from '../orders/payment.ts'
import { placeOrder } from '../orders/placeOrder.ts'
import { refundOrder, refundReasons } from '../orders/refundOrder.ts'
import { amount, attribution, billingAddress, country, orderedItem, person, refundedItem } from './platformFields.ts'
import { definePlatformOperation, type PathParameter, type PlatformChange } from './runReport.ts'

const number: PathParameter = {
  name: 'number',
  description: 'The number of the order.',
  example: '2026-000512',
  form: /^\d{4}-\d{6,10}$/,
}

const { shape } = orderSchema
const output = {
  name: 'Order',
  schema: z.object({
    object: z.literal('order').meta({ description: 'The type of the object.' }),
    id: z.string().meta({ description: 'Id of the order.', example: 'ord_01jgwejj00e6srgkpqm2sqf05m' }),
    number: shape.number,
    status: shape.status,
    kind: shape.kind,
    currency: shape.currency,
    items: shape.items,
    subtotal: shape.subtotal,
    discount_total: shape.discount_total,
    tax_total: shape.tax_total,
    tax_mode: shape.tax_mode,
    tax_country: shape.tax_country,
    tax_rate_bps: shape.tax_rate_bps,
    total: shape.total,
    refunded_total: shape.refunded_total,
    refunded_tax_total: shape.refunded_tax_total,
    coupon_code: z.string().nullable().meta({ description: 'Code of the coupon.', example: 'SPRING25' }),
    refunds: orderRefundList.shape.data.meta({ description: 'The refunds, the oldest first.' }),
    placed_at: timestamp().meta({ description: 'When the order was placed.', example: '2026-03-01T09:30:00.000Z' }),
    paid_at: shape.paid_at,
    expires_at: shape.expires_at,
    receipt_number: shape.receipt_number,
    invoice_number: shape.invoice_number,
  }),
}

const stepOf = async ({ writer, school, now }: PlatformChange, orderNumber: string) => ({
  schoolId: school.id,
  now,
  orderId: await requireOrderNumber(writer, orderNumber),
})

const last4 = z
  .string()
  .regex(/^\d{4}$/, 'must be the last four digits')
  .optional()
  .meta({ description: 'Last four digits of the card number.', example: '4242' })

export const orderOperations = [
  definePlatformOperation({
    id: 'createOrder',
    tag: 'orders',
    path: '/orders',
    summary: 'Start the checkout of an order',
    description:
      'Creates a pending order at the current prices and reserves its coupon. Charge `total`, then report the payment. If nothing is left to pay, the order is paid immediately. A buyer whom the school does not know becomes a student.',
    successStatus: 201,
    event: 'platform.order_created',
    input: z.object({
      buyer: person('The buyer.'),
      items: z
        .array(orderedItem)
        .min(1)
        .max(20)
        .meta({ description: 'The items, each once. A membership plan cannot be combined with other items.', example: [] }),
      coupon_code: typedCode().min(1).max(40).optional().meta({ description: 'Code of a coupon.', example: 'SPRING25' }),
      expected_total: amount('The total that the buyer saw, in the smallest unit: 422 if it is not the current one.', 3900).optional(),
      expires_in_minutes: z
        .int()
        .min(5)
        .max(20_160)
        .default(30)
        .meta({ description: 'Time for the payment. Then the order expires and its coupon is released.', example: 60 }),
      country: country.optional(),
      billing_address: billingAddress.optional(),
      tax_id: line(40).optional().meta({ description: 'Tax id of the buyer.', example: 'DE123456789' }),
      attribution: attribution.optional(),
    }),
    output,
    async run({ writer, school, now }, input) {
      const orderId = await placeOrder(writer, {
        schoolId: school.id,
        now,
        buyer: input.buyer,
        items: input.items.map((item) => {
          const stored = storedItem(item)
          const priceId = item.price_id === undefined ? undefined : fromPublicId('prc', item.price_id)
          return stored && (priceId === undefined) === (item.price_id === undefined) ? { ...stored, priceId } : undefined
        }),
        couponCode: input.coupon_code,
        expectedTotal: input.expected_total,
        expiresAt: new Date(now.getTime() + input.expires_in_minutes * 60_000),
        country: input.country,
        billingAddress: input.billing_address,
        taxId: input.tax_id,
        attribution: input.attribution,
      })
      return await orderSummary(writer, orderId)
    },
  }),
  definePlatformOperation({
    id: 'payOrder',
    tag: 'orders',
    path: '/orders/{number}/pay',
    parameter: number,
    summary: 'Report the payment of an order',
    description:
      '`reference` is the identifier of the payment at the provider. The order is paid, its coupon confirmed, and the buyer has access immediately. 409 `invalid_state` if the order has expired or has another payment: refund this payment to the buyer.',
    successStatus: 200,
    event: 'platform.order_paid',
    operatorEvent: 'operator.order_paid',
    input: z.object({
      amount: amount('What the buyer paid, in the smallest unit. It must be the total of the order.', 3900),
      currency: shape.currency,
      provider: z.enum(paymentProviders).exclude(['none']).default('card').meta({ description: 'Payment method.', example: 'card' }),
      card_brand: line(40).optional().meta({ description: 'Card brand.', example: 'visa' }),
      card_last4: last4,
    }),
    output,
    async run(change, input, orderNumber) {
      const { writer, reference } = change
      const step = await stepOf(change, orderNumber)
      const payment = { provider: input.provider, reference, cardBrand: input.card_brand, cardLast4: input.card_last4 }
      await reportPayment(writer, { ...step, amount: input.amount, currency: input.currency, payment })
      return await orderSummary(writer, step.orderId)
    },
  }),
  definePlatformOperation({
    id: 'failOrder',
    tag: 'orders',
    path: '/orders/{number}/fail',
    parameter: number,
    summary: 'Report a declined payment',
    description: 'Releases the coupon. A later payment of the order is accepted if the coupon is still available.',
    successStatus: 200,
    event: 'platform.order_failed',
    input: z.object({
      failure_code: line(100).default('declined').meta({ description: 'Why the payment was declined.', example: 'card_declined' }),
    }),
    output,
    async run(change, { failure_code }, orderNumber) {
      const step = await stepOf(change, orderNumber)
      await failOrder(change.writer, { ...step, failureCode: failure_code })
      return await orderSummary(change.writer, step.orderId)
    },
  }),
  definePlatformOperation({
    id: 'cancelOrder',
    tag: 'orders',
    path: '/orders/{number}/cancel',
    parameter: number,
    summary: 'Cancel an unpaid order',
    description: 'The buyer left the checkout. Releases the coupon. The order cannot be paid any more.',
    successStatus: 200,
    event: 'platform.order_canceled',
    operatorEvent: 'operator.order_canceled',
    input: z.object({}),
    output,
    async run(change, _input, orderNumber) {
      const step = await stepOf(change, orderNumber)
      await cancelOrder(change.writer, step)
      return await orderSummary(change.writer, step.orderId)
    },
  }),
  definePlatformOperation({
    id: 'refundOrder',
    tag: 'orders',
    path: '/orders/{number}/refund',
    parameter: number,
    summary: 'Report a refund',
    description:
      'Transfers no money. Send `amount`, `items`, or neither for everything that is left. A line that is wholly refunded ends its access, a refund of the rest ends the access of every line. An order with a total of 0 is undone: send neither, and its coupon can be used again.',
    successStatus: 200,
    event: 'platform.order_refunded',
    operatorEvent: 'operator.order_refunded',
    input: z.object({
      amount: z.int().min(1).max(99_999_999_999).optional().meta({
        description: 'Refunded amount in the smallest unit, divided over the lines. Default: everything that is not refunded yet.',
        example: 1000,
      }),
      items: z
        .array(refundedItem)
        .min(1)
        .max(20)
        .optional()
        .meta({ description: 'The refunded lines, each once. Cannot be combined with `amount`.' }),
      reason: z.enum(refundReasons).default('requested').meta({ description: 'Reason of the refund.', example: 'requested' }),
    }),
    output,
    async run(change, { amount: refunded, items, reason }, orderNumber) {
      const step = await stepOf(change, orderNumber)
      const lines = items?.map(({ line: id, amount: part }) => ({ lineId: fromPublicId('oit', id), amount: part }))
      await refundOrder(change.writer, { ...step, amount: refunded, items: lines, reason })
      return await orderSummary(change.writer, step.orderId)
    },
  }),
]
