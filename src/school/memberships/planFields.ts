import { z } from 'zod'
import { externalId, line, metadata, money, reference, slug, timestamp } from '../../engine/declare/fields.ts'
import { richText } from '../../engine/declare/richText.ts'

/** Sorts ids and removes duplicates, so that equal sets have equal values. */
const setOf = (prefix: string, what: string) =>
  z
    .array(reference(prefix, `Id of a ${what}.`))
    .max(500)
    .overwrite((ids) => [...new Set(ids)].toSorted())

const amount = money('Price of a period.')

export const newPrice = z.object({
  interval: z
    .enum(['month', 'year', 'one_time'])
    .meta({ component: 'PriceInterval' })
    .meta({ description: 'Length of a period. A one_time payment covers the whole subscription.', example: 'month' }),
  interval_count: z.int().min(1).max(24).default(1).meta({ description: 'Number of months or years of a period.', example: 1 }),
  amount: amount.meta({ description: 'Price of a period; 0 for a free plan.', example: { amount: 1200, currency: 'EUR' } }),
  trial_days: z.int().min(0).max(365).default(0).meta({ description: 'Days of the free trial, once per person and plan.', example: 14 }),
})

const price = z
  .object({
    id: reference('prc', 'Id of the price.'),
    ...newPrice.shape,
    active: z.boolean().meta({ description: 'True if the price can be chosen.', example: true }),
    created_at: timestamp().meta({ description: 'When the price was added.', example: '2026-03-01T09:30:00.000Z' }),
  })
  .meta({ component: 'PlanPrice' })

export const planSchema = z.object({
  name: line(80).meta({ description: 'Name of the plan.', example: 'Workbench' }),
  slug: slug().meta({ description: 'Readable key, unique in the school.', example: 'workbench' }),
  ...richText('description', { max: 5000, description: 'Description of the plan.', example: 'A bench in the workshop.' }),
  status: z
    .enum(['draft', 'active', 'archived'])
    .meta({ component: 'PlanStatus' })
    .meta({ description: 'Only active plans take new subscriptions. Subscriptions to an archived plan continue.', example: 'active' }),
  visibility: z
    .enum(['public', 'hidden'])
    .meta({ component: 'PlanVisibility' })
    .default('public')
    .meta({ description: 'Visitors see only public plans.', example: 'public' }),
  benefits: z
    .array(line(120))
    .max(20)
    .meta({ description: 'Benefits of the plan, as text.', example: ['All courses', 'Open bench on Fridays'] }),
  includes: z
    .object({
      all_courses: z.boolean().default(false).meta({ description: 'True if the plan includes all courses.', example: false }),
      course_ids: setOf('crs', 'course').default([]).meta({ description: 'Courses that the plan includes.', example: [] }),
      digital_product_ids: setOf('dgp', 'digital product')
        .default([])
        .meta({ description: 'Digital products that the plan includes.', example: [] }),
      all_events: z.boolean().default(false).meta({ description: 'True if the plan includes all events for members.', example: true }),
    })
    .default({ all_courses: false, course_ids: [], digital_product_ids: [], all_events: false })
    .meta({ description: 'Contents of the plan. A change applies immediately to all its subscribers.', example: {} }),
  prices: z.array(price).meta({ description: 'Prices of the plan. The amount and interval of a price never change.', example: [] }),
  is_free: z.boolean().meta({ description: 'True if the plan is free.', example: false }),
  manual_renewal: z.enum(['confirm', 'automatic']).meta({ component: 'ManualRenewal' }).default('confirm').meta({
    description:
      'How a period or trial renews if the school collects payments itself (`collection: manual`). confirm: the subscription is past_due and its order pending until staff confirm the payment. automatic: the payment is recorded without confirmation.',
    example: 'confirm',
    view: 'staff',
  }),
  max_members: z
    .int()
    .min(1)
    .max(10_000_000)
    .nullable()
    .meta({ description: 'Maximum number of subscribers; null without a limit.', example: null }),
  subscribers_count: z.int().nullable().meta({ description: 'Number of subscribers; null if the school hides counts.', example: 48 }),
  position: z.int().meta({ description: 'Position in the list.', example: 1, view: 'staff' }),
  badge: line(30).nullable().meta({ description: 'Short text that highlights the plan.', example: 'Popular' }),
  external_id: externalId(),
  metadata: metadata(),
})
