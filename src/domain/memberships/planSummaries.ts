import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { DB } from '../../gen/kysely/tables.ts'
import { grantsAccess } from '../../store/accessExpressions.ts'

type Condition = Expression<SqlBool>
type AnyBuilder = ExpressionBuilder<DB, keyof DB>
type Plans = ExpressionBuilder<DB, 'membership_plan'>

/** What a plan can include one by one. */
export type IncludedProduct = 'course' | 'digital_product'

/** Columns of the row that is asked about, or values. */
export interface Holder {
  schoolId: Expression<string>
  personId: Expression<string | null>
}

/** Whether the person has a plan of this kind that opens something now. The one place where subscriptions become access. */
export function hasPlan(rows: unknown, { schoolId, personId }: Holder, which: (plan: Plans) => Condition): Condition {
  const builder = rows as AnyBuilder
  return builder.exists(
    builder
      .selectFrom('subscription')
      .innerJoin('membership_plan', (join) =>
        join.onRef('membership_plan.school_id', '=', 'subscription.school_id').onRef('membership_plan.id', '=', 'subscription.plan_id'),
      )
      .select('subscription.id')
      .where('subscription.school_id', '=', schoolId)
      .where('subscription.person_id', '=', personId)
      .where(grantsAccess)
      .where((plan) => which(plan as unknown as Plans)),
  )
}

/** A plan that the person pays for, or was given: not one that is free for everybody. */
export const isMoreThanFree = (plan: Plans): Condition =>
  plan.exists(
    plan
      .selectFrom('plan_price')
      .select('plan_price.id')
      .whereRef('plan_price.school_id', '=', 'membership_plan.school_id')
      .whereRef('plan_price.plan_id', '=', 'membership_plan.id')
      .where('plan_price.amount', '>', '0'),
  )

/** A plan that includes this course or digital product, by itself or with all courses. */
export function includesProduct(plan: Plans, type: IncludedProduct, productId: Expression<string>): Condition {
  const byName = plan.exists(
    plan
      .selectFrom('plan_item')
      .select('plan_item.plan_id')
      .whereRef('plan_item.school_id', '=', 'membership_plan.school_id')
      .whereRef('plan_item.plan_id', '=', 'membership_plan.id')
      .where('plan_item.product_type', '=', type)
      .where('plan_item.product_id', '=', productId),
  )
  return type === 'course' ? plan.or([plan('membership_plan.includes_all_courses', '=', plan.lit(true)), byName]) : byName
}

/** A plan that opens every event for members. */
export const includesAllEvents = (plan: Plans): Condition => plan('membership_plan.includes_all_events', '=', plan.lit(true))
