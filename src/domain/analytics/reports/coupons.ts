import type { ExpressionBuilder } from 'kysely'
import type { DB } from '../../../gen/kysely/tables.ts'
import { toPublicId } from '../../../lib/ids.ts'
import { dayText, isWithin, numberIn, summed } from '../figures.ts'
import type { Range } from '../period.ts'
import type { Asked, Report } from '../report.ts'
import { mostGroups } from '../subjects.ts'

const table = 'analytics_daily_coupon'
const measures = ['redemptions', 'discount', 'revenue'] as const

const sums = ({ fn }: ExpressionBuilder<DB, typeof table>) => measures.map((name) => fn.sum(name).as(name))

const linesIn = ({ database, schoolId }: Asked, range: Range) =>
  database.selectFrom(table).where('school_id', '=', schoolId).where(isWithin(table, range)).select(sums)

/** Reports the use of coupons, in total and for each coupon. */
export const coupons: Report = {
  name: 'coupons',
  read: async (asked, range) => summed(await linesIn(asked, range).select(dayText(table)).groupBy('day').execute(), measures),
  async groups(asked, range) {
    const rows = await linesIn(asked, range)
      .select([
        'coupon_id',
        ({ selectFrom }) =>
          selectFrom('coupon')
            .select('coupon.code')
            .whereRef('coupon.school_id', '=', 'analytics_daily_coupon.school_id')
            .whereRef('coupon.id', '=', 'analytics_daily_coupon.coupon_id')
            .as('code'),
      ])
      .groupBy(['school_id', 'coupon_id'])
      .orderBy(({ fn }) => fn.sum('redemptions'), 'desc')
      .orderBy(({ fn }) => fn.sum('revenue'), 'desc')
      .orderBy('coupon_id')
      .limit(mostGroups)
      .execute()
    return rows.map((row) => ({
      key: toPublicId('cpn', row.coupon_id),
      title: row.code,
      line: Object.fromEntries(measures.map((name) => [name, numberIn(row, name)])),
    }))
  },
  show: ({ redemptions, discount, revenue }, money) => ({
    redemptions,
    discount_total: money(discount),
    revenue_with_coupon: money(revenue),
  }),
}
