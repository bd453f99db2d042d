import { aliased } from '../../../database/statements/columns.ts'
import { defineRollup, isInSchoolCurrency, orders, paidAt, refundRow, refundWithOrder, rowOrders } from './rollup.ts'

const person = aliased('person', 'row')

export const schoolRollup = defineRollup({
  table: 'analytics_daily_school',
  keys: [],
  measures: ['new_students', 'new_members', 'orders', 'gross', 'discounts', 'tax', 'refunds'],
  events: [
    { from: `${person}`, at: person.created_at, where: person.is_student, keys: {}, adds: { new_students: '1' } },
    {
      from: `${person}`,
      at: `coalesce(${person.joined_at}, '-infinity'::timestamptz)`,
      where: person.is_member,
      keys: {},
      adds: { new_members: '1' },
    },
    {
      from: `${person}`,
      at: person.created_at,
      where: `${person.is_member} AND ${person.joined_at} IS NULL`,
      keys: {},
      adds: { new_members: '1' },
    },
    {
      from: `${rowOrders}`,
      at: paidAt(rowOrders),
      where: isInSchoolCurrency(rowOrders.currency),
      keys: {},
      adds: {
        orders: '1',
        gross: `${rowOrders.total_amount} + ${rowOrders.discount_amount}`,
        discounts: rowOrders.discount_amount,
        tax: rowOrders.tax_amount,
      },
    },
    {
      from: refundWithOrder,
      at: refundRow.created_at,
      where: isInSchoolCurrency(orders.currency),
      changedAt: refundRow.created_at,
      keys: {},
      adds: { refunds: refundRow.amount, tax: `-${refundRow.tax_amount}` },
    },
  ],
})
