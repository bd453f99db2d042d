import { z } from 'zod'
import { readDemoFile } from './readDemoFile.ts'

const daysAgo = z.int().nullable().default(null)

const coupon = z.strictObject({
  code: z.string(),
  name: z.string(),
  discount: z.union([
    z.strictObject({ type: z.literal('percent'), bps: z.int() }),
    z.strictObject({ type: z.literal('amount'), amount: z.int() }),
  ]),
  duration: z.enum(['once', 'repeating', 'forever']).default('once'),
  duration_months: z.int().nullable().default(null),
  /** Slugs of the items that the coupon applies to. Both empty: all items. */
  courses: z.array(z.string()).default([]),
  plans: z.array(z.string()).default([]),
  first_purchase_only: z.boolean().default(false),
  max_redemptions: z.int().nullable().default(null),
  made_days_ago: z.int(),
  started_days_ago: daysAgo,
  ended_days_ago: daysAgo,
  paused_days_ago: daysAgo,
  archived_days_ago: daysAgo,
  note: z.string().nullable().default(null),
})

const file = readDemoFile(
  'coupons',
  z.strictObject({
    coupons: z.array(coupon),
    batch: z.strictObject({
      count: z.int(),
      name: z.string(),
      discount: z.strictObject({ type: z.literal('percent'), bps: z.int() }),
      made_days_ago: z.int(),
      ended_days_ago: z.int(),
    }),
  }),
)

/** A coupon of the demo school. Days count back from now: a negative number is in the future. */
export type DemoCoupon = z.infer<typeof coupon>

export const coupons: readonly DemoCoupon[] = file.coupons

export const batch = file.batch

/** Letters and digits that cannot be confused with each other. */
const alphabet = 'ABCDEFGHJKMNPQRSTVWXYZ23456789'

export function batchCode(index: number): string {
  let rest = (index + 11) * 7_919_993
  let text = ''
  for (let place = 0; place < 6; place += 1) {
    text += alphabet[rest % alphabet.length]
    rest = Math.floor(rest / alphabet.length) + index * 31 + place
  }
  return `KILN-${text}`
}
