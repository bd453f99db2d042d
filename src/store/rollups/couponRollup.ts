import type { Rollup } from './rollup.ts'
import { isInSchoolCurrency, orderOfRefund, paidAt } from './sales.ts'

/** What coupons were used for, and what orders with them brought. */
export const couponRollup: Rollup = {
  table: 'analytics_daily_coupon',
  keys: ['coupon_id'],
  measures: ['redemptions', 'discount', 'revenue'],
  happenings: [
    {
      from: 'coupon_redemption AS row',
      at: 'row.created_at',
      where: `row.status = 'confirmed' AND ${isInSchoolCurrency('row')}`,
      keys: { coupon_id: 'row.coupon_id' },
      adds: { redemptions: '1', discount: 'row.amount_off' },
    },
    {
      from: 'orders AS row',
      at: paidAt('row'),
      where: `row.coupon_id IS NOT NULL AND ${isInSchoolCurrency('row')}`,
      keys: { coupon_id: 'row.coupon_id' },
      adds: { revenue: 'row.total_amount' },
    },
    {
      from: `refund AS row ${orderOfRefund}`,
      at: 'row.created_at',
      where: `orders.coupon_id IS NOT NULL AND ${isInSchoolCurrency('orders')}`,
      changedAt: 'row.created_at',
      keys: { coupon_id: 'orders.coupon_id' },
      adds: { revenue: '-row.amount' },
    },
  ],
}
