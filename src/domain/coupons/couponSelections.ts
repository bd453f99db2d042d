import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { DB } from '../../gen/kysely/tables.ts'
import type { PersonCaller } from '../../policy/caller.ts'
import { couponStatus } from '../../store/shopExpressions.ts'

type Coupons = ExpressionBuilder<DB, 'coupon'>
type Redemptions = ExpressionBuilder<DB, 'coupon_redemption'>
type Condition = Expression<SqlBool>

/** What a coupon is now. */
export const stateOf = (): Expression<string> => couponStatus

/** What a coupon is good for, where that is not everything: `[{ type, id }]`. */
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

/** Coupons in one of these states now. */
export const isInState = (coupon: Coupons, states: readonly string[]): Condition => coupon(couponStatus, 'in', [...states])

/** Coupons that are good for one of these items by name. */
export const namesItem = (coupon: Coupons, ids: readonly string[]): Condition =>
  coupon.exists(
    coupon
      .selectFrom('coupon_item')
      .select('coupon_item.coupon_id')
      .whereRef('coupon_item.school_id', '=', 'coupon.school_id')
      .whereRef('coupon_item.coupon_id', '=', 'coupon.id')
      .where('coupon_item.product_id', 'in', [...ids]),
  )

/** The code that was used. */
export const codeOf = (redemption: Redemptions): Expression<unknown> =>
  redemption
    .selectFrom('coupon')
    .select('coupon.code')
    .whereRef('coupon.school_id', '=', 'coupon_redemption.school_id')
    .whereRef('coupon.id', '=', 'coupon_redemption.coupon_id')

/** Who used it, in both of their facets. */
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

/** A person as both of their ids. */
export const facetsOf = (person: Facets | null) =>
  person && { student_id: person.is_student ? person.id : null, member_id: person.is_member ? person.id : null }

/** What the person used themselves. */
export const isMyUse = (redemption: Redemptions, { personId }: Pick<PersonCaller, 'personId'>): Condition =>
  personId === null ? redemption.lit(false) : redemption('coupon_redemption.person_id', '=', personId)
