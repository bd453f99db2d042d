import type { Operation } from '../framework/declare/operations.ts'
import { answering, isOpen, isShown, isWholeList } from './entryPoints.ts'
import { type Price, type PricedRow, pricesOf } from './prices.ts'
import type { SchoolFacts } from './schoolFacts.ts'

/** One offer at one price. */
export interface Offer {
  name: string
  price: Price
  /** URL of the details in the API. */
  address: string | undefined
  /** URL of the checkout. */
  checkout: string | undefined
}

/** The offers of one kind. */
export interface OfferSection {
  title: string
  /** URL of the list with these offers. */
  list: string
  offers: readonly Offer[]
  isAll: boolean
}

type Facts = Pick<SchoolFacts, 'issuer' | 'operations' | 'view' | 'isServed' | 'checkoutOf'>

const most = 300

/** Lists the offers that a visitor sees. Each list whose rows have a `price` or `prices` is a section. */
export async function offerSections(facts: Facts): Promise<OfferSection[]> {
  const priced = facts.operations.filter((one) => isWholeList(one) && isOpen(one) && isPriced(one))
  const lists = await answering(priced, facts.isServed)
  return Promise.all(lists.map((list) => readSection(list, facts)))
}

function isPriced({ resource }: Operation): boolean {
  const { shape } = resource.schemas.public
  return 'price' in shape || 'prices' in shape
}

async function readSection(list: Operation, { issuer, operations, view, checkoutOf }: Facts): Promise<OfferSection> {
  const { resource } = list
  // The access of an event names who can attend, whatever it costs.
  const hasAccess =
    resource.filters.some(({ name }) => name === 'access') && resource.schemas.public.shape.access?.safeParse('paid').success
  const { rows, isAll } = await view.list(list, hasAccess ? { access: 'paid' } : {}, most)
  const offers = (rows as unknown as PricedRow[]).flatMap((row) => {
    const { id, slug = id, name = row.title ?? slug } = row
    const address = isShown(operations, resource) ? `${issuer}${list.path}/${encodeURIComponent(slug)}` : undefined
    const checkout = checkoutOf({ type: resource.object, id })
    return pricesOf(row).map((price) => ({ name, price, address, checkout }))
  })
  return { title: resource.area.title, list: issuer + list.path, offers, isAll }
}
