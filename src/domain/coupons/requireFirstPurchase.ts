import { fieldError, Problem } from '../../lib/problem.ts'
import type { Reader, Writer } from '../../store/database.ts'

interface FirstPurchase {
  schoolId: string
  personId: string
  /** The order that uses the coupon; other orders count. */
  orderId?: string
}

/** Returns true if the person has another order that is paid, or that uses a coupon for the first purchase. */
export async function hasOtherPurchase(reader: Reader, { schoolId, personId, orderId }: FirstPurchase): Promise<boolean> {
  const paid = await reader
    .selectFrom('orders')
    .select('id')
    .where('school_id', '=', schoolId)
    .where('person_id', '=', personId)
    .where('paid_at', 'is not', null)
    .$if(orderId !== undefined, (query) => query.where('id', '<>', orderId ?? ''))
    .limit(1)
    .executeTakeFirst()
  if (paid) return true
  const used = await reader
    .selectFrom('coupon_redemption as use')
    .innerJoin('coupon', (join) => join.onRef('coupon.school_id', '=', 'use.school_id').onRef('coupon.id', '=', 'use.coupon_id'))
    .select('use.id')
    .where('use.school_id', '=', schoolId)
    .where('use.person_id', '=', personId)
    .where('use.status', '<>', 'released')
    .where('coupon.first_purchase_only', '=', true)
    .$if(orderId !== undefined, (query) => query.where('use.order_id', '<>', orderId ?? ''))
    .limit(1)
    .executeTakeFirst()
  return used !== undefined
}

/**
 * Checks, for an order that has recorded the use of a coupon for first purchases, that the person has no other purchase. Locks the person,
 * so that of concurrent orders only one passes. Call it after all other locks are taken.
 * @throws Problem coupon_unavailable
 */
export async function requireFirstPurchase(
  writer: Writer,
  { couponId, ...purchase }: Required<FirstPurchase> & { couponId: string },
): Promise<void> {
  const { schoolId, personId } = purchase
  const coupon = await writer
    .selectFrom('coupon')
    .select('first_purchase_only')
    .where('school_id', '=', schoolId)
    .where('id', '=', couponId)
    .executeTakeFirst()
  if (coupon?.first_purchase_only !== true) return
  await writer.selectFrom('person').select('id').where('school_id', '=', schoolId).where('id', '=', personId).forNoKeyUpdate().execute()
  if (!(await hasOtherPurchase(writer, purchase))) return
  throw new Problem('coupon_unavailable', { details: [fieldError('coupon_code', 'not_first_purchase', 'not first purchase')] })
}
