import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { DB } from '../../gen/kysely/tables.ts'
import { audienceOf, type Caller, type PersonCaller } from '../../policy/caller.ts'
import { orderStatus } from '../../store/shopExpressions.ts'

type Orders = ExpressionBuilder<DB, 'orders'>
type Items = ExpressionBuilder<DB, 'order_item'>
type Condition = Expression<SqlBool>

/** What the person bought themselves. */
export const isMyOrder = (order: Orders, { personId }: Pick<PersonCaller, 'personId'>): Condition =>
  personId === null ? order.lit(false) : order('orders.person_id', '=', personId)

/** Orders with a course that the caller teaches. */
export const sellsMyCourse = (order: Orders, me: PersonCaller): Condition => hasItem(order, (item) => isMyCourse(item, me))

/** Orders with such an item, of those that the caller sees. */
export const hasSeenItem = (order: Orders, caller: Caller, which: (item: Items) => Condition): Condition =>
  hasItem(order, (item) => item.and([which(item), isSeenItem(item, caller)]))

/** Orders in one of these states now: a checkout past its time has expired. */
export const isInState = (order: Orders, states: readonly string[]): Condition =>
  order.and([
    order('orders.status', 'in', states.includes('expired') ? [...states, 'pending'] : [...states]),
    order(orderStatus, 'in', [...states]),
  ])

/** The state of an order now. */
export const stateOf = (): Expression<string> => orderStatus

/** The items that the caller sees, in their order. */
export const itemsOf = (order: Orders, caller: Caller): Expression<unknown> =>
  order
    .selectFrom((inner) =>
      inner
        .selectFrom('order_item')
        .selectAll()
        .whereRef('order_item.school_id', '=', 'orders.school_id')
        .whereRef('order_item.order_id', '=', 'orders.id')
        .where((item) => isSeenItem(item as unknown as Items, caller))
        .orderBy('order_item.position')
        .as('listed'),
    )
    .select((listed) => listed.fn.jsonAgg('listed').as('items'))

/** What was given back, in the order of time. */
export const refundsOf = (order: Orders): Expression<unknown> =>
  order
    .selectFrom((inner) =>
      inner
        .selectFrom('refund')
        .selectAll()
        .whereRef('refund.school_id', '=', 'orders.school_id')
        .whereRef('refund.order_id', '=', 'orders.id')
        .orderBy('refund.id')
        .as('listed'),
    )
    .select((listed) => listed.fn.jsonAgg('listed').as('refunds'))

/** Who bought it, as they were called then, and the facets that they have now. */
export const buyerOf = (order: Orders): Expression<unknown> =>
  order
    .selectFrom((inner) =>
      inner
        .selectFrom('school')
        .leftJoin('person', (join) =>
          join.onRef('person.school_id', '=', 'orders.school_id' as never).onRef('person.id', '=', 'orders.person_id' as never),
        )
        .select(['person.id', 'person.is_student', 'person.is_member'])
        .select((row) => [row.ref('orders.buyer_name' as never).as('name'), row.ref('orders.buyer_email' as never).as('email')])
        .whereRef('school.id', '=', 'orders.school_id')
        .as('buyer'),
    )
    .select((buyer) => buyer.fn.toJson('buyer').as('person'))

/** A lecturer sees of other people's orders their own courses alone. */
function isSeenItem(item: Items, caller: Caller): Condition {
  if (caller.kind === 'anonymous') return item.lit(false)
  if (audienceOf(caller) === 'staff') return item.lit(true)
  const isOwn = caller.personId === null ? item.lit(false) : item(item.ref('orders.person_id' as never), '=', caller.personId as never)
  return item.or([isOwn, isMyCourse(item, caller)])
}

function isMyCourse(item: Items, { lecturerId }: Pick<PersonCaller, 'lecturerId'>): Condition {
  if (lecturerId === null) return item.lit(false)
  return item.and([
    item('order_item.product_type', '=', 'course'),
    item.exists(
      item
        .selectFrom('course_lecturer')
        .select('course_lecturer.course_id')
        .whereRef('course_lecturer.school_id', '=', 'order_item.school_id')
        .whereRef('course_lecturer.course_id', '=', 'order_item.product_id')
        .where('course_lecturer.lecturer_id', '=', lecturerId),
    ),
  ])
}

const hasItem = (order: Orders, which: (item: Items) => Condition): Condition =>
  order.exists(
    order
      .selectFrom('order_item')
      .select('order_item.id')
      .whereRef('order_item.school_id', '=', 'orders.school_id')
      .whereRef('order_item.order_id', '=', 'orders.id')
      .where((item) => which(item as unknown as Items)),
  )
