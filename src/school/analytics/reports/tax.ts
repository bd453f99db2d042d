import { isWithin, numberIn } from '../figures.ts'
import type { Range, ReportRequest } from '../report.ts'

const table = 'analytics_daily_tax'
const measures = ['gross', 'tax', 'refunds', 'refunded_tax'] as const

/** The sums of one country and one rate. Amounts in the smallest unit. */
export interface TaxGroup extends Record<(typeof measures)[number], number> {
  country: string | null
  /** Null for orders of earlier releases, which did not store the rate. */
  rate_bps: number | null
}

/**
 * Returns the sales and the refunds of these days by country and rate. There are at most as many groups as countries and rates, so there is
 * no limit: the groups add up to the totals.
 */
export async function taxGroups({ database }: ReportRequest, range: Range): Promise<TaxGroup[]> {
  const rows = await database
    .selectFrom(table)
    .select(['country', 'rate_bps'])
    .select(({ fn }) => measures.map((name) => fn.sum(name).as(name)))
    .where(isWithin(table, range))
    .groupBy(['country', 'rate_bps'])
    .orderBy('country')
    .orderBy('rate_bps')
    .execute()
  return rows
    .map((row) => ({
      country: row.country === '' ? null : row.country,
      rate_bps: row.rate_bps < 0 ? null : row.rate_bps,
      gross: numberIn(row, 'gross'),
      tax: numberIn(row, 'tax'),
      refunds: numberIn(row, 'refunds'),
      refunded_tax: numberIn(row, 'refunded_tax'),
    }))
    .filter((group) => measures.some((name) => group[name] !== 0))
}
