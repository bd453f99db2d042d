import { z } from 'zod'
import { codeOf, type Facets, facetsOf, isMyUse, redeemerOf } from '../domain/coupons/couponSelections.ts'
import { type RedemptionRequest, redeemCoupon } from '../domain/coupons/redeemCoupon.ts'
import { publicItem } from '../domain/itemRef.ts'
import { defineResource } from '../framework/declare/defineResource.ts'
import { everything, nothing } from '../framework/declare/expressions.ts'
import { money, moneyOf, reference } from '../framework/declare/fields.ts'
import type { Resource } from '../framework/declare/resource.ts'
import { coupons } from './coupons.ts'
import { itemRef, personRef } from './itemFields.ts'

/** Uses of coupons. */
export const couponRedemptions = defineResource({
  name: 'coupon_redemptions',
  object: 'coupon_redemption',
  idPrefix: 'crd',
  table: 'coupon_redemption',
  about: 'A use of a coupon. A running checkout reserves it; a payment confirms it, and a checkout that comes to nothing releases it.',
  scopes: coupons.area,
  schema: z.object({
    coupon_id: reference('cpn', 'The coupon.').meta({ description: 'The coupon.', idPrefix: 'cpn' }),
    code: z.string().meta({ description: 'The code that was used.', example: 'SPRING25' }),
    person: personRef('Who used it; null for somebody who was erased.'),
    item: itemRef('What it was used for; of several items the first.'),
    order_id: z.string().nullable().meta({ description: 'The order.', idPrefix: 'ord', example: null }),
    amount_off: money('What it took off.'),
    status: z.enum(['reserved', 'confirmed', 'released']).meta({ description: 'Released ones do not count.', example: 'confirmed' }),
  }),
  derived: {
    code: { select: codeOf },
    person: { select: redeemerOf, of: (person: Facets | null) => facetsOf(person) },
    item: {
      from: ['product_type', 'product_id'],
      of: ({ product_type, product_id }) => publicItem({ type: product_type, id: product_id }) as never,
    },
    amount_off: { from: ['amount_off', 'currency'], of: ({ amount_off, currency }) => moneyOf(amount_off, currency) as never },
  },
  filters: [
    {
      name: 'coupon',
      description: 'the id of a coupon',
      value: reference('cpn', 'Id of a coupon.'),
      where: (use, ids: readonly string[]) => use('coupon_id', 'in', ids),
    },
    {
      name: 'student',
      description: 'the id of a student',
      value: reference('std', 'Id of a student.'),
      where: (use, ids: readonly string[]) => use('person_id', 'in', ids),
    },
    'status',
    'created_at',
  ],
  sorts: ['-created_at'],
  exports: true,
  expand: { coupon: { resource: (): Resource => coupons, id: ({ coupon_id }) => coupon_id } },
  listedUnder: [
    {
      resource: (): Resource => coupons,
      where: (use, id) => use('coupon_id', '=', id),
      id: 'listCouponRedemptionsOf',
      at: 'redemptions',
      byId: true,
    },
  ],
  visibility: { anonymous: nothing, learner: isMyUse, lecturer: isMyUse, staff: everything },
  views: { own: isMyUse },
  operations: {
    list: 'read',
    create: {
      scope: 'write',
      id: 'redeemCoupon',
      limit: 'guess',
      input: z.object({
        code: z.string().min(1).max(40).meta({ description: 'As it was typed.', example: 'SPRING25' }),
        item: itemRef('What it is used for.'),
        price_id: reference('prc', 'Of a membership plan: which price.')
          .optional()
          .meta({ description: 'Of a membership plan: which price.' }),
        student_id: reference('std', 'For whom; without it for yourself.')
          .optional()
          .meta({ description: 'For whom; without it for yourself.' }),
      }),
      perform: (writing, request) => redeemCoupon(writing, request as unknown as RedemptionRequest),
    },
  },
})
