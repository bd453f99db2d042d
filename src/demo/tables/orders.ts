import { portion } from '../../domain/orders/prorateAmounts.ts'
import { cyclicElement, elementAt } from '../../lib/elementAt.ts'
import type { Happening } from '../calendar.ts'
import { inOrder } from '../calendar.ts'
import type { Activity } from '../generate/activity.ts'
import { couponCodes, type DemoLine, type DemoOrder, isPaid, sumOf } from '../generate/orders.ts'
import { learnerAt } from '../learners.ts'
import { schoolRow } from '../school.ts'
import { type Context, dateOf } from './context.ts'

const checkoutMs = 30 * 60_000
const transferMs = 14 * 86_400_000
const streets = ['Lamp Lane', 'Kiln Row', 'Madder Street', 'Willow Yard', 'Long Table Road']
const seller = { name: schoolRow.name, address: null, contact_email: null, tax_id: null }
const towns = ['Lanternfield', 'Saltmere', 'Oakhanger', 'Reedham']

export function orderRows(context: Context, { orders }: Activity) {
  const { schoolId, id, base, personId } = context
  const currency = schoolRow.currency
  const numbers = numbersOf(orders)
  const lines = orders.flatMap((order) => order.lines.map((line, position) => ({ order, line, position })))
  const opened = lines.filter(({ order, line }) => isPaid(order) && line.type !== 'membership_plan')
  const refunds = inOrder(orders.flatMap((order) => order.refunds))
  const invoices = numbered(
    'INV',
    orders.filter((order) => isPaid(order) && sumOf(order, ({ total }) => total) > 0),
  )
  const creditNotes = numbered('CN', refunds)
  return {
    orders: orders.map((order) => ({
      ...orderRow(context, order),
      ...numbers.of(order),
      invoice_number: invoices.numbers.get(order) ?? null,
      invoice_seller: invoices.numbers.has(order) ? seller : null,
    })),
    items: lines.map(({ order, line, position }, number) => ({
      ...base('order_item', { at: order.at, number }),
      order_id: id('order', order.number),
      position,
      product_type: line.type,
      product_id: id(line.type, line.product),
      price_id: line.priceNumber === null ? null : id('plan_price', line.priceNumber),
      title: line.title,
      currency,
      unit_amount: line.unit,
      discount_amount: line.discount,
      tax_amount: line.tax,
      total_amount: line.total,
      refunded_amount: line.refunded,
      refunded_tax_amount: refundedTax(line),
      refunded_at: order.status === 'refunded' ? dateOf(order.refunds.at(-1)?.at) : null,
    })),
    refunds: refunds.map((refund) => ({
      ...base('refund', refund),
      order_id: id('order', refund.order.number),
      amount: refund.amount,
      tax_amount: sumOf(refund.order, refundedTax),
      currency,
      reason: refund.reason,
      credit_note_number: creditNotes.numbers.get(refund) ?? null,
    })),
    refundItems: lines.flatMap(({ order, line }, number) =>
      order.refunds.flatMap((refund) =>
        line.refunded > 0
          ? [
              {
                school_id: schoolId,
                refund_id: id('refund', refund.number),
                order_item_id: id('order_item', number),
                amount: line.refunded,
                tax_amount: refundedTax(line),
              },
            ]
          : [],
      ),
    ),
    entitlements: opened.map(({ order, line }, number) => {
      const revokedAt = order.status === 'refunded' ? order.refunds[0]?.at : null
      return {
        ...base('entitlement', { at: order.at, number }, revokedAt),
        person_id: personId(order.learner),
        product_type: line.type,
        product_id: id(line.type, line.product),
        source_type: 'order',
        source_id: id('order', order.number),
        starts_at: new Date(order.at),
        revoked_at: dateOf(revokedAt),
      }
    }),
    counters: numbers.last.map(([year, last_no]) => ({ school_id: schoolId, year, last_no })),
    documentCounters: [
      ...invoices.last.map(([year, last_no]) => ({ school_id: schoolId, kind: 'invoice', year, last_no })),
      ...creditNotes.last.map(([year, last_no]) => ({ school_id: schoolId, kind: 'credit_note', year, last_no })),
    ],
  }
}

