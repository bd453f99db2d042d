import { dateLocales, languages, lookUpLanguage } from '../base/text/languages.ts'

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

/** Formats a price in a language: `€49.00 per month`, `€120.00 every 3 months`. A one-time price has no interval. */
export function priceText(
  { amount, currency, interval, interval_count }: { amount: number; currency: string; interval: string; interval_count: number },
  locale: string,
): string {
  const money = new Intl.NumberFormat(supported(locale), { style: 'currency', currency })
  const text = money.format(amount / 10 ** (money.resolvedOptions().maximumFractionDigits ?? 2))
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
