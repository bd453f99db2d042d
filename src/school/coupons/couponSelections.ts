import type { Expression } from 'kysely'
import { jsonArrayFrom, jsonObjectFrom } from 'kysely/helpers/postgres'
import type { PersonCaller } from '../../base/caller.ts'
import type { Stored } from '../../database/connection/database.ts'
import type { Builder, Condition } from '../../database/statements/expressions.ts'
import { couponStatus } from '../orders/shopExpressions.ts'

type Coupons = Builder<'coupon'>
type Redemptions = Builder<'coupon_redemption'>

export const stateOf = (): Expression<string> => couponStatus

/** Selects the items that a coupon applies to, as `[{ type, id }]`; an empty list if it applies to everything. */
export const itemsOf = (coupon: Coupons): Expression<unknown> =>
  jsonArrayFrom(
    coupon
      .selectFrom('coupon_item')
      .select(['coupon_item.product_type as type', 'coupon_item.product_id as id'])
      .whereRef('coupon_item.coupon_id', '=', 'coupon.id')
      .orderBy('coupon_item.product_type')
      .orderBy('coupon_item.product_id'),
  )

export const isInState = (coupon: Coupons, states: readonly string[]): Condition => coupon(couponStatus, 'in', [...states])

export const listsItem = (coupon: Coupons, ids: readonly string[]): Condition =>
  coupon.exists(
    coupon
      .selectFrom('coupon_item')
      .whereRef('coupon_item.coupon_id', '=', 'coupon.id')
      .where('coupon_item.product_id', 'in', [...ids]),
  )

export const codeOf = (redemption: Redemptions): Expression<unknown> =>
  redemption.selectFrom('coupon').select('coupon.code').whereRef('coupon.id', '=', 'coupon_redemption.coupon_id')

export const redeemerOf = (redemption: Redemptions): Expression<unknown> =>
  jsonObjectFrom(
    redemption
      .selectFrom('person')
      .select(['person.id', 'person.is_student', 'person.is_member'])
      .whereRef('person.id', '=', 'coupon_redemption.person_id'),
  )

export type Facets = Stored<'person', 'id' | 'is_student' | 'is_member'>

export const facetsOf = (person: Facets | null) =>
  person && { student_id: person.is_student ? person.id : null, member_id: person.is_member ? person.id : null }

export const isMyUse = (redemption: Redemptions, { personId }: Pick<PersonCaller, 'personId'>): Condition =>
  personId === null ? redemption.lit(false) : redemption('coupon_redemption.person_id', '=', personId)
