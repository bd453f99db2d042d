import type { Expression } from 'kysely'
import { jsonObjectFrom } from 'kysely/helpers/postgres'
import type { PersonCaller } from '../../base/caller.ts'
import type { Builder, Condition } from '../../database/statements/expressions.ts'
import { grantsAccess } from './accessExpressions.ts'

type Subscriptions = Builder<'subscription'>

export const isMySubscription = (subscription: Subscriptions, { personId }: PersonCaller): Condition =>
  personId === null ? subscription.lit(false) : subscription('subscription.person_id', '=', personId)

export const grantsPlan = (_subscription: Subscriptions): Condition => grantsAccess

const isoTime = (time: string | null): string | null => (time === null ? null : new Date(time).toISOString())

export interface CurrentDiscount {
  coupon_id: string
  code: string
  ends_at: string | null
}

export const selectDiscount = (subscription: Subscriptions): Expression<unknown> =>
  jsonObjectFrom(
    subscription
      .selectFrom('coupon')
      .select(['coupon.id as coupon_id', 'coupon.code'])
      .select(subscription.ref('subscription.discount_ends_at').as('ends_at'))
      .whereRef('coupon.id', '=', 'subscription.coupon_id')
      .where((row) =>
        row.or([
          subscription('subscription.discount_ends_at', 'is', null),
          subscription('subscription.discount_ends_at', '>', row.fn<Date>('now')),
        ]),
      ),
  )

export const publicDiscountOf = (discount: CurrentDiscount | null): CurrentDiscount | null =>
  discount && { ...discount, ends_at: isoTime(discount.ends_at) }

export interface PendingChange {
  plan_id: string
  price_id: string
  effective_at: string | null
}

export const selectPendingChange = (subscription: Subscriptions): Expression<unknown> =>
  jsonObjectFrom(
    subscription
      .selectFrom('plan_price')
      .select(['plan_price.plan_id', 'plan_price.id as price_id'])
      .select(subscription.ref('subscription.pending_effective_at').as('effective_at'))
      .whereRef('plan_price.id', '=', 'subscription.pending_price_id'),
  )

export const publicPendingChange = (change: PendingChange | null): PendingChange | null =>
  change && { ...change, effective_at: isoTime(change.effective_at) }
