import { priceText, withTaxNote } from '../../domain/localFormats.ts'
import { knownTimeZone } from '../../lib/timeZone.ts'
import type { SiteMoney } from '../../resources/siteRows.ts'
import type { Texts } from '../texts.ts'
import type { SiteContext } from './siteType.ts'

/** Writes an amount of money: `€49.00`. */
export const money = ({ amount, currency }: SiteMoney, { language }: Pick<Texts, 'language'>): string =>
  priceText({ amount, currency, interval: 'one_time', interval_count: 1 }, language)

/** Writes a price with its tax: `€49.00 incl. VAT`. */
export const priceOf = (price: SiteMoney, { texts, tax }: Pick<SiteContext, 'texts' | 'tax'>): string =>
  withTaxNote(money(price, texts), price.amount === 0 ? 'none' : tax, texts.language)

/** Writes a duration in hours and minutes; an empty text for none. */
export function durationText(minutes: number, language: string): string {
  const unit = (value: number, name: 'hour' | 'minute'): string =>
    new Intl.NumberFormat(language, { style: 'unit', unit: name, unitDisplay: 'short' }).format(value)
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60]
  return [...(hours > 0 ? [unit(hours, 'hour')] : []), ...(rest > 0 ? [unit(rest, 'minute')] : [])].join(' ')
}

/** Returns the name of a language in another one; the tag itself if it has no name. */
export function languageName(tag: string, language: string): string {
  try {
    return new Intl.DisplayNames([language], { type: 'language' }).of(tag) ?? tag
  } catch {
    return tag
  }
}

/** Writes a period of time in a time zone: the day once if it begins and ends on it. */
export function periodText(start: string, end: string, { timeZone, locale }: { timeZone: string; locale: string }): string {
  const options = { dateStyle: 'full', timeStyle: 'short', timeZone: knownTimeZone(timeZone) } as const
  return new Intl.DateTimeFormat(locale, options).formatRange(new Date(start), new Date(end))
}
