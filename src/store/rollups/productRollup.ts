import { nobody, type Rollup } from './rollup.ts'
import { isInSchoolCurrency, orderOfRefund, paidAt, sourceOf } from './sales.ts'

const couponOf = (orders: string): string => `coalesce(${orders}.coupon_id, '${nobody}'::uuid)`

/** 1 on the first line of its order that is like this one, 0 on the others: so orders add up, though they have many lines. */
const isFirst = (like: string): string =>
  `CASE WHEN EXISTS (SELECT FROM order_item AS other WHERE other.school_id = line.school_id AND other.order_id = line.order_id
                        AND other.position < line.position${like}) THEN 0 ELSE 1 END`

const sameType = ' AND other.product_type = line.product_type'

/**
 * A refund over the lines of its order, in the ratio of what they cost. The cuts are made in the running sum, so that the parts make
 * up the whole.
 */
const refundedLines = `JOIN LATERAL (
  SELECT product_type, product_id, total_amount, sum(total_amount) OVER (ORDER BY position) AS up_to, sum(total_amount) OVER () AS whole
    FROM order_item WHERE order_item.school_id = row.school_id AND order_item.order_id = row.order_id) AS line ON line.whole > 0`
const cut = (sum: string): string => `floor(row.amount * (${sum}) / line.whole)`

/** What was sold, line by line of the orders. */
export const productRollup: Rollup = {
  table: 'analytics_daily_product',
  keys: ['product_type', 'product_id', 'coupon_id', 'source'],
  measures: ['gross', 'discounts', 'tax', 'refunds', 'units', 'orders', 'type_orders', 'product_orders'],
  happenings: [
    {
      from: 'orders AS row JOIN order_item AS line ON line.school_id = row.school_id AND line.order_id = row.id',
      at: paidAt('row'),
      where: isInSchoolCurrency('row'),
      keys: {
        product_type: 'line.product_type',
        product_id: 'line.product_id',
        coupon_id: couponOf('row'),
        source: sourceOf('row'),
      },
      adds: {
        gross: 'line.total_amount + line.discount_amount',
        discounts: 'line.discount_amount',
        tax: 'line.tax_amount',
        units: 'line.quantity',
        orders: isFirst(''),
        type_orders: isFirst(sameType),
        product_orders: isFirst(`${sameType} AND other.product_id = line.product_id`),
      },
    },
    {
      from: `refund AS row ${orderOfRefund} ${refundedLines}`,
      at: 'row.created_at',
      where: isInSchoolCurrency('orders'),
      changedAt: 'row.created_at',
      keys: {
        product_type: 'line.product_type',
        product_id: 'line.product_id',
        coupon_id: couponOf('orders'),
        source: sourceOf('orders'),
      },
      adds: { refunds: `${cut('line.up_to')} - ${cut('line.up_to - line.total_amount')}` },
    },
  ],
}
