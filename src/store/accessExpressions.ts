import { type Expression, type SqlBool, sql } from 'kysely'

/** Days for which a subscription with an outstanding payment still opens what it pays for, where the school says nothing. */
const defaultGraceDays = 7

/**
 * Whether a row of `subscription` opens its plan now, as SQL for statements that are written out. The clock decides: a row whose end
 * has come opens nothing, even before a job has closed it.
 */
export const grantsAccessSql = `(
  ("subscription"."status" IN ('trialing', 'active')
    AND ("subscription"."cancel_at" IS NULL OR "subscription"."cancel_at" > now())
    AND NOT ("subscription"."cancel_at_period_end" AND "subscription"."current_period_end" <= now()))
  OR ("subscription"."status" = 'past_due' AND "subscription"."past_due_since" > now() - make_interval(days => coalesce(
    (SELECT ("school"."settings" ->> 'past_due_grace_days')::int FROM "school" WHERE "school"."id" = "subscription"."school_id"),
    ${defaultGraceDays})))
  OR ("subscription"."status" = 'canceled' AND "subscription"."ended_at" > now()))`

/** The same as a condition of a query over `subscription`. */
export const grantsAccess: Expression<SqlBool> = sql.raw<SqlBool>(grantsAccessSql)
