import { type Expression, type SqlBool, sql } from 'kysely'

/** Days for which a subscription with an outstanding payment still opens what it pays for, where the school says nothing. */
const defaultGraceDays = 7

/** Whether a time has come: one that is absent never does. */
const isPast = (column: string, time: string): string => `coalesce("subscription"."${column}" <= ${time}, false)`

/** Since when a payment may at most be outstanding. */
const graceBegins = `(now() - make_interval(days => coalesce(
    (SELECT ("school"."settings" ->> 'past_due_grace_days')::int FROM "school" WHERE "school"."id" = "subscription"."school_id"),
    ${defaultGraceDays})))`

/**
 * Whether a row of `subscription` opens its plan now, as SQL for statements that are written out. The clock decides: a row whose end
 * has come opens nothing, even before a job has closed it.
 */
export const grantsAccessSql = `(
  (("subscription"."status" IN ('trialing', 'active') OR ("subscription"."status" = 'paused' AND ${isPast('resumes_at', 'now()')}))
    AND NOT ("subscription"."cancel_at_period_end" AND ${isPast('current_period_end', 'now()')})
    AND NOT ("subscription"."collection" = 'automatic' AND "subscription"."amount" > 0 AND ${isPast('current_period_end', graceBegins)}))
  OR ("subscription"."status" = 'past_due' AND coalesce("subscription"."past_due_since" > ${graceBegins}, false)))`

/** The same as a condition of a query over `subscription`. */
export const grantsAccess: Expression<SqlBool> = sql.raw<SqlBool>(grantsAccessSql)
