import { comparisonForm } from './comparisonForm.ts'

/** Languages of pages and e-mails. The first one is the default. */
export const languages = ['en', 'de'] as const

export type Language = (typeof languages)[number]

/** The locale in which dates and times are written, on pages and in e-mails. */
export const dateLocales: Readonly<Record<Language, string>> = { en: 'en-GB', de: 'de' }

/** Returns a text in every language. `write` gets the locale of dates. */
export const inEveryLanguage = (write: (locale: string) => string): Record<Language, string> => ({
  en: write(dateLocales.en),
  de: write(dateLocales.de),
})

const most = 20

/**
 * Returns the first wanted language that is available, trying each with fewer and fewer subtags (RFC 4647 section 3.4): de-AT matches de.
 * Values from clients are only compared, so any value is safe.
 */
export function lookUpLanguage(wanted: readonly unknown[], available: readonly Language[]): Language | undefined {
  for (const tag of wanted.slice(0, most)) {
    if (typeof tag !== 'string' || tag.length > 100) continue
    const subtags = tag.toLowerCase().split('-')
    for (let length = subtags.length; length > 0; length--) {
      const range = subtags.slice(0, length).join('-')
      const found = available.find((language) => language.toLowerCase() === range)
      if (found) return found
    }
  }
  return undefined
}

/** Returns a typed BCP 47 tag as it is stored: `DE-at` is `de-AT`. Undefined for other text. */
export function languageTagOf(typed: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(comparisonForm(typed).replaceAll('_', '-'))[0]
  } catch {
    return undefined
  }
}

/** Returns the locale of a stored tag, and English for other text, which 1.0.0 accepted as the language of a course. */
export const localeOfTag = (tag: string): Intl.Locale => new Intl.Locale(languageTagOf(tag) ?? languages[0])
