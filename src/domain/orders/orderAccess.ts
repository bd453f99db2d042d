import { newId } from '../../lib/ids.ts'
import type { Writer } from '../../store/database.ts'
import { kyselyOf } from '../../store/rawSql.ts'
import type { Sql } from '../../store/sql.ts'
import { endEnrollments } from '../learning/endEnrollments.ts'
import { enroll } from '../learning/enroll.ts'
import { grantProduct } from '../products/grantProduct.ts'
import type { InSchool } from './orderContext.ts'

interface OfOrder extends InSchool {
  orderId: string
}

interface OpenedItem {
  product_type: string
  product_id: string
  person_id: string | null
  kind: string
  coupon_id: string | null
}

/**
 * Opens what a paid order is for: courses and digital products. A membership plan is opened by its subscription. A coupon that took
 * everything off is named as what opened it.
 */
export async function openAccess(sql: Sql, { schoolId, now, orderId }: OfOrder): Promise<void> {
  const items = await itemsOf(sql, schoolId, orderId)
  for (const { product_type, product_id, person_id, kind, coupon_id } of items) {
    if (person_id === null || product_type === 'membership_plan') continue
    const isByCoupon = kind === 'zero_total' && coupon_id !== null
    const source = isByCoupon ? 'coupon' : 'purchase'
    const opened = { schoolId, now, personId: person_id, source, orderId } as const
    if (product_type === 'course') {
      // What was paid for has been promised. A coupon that leaves nothing to pay promises no place.
      const asked = isByCoupon ? ({ couponId: coupon_id, requiresPlaceFor: 'person' } as const) : {}
      await enroll(kyselyOf(sql) as Writer, { ...opened, courseId: product_id, ...asked })
    }
    if (product_type === 'digital_product') {
      await countSale(sql, schoolId, product_id, 1)
      await grantProduct(sql, { ...opened, productId: product_id })
    }
    await sql.query(
      `INSERT INTO entitlement (school_id, id, created_at, updated_at, person_id, product_type, product_id, source_type, source_id, starts_at,
              ends_at)
       VALUES ($1, $2, $3, $3, $4, $5, $6, 'order', $7, $3,
               (SELECT $3::timestamptz + make_interval(days => access_duration_days) FROM course
                 WHERE $5 = 'course' AND course.school_id = $1 AND course.id = $6))
       ON CONFLICT (school_id, person_id, product_type, product_id, source_type, source_id) DO UPDATE SET revoked_at = NULL`,
      [schoolId, newId(), now, person_id, product_type, product_id, orderId],
    )
  }
}

/** Closes what an order that is fully paid back has opened. What something else opens as well stays open. */
export async function closeAccess(sql: Sql, { schoolId, now, orderId }: OfOrder): Promise<void> {
  const items = await itemsOf(sql, schoolId, orderId)
  await sql.query(
    `UPDATE entitlement SET revoked_at = $3, version = version + 1, updated_at = $3
      WHERE school_id = $1 AND source_type = 'order' AND source_id = $2 AND revoked_at IS NULL`,
    [schoolId, orderId, now],
  )
  for (const { product_type, product_id } of items) {
    if (product_type === 'digital_product') await countSale(sql, schoolId, product_id, -1)
  }
  await endEnrollments(kyselyOf(sql) as Writer, { schoolId, now, orderId })
  await sql.query(
    `UPDATE product_grant g SET order_id = other.source_id, revoked_at = CASE WHEN other.source_id IS NULL THEN $3::timestamptz END,
            version = g.version + 1, updated_at = $3::timestamptz
       FROM product_grant own
       LEFT JOIN LATERAL (
         SELECT e.source_id FROM entitlement e
          WHERE e.school_id = own.school_id AND e.person_id = own.person_id AND e.product_type = 'digital_product' AND e.product_id = own.product_id
            AND e.source_type = 'order' AND e.revoked_at IS NULL AND (e.ends_at IS NULL OR e.ends_at > now())
          ORDER BY e.id LIMIT 1) other ON true
      WHERE own.school_id = $1 AND own.order_id = $2 AND own.revoked_at IS NULL AND g.school_id = own.school_id AND g.id = own.id`,
    [schoolId, orderId, now],
  )
}

/** Digital products, then courses, which lock the person as well: always in this order, so that nobody waits for one another in a ring. */
const itemsOf = (sql: Sql, schoolId: string, orderId: string): Promise<OpenedItem[]> =>
  sql.query<OpenedItem>(
    `SELECT i.product_type, i.product_id, o.person_id, o.kind, o.coupon_id
       FROM order_item i JOIN orders o ON o.school_id = i.school_id AND o.id = i.order_id
      WHERE i.school_id = $1 AND i.order_id = $2
      ORDER BY i.product_type DESC, i.product_id`,
    [schoolId, orderId],
  )

async function countSale(sql: Sql, schoolId: string, productId: string, count: 1 | -1): Promise<void> {
  await sql.query('UPDATE digital_product SET sales_count = greatest(0, sales_count + $3) WHERE school_id = $1 AND id = $2', [
    schoolId,
    productId,
    count,
  ])
}
