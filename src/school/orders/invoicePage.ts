import { escapeHtml } from '../../base/text/escapeHtml.ts'
import type { Money } from '../../base/text/readerFormats.ts'
import { type DocumentHead, documentPage, documentStyle, formattedMoney, formattedRate, isGerman, sumRow } from './documentParts.ts'

interface Taxed extends DocumentHead {
  tax_mode: string
  tax_rate_bps: number | null
  net_total: Money
  tax_total: Money
  total: Money
}

export interface Invoice extends Taxed {
  invoice_number: string
  items: readonly { title: string; quantity: number; unit_price: Money; discount: Money; tax: Money; total: Money }[]
}

export interface CreditNote extends Taxed {
  credit_note_number: string
  invoice_number: string | null
  items: readonly { title: string; tax: Money; total: Money }[]
}

const english = {
  invoice: 'Invoice',
  creditNote: 'Credit note',
  corrects: 'Invoice',
  order: 'Order',
  date: 'Date',
  buyer: 'Buyer',
  taxId: 'Tax id',
  item: 'Item',
  quantity: 'Quantity',
  price: 'Price',
  discount: 'Discount',
  refunded: 'Refunded',
  net: 'Net amount',
  tax: 'Tax',
  total: 'Total',
}
const german: typeof english = {
  invoice: 'Rechnung',
  creditNote: 'Rechnungskorrektur',
  corrects: 'Rechnung',
  order: 'Bestellung',
  date: 'Datum',
  buyer: 'Käufer',
  taxId: 'Steuernummer',
  item: 'Artikel',
  quantity: 'Menge',
  price: 'Preis',
  discount: 'Rabatt',
  refunded: 'Erstattet',
  net: 'Nettobetrag',
  tax: 'Steuer',
  total: 'Gesamtbetrag',
}

/** Returns the words of invoices and credit notes. */
export const invoiceWords = (locale: string): typeof english => (isGerman(locale) ? german : english)

/** Renders an invoice as HTML that prints on A4, without scripts: in German if that is the language of the school, else in English. */
export function invoicePage(invoice: Invoice): string {
  const words = invoiceWords(invoice.locale)
  const rows = invoice.items.map(({ title, quantity, unit_price, discount, total }) => [
    escapeHtml(title),
    String(quantity),
    money(invoice, unit_price),
    money(invoice, discount),
    money(invoice, total),
  ])
  return documentPage(invoice, {
    title: `${words.invoice} ${invoice.invoice_number}`,
    words,
    facts: [],
    body: table(invoice, [words.item, words.quantity, words.price, words.discount, words.total], rows),
    style: documentStyle,
  })
}

export function creditNotePage(note: CreditNote): string {
  const words = invoiceWords(note.locale)
  return documentPage(note, {
    title: `${words.creditNote} ${note.credit_note_number}`,
    words,
    facts: note.invoice_number === null ? [] : [[words.corrects, escapeHtml(note.invoice_number)]],
    body: table(
      note,
      [words.item, words.refunded],
      note.items.map(({ title, total }) => [escapeHtml(title), money(note, total)]),
    ),
    style: documentStyle,
  })
}

const money = ({ locale }: DocumentHead, amount: Money): string => formattedMoney(amount, locale)

/** Returns the table of the lines, with net amount, tax and total below. */
function table(document: Taxed, names: readonly string[], rows: readonly (readonly string[])[]): string {
  const words = invoiceWords(document.locale)
  const row = (name: string, amount: Money): string => sumRow(name, money(document, amount), names.length)
  const rate = document.tax_rate_bps === null ? '' : ` (${formattedRate(document.tax_rate_bps, document.locale)})`
  const taxes = document.tax_mode === 'none' ? [] : [row(words.net, document.net_total), row(`${words.tax}${rate}`, document.tax_total)]
  return `<table><thead><tr>${names.map((name) => `<th scope="col">${name}</th>`).join('')}</tr></thead>
<tbody>${rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('\n')}</tbody>
<tfoot>${[...taxes, row(words.total, document.total)].join('')}</tfoot></table>`
}
