import { sql, type UpdateObject } from 'kysely'
import { fieldError, Problem } from '../../base/problem.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'
import type { Builder, Condition } from '../../database/statements/expressions.ts'
import { changeActionOf } from '../../database/tables/changeActions.ts'
import type { DB } from '../../gen/kysely/tables.ts'
import { requireFirstPurchase } from '../coupons/requireFirstPurchase.ts'
import { confirmUses, releaseUses, reserveAgain } from '../coupons/reserveCoupon.ts'
import { lockedCurrencyOf } from '../currencyOf.ts'
import { releaseReservedSeats, reserveSeatsAgain } from '../events/orderedSeats.ts'
import { lockOrderedSubscription, renewOrderedSubscription, startOrderedSubscriptions } from '../memberships/orderedSubscriptions.ts'
import { announce } from '../notifications/announce.ts'
import type { InSchool } from '../schoolHandles.ts'
import { issueInvoice } from './documentNumbers.ts'
import { openAccess } from './orderAccess.ts'
import { addSpend, type OrderRow, orderColumns, recordOrderChange } from './orderContext.ts'
import { type Payment, paymentColumns } from './payment.ts'
import { checkoutMinutes } from './recordOrder.ts'
import { orderStatus } from './shopExpressions.ts'

/** The order of a transition. Each transition returns whether the order changed: false if it already had the target state. */
interface OfOrder extends InSchool {
  orderId: string
}

/** Matches checkouts that wait for their payment. One that was not paid in time has expired, even before a job has recorded that. */
const isPending = (order: Builder<'orders'>): Condition => order(orderStatus, '=', 'pending')

/**
 * pending → paid: records the payment, grants access to the items and numbers the invoice.
 * @throws Problem invalid_state, not_found, validation_failed if another order has this payment
 */
export async function payOrder(writer: SchoolWriter, change: OfOrder & { payment: Payment }): Promise<boolean> {
  await requireNewPayment(writer, change)
  const subscription = await lockOrderedSubscription(writer, change)
  const order = await changeState(writer, change, {
    verb: 'pay',
    set: (row) => ({
      status: 'paid',
      paid_at: change.now,
      receipt_number: row.ref('orders.number'),
      expires_at: null,
      failed_at: null,
      ...paymentColumns(change.payment),
    }),
    from: isPending,
    alreadyIn: ['paid', 'partially_refunded', 'refunded'],
  })
  if (!order) return false
  await confirmUses(writer, { ...change, orderIds: [order.id] })
  await openAccess(writer, change)
  await startOrderedSubscriptions(writer, change)
  await renewOrderedSubscription(writer, change, subscription)
  await addSpend(writer, order.person_id, Number(order.total_amount))
  await announce(writer, { ...change, kind: 'receipt', subjectIds: [order.id], at: change.now })
  await issueInvoice(writer, { ...change, total: Number(order.total_amount) })
  return true
}

/**
 * pending → failed: the payment was declined. It can be retried.
 * @throws Problem invalid_state, not_found
 */
export async function failOrder(writer: SchoolWriter, change: OfOrder & { failureCode: string }): Promise<boolean> {
  const order = await changeState(writer, change, {
    verb: 'fail',
    set: (row) => ({
      status: 'failed',
      failed_at: change.now,
      payment: sql`${row.ref('orders.payment')} || jsonb_build_object('failure_code', ${change.failureCode}::text)`,
    }),
    from: isPending,
    alreadyIn: ['failed'],
  })
  if (!order) return false
  await releaseUses(writer, { ...change, orderIds: [order.id] })
  await releaseReservedSeats(writer, { ...change, orderIds: [order.id] })
  return true
}

/**
 * failed → pending: starts another attempt with the full checkout time, and reserves the coupon and the seats again.
 * @throws Problem invalid_state, not_found, coupon_unavailable, coupon_already_used, event_full
 */
export async function retryOrder(writer: SchoolWriter, change: OfOrder): Promise<boolean> {
  // The school sells in one currency, which may have changed since the order failed.
  const currency = await lockedCurrencyOf(writer)
  const order = await changeState(writer, change, {
    verb: 'retry',
    set: () => ({ status: 'pending', expires_at: new Date(change.now.getTime() + checkoutMinutes * 60_000), failed_at: null }),
    from: (row) => row.and([row('orders.status', '=', 'failed'), row('orders.currency', '=', currency)]),
    alreadyIn: ['pending'],
  })
  if (!order) return false
  if (order.coupon_id !== null) await reserveAgain(writer, { ...change, couponId: order.coupon_id })
  await reserveSeatsAgain(writer, change)
  if (order.coupon_id !== null && order.person_id !== null)
    await requireFirstPurchase(writer, {
      ...change,
      personId: order.person_id,
      subscriptionId: order.subscription_id,
      couponId: order.coupon_id,
    })
  return true
}

/**
 * pending → canceled: the buyer abandoned the checkout.
 * @throws Problem invalid_state, not_found
 */
export async function cancelOrder(writer: SchoolWriter, change: OfOrder): Promise<boolean> {
  const order = await changeState(writer, change, {
    verb: 'cancel',
    set: () => ({ status: 'canceled', canceled_at: change.now, expires_at: null }),
    from: (row) => row(orderStatus, 'in', ['pending', 'failed']),
    alreadyIn: ['canceled'],
  })
  if (!order) return false
  await releaseUses(writer, { ...change, orderIds: [order.id] })
  await releaseReservedSeats(writer, { ...change, orderIds: [order.id] })
  return true
}

async function requireNewPayment(writer: SchoolWriter, { orderId, payment }: OfOrder & { payment: Payment }): Promise<void> {
  if (payment.reference === null || payment.reference === undefined) return
  const other = await writer
    .selectFrom('orders')
    .select('id')
    .where('payment_provider', '=', payment.provider)
    .where('payment_reference', '=', payment.reference)
    .where('id', '<>', orderId)
    .executeTakeFirst()
  if (other) throw new Problem('validation_failed', { description: 'Another order already has this payment reference.' })
}

interface Transition {
  verb: string
  set: (order: Builder<'orders'>) => UpdateObject<DB, 'orders'>
  from: (order: Builder<'orders'>) => Condition
  alreadyIn: readonly string[]
}

/** Changes the state with one conditional UPDATE. Returns undefined if the order already has one of the target states. */
async function changeState(
  writer: SchoolWriter,
  { now, orderId }: OfOrder,
  { verb, set, from, alreadyIn }: Transition,
): Promise<OrderRow | undefined> {
  const order = await writer
    .updateTable('orders')
    .set((row) => ({ ...set(row), version: row('orders.version', '+', 1), updated_at: now }))
    .where('orders.id', '=', orderId)
    .where(from)
    .returning(orderColumns)
    .executeTakeFirst()
  if (order) {
    await recordOrderChange(writer, order, changeActionOf(verb))
    return order
  }
  const current = await writer.selectFrom('orders').select(orderStatus.as('status')).where('id', '=', orderId).executeTakeFirst()
  if (!current) throw new Problem('not_found', { description: 'The school has no such order.' })
  if (alreadyIn.includes(current.status)) return undefined
  throw new Problem('invalid_state', { description: `An order with the status ${current.status} does not allow this action: ${verb}.` })
}

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
