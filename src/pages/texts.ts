import deAudit from '../../views/locales/de.audit.json' with { type: 'json' }
import deDeeds from '../../views/locales/de.deeds.json' with { type: 'json' }
import deFields from '../../views/locales/de.fields.json' with { type: 'json' }
import deInformal from '../../views/locales/de.informal.json' with { type: 'json' }
import deInformalScopes from '../../views/locales/de.informal.scopes.json' with { type: 'json' }
import de from '../../views/locales/de.json' with { type: 'json' }
import deScopes from '../../views/locales/de.scopes.json' with { type: 'json' }
import enDeeds from '../../views/locales/en.deeds.json' with { type: 'json' }
import en from '../../views/locales/en.json' with { type: 'json' }
import { isolate } from '../base/process/isolate.ts'
import { dateLocales, type Language } from '../base/text/languages.ts'
import { ownMember } from '../base/text/ownMember.ts'
import { dateFormat, momentFormat, numberFormat } from '../base/text/readerFormats.ts'
import { knownTimeZone } from '../base/timeZone.ts'
import { nearestSentence, type Reader, type SentencesByRole } from '../engine/declare/permissionSentences.ts'
import { aboutEvent } from '../school/apps/auditTrail.ts'
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

/** Returns a text of the school or of a person as a part of a sentence. */
export const contentPart = (text: string): TextPart => ({ text, isolated: true })

/** Returns a text as it is, as a sentence. */
export const verbatim = (texts: Texts, text: string): TextPart[] => texts.parts('school.verbatim', { text })

export const textOf = (parts: readonly TextPart[]): string => parts.map(({ text }) => text).join('')

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
  /** True if the school addresses people as du in German. */
  isInformal: boolean
  /** The locale of dates and times (BCP 47). */
  dateLocale: string
  text(key: TextKey, values?: TextValues): string
  /** Returns the form of a text for this number, which replaces `{count}`. */
  counted(key: CountedKey, count: number, values?: TextValues): string
  /** Returns the form of a text for this number in parts. */
  countedParts(key: CountedKey, count: number, values?: TextValues): TextPart[]
  /** Returns a text in parts, for untrusted values. */
  parts(key: TextKey, values: TextValues): TextPart[]
  /** The time zone of dates and times (IANA). */
  timeZone: string
  date(date: Date): string
  /** Returns a date with its time and the name of the time zone: `23 November 2026 at 04:00 CET`. */
  moment(date: Date): string
  /** Returns what a scope allows an app to do for this person; for a role that cannot use the scope, what it allows the next role. */
  sentence(scope: ConsentScope, reader: Reader): string
  /** Returns what an event of the audit trail means; undefined for the writes through the API. */
  eventSentence(event: string): string | undefined
  /** Returns the label of a member of a request by its name: “Starts at”. */
  field(name: string): string
  /** Returns a value that was chosen from a list. */
  choice(value: string): string
  /** Returns the name of an operation on a button: “Publish”. `label` is its English name, by which others are found. */
  deed(label: string, operation: string): string
  /** Returns the name of a list of rows: “Courses”. */
  resource(title: string, name: string): string
  /** Returns the name of the part of the school that a scope is about. */
  areaTitle(scope: ConsentScope): string
}

// The English sentences of scopes are in the declarations of the resources, those of events in the declaration of the audit trail.
interface ScopeTexts {
  areas: Record<string, string>
  sentences: Record<string, string | SentencesByRole>
}

interface Catalogue {
  words: Record<TextKey, string>
  scopes: ScopeTexts
  events?: Record<string, string>
  /** The labels of members of requests, and of values to choose from. The English ones follow from their names. */
  fields?: { names: Record<string, string>; choices: Record<string, string> }
  /** The names of operations by their ids or English names, and of resources. The English ones follow from their ids, except for these. */
  deeds: { operations: Record<string, string>; resources: Record<string, string> }
}

const catalogues: Record<Language, Catalogue> = {
  en: { words: en, scopes: { areas: {}, sentences: {} }, deeds: enDeeds },
  de: { words: de, scopes: deScopes, events: deAudit, fields: deFields, deeds: deDeeds },
}

const informalGerman: Catalogue = {
  words: { ...de, ...deInformal },
  scopes: informalScopes(deScopes, deInformalScopes),
  events: deAudit,
  fields: deFields,
  deeds: deDeeds,
}

/** Returns the texts of scopes with those that differ: a sentence, or the sentences of some roles. */
function informalScopes({ areas, sentences }: ScopeTexts, changed: ScopeTexts): ScopeTexts {
  const merged = Object.entries(sentences).map(([name, sentence]) => {
    const other = ownMember(changed.sentences, name)
    return [name, typeof sentence === 'object' && typeof other === 'object' ? { ...sentence, ...other } : (other ?? sentence)]
  })
  return { areas: { ...areas, ...changed.areas }, sentences: Object.fromEntries(merged) }
}

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
      dates ??= dateFormat(locale, timeZone)
      return dates.format(date)
    },
    moment(date) {
      moments ??= momentFormat(locale, timeZone)
      return moments.format(date)
    },
  }
}

/** Returns the texts of a language, with dates and times in UTC. German texts are formal, unless `isInformal` is true. */
export function createTexts(language: Language, isInformal = false): Texts {
  const { words, scopes, events, fields, deeds } = isInformal && language === 'de' ? informalGerman : catalogues[language]
  const numbers = numberFormat(language)
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
      .map((part) => (part.isolated ? isolate(part.text) : part.text))
      .join('')
  const formOf = <Key extends CountedKey>(key: Key, count: number) => `${key}_${plurals.select(count) === 'one' ? 'one' : 'other'}` as const
  return {
    language,
    isInformal,
    dateLocale: dateLocales[language],
    text,
    counted: (key, count, values = {}) => text(formOf(key, count), { ...values, count }),
    countedParts: (key, count, values = {}) => parts(formOf(key, count), { ...values, count }),
    parts,
    ...datesIn('UTC', language),
    sentence({ name, sentences }, reader) {
      const translated = ownMember(scopes.sentences, name)
      const byRole = typeof translated === 'string' ? { learner: translated } : translated
      return nearestSentence(byRole ?? sentences, reader) ?? ''
    },
    eventSentence: (event) => (events ? ownMember(events, event) : aboutEvent(event)),
    field: (name) => (fields && ownMember(fields.names, name)) ?? labelFrom(name.replace(/(?<=.)_ids?$/, '')),
    choice: (value) => (fields && ownMember(fields.choices, value)) ?? value.replaceAll('_', ' '),
    deed: (label, operation) => ownMember(deeds.operations, operation) ?? ownMember(deeds.operations, label) ?? label,
    resource: (title, name) => ownMember(deeds.resources, name) ?? title,
    areaTitle: ({ area, areaTitle }) => ownMember(scopes.areas, area) ?? areaTitle,
  }
}

const labelFrom = (name: string): string => (name.charAt(0).toUpperCase() + name.slice(1)).replaceAll('_', ' ')
