import de from '../../views/locales/de.json' with { type: 'json' }
import deScopes from '../../views/locales/de.scopes.json' with { type: 'json' }
import en from '../../views/locales/en.json' with { type: 'json' }
import type { Language } from '../lib/languages.ts'
import { ownMember } from '../lib/ownMember.ts'
import { knownTimeZone } from '../lib/timeZone.ts'
import { nearestSentence, type Reader, type SentencesByRole } from '../policy/permissionSentences.ts'
import type { ConsentScope } from './consentScope.ts'

/** The name of a text. A misspelt one does not compile. */
export type TextKey = keyof typeof en

/** The name of a text with a singular and a plural form. */
export type CountedKey = { [Key in TextKey]: Key extends `${infer Base}_one` ? Base : never }[TextKey]

/** A part of a sentence. Untrusted values are isolated, so that their writing direction does not affect the sentence. */
export interface TextPart {
  text: string
  isolated: boolean
}

/** A text that is chosen before the language of the page is known. */
export interface PageMessage {
  key: TextKey
  values?: TextValues
}

/**
 * Values of the placeholders of a text. Numbers are formatted for the language; pass a number that is a name, such as a port, as a string.
 */
export type TextValues = Record<string, string | number>

/** The texts of one language. */
export interface Texts {
  language: Language
  /** The locale of dates and times (BCP 47). */
  dateLocale: string
  text(key: TextKey, values?: TextValues): string
  /** Returns the form of a text for this number, which replaces `{count}`. */
  counted(key: CountedKey, count: number, values?: TextValues): string
  /** Returns a text in parts, for untrusted values. */
  parts(key: TextKey, values: TextValues): TextPart[]
  /** The time zone of dates and times (IANA). */
  timeZone: string
  date(date: Date): string
  /** Returns a date with its time and the name of the time zone: `23 November 2026 at 04:00 CET`. */
  moment(date: Date): string
  /** Returns what a scope allows an app to do for this person; for a role that cannot use the scope, what it allows the next role. */
  sentence(scope: ConsentScope, reader: Reader): string
  /** Returns the name of the part of the school that a scope is about. */
  areaTitle(scope: ConsentScope): string
}

// The English sentences of scopes are in the declarations of the resources.
interface ScopeTexts {
  areas: Record<string, string>
  sentences: Record<string, string | SentencesByRole>
}

const catalogues: Record<Language, { words: Record<TextKey, string>; scopes: ScopeTexts }> = {
  en: { words: en, scopes: { areas: {}, sentences: {} } },
  de: { words: de, scopes: deScopes },
}

// The same format as in e-mails.
const dateLocales: Record<Language, string> = { en: 'en-GB', de: 'de' }

/** Returns the same texts with dates and times in another time zone. An unknown zone means UTC. */
export const textsIn = (timeZone: string, texts: Texts): Texts =>
  timeZone === texts.timeZone ? texts : { ...texts, ...datesIn(knownTimeZone(timeZone), texts.language) }

/** Returns how dates are written. Their formats are created on the first use: most pages show no date. */
function datesIn(timeZone: string, language: Language): Pick<Texts, 'timeZone' | 'date' | 'moment'> {
  const locale = dateLocales[language]
  let dates: Intl.DateTimeFormat | undefined
  let moments: Intl.DateTimeFormat | undefined
  return {
    timeZone,
    date(date) {
      dates ??= new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone })
      return dates.format(date)
    },
    moment(date) {
      moments ??= new Intl.DateTimeFormat(locale, {
        ...{ year: 'numeric', month: 'long', day: 'numeric', hour: 'numeric', minute: '2-digit' },
        ...{ timeZone, timeZoneName: 'short' },
      })
      return moments.format(date)
    },
  }
}

/** Returns the texts of a language, with dates and times in UTC. */
export function createTexts(language: Language): Texts {
  const { words, scopes } = catalogues[language]
  const numbers = new Intl.NumberFormat(language)
  const plurals = new Intl.PluralRules(language)
  const parts: Texts['parts'] = (key, values) =>
    words[key]
      .split(/(\{[a-z_]+\})/)
      .filter((piece) => piece !== '')
      .map((piece) => {
        const name = /^\{([a-z_]+)\}$/.exec(piece)?.[1]
        const value = name !== undefined && Object.hasOwn(values, name) ? values[name] : undefined
        if (value === undefined) return { text: piece, isolated: false }
        return { text: typeof value === 'number' ? numbers.format(value) : value, isolated: true }
      })
  const text: Texts['text'] = (key, values = {}) =>
    parts(key, values)
      .map((part) => part.text)
      .join('')
  return {
    language,
    dateLocale: dateLocales[language],
    text,
    counted: (key, count, values = {}) => text(`${key}_${plurals.select(count) === 'one' ? 'one' : 'other'}`, { ...values, count }),
    parts,
    ...datesIn('UTC', language),
    sentence({ name, sentences }, reader) {
      const translated = ownMember(scopes.sentences, name)
      const byRole = typeof translated === 'string' ? { learner: translated } : translated
      return nearestSentence(byRole ?? sentences, reader) ?? ''
    },
    areaTitle: ({ area, areaTitle }) => ownMember(scopes.areas, area) ?? areaTitle,
  }
}
