import { priceText, withTaxNote } from '../../base/text/readerFormats.ts'
import type { Course, EventRow, Plan } from '../../school/apiRows.ts'
import type { Texts } from '../texts.ts'
import type { SiteContext } from './siteType.ts'

type Money = NonNullable<Course['price']>
type PlanPrice = Plan['prices'][number]

/** Writes an amount of money: `€49.00`. */
export const money = ({ amount, currency }: Money, { language }: Pick<Texts, 'language'>): string =>
  priceText({ amount, currency, interval: 'one_time', interval_count: 1 }, language)

/** Writes a price with its tax: `€49.00 incl. VAT`. */
export const priceOf = (price: Money, { texts, tax }: Pick<SiteContext, 'texts' | 'tax'>): string =>
  withTaxNote(money(price, texts), price.amount === 0 ? 'none' : tax, texts.language)

/** Returns the prices that people can choose now. */
export const activePrices = ({ prices }: Pick<Plan, 'prices'>): PlanPrice[] => prices.filter(({ active }) => active)

/** Writes the price of a plan: `€12.00 / month incl. VAT`. */
export const planPriceText = (
  { amount: { amount, currency }, interval, interval_count }: PlanPrice,
  { texts, tax }: Pick<SiteContext, 'texts' | 'tax'>,
): string =>
  amount === 0
    ? texts.text('site.free')
    : withTaxNote(priceText({ amount, currency, interval, interval_count }, texts.language), tax, texts.language)

/** Writes the prices of a plan that people can choose now. */
export const planPrices = (plan: Pick<Plan, 'prices'>, context: Pick<SiteContext, 'texts' | 'tax'>): string[] =>
  activePrices(plan).map((price) => planPriceText(price, context))

/** Adds to the period of an event whose time it is, if the reader has another one, or may have: people come to a place in its time. */
export const inZone = ({ time_zone: zone, kind }: Pick<EventRow, 'time_zone' | 'kind'>, period: string, texts: Texts): string =>
  zone === texts.timeZone && kind === 'in_person'
    ? period
    : texts.text('site.time_of', { period, place: (zone.split('/').at(-1) ?? zone).replaceAll('_', ' ') })

/** Returns the name of a language in another one; the tag itself if it has no name. */
export function languageName(tag: string, language: string): string {
  try {
    return new Intl.DisplayNames([language], { type: 'language' }).of(tag) ?? tag
  } catch {
    return tag
  }
}
