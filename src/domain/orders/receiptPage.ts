/** A receipt as the API returns it, with the locale and the time zone of its numbers and dates. */
export interface Receipt {
  receipt_number: string
  order_number: string
  issued_at: string
  locale: string
  time_zone: string
  seller: { name: string; address: Readonly<Record<string, string | null>> | null; contact_email: string | null }
  buyer: { name: string; email: string }
  billing_address: Readonly<Record<string, string | null>> | null
  tax_id: string | null
  items: readonly { title: string; quantity: number; unit_price: Money; discount: Money; total: Money }[]
  subtotal: Money
  discount_name: string | null
  discount_total: Money
  tax_mode: string
  tax_total: Money
  total: Money
  refunded_total: Money
}

interface Money {
  amount: number
  currency: string
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

/** Renders the receipt as HTML without styles and scripts: in German if that is the language of the school, else in English. */
export function receiptPage(receipt: Receipt): string {
  const isGerman = receipt.locale.startsWith('de')
  const words = isGerman ? german : english
  const amount = ({ amount: units, currency }: Money): string => escaped(formatted(units, currency, receipt.locale))
  const row = (name: string, value: string): string => `<tr><th scope="row" colspan="3">${name}</th><td>${value}</td></tr>`
  const lines = receipt.items.map(
    ({ title, quantity, unit_price, total }) =>
      `<tr><td>${escaped(title)}</td><td>${quantity}</td><td>${amount(unit_price)}</td><td>${amount(total)}</td></tr>`,
  )
  const sums = [
    row(words.subtotal, amount(receipt.subtotal)),
    ...(receipt.discount_total.amount > 0
      ? [row(`${words.discount}${receipt.discount_name ? ` (${escaped(receipt.discount_name)})` : ''}`, amount(receipt.discount_total))]
      : []),
    ...(receipt.tax_mode === 'none'
      ? []
      : [row(words[receipt.tax_mode === 'exclusive' ? 'exclusive' : 'inclusive'], amount(receipt.tax_total))]),
    row(words.total, amount(receipt.total)),
    ...(receipt.refunded_total.amount > 0 ? [row(words.refunded, amount(receipt.refunded_total))] : []),
  ]
  const date = new Date(receipt.issued_at).toLocaleDateString(receipt.locale, { dateStyle: 'long', timeZone: receipt.time_zone })
  const title = `${words.receipt} ${escaped(receipt.receipt_number)}`
  return `<!doctype html>
<html lang="${isGerman ? 'de' : 'en'}"><head><meta charset="utf-8"><meta name="robots" content="noindex"><title>${title}</title></head>
<body><h1>${title}</h1>
<address>${[receipt.seller.name, ...addressLines(receipt.seller.address), receipt.seller.contact_email ?? ''].filter(Boolean).map(escaped).join('<br>')}</address>
<dl><dt>${words.order}</dt><dd>${escaped(receipt.order_number)}</dd><dt>${words.date}</dt><dd>${escaped(date)}</dd>
<dt>${words.buyer}</dt><dd>${[receipt.buyer.name, receipt.buyer.email, ...addressLines(receipt.billing_address)].filter(Boolean).map(escaped).join('<br>')}</dd>
${receipt.tax_id === null ? '' : `<dt>${words.taxId}</dt><dd>${escaped(receipt.tax_id)}</dd>`}</dl>
<table><thead><tr><th>${words.item}</th><th>${words.quantity}</th><th>${words.price}</th><th>${words.total}</th></tr></thead>
<tbody>${lines.join('')}</tbody><tfoot>${sums.join('')}</tfoot></table></body></html>
`
}

const addressLines = (address: Readonly<Record<string, string | null>> | null): string[] =>
  address === null
    ? []
    : [
        address.name,
        address.line1,
        address.line2,
        [address.postal_code, address.city].filter(Boolean).join(' '),
        address.region,
        address.country,
      ].filter((line): line is string => Boolean(line))

/** Formats an amount that is given in the smallest unit. Currencies have different numbers of decimals: yen none, dinars three. */
function formatted(units: number, currency: string, locale: string): string {
  const format = new Intl.NumberFormat(locale, { style: 'currency', currency })
  return format.format(units / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2))
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escaped = (text: string): string => text.replace(/[&<>"']/g, (one) => entities[one] ?? one)
