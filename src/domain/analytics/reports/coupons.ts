import { toPublicId } from '../../../lib/ids.ts'
import { type DayRow, numberIn, summed } from '../figures.ts'
import type { Report } from '../report.ts'
import { mostGroups } from '../subjects.ts'

const measures = ['redemptions', 'discount', 'revenue']
const sums = measures.map((name) => `sum(${name}) AS ${name}`).join(', ')
const which = 'school_id = $1::uuid AND day BETWEEN $2::date AND $3::date'

/** What coupons were used for, all together and one by one. */
export const coupons: Report = {
  name: 'coupons',
  async read({ sql, schoolId }, { from, to }) {
    const rows = await sql.query<DayRow>(`SELECT day::text, ${sums} FROM analytics_daily_coupon WHERE ${which} GROUP BY day`, [
      schoolId,
      from,
      to,
    ])
    return summed(rows, measures)
  },
  async groups({ sql, schoolId }, { from, to }) {
    const rows = await sql.query<Record<string, string>>(
      `SELECT parts.*, coupon.code
         FROM (SELECT coupon_id, ${sums} FROM analytics_daily_coupon WHERE ${which}
                GROUP BY coupon_id ORDER BY sum(redemptions) DESC, sum(revenue) DESC, coupon_id LIMIT ${mostGroups}) AS parts
         LEFT JOIN coupon ON coupon.school_id = $1::uuid AND coupon.id = parts.coupon_id`,
      [schoolId, from, to],
    )
    return rows.map((row) => ({
      key: toPublicId('cpn', row.coupon_id as string),
      title: row.code ?? null,
      line: Object.fromEntries(measures.map((name) => [name, numberIn(row, name)])),
    }))
  },
  show: ({ redemptions, discount, revenue }, money) => ({
    redemptions,
    discount_total: money(discount),
    revenue_with_coupon: money(revenue),
  }),
}
