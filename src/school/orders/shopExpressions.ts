import { expressionBuilder, type RawBuilder, sql } from 'kysely'
import type { DB } from '../../gen/kysely/tables.ts'

const order = expressionBuilder<DB, 'orders'>()
const coupon = expressionBuilder<DB, 'coupon'>()

/** The current state of an order: a checkout that was not paid in time has expired, even before a job has recorded that. */
export const orderStatus: RawBuilder<string> = sql<string>`(CASE
  WHEN ${order.ref('orders.status')} = 'pending' AND ${order.ref('orders.expires_at')} <= now() THEN 'expired'
  ELSE ${order.ref('orders.status')} END)`

/** The current state of a coupon. Final states come first; the clock and the number of uses decide the others. */
export const couponStatus: RawBuilder<string> = sql`(CASE
  WHEN ${coupon.ref('coupon.archived_at')} IS NOT NULL THEN 'archived'
  WHEN ${coupon.ref('coupon.ends_at')} <= now() THEN 'expired'
  WHEN ${coupon.ref('coupon.paused_at')} IS NOT NULL THEN 'paused'
  WHEN ${coupon.ref('coupon.redemptions_count')} >= ${coupon.ref('coupon.max_redemptions')} THEN 'exhausted'
  WHEN ${coupon.ref('coupon.starts_at')} > now() THEN 'scheduled'
  ELSE 'active' END)`
