/** How people read dates, money and numbers: everything that is written for a reader comes from here. */
import { dateLocales, languages, lookUpLanguage } from './languages.ts'

/** An amount in the smallest unit of a currency. */
export interface Money {
  amount: number
  currency: string
}

const supported = (locale: string): string => {
  try {
    return Intl.getCanonicalLocales(locale)[0] ?? 'en'
  } catch {
    return 'en'
  }
}

/** Returns the locale in which pages of a school write prices and times: that of the language, without a region if pages are translated to it. */
export function pageLocale(locale: string): string {
  const language = lookUpLanguage([locale], languages)
  return language ? dateLocales[language] : supported(locale)
}

/** Returns how a time is written on a page: `1 March 2026 at 18:30 CET`. */
export const momentFormat = (locale: string, timeZone: string): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat(locale, {
    ...{ year: 'numeric', month: 'long', day: 'numeric', hour: 'numeric', minute: '2-digit' },
    ...{ timeZone, timeZoneName: 'short' },
  })

export const freeText = (locale: string): string => (isGerman(locale) ? 'Kostenlos' : 'Free')

const intervalWords = { en: { one: 'per', many: 'every' }, de: { one: 'pro', many: 'alle' } } as const

const isGerman = (locale: string): boolean => /^de\b/i.test(locale)

/** Writes an amount. Currencies have different numbers of decimals: yen none, dinars three. */
export function moneyText({ amount, currency }: Money, locale: string): string {
  const format = new Intl.NumberFormat(supported(locale), { style: 'currency', currency })
  return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2))
}

/** Writes a rate that is given in hundredths of a percent. */
export const rateText = (bps: number, locale: string): string =>
  new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2 }).format(bps / 10_000)

/** Writes a change as a share: `+12%`. */
export const changeText = (share: number, locale: string): string =>
  new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0, signDisplay: 'exceptZero' }).format(share)

export const numberFormat = (locale: string): Intl.NumberFormat => new Intl.NumberFormat(locale)

export const numberText = (value: number, locale: string): string => numberFormat(locale).format(value)

/** Returns how a day is written: `1 March 2026`. */
export const dateFormat = (locale: string, timeZone: string): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone })

/** Formats a price in a language: `€49.00 per month`, `€120.00 every 3 months`. A one-time price has no interval. */
export function priceText(
  { amount, currency, interval, interval_count }: { amount: number; currency: string; interval: string; interval_count: number },
  locale: string,
): string {
  const text = moneyText({ amount, currency }, locale)
  if (interval !== 'month' && interval !== 'year') return text
  const time = new Intl.NumberFormat(supported(locale), { style: 'unit', unit: interval, unitDisplay: 'long' })
  const words = intervalWords[isGerman(locale) ? 'de' : 'en']
  if (interval_count !== 1) return `${text} ${words.many} ${time.format(interval_count)}`
  const unit = time.formatToParts(interval_count).find(({ type }) => type === 'unit')
  return `${text} ${words.one} ${unit?.value ?? interval}`
}

const taxNotes = {
  en: { inclusive: 'incl. VAT', exclusive: 'plus VAT' },
  de: { inclusive: 'inkl. MwSt.', exclusive: 'zzgl. MwSt.' },
} as const

/** Adds to a formatted price that it includes tax, or that tax is added to it, in German or else in English. */
export function withTaxNote(price: string, tax: 'inclusive' | 'exclusive' | 'none', locale: string): string {
  if (tax === 'none') return price
  return `${price} ${taxNotes[isGerman(locale) ? 'de' : 'en'][tax]}`
}

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
