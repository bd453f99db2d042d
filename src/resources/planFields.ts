import { z } from 'zod'
import { externalId, line, metadata, money, reference, slug, timestamp } from '../framework/declare/fields.ts'
import { richText } from '../framework/declare/richText.ts'

/** Ids without order or repetition: one set has one form. */
const setOf = (prefix: string, what: string) =>
  z
    .array(reference(prefix, `Id of a ${what}.`))
    .max(500)
    .overwrite((ids) => [...new Set(ids)].toSorted())

const amount = money('What a period costs.')

/** What is sent of a price. */
export const newPrice = z.object({
  interval: z
    .enum(['month', 'year', 'one_time'])
    .meta({ description: 'How long one payment lasts; one_time for as long as the subscription does.', example: 'month' }),
  interval_count: z.int().min(1).max(24).default(1).meta({ description: 'So many months or years at once.', example: 1 }),
  amount: amount.meta({ description: 'What a period costs; 0 for a free plan.', example: { amount: 1200, currency: 'EUR' } }),
  trial_days: z.int().min(0).max(365).default(0).meta({ description: 'Days that cost nothing, once per person and plan.', example: 14 }),
})

const price = z.object({
  id: reference('prc', 'Id of the price.'),
  ...newPrice.shape,
  active: z.boolean().meta({ description: 'Whether it can be chosen.', example: true }),
  created_at: timestamp().meta({ description: 'When it was added.', example: '2026-03-01T09:30:00.000Z' }),
})

/** What a membership plan is made of. */
export const planSchema = z.object({
  name: line(80).meta({ description: 'Name of the plan.', example: 'Workbench' }),
  slug: slug().meta({ description: 'Readable key, unique in the school.', example: 'workbench' }),
  ...richText('description', { max: 5000, description: 'What the plan is about.', example: 'A bench of your own.' }),
  status: z
    .enum(['draft', 'active', 'archived'])
    .meta({ description: 'An active plan takes subscriptions; those of an archived one go on.', example: 'active' }),
  visibility: z.enum(['public', 'hidden']).default('public').meta({ description: 'Whether visitors find it.', example: 'public' }),
  benefits: z
    .array(z.string().min(1).max(120))
    .max(20)
    .meta({ description: 'What one gets, in words.', example: ['All courses', 'Open bench on Fridays'] }),
  includes: z
    .object({
      all_courses: z.boolean().default(false).meta({ description: 'Whether it opens every course.', example: false }),
      course_ids: setOf('crs', 'course').default([]).meta({ description: 'Courses that it opens.', example: [] }),
      digital_product_ids: setOf('dgp', 'digital product')
        .default([])
        .meta({ description: 'Digital products that it opens.', example: [] }),
      all_events: z.boolean().default(false).meta({ description: 'Whether it opens every event for members.', example: true }),
    })
    .default({ all_courses: false, course_ids: [], digital_product_ids: [], all_events: false })
    .meta({ description: 'What the plan opens; a change is felt at once by everybody who has it.', example: {} }),
  prices: z.array(price).meta({ description: 'What it costs; each of them never changes.', example: [] }),
  is_free: z.boolean().meta({ description: 'Whether it costs nothing.', example: false }),
  manual_renewal: z.enum(['confirm', 'automatic']).default('confirm').meta({
    description:
      'What happens at the end of a period or trial that the school collects itself (`collection: manual`). confirm: the subscription is past_due and its order pending until somebody confirms the payment. automatic: the payment is booked without confirmation.',
    example: 'confirm',
    view: 'staff',
  }),
  max_members: z.int().min(1).max(10_000_000).nullable().meta({ description: 'So many can have it; null without a limit.', example: null }),
  subscribers_count: z
    .int()
    .nullable()
    .meta({ description: 'How many have it; null where the school does not show numbers.', example: 48 }),
  position: z.int().meta({ description: 'Place in the list.', example: 1, view: 'staff' }),
  badge: line(30).nullable().meta({ description: 'A word that makes it stand out.', example: 'Popular' }),
  external_id: externalId(),
  metadata: metadata(),
})
