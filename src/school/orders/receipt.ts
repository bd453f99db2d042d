import { Problem } from '../../base/problem.ts'
import type { SchoolReader, Stored } from '../../database/connection/database.ts'

type Order = Stored<'orders', 'receipt_number' | 'status' | 'coupon_id'>

/**
 * Returns the number of the receipt. An order that was paid has one, also after a refund.
 * @throws Problem invalid_state if the order was not paid
 */
export function requireReceipt({ receipt_number, status }: Order): string {
  if (receipt_number !== null && ['paid', 'partially_refunded', 'refunded'].includes(status)) return receipt_number
  throw new Problem('invalid_state', { description: `An order with the status ${status} has no receipt, because it was not paid.` })
}

export async function sellerOf(database: SchoolReader, order: Order) {
  const school = await database
    .selectFrom('school')
    .select(['name', 'address', 'locale', 'contact_email', 'time_zone'])
    .where('id', '=', database.schoolId)
    .executeTakeFirstOrThrow()
  const coupon =
    order.coupon_id === null
      ? undefined
      : await database.selectFrom('coupon').select(['name', 'code']).where('id', '=', order.coupon_id).executeTakeFirst()
  return { ...school, discountName: coupon ? (coupon.name ?? coupon.code) : null }
}
