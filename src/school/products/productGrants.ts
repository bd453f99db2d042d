import { z } from 'zod'
import { defineResource } from '../../engine/declare/defineResource.ts'
import { everything, nothing } from '../../engine/declare/expressions.ts'
import { reference, timestamp } from '../../engine/declare/fields.ts'
import type { Resource } from '../../engine/declare/resource.ts'
import { defineCreation } from '../../engine/declare/typedOperations.ts'
import { parentOf } from '../../engine/write/writing.ts'
import { digitalProducts } from './digitalProducts.ts'
import { giveProduct, ownerOf } from './grantRows.ts'
import { productArea } from './productArea.ts'

const person = {
  student_id: reference('std', 'Id of the person as a student.'),
  member_id: reference('mbr', 'Id of the person as a member.'),
}

export const productGrants: Resource = defineResource({
  name: 'grants',
  object: 'product_grant',
  called: { one: 'product_grant', many: 'product_grants' },
  idPrefix: 'dgg',
  table: 'product_grant',
  feature: 'digital_products',
  about: 'The ownership of a digital product by a person. Each person has at most one grant of a product.',
  undo: true,
  scopes: productArea,
  schema: z.object({
    product_id: reference('dgp', 'Id of the product.'),
    person: z
      .object({
        name: z.string().meta({ description: 'Name of the person.', example: 'Wren Applegarth' }),
        student_id: person.student_id.nullable().meta({ description: 'The person as a student.', example: null, idPrefix: 'std' }),
        member_id: person.member_id.nullable().meta({ description: 'The person as a member.', example: null, idPrefix: 'mbr' }),
      })
      .meta({ description: 'Owner of the product.', example: {} }),
    source: z.enum(['purchase', 'plan', 'coupon', 'manual']).meta({ component: 'GrantSource' }).meta({
      description: 'Source of the grant. A grant with the source plan only counts downloads; the plan itself grants access.',
      example: 'manual',
    }),
    order_id: reference('ord', 'Id of the order.')
      .nullable()
      .meta({ description: 'Order of the product.', example: null, idPrefix: 'ord' }),
    note: z.string().nullable().meta({ description: 'Note of the staff.', example: 'For helping at the fair.' }),
    downloads_count: z.int().meta({ description: 'Number of downloads.', example: 2 }),
    granted_at: timestamp().meta({ description: 'When the product was granted.', example: '2026-03-01T09:30:00.000Z' }),
    revoked_at: timestamp().nullable().meta({ description: 'When the grant was revoked; null if it is active.', example: null }),
  }),
  derived: { person: { select: ownerOf } },
  filters: ['source', 'revoked_at[exists]', 'created_at', 'updated_at'],
  sorts: ['-created_at'],
  exports: true,
  under: { resource: (): Resource => digitalProducts, table: 'digital_product', column: 'product_id' },
  listedUnder: [
    { resource: (): Resource => digitalProducts, where: (grant, id) => grant('product_id', '=', id), id: 'listProductGrants', byId: true },
  ],
  isPart: true,
  visibility: { anonymous: nothing, learner: nothing, lecturer: nothing, staff: everything },
  operations: {
    list: 'read',
    create: defineCreation({
      scope: 'write',
      id: 'grantProduct',
      isOnce: true,
      roles: ['staff'],
      input: z.object({
        student_id: person.student_id.optional().meta({ description: 'Person who gets the product, as a student.' }),
        member_id: person.member_id.optional().meta({ description: 'Person who gets the product, as a member.' }),
        note: z.string().max(500).nullable().optional().meta({ description: 'Note for the staff.', example: 'For helping at the fair.' }),
      }),
      perform: async (writing, input) => await giveProduct(writing, parentOf(writing).id, input),
    }),
  },
})
