import { z } from 'zod'
import { defineResource } from '../../engine/declare/defineResource.ts'
import { everything, nothing } from '../../engine/declare/expressions.ts'
import { money, moneyIn, reference } from '../../engine/declare/fields.ts'
import type { Resource } from '../../engine/declare/resource.ts'
import { defineCreation } from '../../engine/declare/typedOperations.ts'
import { typedCode } from '../../engine/declare/typedTexts.ts'
import { publicItem } from '../itemRef.ts'
import { itemRef, personRef } from '../orders/itemFields.ts'
import { orders } from '../orders/orders.ts'
import { codeOf, type Facets, facetsOf, isMyUse, redeemerOf } from './couponSelections.ts'
import { coupons } from './coupons.ts'
import { redeemCoupon } from './redeemCoupon.ts'

export const couponRedemptions = defineResource({
  name: 'coupon_redemptions',
  object: 'coupon_redemption',
  idPrefix: 'crd',
  table: 'coupon_redemption',
  about: 'A use of a coupon. A checkout reserves it, the payment confirms it, and an abandoned checkout releases it.',
  undo: 'A redeemed coupon belongs to the person.',
  scopes: coupons.area,
  schema: z.object({
    coupon_id: reference('cpn', 'The coupon.').meta({ description: 'The coupon.', idPrefix: 'cpn' }),
    code: z.string().meta({ description: 'Code of the coupon.', example: 'SPRING25' }),
    person: personRef('Person who used the coupon; null after the person was erased.'),
    item: itemRef('Item that the coupon was used for; the first discounted one of several.'),
    order_id: z.string().nullable().meta({ description: 'The order.', idPrefix: 'ord', example: null }),
    amount_off: money('Amount of the discount.'),
    status: z
      .enum(['reserved', 'confirmed', 'released'])
      .meta({ component: 'RedemptionStatus' })
      .meta({ description: 'Status of the use. Released uses do not count.', example: 'confirmed' }),
  }),
  derived: {
    code: { select: codeOf },
    person: { select: redeemerOf, of: (person: Facets | null) => facetsOf(person) },
    item: {
      from: ['product_type', 'product_id'],
      of: ({ product_type, product_id }) => publicItem({ type: product_type, id: product_id }),
    },
    amount_off: { from: ['amount_off', 'currency'], of: ({ amount_off, currency }) => moneyIn(amount_off, currency) },
  },
  filters: [
    {
      name: 'coupon_id',
      description: 'the id of a coupon',
      value: reference('cpn', 'Id of a coupon.'),
      where: (use, ids: readonly string[]) => use('coupon_id', 'in', ids),
    },
    {
      name: 'student_id',
      description: 'the id of a student',
      value: reference('std', 'Id of a student.'),
      where: (use, ids: readonly string[]) => use('person_id', 'in', ids),
    },
    'status',
    'created_at',
  ],
  sorts: ['-created_at'],
  exports: true,
  expand: {
    coupon: { resource: (): Resource => coupons, id: ({ coupon_id }) => coupon_id },
    order: { resource: (): Resource => orders, id: ({ order_id }) => order_id },
  },
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
    create: defineCreation({
      scope: 'write',
      asksFirst: 'outward',
      errors: ['invalid_state', 'checkout_required', 'coupon_unavailable', 'coupon_already_used'],
      id: 'redeemCoupon',
      limit: 'guess',
      input: z.object({
        code: typedCode().min(1).max(40).meta({ description: 'Code as the person typed it.', example: 'SPRING25' }),
        item: itemRef('Item to use the coupon for.'),
        price_id: reference('prc', 'Price of the membership plan.')
          .optional()
          .meta({ description: 'Price of the membership plan; required for a plan.' }),
        student_id: reference('std', 'Student who gets the item.')
          .optional()
          .meta({ description: 'Student who gets the item; without it, the caller.' }),
      }),
      perform: (writing, request) => redeemCoupon(writing, request),
    }),
  },
})
