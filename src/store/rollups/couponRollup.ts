import { aliased } from '../columns.ts'
import { defineRollup } from './rollup.ts'
import { isInSchoolCurrency, orders, paidAt, refundRow, refundWithOrder, rowOrders } from './sales.ts'

const redemption = aliased('coupon_redemption', 'row')

/** How coupons were used, and the sales with them. */
export const couponRollup = defineRollup({
  table: 'analytics_daily_coupon',
  keys: ['coupon_id'],
  measures: ['redemptions', 'discount', 'revenue'],
  happenings: [
    {
      from: `${redemption}`,
      at: redemption.created_at,
      where: `${redemption.status} = 'confirmed' AND ${isInSchoolCurrency(redemption.currency)}`,
      keys: { coupon_id: redemption.coupon_id },
      adds: { redemptions: '1', discount: redemption.amount_off },
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
