import { accountOrderPath, accountPaths } from '../../base/accountPaths.ts'
import { toPublicId } from '../../base/ids.ts'
import { dateLocales } from '../../base/text/languages.ts'
import { dateFormat, moneyText, rateText } from '../../base/text/readerFormats.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'
import type { EmailFact, TranslatedFacts } from '../../database/outbox/sendMessage.ts'
import { invoiceWords } from '../orders/invoicePage.ts'
import { type FindNews, newsFor, type Readers } from './news.ts'

/** The receipt of a paid order, for its buyer. */
export const receiptNews: FindNews = async (context, { groupId: orderId }) => {
  const { writer, school } = context
  const order = await readOrder(writer, orderId)
  if (!order || order.paid_at === null) return undefined
  const lines = await writer
    .selectFrom('order_item')
    .select(['title', 'quantity', 'total_amount'])
    .where('order_id', '=', orderId)
    .orderBy('position')
    .execute()
  const total = { total: Number(order.total_amount), tax: Number(order.tax_amount) }
  const items = factsOf(order, { at: order.paid_at, document: order.invoice_number, lines, ...total })
  const isFree = order.invoice_number === null
  const link = school.issuer + accountOrderPath(toPublicId('ord', orderId), isFree ? 'receipt' : 'invoice')
  return newsFor(context, isFree ? 'receipt_free' : 'receipt', { number: order.number, items, link }, isBuyer(order.person_id))
}

/** A refund, for the buyer of its order. */
export const refundNews: FindNews = async (context, { groupId: refundId }) => {
  const { writer, school } = context
  const refund = await writer
    .selectFrom('refund')
    .select(['order_id', 'amount', 'tax_amount', 'credit_note_number', 'created_at'])
    .where('id', '=', refundId)
    .executeTakeFirst()
  const order = refund && (await readOrder(writer, refund.order_id))
  if (!refund || !order) return undefined
  const lines = await writer
    .selectFrom('refund_item')
    .innerJoin('order_item', 'order_item.id', 'refund_item.order_item_id')
    .select(['order_item.title', 'refund_item.amount as total_amount'])
    .select((row) => row.lit(1).as('quantity'))
    .where('refund_item.refund_id', '=', refundId)
    .orderBy('order_item.position')
    .execute()
  const total = { total: Number(refund.amount), tax: Number(refund.tax_amount) }
  const items = factsOf(order, { at: refund.created_at, document: refund.credit_note_number, isRefund: true, lines, ...total })
  const link = school.issuer + accountPaths.orders
  return newsFor(context, 'refund', { number: order.number, items, link }, isBuyer(order.person_id))
}

const isBuyer = (personId: string | null) => (person: Readers) => person('person.id', '=', personId)

const readOrder = (writer: SchoolWriter, orderId: string) =>
  writer
    .selectFrom('orders')
    .innerJoin('school', 'school.id', 'orders.school_id')
    .select(['orders.number', 'orders.person_id', 'orders.invoice_number', 'orders.paid_at', 'orders.currency', 'orders.tax_mode'])
    .select(['orders.tax_rate_bps', 'orders.total_amount', 'orders.tax_amount', 'school.time_zone'])
    .where('orders.id', '=', orderId)
    .executeTakeFirst()

interface DocumentFacts {
  at: Date
  /** The number of the invoice or the credit note. */
  document: string | null
  isRefund?: boolean
  lines: readonly { title: string; quantity: number; total_amount: string | number }[]
  /** In the smallest unit of the currency. */
  total: number
  tax: number
}

/** Returns the lines of the invoice or the credit note, with net amount, tax and total below. */
function factsOf(order: NonNullable<Awaited<ReturnType<typeof readOrder>>>, facts: DocumentFacts): TranslatedFacts {
  const { currency, tax_mode, tax_rate_bps, time_zone: timeZone } = order
  const { at, document, isRefund = false, lines, total, tax } = facts
  const factsIn = (locale: string): EmailFact[] => {
    const words = invoiceWords(locale)
    const money = (amount: number): string => moneyText({ amount, currency }, locale)
    const rate = tax_rate_bps === null ? '' : ` (${rateText(tax_rate_bps, locale)})`
    return [
      ...(document === null ? [] : [{ label: isRefund ? words.creditNote : words.invoice, value: document }]),
      { label: words.date, value: dateFormat(locale, timeZone).format(at) },
      ...lines.map(({ title, quantity, total_amount }) => ({
        label: words.item,
        value: `${quantity > 1 ? `${quantity} × ` : ''}${title}: ${money(Number(total_amount))}`,
      })),
      ...(tax_mode === 'none'
        ? []
        : [
            { label: words.net, value: money(total - tax) },
            { label: `${words.tax}${rate}`, value: money(tax) },
          ]),
      { label: isRefund ? words.refunded : words.total, value: money(total) },
    ]
  }
  return { en: factsIn(dateLocales.en), de: factsIn(dateLocales.de) }
}
