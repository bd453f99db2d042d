import { Problem } from '../../lib/problem.ts'
import { changeActionOf } from '../../store/changeActions.ts'
import { orderStatusSql } from '../../store/shopExpressions.ts'
import type { Sql } from '../../store/sql.ts'
import { confirmUses, releaseUses } from '../coupons/releaseCoupon.ts'
import { renewUse } from '../coupons/reserveCoupon.ts'
import { lockOrdered, renewOrdered, startOrdered } from '../memberships/orderedPlan.ts'
import { openAccess } from './orderAccess.ts'
import { addSpend, type InSchool, type OrderRow, orderColumns, recordOrderChange } from './orderContext.ts'
import { type Payment, paymentColumns } from './payment.ts'
import { checkoutMinutes } from './recordOrder.ts'

/** One order, in one step from one state to another. Each answers whether anything changed: what is in effect already stays. */
interface Step extends InSchool {
  orderId: string
}

/** A checkout that waits for its payment. Past its time it is over, whether or not a job has said so. */
const isWaiting = `${orderStatusSql} = 'pending'`

/**
 * pending → paid: the payment has come, and what was bought is opened.
 * @throws Problem invalid_state, not_found, validation_failed where another order has this payment
 */
export async function payOrder(sql: Sql, step: Step & { payment: Payment }): Promise<boolean> {
  const { payment_provider, payment_reference, payment } = paymentColumns(step.payment)
  const { provider, reference } = step.payment
  const [other] = await sql.query(
    'SELECT id FROM orders WHERE school_id = $1 AND payment_provider = $2 AND payment_reference = $3 AND id <> $4',
    [step.schoolId, provider, reference ?? null, step.orderId],
  )
  if (other) throw new Problem('validation_failed', { description: 'There is another order with this payment reference.' })
  const subscription = await lockOrdered(sql, step)
  const order = await move(sql, step, {
    verb: 'pay',
    set: `status = 'paid', paid_at = $3, receipt_number = number, expires_at = NULL, failed_at = NULL, payment_provider = $4, payment_reference = $5,
          payment = $6::jsonb`,
    values: [payment_provider, payment_reference, payment],
    from: isWaiting,
    inEffect: ['paid', 'partially_refunded', 'refunded'],
  })
  if (!order) return false
  await confirmUses(sql, { ...step, orderIds: [order.id] })
  await openAccess(sql, step)
  await startOrdered(sql, step)
  await renewOrdered(sql, step, subscription)
  await addSpend(sql, step.schoolId, order.person_id, Number(order.total_amount))
  return true
}

/**
 * pending → failed: the payment was refused. It may be tried again.
 * @throws Problem invalid_state, not_found
 */
export async function failOrder(sql: Sql, step: Step & { failureCode: string }): Promise<boolean> {
  const order = await move(sql, step, {
    verb: 'fail',
    set: `status = 'failed', failed_at = $3, payment = payment || jsonb_build_object('failure_code', $4::text)`,
    values: [step.failureCode],
    from: isWaiting,
    inEffect: ['failed'],
  })
  if (!order) return false
  await releaseUses(sql, { ...step, orderIds: [order.id] })
  return true
}

/**
 * failed → pending: one more try, with as much time as a new checkout. The use of its coupon was given back, and is taken again.
 * @throws Problem invalid_state, not_found, coupon_unavailable, coupon_already_used
 */
export async function retryOrder(sql: Sql, step: Step): Promise<boolean> {
  const order = await move(sql, step, {
    verb: 'retry',
    set: `status = 'pending', expires_at = $4::timestamptz, failed_at = NULL`,
    values: [new Date(step.now.getTime() + checkoutMinutes * 60_000)],
    from: `status = 'failed'`,
    inEffect: ['pending'],
  })
  if (!order) return false
  if (order.coupon_id !== null) await renewUse(sql, { ...step, couponId: order.coupon_id })
  return true
}

/**
 * pending → canceled: the buyer has left.
 * @throws Problem invalid_state, not_found
 */
export async function cancelOrder(sql: Sql, step: Step): Promise<boolean> {
  const order = await move(sql, step, {
    verb: 'cancel',
    set: `status = 'canceled', canceled_at = $3, expires_at = NULL`,
    values: [],
    from: `${orderStatusSql} IN ('pending', 'failed')`,
    inEffect: ['canceled'],
  })
  if (!order) return false
  await releaseUses(sql, { ...step, orderIds: [order.id] })
  return true
}

interface Move {
  verb: string
  set: string
  values: readonly unknown[]
  from: string
  inEffect: readonly string[]
}

/** One conditional UPDATE; undefined where it is in effect already. */
async function move(
  sql: Sql,
  { schoolId, now, orderId }: Step,
  { verb, set, values, from, inEffect }: Move,
): Promise<OrderRow | undefined> {
  const [order] = await sql.query<OrderRow>(
    `UPDATE orders SET ${set}, version = version + 1, updated_at = $3 WHERE school_id = $1 AND id = $2 AND ${from} RETURNING ${orderColumns}`,
    [schoolId, orderId, now, ...values],
  )
  if (order) {
    await recordOrderChange(sql, schoolId, order, changeActionOf(verb))
    return order
  }
  const [there] = await sql.query<{ status: string }>(`SELECT ${orderStatusSql} AS status FROM orders WHERE school_id = $1 AND id = $2`, [
    schoolId,
    orderId,
  ])
  if (!there) throw new Problem('not_found', { description: 'There is no such order.' })
  if (inEffect.includes(there.status)) return undefined
  throw new Problem('invalid_state', { description: `An order that is ${there.status} cannot go that way: ${verb}.` })
}
