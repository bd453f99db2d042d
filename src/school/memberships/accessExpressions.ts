import { type Expression, expressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Builder, Condition } from '../../database/statements/expressions.ts'
import type { DB } from '../../gen/kysely/tables.ts'

/** Days for which a subscription with an outstanding payment still grants access, unless the school has set another number. */
const defaultGraceDays = sql.lit(7)

const subscription = expressionBuilder<DB, 'subscription'>()
const school = expressionBuilder<DB, 'school'>()
const itsPlan = expressionBuilder<{ its_plan: DB['membership_plan'] }, 'its_plan'>()

type Time = 'subscription.resumes_at' | 'subscription.current_period_end'

/** Matches if a time has passed. A missing time never passes. */
const isPast = (column: Time, time: Expression<Date>) => sql<boolean>`coalesce(${subscription.ref(column)} <= ${time}, false)`

const now = sql<Date>`now()`

/** The earliest time since which a payment may be outstanding. */
const graceBegins = sql<Date>`(now() - make_interval(days => coalesce(
    (SELECT (${school.ref('school.settings')} ->> 'past_due_grace_days')::int FROM "school"
      WHERE ${school.ref('school.id')} = ${subscription.ref('subscription.school_id')}),
    ${defaultGraceDays})))`

/** Matches if the next period begins only with a confirmed payment. */
const waitsForPayment = sql<boolean>`(${subscription.ref('subscription.collection')} = 'automatic'
    OR (${subscription.ref('subscription.collection')} = 'manual' AND EXISTS (
      SELECT 1 FROM "membership_plan" "its_plan" WHERE ${itsPlan.ref('its_plan.school_id')} = ${subscription.ref('subscription.school_id')}
         AND ${itsPlan.ref('its_plan.id')} = ${subscription.ref('subscription.plan_id')}
         AND ${itsPlan.ref('its_plan.manual_renewal')} = 'confirm')))`

const status = subscription.ref('subscription.status')

/**
 * Matches rows of `subscription` that currently grant access to their plan. The clock decides: a subscription whose end has passed grants
 * nothing, even before a job has ended it. The statement needs no parameters.
 */
export const grantsAccess: RawBuilder<SqlBool> = sql<SqlBool>`(
  ((${status} IN ('trialing', 'active') OR (${status} = 'paused' AND ${isPast('subscription.resumes_at', now)}))
    AND NOT (${subscription.ref('subscription.cancel_at_period_end')} AND ${isPast('subscription.current_period_end', now)})
    AND NOT (${subscription.ref('subscription.amount')} > 0 AND ${isPast('subscription.current_period_end', graceBegins)} AND ${waitsForPayment}))
  OR (${status} = 'past_due' AND coalesce(${subscription.ref('subscription.past_due_since')} > ${graceBegins}, false)))`

export const includesCourse = (plan: Builder<'membership_plan'>, courseId: string | Expression<string>): Condition =>
  plan.or([
    plan('membership_plan.includes_all_courses', '=', true),
    plan.exists(
      plan
        .selectFrom('plan_item')
        .whereRef('plan_item.school_id', '=', 'membership_plan.school_id')
        .whereRef('plan_item.plan_id', '=', 'membership_plan.id')
        .where('plan_item.product_type', '=', 'course')
        .where('plan_item.product_id', '=', courseId),
    ),
  ])

export const hasCoursePlan = (
  rows: Pick<Builder<never>, 'exists' | 'selectFrom'>,
  { schoolId, personId, courseId }: Record<'schoolId' | 'personId' | 'courseId', Expression<string>>,
): Condition =>
  rows.exists(
    rows
      .selectFrom('subscription')
      .innerJoin('membership_plan', (join) =>
        join.onRef('membership_plan.school_id', '=', 'subscription.school_id').onRef('membership_plan.id', '=', 'subscription.plan_id'),
      )
      .where('subscription.school_id', '=', schoolId)
      .where('subscription.person_id', '=', personId)
      .where(grantsAccess)
      .where((plan) => includesCourse(plan, courseId)),
  )
