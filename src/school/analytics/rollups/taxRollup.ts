import type { Aliased } from '../../../database/statements/columns.ts'
import { defineRollup, isInSchoolCurrency, orders, paidAt, refundRow, refundWithOrder, rowOrders } from './rollup.ts'

const keysOf = ({ tax_country, tax_rate_bps }: Pick<Aliased<'orders'>, 'tax_country' | 'tax_rate_bps'>) => ({
  country: `coalesce(${tax_country}, '')`,
  rate_bps: `coalesce(${tax_rate_bps}, -1)`,
})

/** Sales and refunds with their taxes, by the country of the buyer and the rate of the order. */
export const taxRollup = defineRollup({
  table: 'analytics_daily_tax',
  keys: ['country', 'rate_bps'],
  measures: ['gross', 'tax', 'refunds', 'refunded_tax'],
  events: [
    {
      from: `${rowOrders}`,
      at: paidAt(rowOrders),
      where: isInSchoolCurrency(rowOrders.currency),
      keys: keysOf(rowOrders),
      adds: { gross: rowOrders.total_amount, tax: rowOrders.tax_amount },
    },
    {
      from: refundWithOrder,
      at: refundRow.created_at,
      where: isInSchoolCurrency(orders.currency),
      changedAt: refundRow.created_at,
      keys: keysOf(orders),
      adds: { refunds: refundRow.amount, refunded_tax: refundRow.tax_amount },
    },
  ],
})
