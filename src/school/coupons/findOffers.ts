import { type ExpressionBuilder, sql } from 'kysely'
import { elementAt } from '../../base/text/elementAt.ts'
import type { SchoolReader } from '../../database/connection/database.ts'
import { now } from '../../database/statements/expressions.ts'
import type { DB } from '../../gen/kysely/tables.ts'
import { publicItem, type StoredItem } from '../itemRef.ts'
import type { Quote } from './quote.ts'

export interface Offer extends StoredItem {
  title: string
  priceId: string | null
  /** In the smallest unit; 0 for a free item. */
  amount: number
}

/** An item of a request. A membership plan needs a price as well. */
export interface RequestedItem extends StoredItem {
  priceId?: string | undefined
}

/**
 * Returns what is for sale of these items, in their order. Returns undefined for an item that is not: a draft, an item for members of a
 * plan only, an event that is over or has no price, an item whose price is in another currency than that of the school.
 */
export async function findOffers(reader: SchoolReader, items: readonly RequestedItem[]): Promise<(Offer | undefined)[]> {
  const offers: (Offer | undefined)[] = []
  for (const item of items) {
    const row = await findOffer(reader, item)
    offers.push(row && { type: item.type, id: item.id, title: row.title, priceId: row.price_id, amount: Number(row.amount) })
  }
  return offers
}

interface OfferRow {
  title: string
  price_id: string | null
  amount: number | string
}

async function findOffer(reader: SchoolReader, { type, id, priceId }: RequestedItem): Promise<OfferRow | undefined> {
  if (type === 'membership_plan') return priceId === undefined ? undefined : await findPlanOffer(reader, { id, priceId })
  if (priceId !== undefined) return undefined
  if (type === 'event') return await findEventOffer(reader, id)
  return await reader
    .selectFrom(type)
    .select((row) => ['title', sql<null>`NULL::uuid`.as('price_id'), row.fn.coalesce('price_amount', row.lit(0)).as('amount')])
    .where('id', '=', id)
    .where('status', '=', 'published')
    .where('access', 'in', ['free', 'paid'])
    .where((row) => row.or([row('price_currency', 'is', null), row('price_currency', '=', schoolCurrency(row, reader.schoolId))]))
    .executeTakeFirst()
}

const findEventOffer = (reader: SchoolReader, id: string): Promise<OfferRow | undefined> =>
  reader
    .selectFrom('event')
    .select((row) => ['title', sql<null>`NULL::uuid`.as('price_id'), row.ref('price_amount').$notNull().as('amount')])
    .where('id', '=', id)
    .where('status', '=', 'published')
    .where('ends_at', '>', now)
    .where('price_amount', 'is not', null)
    .where((event) => event('price_currency', '=', schoolCurrency(event, reader.schoolId)))
    .executeTakeFirst()

const findPlanOffer = (reader: SchoolReader, { id, priceId }: { id: string; priceId: string }): Promise<OfferRow | undefined> =>
  reader
    .selectFrom('membership_plan')
    .innerJoin('plan_price', 'plan_price.plan_id', 'membership_plan.id')
    .select(['membership_plan.name as title', 'plan_price.id as price_id', 'plan_price.amount'])
    .where('membership_plan.id', '=', id)
    .where('plan_price.id', '=', priceId)
    .where('membership_plan.status', '=', 'active')
    .where('plan_price.active', '=', true)
    .where((price) => price('plan_price.currency', '=', schoolCurrency(price, reader.schoolId)))
    .executeTakeFirst()

/** Selects the currency in which the school sells: prices from before it was changed are for sale only once they are set again. */
const schoolCurrency = (builder: Pick<ExpressionBuilder<DB, 'school'>, 'selectFrom'>, schoolId: string) =>
  builder.selectFrom('school').select('school.currency').where('school.id', '=', schoolId)

/** Returns a quote as the API represents it: money with its currency, items with public ids. */
export function publicQuote(offers: readonly Offer[], quote: Quote, currency: string) {
  const money = (amount: number) => ({ amount, currency })
  return {
    lines: quote.lines.map(({ price, discount, total }, index) => ({
      item: publicItem(elementAt(offers, index)),
      price: money(price),
      discount: money(discount),
      total: money(total),
    })),
    subtotal: money(quote.subtotal),
    discount_total: money(quote.discount),
    total: money(quote.total),
  }
}
