import { type Aliased, aliased } from '../../../database/statements/columns.ts'

const school = aliased('school')

export const rowOrders = aliased('orders', 'row')

export const orders = aliased('orders')

export const refundRow = aliased('refund', 'row')

export const refundWithOrder = `${refundRow} JOIN ${orders} ON ${orders.school_id} = ${refundRow.school_id} AND ${orders.id} = ${refundRow.order_id}`

/** When an order was paid, as its index has it: sales are booked on this day and refunds on their own. */
export const paidAt = ({ paid_at }: Pick<Aliased<'orders'>, 'paid_at'>): string => `coalesce(${paid_at}, '-infinity'::timestamptz)`

/** Amounts of one currency can be summed. The school's is fixed after the first payment; imported amounts in another are left out. */
export const isInSchoolCurrency = (currency: string): string =>
  `${currency} = (SELECT ${school.currency} FROM ${school} WHERE ${school.id} = $1::uuid)`

export const sourceOf = ({ attribution }: Pick<Aliased<'orders'>, 'attribution'>): string =>
  `coalesce(nullif(${attribution}->>'source', ''), 'direct')`
