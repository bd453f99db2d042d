import { z } from 'zod'
import { externalId, line, lineOrEmpty, metadata, money, reference, timestamp } from '../../engine/declare/fields.ts'
import { typedCode } from '../../engine/declare/typedTexts.ts'
import { itemRef } from '../orders/itemFields.ts'
import { couponStatuses } from './validateCoupon.ts'

/** Codes may be sent in small letters. */
const code = /^[A-Za-z0-9][A-Za-z0-9_-]{2,39}$/

const couponTerms = {
  name: lineOrEmpty(80).nullable().meta({ description: 'Name on receipts.', example: 'Spring sale' }),
  discount: z
    .discriminatedUnion('type', [
      z.object({
        type: z.literal('percent').meta({ description: 'A percentage of each line.' }),
        percent_off: z
          .number()
          .min(0.01)
          .max(100)
          // Not multipleOf: validators divide by 0.01 and reject numbers such as 33.33.
          .refine((percent) => Number(percent.toFixed(2)) === percent, 'must have at most two decimals')
          .meta({ description: 'Percentage, with up to two decimals.', example: 25 }),
      }),
      z.object({
        type: z.literal('amount').meta({ description: 'An amount that is prorated over the lines.' }),
        amount_off: money('Amount of the discount.'),
      }),
    ])
    .meta({ component: 'CouponDiscount' })
    .meta({ description: 'Discount. Cannot be changed after the coupon was used.', example: { type: 'percent', percent_off: 25 } }),
  duration: z.enum(['once', 'repeating', 'forever']).meta({ component: 'CouponDuration' }).default('once').meta({
    description: 'Periods of a subscription that get the discount: the first one, those within duration_months, or all.',
    example: 'once',
  }),
  duration_months: z
    .int()
    .min(1)
    .max(36)
    .nullable()
    .meta({ description: 'Number of months; required if duration is repeating.', example: null }),
  applies_to: z
    .object({
      all: z.literal(true).optional().meta({ description: 'Applies to everything.', example: true }),
      items: z.array(itemRef('An item.')).min(1).max(200).optional().meta({ description: 'Applies only to these items.' }),
    })
    .refine(({ all, items }) => (all === undefined) !== (items === undefined), 'must have either all or items')
    .default({ all: true })
    .meta({
      description: 'Items that get the discount; everything by default. In a patch, clear the other member with null.',
      example: { all: true },
    }),
  audience: z
    .object({
      all: z.literal(true).optional().meta({ description: 'Everybody can use it.', example: true }),
      labels: z.array(line(40)).min(1).max(20).optional().meta({ description: 'People with one of these labels or tags can use it.' }),
      person_ids: z
        .array(z.string().regex(/^(std|mbr)_[0-7][0-9a-hjkmnp-tv-z]{25}$/, 'must be the id of a student or a member'))
        .min(1)
        .max(200)
        .optional()
        .meta({ description: 'Only these people can use it: ids of students or members.' }),
    })
    .refine(
      (audience) => Object.values(audience).filter((member) => member !== undefined).length === 1,
      'must have one of all, labels and person_ids',
    )
    .default({ all: true })
    .meta({
      description: 'People who can use the coupon; everybody by default. In a patch, clear the other members with null.',
      example: { all: true },
    }),
  minimum_subtotal: money('Minimum subtotal.').nullable().meta({ description: 'Minimum subtotal before the discount.', example: null }),
  first_purchase_only: z
    .boolean()
    .default(false)
    .meta({ description: 'True if only people without an earlier purchase can use it.', example: false }),
  max_redemptions_per_person: z.int().min(1).max(1000).default(1).meta({ description: 'How often each person can use it.', example: 1 }),
  starts_at: timestamp().nullable().meta({ description: 'When the coupon becomes usable.', example: null }),
  ends_at: timestamp().nullable().meta({ description: 'When the coupon expires.', example: null }),
  note: z.string().max(500).nullable().meta({ description: 'Internal note of the staff.', example: null }),
}

