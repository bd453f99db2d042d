import { escapeHtml } from '../../base/text/escapeHtml.ts'
import type { Money } from '../../base/text/readerFormats.ts'
import { type DocumentHead, documentPage, documentStyle, formattedMoney, isGerman, sumRow } from './documentParts.ts'

export interface Receipt extends DocumentHead {
  receipt_number: string
  items: readonly { title: string; quantity: number; unit_price: Money; discount: Money; total: Money }[]
  subtotal: Money
  discount_name: string | null
  discount_total: Money
  tax_mode: string
  tax_total: Money
  total: Money
  refunded_total: Money
}

const english = {
  receipt: 'Receipt',
  order: 'Order',
  date: 'Date',
  buyer: 'Bought by',
  taxId: 'Tax id',
  item: 'Item',
  quantity: 'Quantity',
  price: 'Price',
  total: 'Total',
  subtotal: 'Subtotal',
  discount: 'Discount',
  inclusive: 'Tax contained',
  exclusive: 'Tax',
  refunded: 'Paid back',
}
const german: typeof english = {
  receipt: 'Beleg',
  order: 'Bestellung',
  date: 'Datum',
  buyer: 'Gekauft von',
  taxId: 'Steuernummer',
  item: 'Artikel',
  quantity: 'Menge',
  price: 'Preis',
  total: 'Summe',
  subtotal: 'Zwischensumme',
  discount: 'Rabatt',
  inclusive: 'Enthaltene Steuer',
  exclusive: 'Steuer',
  refunded: 'Zurückgezahlt',
}

/** Renders the receipt as HTML without scripts: in German if that is the language of the school, else in English. */
export function receiptPage(receipt: Receipt): string {
  const words = isGerman(receipt.locale) ? german : english
  const amount = (money: Money): string => formattedMoney(money, receipt.locale)
  const row = (name: string, money: Money): string => sumRow(name, amount(money), 4)
  const lines = receipt.items.map(
    ({ title, quantity, unit_price, total }) =>
      `<tr><td>${escapeHtml(title)}</td><td>${quantity}</td><td>${amount(unit_price)}</td><td>${amount(total)}</td></tr>`,
  )
  const sums = [
    row(words.subtotal, receipt.subtotal),
    ...(receipt.discount_total.amount > 0
      ? [row(`${words.discount}${receipt.discount_name ? ` (${escapeHtml(receipt.discount_name)})` : ''}`, receipt.discount_total)]
      : []),
    ...(receipt.tax_mode === 'none' ? [] : [row(words[receipt.tax_mode === 'exclusive' ? 'exclusive' : 'inclusive'], receipt.tax_total)]),
    row(words.total, receipt.total),
    ...(receipt.refunded_total.amount > 0 ? [row(words.refunded, receipt.refunded_total)] : []),
  ]
  const body = `<table><thead><tr><th>${words.item}</th><th>${words.quantity}</th><th>${words.price}</th><th>${words.total}</th></tr></thead>
<tbody>${lines.join('')}</tbody><tfoot>${sums.join('')}</tfoot></table>`
  return documentPage(receipt, { title: `${words.receipt} ${receipt.receipt_number}`, words, facts: [], body, style: documentStyle })
}
