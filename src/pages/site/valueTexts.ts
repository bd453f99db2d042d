import type { Course, Plan } from '../../school/apiRows.ts'
import { priceText, withTaxNote } from '../../school/localFormats.ts'
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

/** Writes a duration in hours and minutes; an empty text for none. */
export function durationText(minutes: number, language: string): string {
  const unit = (value: number, name: 'hour' | 'minute'): string =>
    new Intl.NumberFormat(language, { style: 'unit', unit: name, unitDisplay: 'short' }).format(value)
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60]
  return [...(hours > 0 ? [unit(hours, 'hour')] : []), ...(rest > 0 ? [unit(rest, 'minute')] : [])].join(' ')
}

/** Writes the size of a file in a unit that suits it: `48 kB`. */
export function byteText(bytes: number, language: string): string {
  const units = ['kilobyte', 'megabyte', 'gigabyte'] as const
  const step = Math.max(1, Math.min(units.length, Math.floor(Math.log10(Math.max(1, bytes)) / 3)))
  const format = { style: 'unit', unit: units[step - 1] ?? 'kilobyte', unitDisplay: 'short', maximumFractionDigits: 1 } as const
  return new Intl.NumberFormat(language, format).format(bytes / 1000 ** step)
}

/** Returns the name of a language in another one; the tag itself if it has no name. */
export function languageName(tag: string, language: string): string {
  try {
    return new Intl.DisplayNames([language], { type: 'language' }).of(tag) ?? tag
  } catch {
    return tag
  }
}
