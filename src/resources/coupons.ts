import { z } from 'zod'
import { findOffers } from '../domain/coupons/couponOffers.ts'
import { couponStatuses } from '../domain/coupons/couponRow.ts'
import { isInState, itemsOf, namesItem, stateOf } from '../domain/coupons/couponSelections.ts'
import { archiveCoupon, pauseCoupon, resumeCoupon } from '../domain/coupons/couponStates.ts'
import { bpsOf, checkChange, checkTerms, currencyOf, keepCouponItems, requireUnused } from '../domain/coupons/couponWriting.ts'
import { generateCoupons } from '../domain/coupons/generateCoupons.ts'
import { publicQuote } from '../domain/coupons/publicQuote.ts'
import { publicReason, validateCoupon } from '../domain/coupons/validateCoupon.ts'
import { publicItem, storedIdOf, storedItem } from '../domain/itemRef.ts'
import { defineResource } from '../framework/declare/defineResource.ts'
import { everything, nothing } from '../framework/declare/expressions.ts'
import { money, moneyOf, reference } from '../framework/declare/fields.ts'
import { defineCollectionAction, defineCollectionRead } from '../framework/declare/typedOperations.ts'
import { requireNoFieldErrors } from '../framework/write/body.ts'
import type { Writing } from '../framework/write/writing.ts'
import { fromPublicId } from '../lib/ids.ts'
import { Problem } from '../lib/problem.ts'
import { audienceOf } from '../policy/caller.ts'
import { couponSchema, couponTerms } from './couponFields.ts'
import { itemRef } from './itemFields.ts'

type Discount = { type: 'percent'; percent_off: number } | { type: 'amount'; amount_off: { amount: number; currency: string } }
interface StoredDiscount {
  discount_type: string
  percent_bps: number | null
  amount_off: string | number | null
  currency: string | null
}
type AppliesTo = { all?: true | undefined; items?: { type: string; id: string }[] | undefined }

const publicDiscount = ({ discount_type, percent_bps, amount_off, currency }: StoredDiscount): Discount =>
  discount_type === 'percent'
    ? { type: 'percent', percent_off: (percent_bps ?? 0) / 100 }
    : { type: 'amount', amount_off: moneyOf(amount_off, currency) as { amount: number; currency: string } }

const discountColumns = (discount: Discount) => ({
  discount_type: discount.type,
  percent_bps: discount.type === 'percent' ? bpsOf(discount.percent_off) : null,
  amount_off: discount.type === 'amount' ? String(discount.amount_off.amount) : null,
})

