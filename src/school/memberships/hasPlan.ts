import type { Expression } from 'kysely'
import type { Builder, Condition } from '../../database/statements/expressions.ts'
import { grantsAccess } from './accessExpressions.ts'

type Plans = Builder<'membership_plan'>

export type IncludedProduct = 'course' | 'digital_product'

/** The person whose plans are checked: columns of the outer query, or values. */
export interface Holder {
  personId: Expression<string | null>
}

/** Matches if the person currently has such a plan. This is the only place that turns subscriptions into access. */
export function hasPlan(
  rows: Pick<Builder<never>, 'exists' | 'selectFrom'>,
  { personId }: Holder,
  which: (plan: Plans) => Condition,
): Condition {
  return rows.exists(
    rows
      .selectFrom('subscription')
      .innerJoin('membership_plan', 'membership_plan.id', 'subscription.plan_id')
      .select('subscription.id')
      .where('subscription.person_id', '=', personId)
      .where(grantsAccess)
      .where(which),
  )
}

/** Matches plans that cost something, also for a person who has one for free. */
export const isMoreThanFree = (plan: Plans): Condition =>
  plan.exists(
    plan
      .selectFrom('plan_price')
      .select('plan_price.id')
      .whereRef('plan_price.plan_id', '=', 'membership_plan.id')
      .where('plan_price.amount', '>', '0'),
  )

/** Matches plans that include this course or digital product, individually or with all courses. */
export function includesProduct(plan: Plans, type: IncludedProduct, productId: Expression<string>): Condition {
  const byName = plan.exists(
    plan
      .selectFrom('plan_item')
      .select('plan_item.plan_id')
      .whereRef('plan_item.plan_id', '=', 'membership_plan.id')
      .where('plan_item.product_type', '=', type)
      .where('plan_item.product_id', '=', productId),
  )
  return type === 'course' ? plan.or([plan('membership_plan.includes_all_courses', '=', plan.lit(true)), byName]) : byName
}

export const includesAllEvents = (plan: Plans): Condition => plan('membership_plan.includes_all_events', '=', plan.lit(true))
