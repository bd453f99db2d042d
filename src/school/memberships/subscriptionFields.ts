import { z } from 'zod'
import { externalId, metadata, money, reference, timestamp } from '../../engine/declare/fields.ts'
import { cancellationReasons } from './endSubscriptions.ts'
import { subscriptionStates } from './subscriptionTransitions.ts'

const time = (description: string) => timestamp().nullable().meta({ description, example: '2026-03-01T09:30:00.000Z' })
const noTime = (description: string) => timestamp().nullable().meta({ description, example: null })

/** The reasons that a person can choose. Only background jobs set payment_failed. */
export const reason = z.enum(cancellationReasons).exclude(['payment_failed'])

export const subscriptionSchema = z.object({
  member_id: reference('mbr', 'Member who has the subscription; without it, the caller.'),
  plan_id: reference('mpl', 'Plan of the subscription.'),
  price_id: reference('prc', 'Price of the subscription.'),
  status: z
    .enum(subscriptionStates)
    .meta({ component: 'SubscriptionStatus' })
    .meta({ description: 'Status of the subscription. canceled and expired are final.', example: 'active' }),
  collection: z.enum(['automatic', 'manual', 'comped']).meta({ component: 'CollectionMethod' }).meta({
    description:
      'Who collects payments. automatic: the checkout of the school. manual: the school itself. comped: the subscription is complimentary.',
    example: 'automatic',
  }),
  amount: money('Current price of a period.').meta({
    description: 'Current price of a period: the price of the plan less the discount.',
    example: { amount: 1200, currency: 'EUR' },
  }),
  discount: z
    .object({
      coupon_id: reference('cpn', 'Id of the coupon.'),
      code: z.string().meta({ description: 'Code of the coupon.', example: 'WELCOME10' }),
      ends_at: noTime('When the discount ends; null if it never ends.'),
    })
    .nullable()
    .meta({ description: 'Current discount.', example: null }),
  started_at: time('When the subscription started; null until the first payment.'),
  current_period_start: time('When the current period began.'),
  current_period_end: time('When the current period ends; null if it has no end.'),
  trial_ends_at: noTime('When the trial ends, or ended.'),
  cancel_at_period_end: z.boolean().meta({ description: 'True if the subscription ends with the current period.', example: false }),
  cancel_at: noTime('When the cancellation takes or took effect.'),
  canceled_at: noTime('When the subscription was cancelled.'),
  ended_at: noTime('When the subscription ended.'),
  cancellation: z
    .object({
      reason: z.enum(cancellationReasons).meta({ description: 'Reason of the cancellation.', example: 'not_using' }),
      comment: z.string().max(500).nullable().meta({ description: 'Comment of the person.', example: null }),
    })
    .nullable()
    .meta({ description: 'Cancellation of the subscription.', example: null }),
  pause: z
    .object({
      paused_at: time('When the subscription was paused.'),
      resumes_at: noTime('When the subscription resumes automatically.'),
    })
    .nullable()
    .meta({
      description:
        'Pause of the subscription. A paused subscription grants no access. It keeps the rest of its period and of its trial, and its pending change; a cancellation takes effect at its date. When it resumes, enrolments that its plan had opened return as they were.',
      example: null,
    }),
  pending_change: z
    .object({
      plan_id: reference('mpl', 'The next plan.'),
      price_id: reference('prc', 'The next price.'),
      effective_at: time('When the change takes effect.'),
    })
    .nullable()
    .meta({
      description:
        'Change of plan or price that takes effect with the next period. Without effect if the subscription ends with the current one.',
      example: null,
    }),
  latest_order_id: reference('ord', 'Latest order of the subscription.')
    .nullable()
    .meta({ description: 'Latest order of the subscription.', idPrefix: 'ord', example: null }),
  access: z.boolean().meta({ description: 'True if the subscription currently grants access to its plan.', example: true }),
  external_id: externalId(),
  metadata: metadata(),
})
