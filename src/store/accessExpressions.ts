import { type Expression, type SqlBool, sql } from 'kysely'
import type { Builder, Condition } from './expressions.ts'

/** Default of the grace period in days: how long a subscription with an outstanding payment still gives access. */
const defaultGraceDays = 7

/** True once a time has come; never for an absent time. */
const isPast = (column: string, time: string): string => `coalesce("subscription"."${column}" <= ${time}, false)`

/** Since when a payment may at most be outstanding. */
const graceBegins = `(now() - make_interval(days => coalesce(
    (SELECT ("school"."settings" ->> 'past_due_grace_days')::int FROM "school" WHERE "school"."id" = "subscription"."school_id"),
    ${defaultGraceDays})))`

/** True if the next period begins only with a confirmed payment. */
const waitsForPayment = `("subscription"."collection" = 'automatic' OR ("subscription"."collection" = 'manual' AND EXISTS (
    SELECT 1 FROM "membership_plan" "its_plan" WHERE "its_plan"."school_id" = "subscription"."school_id"
       AND "its_plan"."id" = "subscription"."plan_id" AND "its_plan"."manual_renewal" = 'confirm')))`

/**
 * True if a row of `subscription` gives access to its plan now, as SQL for raw statements. The clock decides: a row that has ended
 * gives no access, even before a job has closed it.
 */
export const grantsAccessSql = `(
  (("subscription"."status" IN ('trialing', 'active') OR ("subscription"."status" = 'paused' AND ${isPast('resumes_at', 'now()')}))
    AND NOT ("subscription"."cancel_at_period_end" AND ${isPast('current_period_end', 'now()')})
    AND NOT ("subscription"."amount" > 0 AND ${isPast('current_period_end', graceBegins)} AND ${waitsForPayment}))
  OR ("subscription"."status" = 'past_due' AND coalesce("subscription"."past_due_since" > ${graceBegins}, false)))`

/** The same as a condition of a query over `subscription`. */
export const grantsAccess: Expression<SqlBool> = sql.raw<SqlBool>(grantsAccessSql)

/** True if a row of `membership_plan` includes the course, as SQL for raw statements. */
const coursePlanSql = (courseId: string): string => `("membership_plan"."includes_all_courses" OR EXISTS (
  SELECT 1 FROM "plan_item" WHERE "plan_item"."school_id" = "membership_plan"."school_id" AND "plan_item"."plan_id" = "membership_plan"."id"
     AND "plan_item"."product_type" = 'course' AND "plan_item"."product_id" = ${courseId}))`

/** Matches a plan that includes the course. */
export const includesCourse = (plan: Builder<'membership_plan'>, courseId: string | Expression<string>): Condition =>
  plan.or([
    plan('membership_plan.includes_all_courses', '=', true),
    plan.exists(
      plan
        .selectFrom('plan_item')
        .select('plan_item.plan_id')
        .whereRef('plan_item.school_id', '=', 'membership_plan.school_id')
        .whereRef('plan_item.plan_id', '=', 'membership_plan.id')
        .where('plan_item.product_type', '=', 'course')
        .where('plan_item.product_id', '=', courseId),
    ),
  ])

/** True if the person has a plan that includes the course now. Both are columns or parameters of the enclosing statement. */
export const hasCoursePlanSql = ({
  schoolId,
  personId,
  courseId,
}: Record<'schoolId' | 'personId' | 'courseId', string>): string => `EXISTS (
  SELECT 1 FROM "subscription" JOIN "membership_plan"
      ON "membership_plan"."school_id" = "subscription"."school_id" AND "membership_plan"."id" = "subscription"."plan_id"
   WHERE "subscription"."school_id" = ${schoolId} AND "subscription"."person_id" = ${personId}
     AND ${grantsAccessSql} AND ${coursePlanSql(courseId)})`
