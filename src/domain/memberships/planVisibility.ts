import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { DB } from '../../gen/kysely/tables.ts'
import { audienceOf, type Caller, type PersonCaller } from '../../policy/caller.ts'
import { grantsAccess } from '../../store/accessExpressions.ts'
import { isOffered, showsCounts } from '../../store/expressions.ts'
import { isInCatalogue, isOpenToMembers } from '../courses/courses.ts'
import { type IncludedProduct, includesProduct } from './planSummaries.ts'

type Plans = ExpressionBuilder<DB, 'membership_plan'>
type Prices = ExpressionBuilder<DB, 'plan_price'>
type Courses = ExpressionBuilder<DB, 'course'>
type Items = ExpressionBuilder<DB, 'plan_item'>
type Condition = Expression<SqlBool>

/** States of a subscription that is over: nothing leads out of them. */
export const finalStates = ['canceled', 'expired'] as const

/** Plans that anyone can choose. */
export const isOnOffer = (plan: Plans): Condition =>
  plan.and([
    plan.and({ 'membership_plan.status': 'active', 'membership_plan.visibility': 'public' }),
    hasPrice(plan, (price) => price('plan_price.active', '=', true)),
  ])

/** Plans that the person has, whatever became of them since. */
export const isMyPlan = (plan: Plans, { personId }: Pick<PersonCaller, 'personId'>): Condition =>
  personId === null
    ? plan.lit(false)
    : plan.exists(
        plan
          .selectFrom('subscription')
          .select('subscription.id')
          .whereRef('subscription.school_id', '=', 'membership_plan.school_id')
          .whereRef('subscription.plan_id', '=', 'membership_plan.id')
          .where('subscription.person_id', '=', personId)
          .where((row) => row.or([row('subscription.status', 'not in', finalStates), grantsAccess])),
      )

/** What a person of the school finds: what is on offer, and what they have. */
export const isKnownPlan = (plan: Plans, me: PersonCaller): Condition => plan.or([isOnOffer(plan), isMyPlan(plan, me)])

/** Plans as the caller may know them, for lists inside other rows. */
export function isPlanOf(plan: Plans, caller: Caller): Condition {
  if (audienceOf(caller) === 'staff') return plan.lit(true)
  return caller.kind === 'anonymous' ? isOnOffer(plan) : isKnownPlan(plan, caller)
}

/** Plans that open one of these courses, as far as the caller may know of the course. */
export const opensCourse = (plan: Plans, courseIds: readonly string[], caller: Caller): Condition =>
  plan.exists(
    plan
      .selectFrom('course')
      .select('course.id')
      .whereRef('course.school_id', '=', 'membership_plan.school_id')
      .where('course.id', 'in', [...courseIds])
      .where((course) =>
        course.and([isKnownCourse(course as unknown as Courses, caller), includesProduct(plan, 'course', course.ref('course.id'))]),
      ),
  )

/** Plans of which a price can be chosen, and none costs anything. */
export const isFree = (plan: Plans): Condition =>
  plan.and([
    hasPrice(plan, (price) => price('plan_price.active', '=', true)),
    plan.not(hasPrice(plan, (price) => price('plan_price.amount', '>', '0'))),
  ])

/** A price as it is read inside its plan: times are text. */
export interface StoredPrice {
  id: string
  interval: 'month' | 'year' | 'one_time'
  interval_count: number
  amount: number
  currency: string
  trial_days: number
  active: boolean
  created_at: string
}

/** The prices of a plan, the oldest first; those that cannot be chosen any more are for the staff. */
export const pricesOf = (plan: Plans, caller: Caller): Expression<unknown> =>
  plan
    .selectFrom((inner) =>
      inner
        .selectFrom('plan_price')
        .select(['id', 'interval', 'interval_count', 'amount', 'currency', 'trial_days', 'active', 'created_at'])
        .whereRef('plan_price.school_id', '=', 'membership_plan.school_id')
        .whereRef('plan_price.plan_id', '=', 'membership_plan.id')
        .where((price) => (audienceOf(caller) === 'staff' ? price.lit(true) : price('plan_price.active', '=', true)))
        .orderBy('plan_price.id')
        .as('listed'),
    )
    .select((listed) => listed.fn.jsonAgg('listed').as('prices'))

/** How many have the plan, as far as the caller may know. */
export const subscribersSeen = (plan: Plans, caller: Caller): Expression<unknown> =>
  audienceOf(caller) === 'staff'
    ? plan.ref('membership_plan.subscribers_count')
    : plan
        .case()
        .when(showsCounts(plan.ref('membership_plan.school_id')))
        .then(plan.ref('membership_plan.subscribers_count'))
        .end()

