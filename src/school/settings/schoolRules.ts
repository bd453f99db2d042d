import { fieldError, type ProblemDetail } from '../../base/problem.ts'
import { isCountry } from '../../base/text/countries.ts'
import { isLanguageTag } from '../../base/text/languages.ts'
import { isTimeZone } from '../../base/timeZone.ts'

type PlaceAndLanguage = Readonly<{ locale?: string | null; time_zone?: string | null }>

const currencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'))

/** Checks that a language is a BCP 47 tag and a time zone an IANA name. Absent values are valid. */
export function checkPlaceAndLanguage({ locale, time_zone }: PlaceAndLanguage): ProblemDetail[] {
  return [
    ...(typeof locale === 'string' && !isLanguageTag(locale)
      ? [fieldError('locale', 'not_allowed', 'must be a BCP 47 tag such as en or de-AT')]
      : []),
    ...(typeof time_zone === 'string' && !isTimeZone(time_zone)
      ? [fieldError('time_zone', 'not_allowed', 'must be an IANA name such as Europe/Berlin')]
      : []),
  ]
}

type SchoolValues = PlaceAndLanguage &
  Readonly<{
    supported_locales?: readonly string[]
    currency?: string
    settings?: { tax?: { rates?: readonly { country: string }[] | undefined } | undefined }
  }>

/** Checks the languages, the time zone, the currency and the tax rates of a school. */
export function checkSchool(values: SchoolValues): ProblemDetail[] {
  const { supported_locales = [], currency } = values
  const fieldErrors = [...checkPlaceAndLanguage(values), ...rateErrors(values.settings?.tax?.rates ?? [])]
  supported_locales.forEach((tag, index) => {
    if (!isLanguageTag(tag))
      fieldErrors.push(fieldError(`supported_locales.${index}`, 'not_allowed', 'must be a BCP 47 tag such as en or de-AT'))
  })
  if (!currencies.has(String(currency))) fieldErrors.push(fieldError('currency', 'not_allowed', 'must be an ISO 4217 code such as EUR'))
  return fieldErrors
}

function rateErrors(rates: readonly { country: string }[]): ProblemDetail[] {
  const countries = rates.map(({ country }) => country)
  return countries.flatMap((country, index) => {
    const field = `settings.tax.rates.${index}.country`
    if (!isCountry(country)) return [fieldError(field, 'not_allowed', 'must be an ISO 3166-1 code such as DE')]
    return countries.indexOf(country) < index ? [fieldError(field, 'duplicate', 'must name each country once')] : []
  })
}
