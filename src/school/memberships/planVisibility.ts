import type { Expression } from 'kysely'
import { jsonArrayFrom, jsonObjectFrom } from 'kysely/helpers/postgres'
import { audienceOf, type Caller, type PersonCaller, type Viewer } from '../../base/caller.ts'
import type { Stored } from '../../database/connection/database.ts'
import { type Builder, type Condition, isOffered, showsCounts } from '../../database/statements/expressions.ts'
import { isInCatalogue, isOpenToMembers } from '../courses/visibleCourses.ts'
import { grantsAccess } from './accessExpressions.ts'

type Plans = Builder<'membership_plan'>
type Prices = Builder<'plan_price'>
type Courses = Builder<'course'>
type Items = Builder<'plan_item'>

const finalStates = ['canceled', 'expired'] as const

export const isOnOffer = (plan: Plans): Condition =>
  plan.and([
    plan.and({ 'membership_plan.status': 'active', 'membership_plan.visibility': 'public' }),
    hasPrice(plan, (price) => price('plan_price.active', '=', true)),
  ])

export const isMyPlan = (plan: Plans, { personId }: Pick<PersonCaller, 'personId'>): Condition =>
  personId === null
    ? plan.lit(false)
    : plan.exists(
        plan
          .selectFrom('subscription')
          .whereRef('subscription.plan_id', '=', 'membership_plan.id')
          .where('subscription.person_id', '=', personId)
          .where((row) => row.or([row('subscription.status', 'not in', finalStates), grantsAccess])),
      )

export const isKnownPlan = (plan: Plans, me: PersonCaller): Condition => plan.or([isOnOffer(plan), isMyPlan(plan, me)])

/** Matches plans that the caller can see, for lists inside other rows. */
export function isVisiblePlan(plan: Plans, caller: Caller): Condition {
  if (audienceOf(caller) === 'staff') return plan.lit(true)
  return caller.kind === 'anonymous' ? isOnOffer(plan) : isKnownPlan(plan, caller)
}

/** Matches plans that include one of these courses, if the caller can see the course. */
export const opensCourse = (plan: Plans, courseIds: readonly string[], caller: Caller): Condition =>
  plan.exists(
    plan
      .selectFrom('course')
      .where('course.id', 'in', [...courseIds])
      .where((course) => course.and([isKnownCourse(course, caller), includesProduct(plan, 'course', course.ref('course.id'))])),
  )

/** Matches plans with an active price whose prices are all 0. */
export const isFree = (plan: Plans): Condition =>
  plan.and([
    hasPrice(plan, (price) => price('plan_price.active', '=', true)),
    plan.not(hasPrice(plan, (price) => price('plan_price.amount', '>', '0'))),
  ])

/** A price as the query of its plan returns it: times are text. */
export interface StoredPrice extends Stored<'plan_price', 'id' | 'interval_count' | 'currency' | 'trial_days' | 'active'> {
  interval: 'month' | 'year' | 'one_time'
  amount: number
  created_at: string
}

/** Selects the prices of a plan, the oldest first. Only staff see inactive prices. */
export const pricesOf = (plan: Plans, caller: Caller): Expression<unknown> =>
  jsonArrayFrom(
    plan
      .selectFrom('plan_price')
      .select(['id', 'interval', 'interval_count', 'amount', 'currency', 'trial_days', 'active', 'created_at'])
      .whereRef('plan_price.plan_id', '=', 'membership_plan.id')
      .where((price) => (audienceOf(caller) === 'staff' ? price.lit(true) : price('plan_price.active', '=', true)))
      .orderBy('plan_price.id'),
  )

export const selectSubscribers = (plan: Plans, caller: Viewer): Expression<unknown> =>
  audienceOf(caller) === 'staff'
    ? plan.ref('membership_plan.subscribers_count')
    : plan.case().when(showsCounts(caller.schoolId)).then(plan.ref('membership_plan.subscribers_count')).end()

export interface Included {
  all_courses: boolean
  all_events: boolean
  course_ids: string[] | null
  digital_product_ids: string[] | null
}

