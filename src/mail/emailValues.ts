import type { Language } from '../lib/languages.ts'

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

/** A text in every language, for values that the sender cannot translate later. */
export type TranslatedText = Record<Language, string>

/** The type of the value of a placeholder. Values can be stored as JSON. */
export type EmailValue<Name extends string> = Name extends 'facts' ? EmailFacts : Name extends 'permissions' ? TranslatedText : string
