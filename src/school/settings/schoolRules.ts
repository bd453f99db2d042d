import { fieldError, type ProblemDetail } from '../../base/problem.ts'
import { isCountry } from '../../base/text/countries.ts'

const currencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'))

type SchoolValues = Readonly<{
  currency?: string
  settings?: { tax?: { rates?: readonly { country: string }[] | undefined } | undefined }
}>

/** Checks the currency and the tax rates of a school. */
export function checkSchool(values: SchoolValues): ProblemDetail[] {
  const { currency } = values
  const fieldErrors = rateErrors(values.settings?.tax?.rates ?? [])
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
