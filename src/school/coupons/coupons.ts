// More than 250 lines: one declaration.

import { z } from 'zod'
import { audienceOf } from '../../base/caller.ts'
import { exampleId, fromPublicId } from '../../base/ids.ts'
import { Problem } from '../../base/problem.ts'
import { defineResource } from '../../engine/declare/defineResource.ts'
import { everything, nothing, type Row } from '../../engine/declare/expressions.ts'
import { moneyIn, moneyOf, reference } from '../../engine/declare/fields.ts'
import { defineCollectionAction, defineCollectionRead } from '../../engine/declare/typedOperations.ts'
import { requireNoFieldErrors } from '../../engine/write/parseBody.ts'
import type { Writing } from '../../engine/write/writing.ts'
import { currencyOf } from '../currencyOf.ts'
import { publicItem, storedIdOf, storedItem } from '../itemRef.ts'
import { couponBatchInput, couponBatchOutput, couponCheckInput, couponCheckOutput, couponSchema } from './couponFields.ts'
import { isInState, itemsOf, listsItem, stateOf } from './couponSelections.ts'
import {
  type AppliesTo,
  basisPoints,
  type CouponInput,
  checkChange,
  checkTerms,
  type DiscountInput,
  requireUnused,
  saveCouponItems,
} from './couponWriting.ts'
import { findOffers, publicQuote } from './findOffers.ts'
import { generateCoupons, type SharedTerms } from './generateCoupons.ts'
import { type CouponStatus, couponStatuses, publicReason, validateCoupon } from './validateCoupon.ts'

type StoredDiscount = Pick<Row<'coupon'>, 'discount_type' | 'percent_bps' | 'amount_off' | 'currency'>

const publicDiscount = ({ discount_type, percent_bps, amount_off, currency }: StoredDiscount): DiscountInput =>
  discount_type === 'percent'
    ? { type: 'percent', percent_off: (percent_bps ?? 0) / 100 }
    : { type: 'amount', amount_off: moneyIn(amount_off ?? 0, currency ?? '') }

const discountColumns = (discount: DiscountInput) => ({
  discount_type: discount.type,
  percent_bps: discount.type === 'percent' ? basisPoints(discount.percent_off) : null,
  amount_off: discount.type === 'amount' ? String(discount.amount_off.amount) : null,
})

/** The statuses of a coupon that is neither paused nor at its end. Dates and the number of uses decide which of them it has. */
const usable = ['active', 'scheduled', 'exhausted'] as const satisfies readonly CouponStatus[]

