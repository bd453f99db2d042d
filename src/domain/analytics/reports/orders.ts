import { nobody } from '../../../store/rollups/rollup.ts'
import { type DayRow, percent, summed } from '../figures.ts'
import type { Report } from '../report.ts'

const measures = ['placed', 'paid', 'failed', 'expired', 'refunded']

/** What became of orders, each on its own day; of those that are in some state now, or have a product in them. */
export const orders: Report = {
  name: 'orders',
  async read({ sql, schoolId, filters }, { from, to }) {
    const product = filters.product as { type: string; id: string } | undefined
    const rows = await sql.query<DayRow>(
      `SELECT day::text, ${measures.map((measure) => `sum(${measure}) AS ${measure}`).join(', ')} FROM analytics_daily_order
        WHERE school_id = $1 AND product_type = $2 AND product_id = $3 AND day BETWEEN $4::date AND $5::date
          AND ($6::text[] IS NULL OR status = ANY ($6)) GROUP BY day`,
      [schoolId, product?.type ?? 'any', product?.id ?? nobody, from, to, filters.status ?? null],
    )
    return summed(rows, measures)
  },
  show: ({ placed, paid, failed, expired, refunded }) => ({
    placed,
    paid,
    failed,
    expired,
    refunded,
    conversion_percent: percent(paid, placed),
  }),
}
