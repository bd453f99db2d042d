import { Problem } from '../../base/problem.ts'
import { keysOf } from '../../base/text/keysOf.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'

interface Context {
  writer: SchoolWriter
}

interface Product {
  type: 'course' | 'digital_product'
  id: string
}

const names = {
  enrollment: 'an enrolment',
  product_grant: 'a grant',
  entitlement: 'an entitlement',
  order_item: 'an order',
  coupon_item: 'a coupon',
  coupon_redemption: 'a redeemed coupon',
  plan_item: 'a membership plan',
} as const

/**
 * Checks that nothing refers to a course or digital product. One that was ever sold, granted or included in an offer cannot be deleted.
 * @throws Problem resource_in_use with the types of the referring rows
 */
export async function requireUnreferenced({ writer }: Context, product: Product): Promise<void> {
  const found = await writer
    .selectNoFrom((query) => {
      const refersTo = (table: 'entitlement' | 'order_item' | 'coupon_item' | 'coupon_redemption' | 'plan_item') =>
        query.exists(query.selectFrom(table).where('product_type', '=', product.type).where('product_id', '=', product.id))
      const enrollments = query.selectFrom('enrollment').select('id')
      const grants = query.selectFrom('product_grant').select('id')
      return [
        (product.type === 'course' ? query.exists(enrollments.where('course_id', '=', product.id)) : query.lit(false)).as('enrollment'),
        (product.type === 'digital_product' ? query.exists(grants.where('product_id', '=', product.id)) : query.lit(false)).as(
          'product_grant',
        ),
        refersTo('entitlement').as('entitlement'),
        refersTo('order_item').as('order_item'),
        refersTo('coupon_item').as('coupon_item'),
        refersTo('coupon_redemption').as('coupon_redemption'),
        refersTo('plan_item').as('plan_item'),
      ]
    })
    .executeTakeFirstOrThrow()
  const referring = keysOf(names).filter((table) => found[table])
  if (referring.length === 0) return
  throw new Problem('resource_in_use', {
    description: `It is referenced by ${referring.map((table) => names[table]).join(' and ')}, so it cannot be deleted. Archive it instead.`,
  })
}
