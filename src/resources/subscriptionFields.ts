import { z } from 'zod'
import { cancellationReasons } from '../domain/memberships/endSubscriptions.ts'
import { subscriptionStates } from '../domain/memberships/subscriptionTransitions.ts'
import { externalId, metadata, money, reference, timestamp } from '../framework/declare/fields.ts'

const time = (description: string) => timestamp().nullable().meta({ description, example: '2026-03-01T09:30:00.000Z' })
const noTime = (description: string) => timestamp().nullable().meta({ description, example: null })

/** Why somebody ends a subscription. That nobody paid, only the clock says. */
export const reason = z.enum(cancellationReasons).exclude(['payment_failed'])

/** What a subscription is made of. */
export const subscriptionSchema = z.object({
  member_id: reference('mbr', 'Whose it is. Without it: of who asks.'),
  plan_id: reference('mpl', 'Plan that it is to.'),
  price_id: reference('prc', 'Price of the plan that is paid.'),
  status: z
    .enum(subscriptionStates)
    .meta({ description: 'Where it stands. What is canceled or expired is over for good.', example: 'active' }),
  collection: z.enum(['automatic', 'manual', 'comped']).meta({
    description: 'Who collects: the checkout of the school, the school itself, or nobody, since it is a present.',
    example: 'automatic',
  }),
  amount: money('What a period costs now.').meta({
    description: 'What a period costs now: the price less the running discount.',
    example: { amount: 1200, currency: 'EUR' },
  }),
  discount: z
    .object({
      coupon_id: reference('cpn', 'Id of the coupon.'),
      code: z.string().meta({ description: 'What was typed in.', example: 'WELCOME10' }),
      ends_at: noTime('Until when; null for ever.'),
    })
    .nullable()
    .meta({ description: 'What takes something off the price.', example: null }),
  started_at: time('When it began; null while the first payment is awaited.'),
  current_period_start: time('When the present period began.'),
  current_period_end: time('When the present period ends; null where none does.'),
  trial_ends_at: noTime('When the trial ends, or ended.'),
  cancel_at_period_end: z.boolean().meta({ description: 'Whether it ends with the present period.', example: false }),
  cancel_at: noTime('When it ends, or ended, because somebody said so.'),
  canceled_at: noTime('When somebody said so.'),
  ended_at: noTime('When it ended.'),
  cancellation: z
    .object({
      reason: z.enum(cancellationReasons).meta({ description: 'Why.', example: 'not_using' }),
      comment: z.string().max(500).nullable().meta({ description: 'In their own words.', example: null }),
    })
    .nullable()
    .meta({ description: 'Why it ends, or ended.', example: null }),
  pause: z
    .object({
      paused_at: time('Since when.'),
      resumes_at: noTime('When it goes on by itself.'),
    })
    .nullable()
    .meta({ description: 'That it stands still: it opens nothing, and what is left of the period is kept.', example: null }),
  pending_change: z
    .object({
      plan_id: reference('mpl', 'The next plan.'),
      price_id: reference('prc', 'The next price.'),
      effective_at: time('From when on.'),
    })
    .nullable()
    .meta({ description: 'Another price that begins with the next period.', example: null }),
  latest_order_id: reference('ord', 'The last order.').nullable().meta({ description: 'The last order.', idPrefix: 'ord', example: null }),
  access: z.boolean().meta({ description: 'Whether it opens its plan now.', example: true }),
  external_id: externalId(),
  metadata: metadata(),
})
