import { sql } from 'kysely'
import { newId } from '../../base/ids.ts'
import type { SchoolWriter, Stored } from '../../database/connection/database.ts'
import { countedBy, now as databaseTime, isAmong } from '../../database/statements/expressions.ts'
import { confirmSeats, lockEvents, withdrawSeats } from '../events/orderedSeats.ts'
import { enroll } from '../learning/enroll.ts'
import { endEnrollments } from '../learning/restoreEnrollments.ts'
import { grantProduct } from '../products/grantProduct.ts'
import type { InSchool } from '../schoolHandles.ts'

interface OfOrder extends InSchool {
  orderId: string
}

/**
 * Grants the courses, digital products and seats of a paid order. The subscription of a membership plan grants what the plan includes. If a
 * coupon covers the whole price, the coupon is recorded as the source of the access.
 */
export async function openAccess(writer: SchoolWriter, { now, orderId }: OfOrder): Promise<void> {
  const items = await findItems(writer, orderId)
  const personId = items[0]?.person_id
  const statuses = await lockEvents(writer, eventsAmong(items))
  for (const { product_type, product_id, person_id, kind, coupon_id } of items) {
    if (person_id === null || product_type === 'membership_plan') continue
    const couponId = kind === 'zero_total' ? coupon_id : null
    const source = couponId === null ? 'purchase' : 'coupon'
    const access = { schoolId: writer.schoolId, now, personId: person_id, source, orderId } as const
    if (product_type === 'course') {
      // A payment guarantees a place. A coupon that leaves nothing to pay does not.
      const place = couponId === null ? {} : ({ couponId, requiresPlaceFor: 'person' } as const)
      await enroll(writer, { ...access, courseId: product_id, ...place })
    }
    if (product_type === 'digital_product') {
      await countSale(writer, product_id, 1)
      await grantProduct(writer, { ...access, productId: product_id })
    }
    await writer
      .insertInto('entitlement')
      .values((entitlement) => ({
        school_id: writer.schoolId,
        id: newId(),
        created_at: now,
        updated_at: now,
        person_id,
        product_type,
        product_id,
        source_type: 'order',
        source_id: orderId,
        starts_at: now,
        ends_at:
          product_type === 'course'
            ? entitlement
                .selectFrom('course')
                .select((course) =>
                  sql<Date | null>`${now}::timestamptz + make_interval(days => ${course.ref('course.access_duration_days')})`.as('ends_at'),
                )
                .where('course.id', '=', product_id)
            : null,
      }))
      .onConflict((conflict) =>
        conflict
          .columns(['school_id', 'person_id', 'product_type', 'product_id', 'source_type', 'source_id'])
          .doUpdateSet({ revoked_at: null }),
      )
      .execute()
  }
  if (personId) await confirmSeats(writer, { personId, orderId, statuses })
}

type OrderedProduct = Stored<'analytics_daily_product', 'product_type' | 'product_id'>

/** Revokes the access that refunded lines of an order granted. Access that another source grants as well is kept. */
export async function closeAccess(
  writer: SchoolWriter,
  { products, personId, ...order }: OfOrder & { products: readonly OrderedProduct[]; personId: string | null },
): Promise<void> {
  const { now, orderId } = order
  const productIds = products.map(({ product_id }) => product_id)
  if (productIds.length === 0) return
  const events = await lockEvents(writer, eventsAmong(products))
  await writer
    .updateTable('entitlement')
    .set((entitlement) => ({ revoked_at: now, version: entitlement('version', '+', 1), updated_at: now }))
    .where('source_type', '=', 'order')
    .where('source_id', '=', orderId)
    .where('revoked_at', 'is', null)
    .where((entitlement) => isAmong(entitlement.ref('entitlement.product_id'), productIds))
    .execute()
  for (const { product_id } of inLockOrder(products.filter(({ product_type }) => product_type === 'digital_product'))) {
    await countSale(writer, product_id, -1)
  }
  await endEnrollments(writer, { ...order, courseIds: productIds })
  await reassignGrants(writer, order, productIds)
  if (personId !== null) await withdrawSeats(writer, { personId, eventIds: [...events.keys()] })
}

const eventsAmong = (products: readonly OrderedProduct[]): string[] =>
  products.flatMap(({ product_type, product_id }) => (product_type === 'event' ? [product_id] : []))

const inLockOrder = <Product extends OrderedProduct>(products: readonly Product[]): Product[] =>
  products.toSorted((left, right) => (left.product_id < right.product_id ? -1 : 1))

/** Assigns the grants of an order to another paid order of the same person and product, or revokes them if there is none. */
async function reassignGrants(writer: SchoolWriter, { now, orderId }: OfOrder, productIds: readonly string[]): Promise<void> {
  await writer
    .updateTable('product_grant')
    .from((query) =>
      query
        .selectFrom('product_grant as own')
        .leftJoinLateral(
          (own) =>
            own
              .selectFrom('entitlement')
              .select('entitlement.source_id')
              .whereRef('entitlement.person_id', '=', 'own.person_id')
              .where('entitlement.product_type', '=', 'digital_product')
              .whereRef('entitlement.product_id', '=', 'own.product_id')
              .where('entitlement.source_type', '=', 'order')
              .where('entitlement.revoked_at', 'is', null)
              .where((row) => row.or([row('entitlement.ends_at', 'is', null), row('entitlement.ends_at', '>', databaseTime)]))
              .orderBy('entitlement.id')
              .limit(1)
              .as('other'),
          (join) => join.onTrue(),
        )
        .select(['own.school_id', 'own.id', 'other.source_id as other_order_id'])
        .where('own.order_id', '=', orderId)
        .where('own.revoked_at', 'is', null)
        .where((own) => isAmong(own.ref('own.product_id'), productIds))
        .as('reassigned'),
    )
    .set((grant) => ({
      order_id: grant.ref('reassigned.other_order_id'),
      revoked_at: grant
        .case()
        .when('reassigned.other_order_id', 'is', null)
        .then(grant.cast<Date>(grant.val(now), 'timestamptz'))
        .end(),
      version: grant('product_grant.version', '+', 1),
      updated_at: now,
    }))
    .whereRef('product_grant.id', '=', 'reassigned.id')
    .execute()
}

/** Returns digital products before courses, which also lock the person: a constant order of locks prevents deadlocks. */
const findItems = (writer: SchoolWriter, orderId: string) =>
  writer
    .selectFrom('order_item')
    .innerJoin('orders', 'orders.id', 'order_item.order_id')
    .select(['order_item.product_type', 'order_item.product_id', 'orders.person_id', 'orders.kind', 'orders.coupon_id'])
    .where('order_item.order_id', '=', orderId)
    .orderBy('order_item.product_type', 'desc')
    .orderBy('order_item.product_id')
    .execute()

async function countSale(writer: SchoolWriter, productId: string, count: 1 | -1): Promise<void> {
  await writer
    .updateTable('digital_product')
    .set((product) => ({ sales_count: countedBy(product.ref('digital_product.sales_count'), count) }))
    .where('id', '=', productId)
    .execute()
}