export const couponSchema = z.object({
  code: typedCode()
    .regex(code, 'must have 3 to 40 characters of A-Z, 0-9, _ and -, and begin with a letter or a digit')
    .meta({ description: 'Code that people type: stored in capitals, unique in the school, cannot be changed.', example: 'SPRING25' }),
  ...couponTerms,
  max_redemptions: z
    .int()
    .min(1)
    .max(10_000_000)
    .nullable()
    .meta({ description: 'How often it can be used in total; at least redemptions_count. Null: without a limit.', example: 100 }),
  redemptions_count: z.int().meta({ description: 'Number of uses, including those that running checkouts have reserved.', example: 12 }),
  status: z
    .enum(couponStatuses)
    .meta({ component: 'CouponStatus' })
    .meta({ description: 'Current status, determined by the dates and the number of uses.', example: 'active' }),
  batch_id: z.string().nullable().meta({ description: 'Batch in which the coupon was generated.', idPrefix: 'cpb', example: null }),
  external_id: externalId(),
  metadata: metadata(),
})

export const couponCheckInput = z.object({
  code: typedCode().min(1).max(40).meta({ description: 'Code as the person typed it.', example: 'SPRING25' }),
  items: z
    .array(
      itemRef('An item.').extend({
        price_id: reference('prc', 'Price of the membership plan.')
          .optional()
          .meta({ description: 'Price of the membership plan; required for a plan.' }),
      }),
    )
    .min(1)
    .max(20)
    .meta({ description: 'Items to check.', example: [{ type: 'course', id: 'crs_01jgwejj00e6srgkpqm2sqf05m' }] }),
})

export const couponCheckOutput = z.object({
  valid: z.boolean().meta({ description: 'True if the coupon can be used for these items.', example: true }),
  reason: z
    .string()
    .nullable()
    .meta({ description: 'Why the coupon cannot be used. Callers who are not staff always see not_applicable.', example: null }),
  discount: couponTerms.discount
    .nullable()
    .meta({ description: 'Discount of the coupon; null if it cannot be used.', example: { type: 'percent', percent_off: 25 } }),
  lines: z
    .array(
      z.object({
        item: itemRef('The item.'),
        price: money('Price.'),
        discount: money('Discount.'),
        total: money('Discounted price.'),
      }),
    )
    .meta({ description: 'One line per item, in the order of the request.', example: [] }),
  subtotal: money('Sum of the prices.'),
  discount_total: money('Total discount.'),
  total: money('Amount to pay.'),
})

export const couponBatchInput = z.object({
  template: z
    .object({
      ...couponTerms,
      name: couponTerms.name.default(null),
      duration_months: couponTerms.duration_months.default(null),
      minimum_subtotal: couponTerms.minimum_subtotal.default(null),
      starts_at: couponTerms.starts_at.default(null),
      ends_at: couponTerms.ends_at.default(null),
      note: couponTerms.note.default(null),
    })
    .meta({ description: 'Terms that all generated coupons share.', example: { discount: { type: 'percent', percent_off: 25 } } }),
  prefix: typedCode()
    .regex(/^([A-Za-z0-9][A-Za-z0-9_-]*)?$/, 'must contain only A-Z, 0-9, _ and -, and begin with a letter or a digit')
    .max(12)
    .default('')
    .meta({ description: 'Prefix of every code.', example: 'GIFT-' }),
  count: z.int().min(1).max(1000).meta({ description: 'Number of coupons.', example: 10 }),
  random_length: z.int().min(6).max(16).default(8).meta({ description: 'Number of random characters after the prefix.', example: 8 }),
})

export const couponBatchOutput = z.object({
  batch_id: reference('cpb', 'Id of the batch; the list can be filtered by it.'),
  count: z.int().meta({ description: 'Number of generated coupons.', example: 10 }),
  codes: z.array(z.string()).meta({ description: 'Codes of the coupons.', example: ['GIFT-7KQ2MXWA'] }),
})
