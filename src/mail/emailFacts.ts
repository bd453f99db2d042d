import type { Language } from '../lib/languages.ts'
import { knownTimeZone } from '../lib/timeZone.ts'
import type { EmailFacts } from './emailValues.ts'

/** One line about a request. */
export interface EmailFact {
  label: string
  value: string
}

const words = {
  en: { locale: 'en-GB', when: 'When', browser: 'Browser', network: 'Network', on: 'on', unknown: 'unknown' },
  de: { locale: 'de', when: 'Zeit', browser: 'Browser', network: 'Netzwerk', on: 'auf', unknown: 'unbekannt' },
} as const satisfies Record<Language, object>

/** Returns the lines about a request, in the language and the time zone of the person. */
export function emailFacts({ at, time_zone: timeZone, from }: EmailFacts, language: Language): EmailFact[] {
  const { locale, when, browser, network, on, unknown } = words[language]
  const zone = knownTimeZone(timeZone)
  const moment = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short', timeZone: zone }).format(new Date(at))
  const device = from?.browser && from.system ? `${from.browser} ${on} ${from.system}` : (from?.browser ?? from?.system ?? unknown)
  return [
    { label: when, value: `${moment} (${zone})` },
    ...(from
      ? [
          { label: browser, value: device },
          { label: network, value: from.network },
        ]
      : []),
  ]
}
