import { toPublicId } from '../../../lib/ids.ts'
import { Problem } from '../../../lib/problem.ts'
import { nobody } from '../../../store/rollups/rollup.ts'
import { type DayRow, numberIn, summed } from '../figures.ts'
import type { Range } from '../period.ts'
import type { Asked, Line, Report } from '../report.ts'
import { mostGroups, productKey, productTitle } from '../subjects.ts'

const measures = ['gross', 'discounts', 'refunds', 'tax', 'orders']

interface Filters {
  product?: { type: string; id: string }
  product_type?: string
  coupon?: string
  currency?: string
  group_by?: 'product' | 'product_type' | 'coupon' | 'source'
}

/** What was earned: sales on the day on which they were paid, less what was given back on the day on which it was. */
export const revenue: Report = {
  name: 'revenue',
  async read({ sql, schoolId, filters }, { from, to }) {
    const { product, product_type, coupon, currency } = filters as Filters
    await requireCurrency({ sql, schoolId }, currency)
    const isWhole = product === undefined && product_type === undefined && coupon === undefined
    const rows = isWhole
      ? await sql.query<DayRow>(
          `SELECT day::text, ${measures.join(', ')} FROM analytics_daily_school WHERE school_id = $1 AND day BETWEEN $2::date AND $3::date`,
          [schoolId, from, to],
        )
      : await sql.query<DayRow>(
          `SELECT day::text, ${sums(ordersOf(filters as Filters))} FROM analytics_daily_product WHERE ${filtered} GROUP BY day`,
          valuesOf(schoolId, { from, to }, filters as Filters),
        )
    return summed(rows, measures)
  },
  async groups(asked, range) {
    const by = (asked.filters as Filters).group_by
    return by === undefined ? undefined : await grouped(asked, range, by)
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

const sums = (orders: string): string =>
  `sum(gross) AS gross, sum(discounts) AS discounts, sum(refunds) AS refunds, sum(tax) AS tax, sum(${orders}) AS orders`

const filtered = `school_id = $1::uuid AND day BETWEEN $2::date AND $3::date
  AND ($4::text IS NULL OR product_type = $4) AND ($5::uuid IS NULL OR product_id = $5) AND ($6::text IS NULL OR product_type = $6)
  AND ($7::uuid IS NULL OR coupon_id = $7)`

const valuesOf = (schoolId: string, { from, to }: Range, { product, product_type, coupon }: Filters): unknown[] => [
  schoolId,
  from,
  to,
  product?.type ?? null,
  product?.id ?? null,
  product_type ?? null,
  coupon ?? null,
]

/** An order has many lines: the column that counts it once among those that are looked at. */
const ordersOf = ({ product, product_type, group_by }: Filters, by = group_by): string =>
  product !== undefined || by === 'product'
    ? 'product_orders'
    : product_type !== undefined || by === 'product_type'
      ? 'type_orders'
      : 'orders'

const parts = {
  product: { key: 'product_type, product_id', title: productTitle('product_type', 'product_id') },
  product_type: { key: 'product_type', title: 'NULL' },
  coupon: { key: 'coupon_id', title: '(SELECT code FROM coupon WHERE coupon.school_id = $1::uuid AND coupon.id = coupon_id)' },
  source: { key: 'source', title: 'NULL' },
} as const

async function grouped({ sql, schoolId, filters }: Asked, range: Range, by: keyof typeof parts) {
  const { key, title } = parts[by]
  const rows = await sql.query<Record<string, string | null>>(
    `SELECT parts.*, ${title} AS title
       FROM (SELECT ${key}, ${sums(ordersOf(filters as Filters, by))} FROM analytics_daily_product
              WHERE ${filtered}${by === 'coupon' ? ` AND coupon_id <> '${nobody}'` : ''}
              GROUP BY ${key} ORDER BY sum(gross) DESC, ${key} LIMIT ${mostGroups}) AS parts`,
    valuesOf(schoolId, range, filters as Filters),
  )
  const keyOf = {
    product: (row) => productKey(row.product_type as string, row.product_id as string),
    product_type: (row) => row.product_type as string,
    coupon: (row) => toPublicId('cpn', row.coupon_id as string),
    source: (row) => row.source as string,
  } satisfies Record<keyof typeof parts, (row: Record<string, string | null>) => string>
  return rows.map((row) => ({ key: keyOf[by](row), title: row.title ?? null, line: lineOf(row) }))
}

const lineOf = (row: Record<string, unknown>): Line => Object.fromEntries(measures.map((name) => [name, numberIn(row, name)]))

/** @throws Problem invalid_parameter for a currency in which the school does not sell: amounts of two currencies make no sum */
async function requireCurrency({ sql, schoolId }: Pick<Asked, 'sql' | 'schoolId'>, currency: string | undefined): Promise<void> {
  if (currency === undefined) return
  const [school] = await sql.query<{ currency: string }>('SELECT currency FROM school WHERE id = $1', [schoolId])
  if (school?.currency === currency) return
  const message = `currency: this school sells in ${school?.currency} alone`
  throw new Problem('invalid_parameter', { description: `${message}.`, details: [{ field: 'currency', code: 'unknown', message }] })
}
