import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { DB } from '../../gen/kysely/tables.ts'
import type { PersonCaller } from '../../policy/caller.ts'
import { grantsAccess } from '../../store/accessExpressions.ts'

type Subscriptions = ExpressionBuilder<DB, 'subscription'>
type Condition = Expression<SqlBool>

/** Subscriptions of the person who calls. */
export const isMySubscription = (subscription: Subscriptions, { personId }: PersonCaller): Condition =>
  personId === null ? subscription.lit(false) : subscription('subscription.person_id', '=', personId)

/** Whether it opens its plan now. */
export const opensPlan = (_subscription: Subscriptions): Condition => grantsAccess

/** A time inside a JSON value, as the API writes it. */
const written = (time: string | null): string | null => (time === null ? null : new Date(time).toISOString())

/** What takes something off the price now. */
export interface RunningDiscount {
  coupon_id: string
  code: string
  ends_at: string | null
}

export const discountSeen = (subscription: Subscriptions): Expression<unknown> =>
  subscription
    .selectFrom((inner) =>
      inner
        .selectFrom('coupon')
        .select(['coupon.id as coupon_id', 'coupon.code'])
        .select(subscription.ref('subscription.discount_ends_at').as('ends_at'))
        .whereRef('coupon.school_id', '=', 'subscription.school_id')
        .whereRef('coupon.id', '=', 'subscription.coupon_id')
        .where((row) =>
          row.or([
            subscription('subscription.discount_ends_at', 'is', null),
            subscription('subscription.discount_ends_at', '>', row.fn<Date>('now')),
          ]),
        )
        .as('running'),
    )
    .select((running) => running.fn.toJson('running').as('discount'))

export const discountFrom = (discount: RunningDiscount | null): RunningDiscount | null =>
  discount && { ...discount, ends_at: written(discount.ends_at) }

/** The price that begins next, and its plan. */
export interface PendingChange {
  plan_id: string
  price_id: string
  effective_at: string | null
}

export const pendingSeen = (subscription: Subscriptions): Expression<unknown> =>
  subscription
    .selectFrom((inner) =>
      inner
        .selectFrom('plan_price')
        .select(['plan_price.plan_id', 'plan_price.id as price_id'])
        .select(subscription.ref('subscription.pending_effective_at').as('effective_at'))
        .whereRef('plan_price.school_id', '=', 'subscription.school_id')
        .whereRef('plan_price.id', '=', 'subscription.pending_price_id')
        .as('next'),
    )
    .select((next) => next.fn.toJson('next').as('pending_change'))

export const pendingFrom = (change: PendingChange | null): PendingChange | null =>
  change && { ...change, effective_at: written(change.effective_at) }

/** Subscriptions to one of these. */
export const hasPlanId = (subscription: Subscriptions, ids: readonly string[]): Condition =>
  subscription('subscription.plan_id', 'in', [...ids])
export const hasPriceId = (subscription: Subscriptions, ids: readonly string[]): Condition =>
  subscription('subscription.price_id', 'in', [...ids])
export const hasMemberId = (subscription: Subscriptions, ids: readonly string[]): Condition =>
  subscription('subscription.person_id', 'in', [...ids])
