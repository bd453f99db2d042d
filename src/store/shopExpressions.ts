import { type Expression, sql } from 'kysely'

/** The state of an order now, as SQL: a checkout past its time is over, whether or not a job has said so. */
const orderStatusSql = `CASE WHEN "orders"."status" = 'pending' AND "orders"."expires_at" <= now() THEN 'expired' ELSE "orders"."status" END`

/** The state of a coupon now. What cannot be undone comes first; the clock and the counter decide the rest. */
const couponStatusSql = `CASE
  WHEN "coupon"."archived_at" IS NOT NULL THEN 'archived'
  WHEN "coupon"."ends_at" <= now() THEN 'expired'
  WHEN "coupon"."paused_at" IS NOT NULL THEN 'paused'
  WHEN "coupon"."redemptions_count" >= "coupon"."max_redemptions" THEN 'exhausted'
  WHEN "coupon"."starts_at" > now() THEN 'scheduled'
  ELSE 'active' END`

/** The same as expressions of queries over `orders` and `coupon`. */
export const orderStatus: Expression<string> = sql.raw<string>(`(${orderStatusSql})`)
export const couponStatus: Expression<string> = sql.raw<string>(`(${couponStatusSql})`)
