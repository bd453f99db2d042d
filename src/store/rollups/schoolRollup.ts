import type { Rollup } from './rollup.ts'
import { isInSchoolCurrency, orderOfRefund, paidAt } from './sales.ts'

/** Who came, and what was sold. */
export const schoolRollup: Rollup = {
  table: 'analytics_daily_school',
  keys: [],
  measures: ['new_students', 'new_members', 'orders', 'gross', 'discounts', 'tax', 'refunds'],
  happenings: [
    { from: 'person AS row', at: 'row.created_at', where: 'row.is_student', keys: {}, adds: { new_students: '1' } },
    {
      from: 'person AS row',
      at: `coalesce(row.joined_at, '-infinity'::timestamptz)`,
      where: 'row.is_member',
      keys: {},
      adds: { new_members: '1' },
    },
    { from: 'person AS row', at: 'row.created_at', where: 'row.is_member AND row.joined_at IS NULL', keys: {}, adds: { new_members: '1' } },
    {
      from: 'orders AS row',
      at: paidAt('row'),
      where: isInSchoolCurrency('row'),
      keys: {},
      adds: { orders: '1', gross: 'row.total_amount + row.discount_amount', discounts: 'row.discount_amount', tax: 'row.tax_amount' },
    },
    {
      from: `refund AS row ${orderOfRefund}`,
      at: 'row.created_at',
      where: isInSchoolCurrency('orders'),
      changedAt: 'row.created_at',
      keys: {},
      adds: { refunds: 'row.amount' },
    },
  ],
}