function orderRow({ id, base, personId }: Context, order: DemoOrder) {
  const { at, number, status, learner, coupon, provider, failureCode, refunds } = order
  const { name, email } = learnerAt(learner.index)
  const sum = (of: (line: DemoLine) => number): number => sumOf(order, of)
  const failedAt = status === 'failed' ? at + 60_000 : null
  const canceledAt = status === 'canceled' ? at + 9 * 60_000 : null
  const expiresAt = status === 'expired' ? at + checkoutMs : status === 'pending' ? at + transferMs : null
  const ended = refunds.at(-1)?.at ?? failedAt ?? canceledAt ?? (status === 'expired' ? expiresAt : null)
  const isByCard = provider === 'card'
  return {
    ...base('order', order, ended),
    status,
    kind: order.kind,
    person_id: personId(learner),
    buyer_name: name,
    buyer_email: email,
    currency: schoolRow.currency,
    subtotal_amount: sum(({ unit }) => unit),
    discount_amount: sum(({ discount }) => discount),
    tax_amount: sum(({ tax }) => tax),
    total_amount: sum(({ total }) => total),
    refunded_amount: sum(({ refunded }) => refunded),
    refunded_tax_amount: sum(refundedTax),
    tax_mode: 'inclusive',
    tax_country: order.kind === 'zero_total' ? null : 'DE',
    tax_rate_bps: schoolRow.settings.tax.default_rate_bps,
    coupon_id: coupon === null ? null : id('coupon', coupon),
    coupon_code: coupon === null ? null : elementAt(couponCodes, coupon),
    subscription_id: order.subscription && id('subscription', order.subscription.number),
    payment_provider: provider,
    payment_reference: provider === 'none' || status === 'canceled' ? null : `demo-${provider}-${String(number + 1).padStart(5, '0')}`,
    payment: {
      card_brand: isByCard ? ['visa', 'mastercard'][learner.index % 2] : null,
      card_last4: isByCard ? String(1000 + ((learner.index * 379) % 9000)) : null,
      failure_code: failureCode,
    },
    billing_address: order.kind === 'zero_total' ? null : addressOf(learner.index, name),
    attribution: attributionOf(number),
    placed_at: new Date(at),
    paid_at: isPaid(order) ? new Date(at) : null,
    failed_at: dateOf(failedAt),
    canceled_at: dateOf(canceledAt),
    refunded_at: status === 'refunded' ? dateOf(refunds.at(-1)?.at) : null,
    expires_at: dateOf(expiresAt),
  }
}

const refundedTax = ({ tax, refunded, total }: DemoLine): number => (total === 0 ? 0 : portion(tax, refunded, total))

const addressOf = (index: number, name: string) => ({
  name,
  line1: `${streets[index % streets.length]} ${(index % 60) + 1}`,
  line2: null,
  postal_code: String(10_000 + ((index * 137) % 89_999)),
  city: towns[index % towns.length],
  region: null,
  country: 'DE',
})

const sources = [
  { source: 'newsletter', medium: 'email', campaign: 'first-firing', referrer_host: null },
  { source: 'search', medium: 'organic', campaign: null, referrer_host: 'search.example.com' },
  { source: 'open-kiln-evening', medium: 'poster', campaign: 'autumn', referrer_host: null },
]

const attributionOf = (number: number) => (number % 2 === 0 ? null : cyclicElement(sources, number >> 1))

/** Order numbers count by year in the time zone of the school. A receipt has the number of its order. */
function numbersOf(orders: readonly DemoOrder[]) {
  const { numbers, last } = numbered('', orders)
  return {
    of: (order: DemoOrder) => {
      const number = numbers.get(order) as string
      return { number, receipt_number: isPaid(order) ? number : null }
    },
    last,
  }
}

/** Returns document numbers, which count by year in the time zone of the school: `INV-2026-000001`. */
function numbered(prefix: string, list: readonly Happening[]) {
  const yearOf = new Intl.DateTimeFormat('en', { timeZone: schoolRow.time_zone, year: 'numeric' })
  const last = new Map<number, number>()
  const numbers = new Map<Happening, string>()
  for (const one of list) {
    const year = Number(yearOf.format(one.at))
    const count = (last.get(year) ?? 0) + 1
    last.set(year, count)
    numbers.set(one, `${prefix === '' ? '' : `${prefix}-`}${year}-${String(count).padStart(6, '0')}`)
  }
  return { numbers, last: [...last] }
}
