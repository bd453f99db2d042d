import { sql } from 'kysely'
import type { SchoolWriter } from '../../database/connection/database.ts'
import type { Tax } from './priceLines.ts'

export interface TaxSettings {
  mode?: Tax['mode']
  default_rate_bps?: number
  rates?: readonly { country: string; rate_bps: number }[]
}

/** Returns the currency in which the school sells, and the tax for a buyer in this country: the rate of the country, else the default. */
export async function salesTax(writer: SchoolWriter, country: string | null | undefined): Promise<{ currency: string; tax: Tax }> {
  const school = await writer
    .selectFrom('school')
    .select((row) => ['school.currency', sql<TaxSettings | null>`${row.ref('school.settings')} -> 'tax'`.as('tax')])
    .where('id', '=', writer.schoolId)
    .executeTakeFirst()
  if (!school) throw new Error(`there is no school ${writer.schoolId}`)
  const { mode = 'none', default_rate_bps = 0, rates = [] } = school.tax ?? {}
  const rateBps = rates.find((rate) => rate.country === country)?.rate_bps ?? default_rate_bps
  return { currency: school.currency, tax: { mode, rateBps: mode === 'none' ? 0 : rateBps } }
}

/**
 * Returns how the prices that a school shows relate to tax: `inclusive` if they contain it, `exclusive` if the checkout adds it, `none` if
 * no buyer pays any.
 */
export function priceTaxOf({ mode = 'none', default_rate_bps = 0, rates = [] }: TaxSettings = {}): Tax['mode'] {
  return default_rate_bps > 0 || rates.some(({ rate_bps }) => rate_bps > 0) ? mode : 'none'
}
