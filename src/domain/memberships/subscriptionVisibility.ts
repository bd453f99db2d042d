import type { Expression } from 'kysely'
import type { PersonCaller } from '../../policy/caller.ts'
import { grantsAccess } from '../../store/accessExpressions.ts'
import type { Builder, Condition } from '../../store/expressions.ts'

type Subscriptions = Builder<'subscription'>

/** Matches subscriptions of the caller. */
export const isMySubscription = (subscription: Subscriptions, { personId }: PersonCaller): Condition =>
  personId === null ? subscription.lit(false) : subscription('subscription.person_id', '=', personId)

/** Matches subscriptions that currently grant access to their plan. */
export const grantsPlan = (_subscription: Subscriptions): Condition => grantsAccess

/** Converts a time in a JSON value to the format of the API. */
const isoTime = (time: string | null): string | null => (time === null ? null : new Date(time).toISOString())

/** The discount that currently applies. */
export interface CurrentDiscount {
  coupon_id: string
  code: string
  ends_at: string | null
}

/** Selects the discount that currently applies. */
export const selectDiscount = (subscription: Subscriptions): Expression<unknown> =>
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

/** Returns a selected discount as the API represents it. */
export const publicDiscountOf = (discount: CurrentDiscount | null): CurrentDiscount | null =>
  discount && { ...discount, ends_at: isoTime(discount.ends_at) }

/** The price of the next period, and its plan. */
export interface PendingChange {
  plan_id: string
  price_id: string
  effective_at: string | null
}

/** Selects the change of plan that is pending. */
export const selectPendingChange = (subscription: Subscriptions): Expression<unknown> =>
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

/** Returns a selected change of plan as the API represents it. */
export const publicPendingChange = (change: PendingChange | null): PendingChange | null =>
  change && { ...change, effective_at: isoTime(change.effective_at) }

/** Match subscriptions by plan, price or member. */
export const hasPlanId = (subscription: Subscriptions, ids: readonly string[]): Condition =>
  subscription('subscription.plan_id', 'in', [...ids])
export const hasPriceId = (subscription: Subscriptions, ids: readonly string[]): Condition =>
  subscription('subscription.price_id', 'in', [...ids])
export const hasMemberId = (subscription: Subscriptions, ids: readonly string[]): Condition =>
  subscription('subscription.person_id', 'in', [...ids])
