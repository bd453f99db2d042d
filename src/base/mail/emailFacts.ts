import { dateLocales, type Language } from '../text/languages.ts'
import { knownTimeZone, momentText, periodText } from '../timeZone.ts'
import type { EmailFact, EmailFacts, EmailOccasion } from './emailValues.ts'

const words = {
  en: { when: 'When', where: 'Where', online: 'Online', browser: 'Browser', network: 'Network', on: 'on', unknown: 'unknown' },
  de: { when: 'Zeit', where: 'Ort', online: 'Online', browser: 'Browser', network: 'Netzwerk', on: 'auf', unknown: 'unbekannt' },
} as const satisfies Record<Language, object>

export function emailFacts({ at, time_zone: timeZone, from }: EmailFacts, language: Language): EmailFact[] {
  const { when, browser, network, on, unknown } = words[language]
  const zone = knownTimeZone(timeZone)
  const moment = momentText(at, { timeZone: zone, locale: dateLocales[language] })
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

/** Returns the lines about an event, in the language of the person and the time zone of the event. */
export function occasionFacts(occasion: EmailOccasion, language: Language): EmailFact[] {
  const { starts_at, ends_at, time_zone, place, online } = occasion
  const period = periodText(starts_at, ends_at, { timeZone: time_zone, locale: dateLocales[language] })
  const { when, where, online: onlineLabel } = words[language]
  return [
    { label: when, value: `${period} (${knownTimeZone(time_zone)})` },
    ...(place !== undefined ? [{ label: where, value: place }] : []),
    ...(online !== undefined ? [{ label: onlineLabel, value: online }] : []),
  ]
}