export const coupons = defineResource({
  name: 'coupons',
  object: 'coupon',
  idPrefix: 'cpn',
  table: 'coupon',
  about: 'A code for a discount: its amount, the items it applies to, who can use it, and how often.',
  undo: true,
  scopes: {
    read: {
      learner: 'Check coupons, and see which ones you used',
      staff: 'See and check all coupons, and see who used them',
      othersData: ['staff'],
    },
    write: { learner: 'Use coupons in your name', staff: 'Add, change, pause, archive, delete and redeem coupons' },
  },
  schema: couponSchema,
  derived: {
    discount: {
      from: ['discount_type', 'percent_bps', 'amount_off', 'currency'],
      of: publicDiscount,
      write: (discount) => discountColumns(discount),
    },
    applies_to: {
      select: itemsOf,
      of: (items: { type: string; id: string }[] | null) => (items?.length ? { items: items.map(publicItem) } : { all: true as const }),
      write: (applies) => ({ applies_to_all: applies?.items === undefined }),
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
    {
      name: 'status',
      description: 'the current status',
      value: z.enum(couponStatuses).meta({ component: 'CouponStatus' }),
      where: isInState,
    },
    'code',
    'code[prefix]',
    {
      name: 'batch_id',
      description: 'the id of a batch',
      value: reference('cpb', 'Id of a batch.'),
      where: (coupon, ids: readonly string[]) => coupon('batch_id', 'in', ids),
    },
    {
      name: 'item_id',
      description: 'the id of an item that the coupon lists',
      value: z
        .string()
        .regex(/^(crs|dgp|mpl|evt)_[0-7][0-9a-hjkmnp-tv-z]{25}$/, 'must be the id of a course, digital product, membership plan or event')
        .meta({ example: exampleId('crs') }),
      where: (coupon, ids: readonly string[]) =>
        listsItem(
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
      errors: ['code_taken'],
      check: (values, writing) => checkTerms(values as CouponInput, writing),
      defaults: async ({ writer }) => ({ currency: await currencyOf(writer) }),
      after: saveCouponItems,
    },
    update: { scope: 'write', check: checkChange, after: saveCouponItems },
    remove: { scope: 'write', before: requireUnused },
  },
  actions: {
    pause: { scope: 'write', summary: 'Pause a coupon', from: usable, to: 'paused', run: async ({ now }) => ({ paused_at: now }) },
    resume: { scope: 'write', summary: 'Resume a paused coupon', from: ['paused'], to: usable, run: async () => ({ paused_at: null }) },
    archive: {
      scope: 'write',
      summary: 'Archive a coupon, so that it is no longer accepted',
      from: [...usable, 'paused', 'expired'],
      to: 'archived',
      run: async ({ now }) => ({ archived_at: now }),
    },
    restore: {
      scope: 'write',
      summary: 'Restore an archived coupon, which is paused if it was before',
      from: ['archived'],
      to: [...usable, 'paused', 'expired'],
      run: async () => ({ archived_at: null }),
    },
  },
  collectionReads: {
    validate: defineCollectionRead({
      scope: 'read',
      id: 'validateCoupon',
      summary: 'Check a coupon code and calculate the discounted prices',
      isPublic: true,
      limit: 'guess',
      input: couponCheckInput,
      output: couponCheckOutput,
      async run({ store, caller }, { code, items }) {
        if (!store) throw new Error('validating a coupon needs a database')
        return await store.transaction(async (writer) => {
          const stored = items.map((item, index) => {
            const priceId = item.price_id === undefined ? undefined : fromPublicId('prc', item.price_id)
            const known = storedItem(item)
            if (!known) throw notForSale(index)
            return { ...known, priceId }
          })
          const offers = await findOffers(writer, stored)
          const unknown = offers.indexOf(undefined)
          if (unknown >= 0) throw notForSale(unknown)
          const currency = await currencyOf(writer)
          const personId = caller.kind === 'anonymous' ? undefined : audienceOf(caller) === 'staff' ? null : (caller.personId ?? undefined)
          const known = offers as Exclude<(typeof offers)[number], undefined>[]
          const { coupon, reason, quote } = await validateCoupon(writer, {
            code,
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
      summary: 'Generate many coupons for one use each',
      status: 201,
      input: couponBatchInput,
      output: couponBatchOutput,
      async run(writing, { template, prefix, count, random_length }) {
        const terms = template
        requireNoFieldErrors(await checkTerms(terms, writing, 'template.'))
        const { batchId, codes } = await generateCoupons(writing.writer, {
          now: writing.now,
          prefix,
          count,
          length: random_length,
          terms: await termsColumns(writing, terms),
          items: terms.applies_to.items ?? [],
        })
        return { batch_id: batchId, count: codes.length, codes }
      },
    }),
  },
})

type TemplateInput = Omit<SharedTerms, 'discount_type' | 'percent_bps' | 'amount_off' | 'currency' | 'applies_to_all' | 'minimum_amount'> &
  CouponInput & { discount: DiscountInput; applies_to: AppliesTo }

async function termsColumns({ writer }: Writing, template: TemplateInput): Promise<SharedTerms> {
  const { discount, applies_to, minimum_subtotal, ...terms } = template
  return {
    ...terms,
    ...discountColumns(discount),
    applies_to_all: applies_to.items === undefined,
    minimum_amount: minimum_subtotal?.amount ?? null,
    currency: await currencyOf(writer),
  }
}

const notForSale = (index: number): Problem =>
  new Problem('invalid_reference', {
    details: [{ field: `items.${index}`, code: 'invalid_reference', message: `items.${index}: must be an item that is for sale` }],
  })
