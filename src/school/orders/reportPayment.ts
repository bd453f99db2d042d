import { fieldError, Problem } from '../../base/problem.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'
import type { InSchool } from '../schoolHandles.ts'
import { payOrder, retryOrder } from './orderTransitions.ts'
import type { Payment } from './payment.ts'
import { orderStatus } from './shopExpressions.ts'

interface ReportedPayment extends InSchool {
  orderId: string
  payment: Payment & { reference: string }
  /** The amount that the buyer paid, in the smallest unit. */
  amount: number
  currency: string
}

/**
 * Records a payment that the school's checkout received. A payment after a declined one retries the order first. Returns false if the order
 * already has this payment.
 * @throws Problem validation_failed if the buyer paid another amount than the total
 * @throws Problem not_found, invalid_state if the order cannot be paid or has another payment: the payment must be refunded
 * @throws Problem coupon_unavailable, coupon_already_used if a declined payment released the coupon and it is used up
 */
export async function reportPayment(writer: SchoolWriter, { amount, currency, payment, ...change }: ReportedPayment): Promise<boolean> {
  const order = await writer
    .selectFrom('orders')
    .select([orderStatus.as('status'), 'total_amount', 'currency', 'payment_provider', 'payment_reference'])
    .where('id', '=', change.orderId)
    .forUpdate()
    .executeTakeFirst()
  if (!order) throw new Problem('not_found', { description: 'The school has no such order.' })
  if (currency !== order.currency) throw mismatch('currency', order.currency)
  if (amount !== Number(order.total_amount)) throw mismatch('amount', `${order.total_amount}, the total of the order`)
  if (['paid', 'partially_refunded', 'refunded'].includes(order.status)) {
    if (order.payment_provider === payment.provider && order.payment_reference === payment.reference) return false
    throw new Problem('invalid_state', { description: 'The order already has another payment. Refund this one to the buyer.' })
  }
  if (order.status === 'failed') await retryOrder(writer, change)
  return await payOrder(writer, { ...change, payment })
}

function mismatch(field: string, expected: string): Problem {
  const error = fieldError(field, 'mismatch', `must be ${expected}. Refund a payment of another amount to the buyer`)
  return new Problem('validation_failed', { description: error.message, details: [error] })
}
