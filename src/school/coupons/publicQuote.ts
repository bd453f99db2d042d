import { elementAt } from '../../base/text/elementAt.ts'
import { publicItem } from '../itemRef.ts'
import type { Offer } from './findOffers.ts'
import type { Quote } from './quote.ts'

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
