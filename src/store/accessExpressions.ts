import { type Expression, type SqlBool, sql } from 'kysely'
import type { Builder, Condition } from './expressions.ts'

/** Days for which a subscription with an outstanding payment still opens what it pays for, where the school says nothing. */
const defaultGraceDays = 7

/** Whether a time has come: one that is absent never does. */
const isPast = (column: string, time: string): string => `coalesce("subscription"."${column}" <= ${time}, false)`

/** Since when a payment may at most be outstanding. */
const graceBegins = `(now() - make_interval(days => coalesce(
    (SELECT ("school"."settings" ->> 'past_due_grace_days')::int FROM "school" WHERE "school"."id" = "subscription"."school_id"),
    ${defaultGraceDays})))`

/** Whether the next period begins only with a payment that somebody has confirmed. */
const waitsForPayment = `("subscription"."collection" = 'automatic' OR ("subscription"."collection" = 'manual' AND EXISTS (
    SELECT 1 FROM "membership_plan" "its_plan" WHERE "its_plan"."school_id" = "subscription"."school_id"
       AND "its_plan"."id" = "subscription"."plan_id" AND "its_plan"."manual_renewal" = 'confirm')))`

/**
 * Whether a row of `subscription` opens its plan now, as SQL for statements that are written out. The clock decides: a row whose end
 * has come opens nothing, even before a job has closed it.
 */
export const grantsAccessSql = `(
  (("subscription"."status" IN ('trialing', 'active') OR ("subscription"."status" = 'paused' AND ${isPast('resumes_at', 'now()')}))
    AND NOT ("subscription"."cancel_at_period_end" AND ${isPast('current_period_end', 'now()')})
    AND NOT ("subscription"."amount" > 0 AND ${isPast('current_period_end', graceBegins)} AND ${waitsForPayment}))
  OR ("subscription"."status" = 'past_due' AND coalesce("subscription"."past_due_since" > ${graceBegins}, false)))`

/** The same as a condition of a query over `subscription`. */
export const grantsAccess: Expression<SqlBool> = sql.raw<SqlBool>(grantsAccessSql)

/** Whether a row of `membership_plan` includes the course, as SQL for statements that are written out. */
export const coursePlanSql = (courseId: string): string => `("membership_plan"."includes_all_courses" OR EXISTS (
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

/** Whether the person has a plan that opens the course now. Both are columns or parameters of the statement around it. */
export const hasCoursePlanSql = ({
  schoolId,
  personId,
  courseId,
}: Record<'schoolId' | 'personId' | 'courseId', string>): string => `EXISTS (
  SELECT 1 FROM "subscription" JOIN "membership_plan"
      ON "membership_plan"."school_id" = "subscription"."school_id" AND "membership_plan"."id" = "subscription"."plan_id"
   WHERE "subscription"."school_id" = ${schoolId} AND "subscription"."person_id" = ${personId}
     AND ${grantsAccessSql} AND ${coursePlanSql(courseId)})`
