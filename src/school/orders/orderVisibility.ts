import type { Expression } from 'kysely'
import { jsonArrayFrom, jsonObjectFrom } from 'kysely/helpers/postgres'
import { audienceOf, type Caller, type PersonCaller } from '../../base/caller.ts'
import { type Builder, type Condition, oneRow } from '../../database/statements/expressions.ts'
import { orderStatus } from './shopExpressions.ts'

type Orders = Builder<'orders'>
type Items = Builder<'orders' | 'order_item'>

export const isMyOrder = (order: Orders, { personId }: Pick<PersonCaller, 'personId'>): Condition =>
  personId === null ? order.lit(false) : order('orders.person_id', '=', personId)

/** Matches orders that the caller sees as a whole. A lecturer sees only some lines of the orders of other people. */
export const isWhole = (order: Orders, caller: Caller): Condition =>
  caller.kind === 'anonymous' ? order.lit(false) : audienceOf(caller) === 'staff' ? order.lit(true) : isMyOrder(order, caller)

export const sellsMyCourse = (order: Orders, me: PersonCaller): Condition => hasItem(order, (item) => isMyCourse(item, me))

export const hasVisibleItem = (order: Orders, caller: Caller, which: (item: Items) => Condition): Condition =>
  hasItem(order, (item) => item.and([which(item), isVisibleItem(item, caller)]))

/** Matches orders that currently have one of these states: a checkout that was not paid in time has expired. */
export const isInState = (order: Orders, states: readonly string[]): Condition =>
  order.and([
    order('orders.status', 'in', states.includes('expired') ? [...states, 'pending'] : [...states]),
    order(orderStatus, 'in', [...states]),
  ])

export const stateOf = (): Expression<string> => orderStatus

export const itemsOf = (order: Orders, caller: Caller): Expression<unknown> =>
  jsonArrayFrom(
    order
      .selectFrom('order_item')
      .selectAll('order_item')
      .whereRef('order_item.order_id', '=', 'orders.id')
      .where((item) => isVisibleItem(item, caller))
      .orderBy('order_item.position'),
  )

export const refundsOf = (order: Orders): Expression<unknown> =>
  jsonArrayFrom(
    order.selectFrom('refund').selectAll().select(refundItemsOf).whereRef('refund.order_id', '=', 'orders.id').orderBy('refund.id'),
  )

export const refundItemsOf = (refund: Builder<'refund'>) =>
  jsonArrayFrom(
    refund
      .selectFrom('refund_item')
      .innerJoin('order_item', 'order_item.id', 'refund_item.order_item_id')
      .select(['refund_item.order_item_id', 'refund_item.amount', 'refund_item.tax_amount'])
      .whereRef('refund_item.refund_id', '=', 'refund.id')
      .orderBy('order_item.position'),
  ).as('items')

/** Selects the buyer: the name and address at the time of the order, and the current facets. */
export const buyerOf = (order: Orders): Expression<unknown> =>
  jsonObjectFrom(
    order
      .selectFrom(oneRow)
      .leftJoin('person', (join) =>
        join.on('person.school_id', '=', order.ref('orders.school_id')).on('person.id', '=', order.ref('orders.person_id')),
      )
      .select(['person.id', 'person.is_student', 'person.is_member'])
      .select([order.ref('orders.buyer_name').as('name'), order.ref('orders.buyer_email').as('email')]),
  )

/** Matches items that the caller can see: of other people's orders, a lecturer sees only the courses that they teach. */
function isVisibleItem(item: Items, caller: Caller): Condition {
  if (caller.kind === 'anonymous') return item.lit(false)
  if (audienceOf(caller) === 'staff') return item.lit(true)
  const isOwn = caller.personId === null ? item.lit(false) : item('orders.person_id', '=', caller.personId)
  return item.or([isOwn, isMyCourse(item, caller)])
}

function isMyCourse(item: Items, { lecturerId }: Pick<PersonCaller, 'lecturerId'>): Condition {
  if (lecturerId === null) return item.lit(false)
  return item.and([
    item('order_item.product_type', '=', 'course'),
    item.exists(
      item
        .selectFrom('course_lecturer')
        .whereRef('course_lecturer.course_id', '=', 'order_item.product_id')
        .where('course_lecturer.lecturer_id', '=', lecturerId),
    ),
  ])
}

const hasItem = (order: Orders, which: (item: Items) => Condition): Condition =>
  order.exists(order.selectFrom('order_item').whereRef('order_item.order_id', '=', 'orders.id').where(which))
