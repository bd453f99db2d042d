import { dayText, isWithin, percent, summed } from '../figures.ts'
import type { Report } from '../report.ts'
import { nobody } from '../rollups/rollup.ts'

const table = 'analytics_daily_order'
const measures = ['placed', 'paid', 'failed', 'expired', 'refunded'] as const

/** Reports how many orders reached each status, by the day of the change. Filters: current status, product. */
export const orders: Report = {
  name: 'orders',
  async read({ database, filters }, range) {
    const { product, status } = filters
    const rows = await database
      .selectFrom(table)
      .select(dayText(table))
      .select(({ fn }) => measures.map((name) => fn.sum(name).as(name)))
      .where('product_type', '=', product?.type ?? 'any')
      .where('product_id', '=', product?.id ?? nobody)
      .where(isWithin(table, range))
      .$if(status !== undefined, (lines) => lines.where((line) => line('status', '=', line.fn.any(line.val(status)))))
      .groupBy('day')
      .execute()
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
