import { aliased } from '../../../database/statements/columns.ts'
import { defineRollup, isInSchoolCurrency, orders, paidAt, refundRow, refundWithOrder, rowOrders } from './rollup.ts'

const redemption = aliased('coupon_redemption', 'row')

const redemptionWithOrder = `${redemption} JOIN ${orders} ON ${orders.school_id} = ${redemption.school_id} AND ${orders.id} = ${redemption.order_id}`

/**
 * An order that was paid and then undone released its coupon. The day of the redemption keeps its figures: the day of the refund takes them
 * back.
 */
const wasUndone = `(${redemption.status} = 'released' AND EXISTS (SELECT FROM ${orders} WHERE ${orders.school_id} = ${redemption.school_id}
  AND ${orders.id} = ${redemption.order_id} AND ${orders.paid_at} IS NOT NULL AND ${orders.refunded_at} IS NOT NULL))`

/** How coupons were used, and the sales with them. */
export const couponRollup = defineRollup({
  table: 'analytics_daily_coupon',
  keys: ['coupon_id'],
  measures: ['redemptions', 'discount', 'revenue'],
  events: [
    {
      from: `${redemption}`,
      at: redemption.created_at,
      where: `(${redemption.status} = 'confirmed' OR ${wasUndone}) AND ${isInSchoolCurrency(redemption.currency)}`,
      keys: { coupon_id: redemption.coupon_id },
      adds: { redemptions: '1', discount: redemption.amount_off },
    },
    {
      from: redemptionWithOrder,
      at: orders.refunded_at,
      where: `${redemption.status} = 'released' AND ${orders.paid_at} IS NOT NULL AND ${isInSchoolCurrency(redemption.currency)}`,
      keys: { coupon_id: redemption.coupon_id },
      adds: { redemptions: '-1', discount: `-${redemption.amount_off}` },
    },
    {
      from: `${rowOrders}`,
      at: paidAt(rowOrders),
      where: `${rowOrders.coupon_id} IS NOT NULL AND ${isInSchoolCurrency(rowOrders.currency)}`,
      keys: { coupon_id: rowOrders.coupon_id },
      adds: { revenue: rowOrders.total_amount },
    },
    {
      from: refundWithOrder,
      at: refundRow.created_at,
      where: `${orders.coupon_id} IS NOT NULL AND ${isInSchoolCurrency(orders.currency)}`,
      changedAt: refundRow.created_at,
      keys: { coupon_id: orders.coupon_id },
      adds: { revenue: `-${refundRow.amount}` },
    },
  ],
})
