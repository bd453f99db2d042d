import { z } from 'zod'
import { couponStatuses } from '../domain/coupons/couponRow.ts'
import { externalId, line, lineOrEmpty, metadata, money, timestamp } from '../framework/declare/fields.ts'
import { itemRef } from './itemFields.ts'

const code = /^[A-Z0-9][A-Z0-9_-]{2,39}$/

/** What makes a code cheaper than another: everything of a coupon that a batch of them can share. */
export const couponTerms = {
  name: lineOrEmpty(80).nullable().meta({ description: 'What receipts call it.', example: 'Spring sale' }),
  discount: z
    .discriminatedUnion('type', [
      z.object({
        type: z.literal('percent').meta({ description: 'A part of each line.' }),
        percent_off: z
          .number()
          .min(0.01)
          .max(100)
          .multipleOf(0.01)
          .meta({ description: 'Per cent, with up to two decimals.', example: 25 }),
      }),
      z.object({
        type: z.literal('amount').meta({ description: 'An amount, shared by the lines.' }),
        amount_off: money('What is taken off.'),
      }),
    ])
    .meta({ description: 'What it takes off. Cannot be changed once it has been used.', example: { type: 'percent', percent_off: 25 } }),
  duration: z
    .enum(['once', 'repeating', 'forever'])
    .default('once')
    .meta({ description: 'For how many periods of a subscription.', example: 'once' }),
  duration_months: z.int().min(1).max(36).nullable().meta({ description: 'For how many months, where it repeats.', example: null }),
  applies_to: z
    .object({
      all: z.literal(true).optional().meta({ description: 'Everything.', example: true }),
      items: z.array(itemRef('An item.')).min(1).max(200).optional().meta({ description: 'These alone.' }),
    })
    .refine(({ all, items }) => (all === undefined) !== (items === undefined), 'must have either all or items')
    .default({ all: true })
    .meta({ description: 'What it is good for. In a patch, clear the other member with null.', example: { all: true } }),
  audience: z
    .object({
      all: z.literal(true).optional().meta({ description: 'Everybody.', example: true }),
      labels: z.array(line(40)).min(1).max(20).optional().meta({ description: 'Who has one of these labels or tags.' }),
      person_ids: z
        .array(z.string().regex(/^(std|mbr)_[0-7][0-9a-hjkmnp-tv-z]{25}$/, 'must be the id of a student or a member'))
        .min(1)
        .max(200)
        .optional()
        .meta({ description: 'These people alone: ids of students or members.' }),
    })
    .refine(
      (audience) => Object.values(audience).filter((member) => member !== undefined).length === 1,
      'must have one of all, labels and person_ids',
    )
    .default({ all: true })
    .meta({ description: 'Who can use it. In a patch, clear the other members with null.', example: { all: true } }),
  minimum_subtotal: money('What must be bought at least.')
    .nullable()
    .meta({ description: 'What must be bought at least, before the discount.', example: null }),
  first_purchase_only: z.boolean().default(false).meta({ description: 'Only for who has never bought anything.', example: false }),
  max_redemptions_per_person: z.int().min(1).max(1000).default(1).meta({ description: 'How often one person can use it.', example: 1 }),
  starts_at: timestamp().nullable().meta({ description: 'From when on it can be used.', example: null }),
  ends_at: timestamp().nullable().meta({ description: 'Until when it can be used.', example: null }),
  note: z.string().max(500).nullable().meta({ description: 'For the staff.', example: null }),
}

export const couponSchema = z.object({
  code: z
    .string()
    .toUpperCase()
    .regex(code, 'must be 3 to 40 of A-Z, 0-9, _ and -, and begin with a letter or a digit')
    .meta({ description: 'What people type; stored in capitals, unique in the school, never changed.', example: 'SPRING25' }),
  ...couponTerms,
  max_redemptions: z
    .int()
    .min(1)
    .max(10_000_000)
    .nullable()
    .meta({ description: 'How often it can be used at all; never less than it was.', example: 100 }),
  redemptions_count: z.int().meta({ description: 'How often it was used, or is held by a running checkout.', example: 12 }),
  status: z.enum(couponStatuses).meta({ description: 'What it is now: the clock and the number of its uses decide.', example: 'active' }),
  batch_id: z.string().nullable().meta({ description: 'The batch that it was generated in.', idPrefix: 'cpb', example: null }),
  external_id: externalId(),
  metadata: metadata(),
})
