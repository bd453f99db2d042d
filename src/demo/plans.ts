import { z } from 'zod'
import { readDemoFile } from './readDemoFile.ts'

const price = z.strictObject({
  interval: z.enum(['month', 'year', 'one_time']),
  amount: z.int(),
  trial_days: z.int(),
})

const plan = z.strictObject({
  slug: z.string(),
  name: z.string(),
  description: z.string(),
  status: z.enum(['active', 'archived']).default('active'),
  benefits: z.array(z.string()),
  includes_all_courses: z.boolean().default(false),
  includes_all_events: z.boolean().default(false),
  badge: z.string().nullable().default(null),
  max_members: z.int().nullable().default(null),
  prices: z.array(price),
  /** Slugs of the courses and products that the plan includes one by one. */
  courses: z.array(z.string()).default([]),
  products: z.array(z.string()).default([]),
})

export type DemoPrice = z.infer<typeof price>

export type DemoPlan = z.infer<typeof plan>

export const plans: readonly DemoPlan[] = readDemoFile('plans', z.array(plan))

/** Every price with the index of its plan. The index in this list is the number of the price. */
export const prices = plans.flatMap((one, planNumber) => one.prices.map((each) => ({ ...each, planNumber, plan: one.slug })))

export function priceNumber(slug: string, interval: DemoPrice['interval']): number {
  return prices.findIndex((one) => one.plan === slug && one.interval === interval)
}
