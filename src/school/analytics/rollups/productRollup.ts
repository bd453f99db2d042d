import { type Aliased, aliased, type ColumnName } from '../../../database/statements/columns.ts'
import { defineRollup, isInSchoolCurrency, nobody, orders, paidAt, refundRow, refundWithOrder, rowOrders, sourceOf } from './rollup.ts'

const line = aliased('order_item', 'line')
const other = aliased('order_item', 'other')
const part = aliased('refund_item', 'part')

const couponOf = ({ coupon_id }: Aliased<'orders'>): string => `coalesce(${coupon_id}, '${nobody}'::uuid)`

/** 1 on the first line of its order with the same columns, 0 on the others: orders with many lines are counted once. */
const isFirst = (...same: ColumnName<'order_item'>[]): string =>
  `CASE WHEN EXISTS (SELECT FROM ${other} WHERE ${other.school_id} = ${line.school_id} AND ${other.order_id} = ${line.order_id}
                        AND ${other.position} < ${line.position}${same.map((name) => ` AND ${other[name]} = ${line[name]}`).join('')}) THEN 0 ELSE 1 END`

const refundedLines = `JOIN ${part} ON ${part.school_id} = ${refundRow.school_id} AND ${part.refund_id} = ${refundRow.id}
  JOIN ${line} ON ${line.school_id} = ${part.school_id} AND ${line.id} = ${part.order_item_id}`

export const productRollup = defineRollup({
  table: 'analytics_daily_product',
  keys: ['product_type', 'product_id', 'coupon_id', 'source'],
  measures: ['gross', 'discounts', 'tax', 'refunds', 'units', 'orders', 'type_orders', 'product_orders'],
  events: [
    {
      from: `${rowOrders} JOIN ${line} ON ${line.school_id} = ${rowOrders.school_id} AND ${line.order_id} = ${rowOrders.id}`,
      at: paidAt(rowOrders),
      where: isInSchoolCurrency(rowOrders.currency),
      keys: {
        product_type: line.product_type,
        product_id: line.product_id,
        coupon_id: couponOf(rowOrders),
        source: sourceOf(rowOrders),
      },
      adds: {
        gross: `${line.total_amount} + ${line.discount_amount}`,
        discounts: line.discount_amount,
        tax: line.tax_amount,
        units: line.quantity,
        orders: isFirst(),
        type_orders: isFirst('product_type'),
        product_orders: isFirst('product_type', 'product_id'),
      },
    },
    {
      from: `${refundWithOrder} ${refundedLines}`,
      at: refundRow.created_at,
      where: isInSchoolCurrency(orders.currency),
      changedAt: refundRow.created_at,
      keys: {
        product_type: line.product_type,
        product_id: line.product_id,
        coupon_id: couponOf(orders),
        source: sourceOf(orders),
      },
      adds: { refunds: part.amount, tax: `-${part.tax_amount}` },
    },
  ],
})
