import type { ProblemDetail } from '../../lib/problem.ts'

type Values = Readonly<Record<string, unknown>>

const zones: ReadonlySet<string> = new Set([...Intl.supportedValuesOf('timeZone'), 'UTC', 'Etc/UTC'])
const currencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'))

/** Whether a language is a tag of BCP 47 and a time zone one that IANA names. Absent ones are. */
export function checkPlaceAndLanguage({ locale, time_zone }: Values): ProblemDetail[] {
  return [
    ...(typeof locale === 'string' && !isLanguage(locale) ? [fault('locale', 'must be a BCP 47 tag such as en or de-AT')] : []),
    ...(typeof time_zone === 'string' && !zones.has(time_zone) ? [fault('time_zone', 'must be an IANA name such as Europe/Berlin')] : []),
  ]
}

/** The same of a school, and its other languages and its currency. */
export function checkSchool(values: Values): ProblemDetail[] {
  const { supported_locales, currency } = values
  const others = Array.isArray(supported_locales) ? (supported_locales as string[]) : []
  const fieldErrors = checkPlaceAndLanguage(values)
  others.forEach((tag, index) => {
    if (!isLanguage(tag)) fieldErrors.push(fault(`supported_locales.${index}`, 'must be a BCP 47 tag such as en or de-AT'))
  })
  if (!currencies.has(String(currency))) fieldErrors.push(fault('currency', 'must be an ISO 4217 code such as EUR'))
  return fieldErrors
}

const fault = (field: string, message: string): ProblemDetail => ({ field, code: 'not_allowed', message: `${field}: ${message}` })

function isLanguage(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1
  } catch {
    return false
  }
}