/** Selects what a plan includes. Individual items are limited to those that the caller can see, in the order of their ids. */
export const includedIn = (plan: Plans, caller: Caller): Expression<unknown> =>
  jsonObjectFrom(
    plan
      .selectFrom('plan_item')
      .select((item) => [
        plan.ref('membership_plan.includes_all_courses').as('all_courses'),
        plan.ref('membership_plan.includes_all_events').as('all_events'),
        idsOf(item, 'course', (row) => row.exists(coursesOf(row).where((course) => isKnownCourse(course, caller)))).as('course_ids'),
        idsOf(item, 'digital_product', (row) => row.exists(productsOf(row, caller))).as('digital_product_ids'),
      ])
      .whereRef('plan_item.plan_id', '=', 'membership_plan.id'),
  )

function hasPrice(plan: Plans, which: (price: Prices) => Condition): Condition {
  return plan.exists(plan.selectFrom('plan_price').whereRef('plan_price.plan_id', '=', 'membership_plan.id').where(which))
}

const idsOf = (item: Items, type: IncludedProduct, isVisible: (item: Items) => Condition) =>
  item.fn
    .agg<string[]>('array_agg', ['plan_item.product_id'])
    .orderBy('plan_item.product_id')
    .filterWhere((row) => row.and([row('plan_item.product_type', '=', type), isVisible(row)]))

const coursesOf = (item: Items) => item.selectFrom('course').select('course.id').whereRef('course.id', '=', 'plan_item.product_id')

const productsOf = (item: Items, caller: Caller) =>
  item
    .selectFrom('digital_product')
    .select('digital_product.id')
    .whereRef('digital_product.id', '=', 'plan_item.product_id')
    .where((product) => (audienceOf(caller) === 'staff' ? product.lit(true) : product('digital_product.status', '=', 'published')))

function isKnownCourse(course: Courses, caller: Caller): Condition {
  const audience = audienceOf(caller)
  if (audience === 'staff') return course.lit(true)
  return audience === 'anonymous' ? isInCatalogue(course) : isOpenToMembers(course)
}

/** Selects the plans that include a course and that the caller can see, in their order: `[{ id, name, slug }]`. */
export const plansOpening = (course: Courses, caller: Viewer): Expression<unknown> =>
  jsonArrayFrom(
    course
      .selectFrom('membership_plan')
      .select(['membership_plan.id', 'membership_plan.name', 'membership_plan.slug'])
      .where((plan) => isPlanOpening(plan, course, caller))
      .orderBy('membership_plan.position')
      .orderBy('membership_plan.id')
      .limit(50),
  )

export const isOpenedBy = (course: Courses, planIds: readonly string[], caller: Viewer): Condition =>
  course.exists(
    course
      .selectFrom('membership_plan')
      .where('membership_plan.id', 'in', [...planIds])
      .where((plan) => isPlanOpening(plan, course, caller)),
  )

/** Matches visible plans that include the course. If the school has turned memberships off, only staff see plans. */
const isPlanOpening = (plan: Plans, course: Courses, caller: Viewer): Condition => {
  const opens = plan.and([isVisiblePlan(plan, caller), includesProduct(plan, 'course', course.ref('course.id'))])
  return audienceOf(caller) === 'staff' ? opens : plan.and([opens, isOffered(caller.schoolId, 'memberships')])
}

type IncludedProduct = 'course' | 'digital_product'

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
      .where('subscription.person_id', '=', personId)
      .where(grantsAccess)
      .where(which),
  )
}

/** Matches plans that cost something, also for a person who has one for free. */
export const isMoreThanFree = (plan: Plans): Condition =>
  plan.exists(plan.selectFrom('plan_price').whereRef('plan_price.plan_id', '=', 'membership_plan.id').where('plan_price.amount', '>', '0'))

/** Matches plans that include this course or digital product, individually or with all courses. */
export function includesProduct(plan: Plans, type: IncludedProduct, productId: Expression<string>): Condition {
  const byName = plan.exists(
    plan
      .selectFrom('plan_item')
      .whereRef('plan_item.plan_id', '=', 'membership_plan.id')
      .where('plan_item.product_type', '=', type)
      .where('plan_item.product_id', '=', productId),
  )
  return type === 'course' ? plan.or([plan('membership_plan.includes_all_courses', '=', plan.lit(true)), byName]) : byName
}

export const includesAllEvents = (plan: Plans): Condition => plan('membership_plan.includes_all_events', '=', plan.lit(true))
