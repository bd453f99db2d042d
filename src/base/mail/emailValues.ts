import type { CalendarEntry } from '../text/iCalendar.ts'
import type { Language } from '../text/languages.ts'

/** When and from where something was done, for an e-mail. Contains JSON values only, so that it can be stored. */
export interface EmailFacts {
  /** ISO 8601. */
  at: string
  /** IANA name of the account's time zone, or else of the school's; an unknown name means UTC. */
  time_zone: string
  /** Absent if something other than a browser did it. */
  from?: {
    /** The browser and its operating system, if they are known: `Firefox`, `Windows`. */
    browser?: string
    system?: string
    /** The network of the IP address: `203.0.113.0/24`. */
    network: string
  }
}

/** One labelled line. */
export interface EmailFact {
  label: string
  value: string
}

/** Returns the label as it is shown in front of its value. A question needs no colon. */
export const shownLabel = ({ label }: EmailFact): string => (label.endsWith('?') ? label : `${label}:`)

/** A text in every language, for values that the sender cannot translate later. */
export type TranslatedText = Record<Language, string>

/** Labelled lines in every language. */
export type TranslatedFacts = Record<Language, readonly EmailFact[]>

/** The time and place of an event, for an e-mail. */
export interface EmailOccasion {
  /** ISO 8601. */
  starts_at: string
  ends_at: string
  /** IANA name. */
  time_zone: string
  place?: string
  /** Where it takes place online. */
  online?: string
  /** The event as people add it to their calendar. */
  calendar?: CalendarEntry
}

/** The placeholders whose values are not one text. */
interface SpecialValues {
  facts: EmailFacts
  occasion: EmailOccasion
  permissions: TranslatedText
  before: TranslatedText
  until: TranslatedText
  lessons: TranslatedFacts
  signals: TranslatedFacts
  items: TranslatedFacts
  copy: TranslatedFacts
}

export type EmailValue<Name extends string> = Name extends keyof SpecialValues ? SpecialValues[Name] : string
