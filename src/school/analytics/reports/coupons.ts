import type { ExpressionBuilder } from 'kysely'
import { toPublicId } from '../../../base/ids.ts'
import { isAmong } from '../../../database/statements/expressions.ts'
import type { DB } from '../../../gen/kysely/tables.ts'
import { dayText, isWithin, maxGroups, numberIn, summed, summedBy } from '../figures.ts'
import type { Range, Report, ReportRequest } from '../report.ts'

const table = 'analytics_daily_coupon'
const measures = ['redemptions', 'discount', 'revenue'] as const

const sums = ({ fn }: ExpressionBuilder<DB, typeof table>) => measures.map((name) => fn.sum(name).as(name))

const linesIn = ({ database }: ReportRequest, range: Range) => database.selectFrom(table).where(isWithin(table, range)).select(sums)

export const coupons: Report = {
  name: 'coupons',
  read: async (request, range) => summed(await linesIn(request, range).select(dayText(table)).groupBy('day').execute(), measures),
  async groups(request, range) {
    const rows = await linesIn(request, range)
      .select([
        'coupon_id',
        ({ selectFrom }) =>
          selectFrom('coupon').select('coupon.code').whereRef('coupon.id', '=', 'analytics_daily_coupon.coupon_id').as('code'),
      ])
      .groupBy(['school_id', 'coupon_id'])
      .orderBy(({ fn }) => fn.sum('redemptions'), 'desc')
      .orderBy(({ fn }) => fn.sum('revenue'), 'desc')
      .orderBy('coupon_id')
      .limit(maxGroups)
      .execute()
    const ids = rows.map(({ coupon_id }) => coupon_id)
    const days = await linesIn(request, range)
      .select([dayText(table), 'coupon_id'])
      .where((line) => isAmong(line.ref('coupon_id'), ids))
      .groupBy(['day', 'coupon_id'])
      .execute()
    const figuresOf = summedBy(days, ({ coupon_id }) => coupon_id, measures)
    return rows.map((row) => ({
      key: toPublicId('cpn', row.coupon_id),
      title: row.code,
      figures: figuresOf(row.coupon_id),
      line: Object.fromEntries(measures.map((name) => [name, numberIn(row, name)])),
    }))
  },
  show: ({ redemptions, discount, revenue }, money) => ({
    redemptions,
    discount_total: money(discount),
    revenue_with_coupon: money(revenue),
  }),
}
