import { decimalAmount } from '../base/text/decimalAmount.ts'
import type { Operation } from '../engine/declare/operations.ts'
import { siteKinds, sitePath, siteResources } from '../engine/sitePaths.ts'
import type { SchoolRow } from '../school/apiRows.ts'
import { answering, isOpen, isShown, isWholeList } from './entryPoints.ts'
import { code, document, link, Markdown, markdown, table } from './markdown.ts'
import { schoolAbout } from './schoolAbout.ts'
import { paths, type SchoolFacts } from './schoolFacts.ts'

interface Money {
  amount: number
  currency: string
}

interface PricedRow {
  id: string
  slug?: string
  name?: string
  title?: string
  price?: Money | null
  compare_at_price?: Money | null
  prices?: readonly RecurringPrice[]
  subtitle?: string | null
  badge?: string | null
  benefits?: readonly string[]
  access_duration_days?: number | null
}

interface RecurringPrice {
  interval: 'month' | 'year' | 'one_time'
  interval_count?: number
  amount: Money
  trial_days?: number
  active?: boolean
}

interface Price {
  /** `89.00`. */
  amount: string
  currency: string
  /** `month`, `3 months`, `once`. */
  period: string
  notes: readonly string[]
}

/** Returns every price of a row that can be paid now. */
export function pricesOf(row: PricedRow): Price[] {
  const { price, compare_at_price: former, prices = [], badge, subtitle, benefits = [], access_duration_days: days } = row
  const notes = [badge, subtitle, ...benefits, days && `open for ${days} days`].filter((note): note is string => Boolean(note))
  const once = price && { ...decimal(price), period: 'once', notes: former ? [...notes, `formerly ${decimal(former).amount}`] : notes }
  return [...prices.filter(({ active }) => active !== false).map((one) => recurring(one, notes)), ...(once ? [once] : [])]
}

function recurring({ amount, interval, interval_count: count = 1, trial_days: days = 0 }: RecurringPrice, notes: readonly string[]): Price {
  const period = interval === 'one_time' ? 'once' : count === 1 ? interval : `${count} ${interval}s`
  return { ...decimal(amount), period, notes: days > 0 ? [`first ${days} days free`, ...notes] : notes }
}

const decimal = ({ amount, currency }: Money): Pick<Price, 'amount' | 'currency'> => ({
  amount: decimalAmount({ amount, currency }),
  currency,
})

interface Offer {
  name: string
  price: Price
  /** URL of the details: the page as Markdown, or the row in the API. */
  address: string | undefined
  checkout: string | undefined
}

interface OfferSection {
  title: string
  list: string
  offers: readonly Offer[]
  isAll: boolean
}

type Facts = Pick<SchoolFacts, 'issuer' | 'operations' | 'view' | 'isServed' | 'checkoutOf' | 'hasPages'>

const most = 300

/** Lists the offers that a visitor sees. Each list whose rows have a `price` or `prices` is a section. */
async function offerSections(facts: Facts): Promise<OfferSection[]> {
  const priced = facts.operations.filter((one) => isWholeList(one) && isOpen(one) && isPriced(one))
  const lists = await answering(priced, facts.isServed)
  return Promise.all(lists.map((list) => readSection(list, facts)))
}

function isPriced({ resource }: Operation): boolean {
  const { shape } = resource.schemas.public
  return 'price' in shape || 'prices' in shape
}

async function readSection(list: Operation, { issuer, operations, view, checkoutOf, hasPages }: Facts): Promise<OfferSection> {
  const { resource } = list
  // The access of an event names who can attend, whatever it costs.
  const hasAccess =
    resource.filters.some(({ name }) => name === 'access') && resource.schemas.public.shape.access?.safeParse('paid').success
  const { rows, isAll } = await view.list<PricedRow>(list, hasAccess ? { access: 'paid' } : {}, most)
  const kind = hasPages ? siteKinds.find((one) => siteResources[one] === resource.name) : undefined
  const offers = rows.flatMap((row) => {
    const { id, slug = id, name = row.title ?? slug } = row
    const inApi = isShown(operations, resource) ? `${issuer}${list.path}/${encodeURIComponent(slug)}` : undefined
    const address = kind ? `${issuer}${sitePath(kind, slug)}.md` : inApi
    const checkout = checkoutOf({ type: resource.object, id })
    return pricesOf(row).map((price) => ({ name, price, address, checkout }))
  })
  return { title: resource.area.title, list: issuer + list.path, offers, isAll }
}

/** Renders `/pricing.md`: the offers that a visitor sees now, and the operator's note. */
export async function pricingMd(facts: SchoolFacts): Promise<string> {
  const [about, sections] = await Promise.all([schoolAbout(facts), offerSections(facts)])
  const { issuer, pricingNote } = facts
  const questions = [about.support_url && link('help', about.support_url), about.contact_email && code(about.contact_email)]
  return document([
    markdown`# Pricing of ${about.name}`,
    markdown`> What ${about.name} sells, as visitors see it. As of ${today()} (UTC).`,
    markdown`Free courses and products are not listed here. The API is free: see ${link('auth.md', issuer + paths.authMd)}.`,
    taxNotes[about.tax_mode],
    ...(sections.length === 0 ? [markdown`The school currently has no offers.`] : sections.flatMap(rendered)),
    pricingNote === undefined ? undefined : new Markdown(`## Notes\n\n${pricingNote.trim()}`),
    ...contact(questions.filter((one) => one instanceof Markdown)),
  ])
}

const taxNotes: Readonly<Record<SchoolRow['tax_mode'], Markdown | undefined>> = {
  inclusive: markdown`Prices include VAT.`,
  exclusive: markdown`VAT is added to the prices at the checkout.`,
  none: undefined,
}

const today = (): string => new Date().toISOString().slice(0, 10)

function rendered({ title, list, offers, isAll }: OfferSection): (Markdown | undefined)[] {
  const heading = markdown`## ${title}`
  if (offers.length === 0) return [heading, markdown`Currently none.`]
  return [
    heading,
    table(
      ['Name', 'Price', 'Currency', 'Period', 'Notes', 'Buy'],
      offers.map(({ name, price, address, checkout }) => [
        address ? link(name, address) : name,
        price.amount,
        price.currency,
        price.period,
        price.notes.join('; '),
        checkout ? link('checkout', checkout) : '',
      ]),
    ),
    isAll ? undefined : markdown`There are more: ${link(title, list)}.`,
  ]
}

const contact = (ways: readonly Markdown[]): Markdown[] =>
  ways.length === 0 ? [] : [markdown`## Questions`, new Markdown(ways.map(({ text }) => `- ${text}`).join('\n'))]
