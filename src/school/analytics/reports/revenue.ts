import type { ExpressionBuilder } from 'kysely'
import { toPublicId } from '../../../base/ids.ts'
import { Problem } from '../../../base/problem.ts'
import { isAmong } from '../../../database/statements/expressions.ts'
import type { DB } from '../../../gen/kysely/tables.ts'
import { dayText, isWithin, maxGroups, numberIn, productKey, summed, summedBy, titleOfProduct } from '../figures.ts'
import type { Group, Line, Range, Report, ReportFilters, ReportRequest } from '../report.ts'
import { nobody } from '../rollups/rollup.ts'

const table = 'analytics_daily_product'
const measures = ['gross', 'discounts', 'refunds', 'tax', 'orders'] as const

/** Reports sales by the day of payment, less refunds by the day of refund. */
export const revenue: Report = {
  name: 'revenue',
  async read(request, range) {
    const { database } = request
    const { filters } = request
    await requireCurrency(request, filters.currency)
    if (filters.product !== undefined || filters.product_type !== undefined || filters.coupon !== undefined) {
      const lines = linesIn(request, range)
        .select(dayText(table))
        .select(sums(ordersOf(filters)))
      return summed(await lines.groupBy('day').execute(), measures)
    }
    const rows = await database
      .selectFrom('analytics_daily_school')
      .select([dayText('analytics_daily_school'), ...measures])
      .where(isWithin('analytics_daily_school', range))
      .execute()
    return summed(rows, measures)
  },
  async groups(request, range) {
    const by = request.filters.group_by
    return by === undefined || by === 'course' ? undefined : await grouped(request, range, by)
  },
  show({ gross, discounts, refunds, tax, orders }, money) {
    const paid = (gross ?? 0) - (discounts ?? 0)
    return {
      gross: money(gross),
      discounts: money(discounts),
      refunds: money(refunds),
      tax: money(tax),
      net: money(paid - (refunds ?? 0)),
      orders: orders ?? 0,
      average_order: money(orders ? Math.round(paid / orders) : 0),
    }
  },
}

/** The column that counts an order once among the selected rows: an order has several rows. */
type OrdersColumn = 'orders' | 'type_orders' | 'product_orders'

const sums =
  (orders: OrdersColumn) =>
  ({ fn }: ExpressionBuilder<DB, typeof table>) => [
    fn.sum('gross').as('gross'),
    fn.sum('discounts').as('discounts'),
    fn.sum('refunds').as('refunds'),
    fn.sum('tax').as('tax'),
    fn.sum(orders).as('orders'),
  ]

function linesIn({ database, filters }: ReportRequest, range: Range) {
  const { product, product_type, coupon } = filters
  return database
    .selectFrom(table)
    .where(isWithin(table, range))
    .where((line) =>
      line.and([
        ...(product === undefined ? [] : [line('product_type', '=', product.type), line('product_id', '=', product.id)]),
        ...(product_type === undefined ? [] : [line('product_type', '=', product_type)]),
        ...(coupon === undefined ? [] : [line('coupon_id', '=', coupon)]),
      ]),
    )
}

const ordersOf = ({ product, product_type, group_by }: ReportFilters, by = group_by): OrdersColumn =>
  product !== undefined || by === 'product'
    ? 'product_orders'
    : product_type !== undefined || by === 'product_type'
      ? 'type_orders'
      : 'orders'

async function grouped(request: ReportRequest, range: Range, by: 'product' | 'product_type' | 'coupon' | 'source'): Promise<Group[]> {
  const lines = linesIn(request, range)
    .select(sums(ordersOf(request.filters, by)))
    .orderBy(({ fn }) => fn.sum('gross'), 'desc')
    .limit(maxGroups)
  const days = linesIn(request, range)
    .select(dayText(table))
    .select(sums(ordersOf(request.filters, by)))
    .groupBy('day')
  if (by === 'product') {
    const rows = await lines
      .select(['product_type', 'product_id', (line) => titleOfProduct(line).as('title')])
      .groupBy(['school_id', 'product_type', 'product_id'])
      .orderBy('product_type')
      .orderBy('product_id')
      .execute()
    const ids = rows.map(({ product_id }) => product_id)
    const figuresOf = summedBy(
      await days
        .select('product_id')
        .where((line) => isAmong(line.ref('product_id'), ids))
        .groupBy('product_id')
        .execute(),
      ({ product_id }) => product_id,
      measures,
    )
    return rows.map((row) => ({
      key: productKey(row.product_type, row.product_id),
      title: row.title,
      line: lineOf(row),
      figures: figuresOf(row.product_id),
    }))
  }
  if (by === 'coupon') {
    const rows = await lines
      .select(['coupon_id', (line) => codeOfCoupon(line).as('title')])
      .groupBy(['school_id', 'coupon_id'])
      .orderBy('coupon_id')
      .execute()
    const ids = rows.map(({ coupon_id }) => coupon_id)
    const figuresOf = summedBy(
      await days
        .select('coupon_id')
        .where((line) => isAmong(line.ref('coupon_id'), ids))
        .groupBy('coupon_id')
        .execute(),
      ({ coupon_id }) => coupon_id,
      measures,
    )
    return rows.map((row) => ({
      key: couponKey(row.coupon_id),
      title: row.title,
      line: lineOf(row),
      figures: figuresOf(row.coupon_id),
    }))
  }
  const rows = await lines
    .select((line) => line.ref(by).as('key'))
    .groupBy(by)
    .orderBy(by)
    .execute()
  const figuresOf = summedBy(
    await days
      .select((line) => line.ref(by).as('key'))
      .groupBy(by)
      .execute(),
    ({ key }) => key,
    measures,
  )
  return rows.map((row) => ({ key: row.key, title: null, line: lineOf(row), figures: figuresOf(row.key) }))
}

/** Orders without a coupon are a separate group, so that the groups add up to the totals. */
const couponKey = (id: string): string => (id === nobody ? 'none' : toPublicId('cpn', id))

const codeOfCoupon = ({ selectFrom }: ExpressionBuilder<DB, typeof table>) =>
  selectFrom('coupon').select('coupon.code').whereRef('coupon.id', '=', 'analytics_daily_product.coupon_id')

const lineOf = (row: Readonly<Record<string, unknown>>): Line => Object.fromEntries(measures.map((name) => [name, numberIn(row, name)]))

/**
 * Checks that the currency is the school's: amounts in different currencies cannot be summed.
 * @throws Problem invalid_parameter
 */
async function requireCurrency({ database }: ReportRequest, currency: string | undefined): Promise<void> {
  if (currency === undefined) return
  const school = await database.selectFrom('school').select('currency').where('id', '=', database.schoolId).executeTakeFirst()
  if (school?.currency === currency) return
  const message = `currency: must be ${school?.currency}, the currency of this school`
  throw new Problem('invalid_parameter', { description: `${message}.`, details: [{ field: 'currency', code: 'unknown', message }] })
}