/** Codes that make things cheaper. */
export const coupons = defineResource({
  name: 'coupons',
  object: 'coupon',
  idPrefix: 'cpn',
  table: 'coupon',
  about: 'A code that makes what the school sells cheaper: what it takes off, what it is good for, who can use it, and how often.',
  scopes: { read: 'See and check coupons', write: 'Add, change and redeem coupons' },
  schema: couponSchema,
  derived: {
    discount: {
      from: ['discount_type', 'percent_bps', 'amount_off', 'currency'],
      of: publicDiscount,
      write: (discount) => discountColumns(discount as Discount),
    },
    applies_to: {
      select: itemsOf,
      of: (items: { type: string; id: string }[] | null) => (items ? { items: items.map(publicItem) as never } : { all: true as const }),
      write: (applies) => ({ applies_to_all: (applies as AppliesTo | undefined)?.items === undefined }),
    },
    minimum_subtotal: {
      from: ['minimum_amount', 'currency'],
      of: ({ minimum_amount, currency }) => moneyOf(minimum_amount, currency),
      write: (minimum) => ({ minimum_amount: minimum && String(minimum.amount) }),
    },
    status: { select: stateOf },
  },
  writable: [
    { field: 'code', on: 'create' },
    'name',
    'discount',
    'duration',
    'duration_months',
    'applies_to',
    'audience',
    'minimum_subtotal',
    'first_purchase_only',
    'max_redemptions',
    'max_redemptions_per_person',
    'starts_at',
    'ends_at',
    'note',
    'external_id',
    'metadata',
  ],
  required: ['code', 'discount'],
  filters: [
    { name: 'status', description: 'what it is now', value: z.enum(couponStatuses), where: isInState },
    'code',
    'code[prefix]',
    {
      name: 'batch',
      description: 'the id of a batch',
      value: reference('cpb', 'Id of a batch.'),
      where: (coupon, ids: readonly string[]) => coupon('batch_id', 'in', ids),
    },
    {
      name: 'item',
      description: 'the id of something that it names',
      value: z
        .string()
        .regex(/^(crs|dgp|mpl|evt)_[0-7][0-9a-hjkmnp-tv-z]{25}$/, 'must be the id of a course, digital product, membership plan or event'),
      where: (coupon, ids: readonly string[]) =>
        namesItem(
          coupon,
          ids.flatMap((id) => storedIdOf(id) ?? []),
        ),
    },
    'created_at',
    'updated_at',
    'ends_at',
    'external_id',
  ],
  search: ['code', 'name'],
  sorts: ['-created_at', 'updated_at', 'ends_at'],
  exports: true,
  visibility: { anonymous: nothing, learner: nothing, lecturer: nothing, staff: everything },
  operations: {
    list: 'read',
    get: 'read',
    create: {
      scope: 'write',
      check: (values, writing) => checkTerms({ ...values }, writing),
      defaults: async ({ sql, school }) => ({ currency: await currencyOf(sql, school.id) }),
      after: keepCouponItems,
    },
    update: { scope: 'write', check: checkChange, after: keepCouponItems },
    remove: { scope: 'write', before: requireUnused },
  },
  actions: {
    pause: { scope: 'write', summary: 'Let nobody use a coupon for now', run: pauseCoupon },
    resume: { scope: 'write', summary: 'Let a paused coupon be used again', run: resumeCoupon },
    archive: { scope: 'write', summary: 'End a coupon for good', run: archiveCoupon },
  },
  collectionReads: {
    validate: defineCollectionRead({
      scope: 'read',
      id: 'validateCoupon',
      summary: 'Show what a code makes of prices',
      isPublic: true,
      limit: 'guess',
      input: z.object({
        code: z.string().min(1).max(40).meta({ description: 'As it was typed.', example: 'SPRING25' }),
        items: z
          .array(
            itemRef('An item.').extend({
              price_id: reference('prc', 'Of a membership plan: which price.')
                .optional()
                .meta({ description: 'Of a membership plan: which price.' }),
            }),
          )
          .min(1)
          .max(20)
          .meta({ description: 'What would be bought.', example: [{ type: 'course', id: 'crs_01jgwejj00e6srgkpqm2sqf05m' }] }),
      }),
      output: z.object({
        valid: z.boolean().meta({ description: 'Whether it can be used for this.', example: true }),
        reason: z.string().nullable().meta({ description: 'Why not: not_applicable for everybody but the staff.', example: null }),
        discount: couponTerms.discount
          .nullable()
          .meta({ description: 'What it takes off.', example: { type: 'percent', percent_off: 25 } }),
        lines: z
          .array(
            z.object({
              item: itemRef('The item.'),
              price: money('What it costs.'),
              discount: money('What is taken off.'),
              total: money('What is left.'),
            }),
          )
          .meta({ description: 'Line by line.', example: [] }),
        subtotal: money('What all of it costs.'),
        discount_total: money('What is taken off in all.'),
        total: money('What is left to be paid.'),
      }),
      async run({ store, school, caller }, { code, items }) {
        if (!store) throw new Error('coupons are validated where there is a database')
        const asked = items as { type: string; id: string; price_id?: string }[]
        return await store.transaction(async (_writer, sql) => {
          const stored = asked.map((item) => ({ ...storedItem(item), priceId: item.price_id && fromPublicId('prc', item.price_id) }))
          const offers = await findOffers(sql, school.id, stored as never)
          const unknown = offers.indexOf(undefined)
          if (unknown >= 0) throw notForSale(unknown)
          const currency = await currencyOf(sql, school.id)
          const personId = caller.kind === 'anonymous' ? undefined : audienceOf(caller) === 'staff' ? null : (caller.personId ?? undefined)
          const known = offers as Exclude<(typeof offers)[number], undefined>[]
          const { coupon, reason, quote } = await validateCoupon(sql, {
            schoolId: school.id,
            code: code as string,
            offers: known,
            currency,
            personId,
          })
          const off = reason === undefined && coupon ? publicDiscount(coupon) : null
          return {
            valid: reason === undefined,
            reason: publicReason(reason, caller),
            discount: off,
            ...publicQuote(known, quote, currency),
          }
        })
      },
    }),
  },
  collectionActions: {
    generate: defineCollectionAction({
      scope: 'write',
      id: 'generateCoupons',
      summary: 'Make many coupons that can each be used once',
      status: 201,
      input: z.object({
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
          .meta({ description: 'What they share.', example: { discount: { type: 'percent', percent_off: 25 } } }),
        prefix: z
          .string()
          .toUpperCase()
          .regex(/^([A-Z0-9][A-Z0-9_-]*)?$/, 'must be of A-Z, 0-9, _ and -, and begin with a letter or a digit')
          .max(12)
          .default('')
          .meta({ description: 'What each code begins with.', example: 'GIFT-' }),
        count: z.int().min(1).max(1000).meta({ description: 'How many.', example: 10 }),
        random_length: z.int().min(6).max(16).default(8).meta({ description: 'How many random characters follow.', example: 8 }),
      }),
      output: z.object({
        batch_id: reference('cpb', 'Id of the batch; the list can be filtered by it.'),
        count: z.int().meta({ description: 'How many were made.', example: 10 }),
        codes: z.array(z.string()).meta({ description: 'Their codes.', example: ['GIFT-7KQ2MXWA'] }),
      }),
      async run(writing, { template, prefix, count, random_length }) {
        const terms = template as Record<string, unknown>
        requireNoFieldErrors(await checkTerms(terms, writing, 'template.'))
        const { batchId, codes } = await generateCoupons(writing.sql, {
          schoolId: writing.school.id,
          now: writing.now,
          prefix: prefix as string,
          count: count as number,
          length: random_length as number,
          columns: await columnsOfTerms(writing, terms),
          items: (terms.applies_to as AppliesTo).items ?? [],
        })
        return { batch_id: batchId, count: codes.length, codes }
      },
    }),
  },
})

async function columnsOfTerms({ sql, school }: Writing, terms: Record<string, unknown>): Promise<Record<string, unknown>> {
  const { discount, applies_to, minimum_subtotal, ...columns } = terms
  return {
    ...columns,
    ...discountColumns(discount as Discount),
    applies_to_all: (applies_to as AppliesTo).items === undefined,
    minimum_amount: (minimum_subtotal as { amount: number } | null)?.amount ?? null,
    currency: await currencyOf(sql, school.id),
  }
}

const notForSale = (index: number): Problem =>
  new Problem('invalid_reference', {
    details: [{ field: `items.${index}`, code: 'invalid_reference', message: `items.${index}: this is not for sale` }],
  })
