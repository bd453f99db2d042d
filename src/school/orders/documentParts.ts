/** Parts of the HTML documents about orders: receipts, invoices and credit notes. They escape every text that people entered. */
import { escapeHtml } from '../../base/text/escapeHtml.ts'
import { dateFormat, type Money, moneyText, pageLocale, rateText } from '../../base/text/readerFormats.ts'

export type Address = Readonly<Record<string, string | null>> | null

/** The people of a document, and the locale and the time zone of its numbers and dates. */
export interface DocumentHead {
  order_number: string
  issued_at: string
  locale: string
  time_zone: string
  seller: { name: string; address: Address; contact_email: string | null; tax_id?: string | null }
  buyer: { name: string; email: string }
  billing_address: Address
  tax_id: string | null
}

export interface DocumentWords {
  order: string
  date: string
  buyer: string
  taxId: string
}

/** The style sheet of the documents: readable on a screen, and ready to print as a PDF. */
export const documentStyle = `
@page { size: A4; margin: 20mm }
body { max-width: 46rem; margin: 1.5rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; color: #111; background: #fff; overflow-wrap: anywhere }
h1 { font-size: 1.75rem; line-height: 1.25 }
address { font-style: normal }
dt { color: #555 }
tfoot tr:last-child > * { border-bottom: 3px double #111; font-weight: 700 }
dl { display: grid; grid-template-columns: auto 1fr; gap: .25rem 1rem }
dd { margin: 0 }
button { min-height: 2.75rem; padding: .5rem 1.25rem; font: inherit }
table { width: 100%; margin: 1.5rem 0; border-collapse: collapse }
th, td { padding: .35rem .5rem .35rem 0; border-bottom: 1px solid #767676; text-align: start; vertical-align: top }
td:not(:first-child) { font-variant-numeric: tabular-nums }
thead { display: table-header-group }
tr { break-inside: avoid }
@media print { body { max-width: none; margin: 0; padding: 0; font-size: 10pt } button { display: none } }
`

export const formattedMoney = (money: Money, locale: string): string => escapeHtml(moneyText(money, pageLocale(locale)))

export const formattedRate = (bps: number, locale: string): string => escapeHtml(rateText(bps, pageLocale(locale)))

const formattedDate = (time: string, { locale, time_zone }: Pick<DocumentHead, 'locale' | 'time_zone'>): string =>
  escapeHtml(dateFormat(pageLocale(locale), time_zone).format(new Date(time)))

const addressLines = (address: Address, locale: string, without?: string): string[] =>
  address === null
    ? []
    : [
        address.name === without ? null : address.name,
        address.line1,
        address.line2,
        [address.postal_code, address.city].filter(Boolean).join(' '),
        address.region,
        address.country && countryName(address.country, locale),
      ].filter((line): line is string => Boolean(line))

function countryName(code: string, locale: string): string {
  try {
    return new Intl.DisplayNames([pageLocale(locale)], { type: 'region' }).of(code) ?? code
  } catch {
    return code
  }
}

export const isGerman = (locale: string): boolean => locale.startsWith('de')

export const sumRow = (name: string, value: string, columns: number): string =>
  `<tr><th scope="row" colspan="${columns - 1}">${name}</th><td>${value}</td></tr>`

/** Returns a whole document. `facts` are names and escaped values in addition to those of the order; `body` is the escaped table. */
export function documentPage(
  head: DocumentHead,
  {
    title,
    words,
    facts,
    body,
    style,
  }: { title: string; words: DocumentWords; facts: readonly (readonly [string, string])[]; body: string; style?: string },
): string {
  const lines = (texts: readonly (string | null)[]): string =>
    texts
      .filter((text) => text !== null && text !== '')
      .map((text) => escapeHtml(text ?? ''))
      .join('<br>')
  const { seller, buyer } = head
  const entries: readonly (readonly [string, string])[] = [
    [words.order, escapeHtml(head.order_number)],
    ...facts,
    [words.date, formattedDate(head.issued_at, head)],
    [words.buyer, lines([buyer.name, buyer.email, ...addressLines(head.billing_address, head.locale, buyer.name)])],
    ...(head.tax_id === null ? [] : [[words.taxId, escapeHtml(head.tax_id)] as const]),
  ]
  const sellerTaxId = seller.tax_id ? `${words.taxId}: ${seller.tax_id}` : null
  return `<!doctype html>
<html lang="${isGerman(head.locale) ? 'de' : 'en'}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="robots" content="noindex"><title>${escapeHtml(title)}</title>${style === undefined ? '' : `<style>${style}</style>`}</head>
<body><main><h1>${escapeHtml(title)}</h1>
<address>${lines([seller.name, ...addressLines(seller.address, head.locale, seller.name), seller.contact_email, sellerTaxId])}</address>
<dl>${entries.map(([name, value]) => `<dt>${name}</dt><dd>${value}</dd>`).join('\n')}</dl>
${body}</main></body></html>
`
}