/** What a plan opens, as it is read. */
export interface Included {
  all_courses: boolean
  all_events: boolean
  course_ids: string[] | null
  digital_product_ids: string[] | null
}

/** What a plan opens. Of what it names one by one, as far as the caller may know of it, in the order of the ids. */
export const includedIn = (plan: Plans, caller: Caller): Expression<unknown> =>
  plan
    .selectFrom((inner) =>
      inner
        .selectFrom('plan_item')
        .select((item) => [
          plan.ref('membership_plan.includes_all_courses').as('all_courses'),
          plan.ref('membership_plan.includes_all_events').as('all_events'),
          idsOf(item, 'course', (course) => isKnownCourse(course as unknown as Courses, caller)).as('course_ids'),
          idsOf(item, 'digital_product', (product) =>
            audienceOf(caller) === 'staff' ? product.lit(true) : product('digital_product.status', '=', 'published'),
          ).as('digital_product_ids'),
        ])
        .whereRef('plan_item.school_id', '=', 'membership_plan.school_id')
        .whereRef('plan_item.plan_id', '=', 'membership_plan.id')
        .as('named'),
    )
    .select((named) => named.fn.toJson('named').as('includes'))

function hasPrice(plan: Plans, which: (price: Prices) => Condition): Condition {
  return plan.exists(
    plan
      .selectFrom('plan_price')
      .select('plan_price.id')
      .whereRef('plan_price.school_id', '=', 'membership_plan.school_id')
      .whereRef('plan_price.plan_id', '=', 'membership_plan.id')
      .where((price) => which(price as unknown as Prices)),
  )
}

/** Ids of one kind among the items of a plan, of rows that there are and the caller may know of. */
function idsOf<Type extends IncludedProduct>(item: Items, type: Type, isKnown: (rows: ExpressionBuilder<DB, Type>) => Condition) {
  return item.fn
    .agg<string[]>('array_agg', ['plan_item.product_id'])
    .orderBy('plan_item.product_id')
    .filterWhere((row) =>
      row.and([
        row('plan_item.product_type', '=', type),
        row.exists(
          (row as unknown as ExpressionBuilder<DB, 'plan_item'>)
            .selectFrom(type as 'course')
            .select(`${type}.id` as 'course.id')
            .whereRef(`${type}.school_id` as 'course.school_id', '=', 'plan_item.school_id')
            .whereRef(`${type}.id` as 'course.id', '=', 'plan_item.product_id')
            .where((inner) => isKnown(inner as unknown as ExpressionBuilder<DB, Type>)),
        ),
      ]),
    )
}

function isKnownCourse(course: Courses, caller: Caller): Condition {
  const audience = audienceOf(caller)
  if (audience === 'staff') return course.lit(true)
  return audience === 'anonymous' ? isInCatalogue(course) : isOpenToMembers(course)
}

/** The plans that open a course, as far as the caller may know of them, in their order: `[{ id, name, slug }]`. */
export const plansOpening = (course: Courses, caller: Caller): Expression<unknown> =>
  course
    .selectFrom((inner) =>
      inner
        .selectFrom('membership_plan')
        .select(['membership_plan.id', 'membership_plan.name', 'membership_plan.slug'])
        .whereRef('membership_plan.school_id', '=', 'course.school_id')
        .where((plan) => isPlanOpening(plan, course, caller))
        .orderBy('membership_plan.position')
        .orderBy('membership_plan.id')
        .limit(50)
        .as('opening'),
    )
    .select((opening) => opening.fn.jsonAgg('opening').as('plans'))

/** Courses that one of these plans opens, as far as the caller may know of the plan. */
export const isOpenedBy = (course: Courses, planIds: readonly string[], caller: Caller): Condition =>
  course.exists(
    course
      .selectFrom('membership_plan')
      .select('membership_plan.id')
      .whereRef('membership_plan.school_id', '=', 'course.school_id')
      .where('membership_plan.id', 'in', [...planIds])
      .where((plan) => isPlanOpening(plan, course, caller)),
  )

/** Where the school offers no memberships, only its staff knows of plans. */
const isPlanOpening = (plan: unknown, course: Courses, caller: Caller): Condition => {
  const plans = plan as Plans
  const opens = plans.and([isPlanOf(plans, caller), includesProduct(plans, 'course', course.ref('course.id'))])
  return audienceOf(caller) === 'staff' ? opens : plans.and([opens, isOffered(course.ref('course.school_id'), 'memberships')])
}
