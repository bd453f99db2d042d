/** When an order was paid, as its index has it: sales are booked on this day and refunds on their own. */
export const paidAt = (orders: string): string => `coalesce(${orders}.paid_at, '-infinity'::timestamptz)`

/** Amounts of one currency add up. The school's is fixed once something was paid; what was imported in another stays out. */
export const isInSchoolCurrency = (table: string): string => `${table}.currency = (SELECT currency FROM school WHERE id = $1::uuid)`

/** Where the buyer of an order came from. */
export const sourceOf = (orders: string): string => `coalesce(nullif(${orders}.attribution->>'source', ''), 'direct')`

export const orderOfRefund = 'JOIN orders ON orders.school_id = row.school_id AND orders.id = row.order_id'
