import type { Expression } from 'kysely'
import type { PersonCaller } from '../../policy/caller.ts'
import type { Builder, Condition } from '../../store/expressions.ts'
import { couponStatus } from '../../store/shopExpressions.ts'

type Coupons = Builder<'coupon'>
type Redemptions = Builder<'coupon_redemption'>

/** Selects the current status of a coupon. */
export const stateOf = (): Expression<string> => couponStatus

/** Selects the items that a coupon applies to, as `[{ type, id }]`; null if it applies to everything. */
export const itemsOf = (coupon: Coupons): Expression<unknown> =>
  coupon
    .selectFrom((inner) =>
      inner
        .selectFrom('coupon_item')
        .select(['coupon_item.product_type as type', 'coupon_item.product_id as id'])
        .whereRef('coupon_item.school_id', '=', 'coupon.school_id')
        .whereRef('coupon_item.coupon_id', '=', 'coupon.id')
        .orderBy('coupon_item.product_type')
        .orderBy('coupon_item.product_id')
        .as('listed'),
    )
    .select((listed) => listed.fn.jsonAgg('listed').as('items'))

/** Matches coupons that currently have one of these states. */
export const isInState = (coupon: Coupons, states: readonly string[]): Condition => coupon(couponStatus, 'in', [...states])

/** Matches coupons that list one of these items. */
export const listsItem = (coupon: Coupons, ids: readonly string[]): Condition =>
  coupon.exists(
    coupon
      .selectFrom('coupon_item')
      .select('coupon_item.coupon_id')
      .whereRef('coupon_item.school_id', '=', 'coupon.school_id')
      .whereRef('coupon_item.coupon_id', '=', 'coupon.id')
      .where('coupon_item.product_id', 'in', [...ids]),
  )

/** Selects the code of the coupon. */
export const codeOf = (redemption: Redemptions): Expression<unknown> =>
  redemption
    .selectFrom('coupon')
    .select('coupon.code')
    .whereRef('coupon.school_id', '=', 'coupon_redemption.school_id')
    .whereRef('coupon.id', '=', 'coupon_redemption.coupon_id')

/** Selects the person who used the coupon, with both facets. */
export const redeemerOf = (redemption: Redemptions): Expression<unknown> =>
  redemption
    .selectFrom((inner) =>
      inner
        .selectFrom('person')
        .select(['person.id', 'person.is_student', 'person.is_member'])
        .whereRef('person.school_id', '=', 'coupon_redemption.school_id')
        .whereRef('person.id', '=', 'coupon_redemption.person_id')
        .as('redeemer'),
    )
    .select((redeemer) => redeemer.fn.toJson('redeemer').as('person'))

export interface Facets {
  id: string
  is_student: boolean
  is_member: boolean
}

/** Returns the ids of a person as a student and as a member. */
export const facetsOf = (person: Facets | null) =>
  person && { student_id: person.is_student ? person.id : null, member_id: person.is_member ? person.id : null }

/** Matches uses by the caller. */
export const isMyUse = (redemption: Redemptions, { personId }: Pick<PersonCaller, 'personId'>): Condition =>
  personId === null ? redemption.lit(false) : redemption('coupon_redemption.person_id', '=', personId)
