import { coursePlanSql, grantsAccessSql } from '../../store/accessExpressions.ts'
import type { Sql } from '../../store/sql.ts'
import type { EnrollmentSource } from './enrollmentStatus.ts'

/** What ends: it opens nothing from now on, whatever its row says. */
export type EndedSource = { orderId: string; subscriptionId?: undefined } | { subscriptionId: string; orderId?: undefined }

/** What else opens a course to a person. */
export interface ActiveEntitlement {
  source: EnrollmentSource
  order_id: string | null
  subscription_id: string | null
  /** Until when, where that is known beforehand. */
  expires_at: Date | null
}

/** What opens the course to the person beside what ends: something bought or given before a plan. Undefined where nothing does. */
export async function findActiveEntitlement(
  sql: Sql,
  { schoolId, personId, courseId }: { schoolId: string; personId: string; courseId: string },
  { orderId, subscriptionId }: Partial<EndedSource> = {},
): Promise<ActiveEntitlement | undefined> {
  const rows = await sql.query<ActiveEntitlement>(
    `SELECT 'purchase' AS source, orders.id AS order_id, NULL::uuid AS subscription_id,
            coalesce(orders.paid_at, orders.placed_at) + make_interval(days => course.access_duration_days) AS expires_at, 1 AS place
       FROM orders
       JOIN order_item item ON item.school_id = orders.school_id AND item.order_id = orders.id
       JOIN course ON course.school_id = item.school_id AND course.id = item.product_id
      WHERE orders.school_id = $1 AND orders.person_id = $2 AND item.product_type = 'course' AND item.product_id = $3
        AND orders.status IN ('paid', 'partially_refunded') AND orders.id IS DISTINCT FROM $4::uuid
        AND (item.refunded_amount < item.total_amount OR item.total_amount = 0)
        AND (course.access_duration_days IS NULL
             OR coalesce(orders.paid_at, orders.placed_at) + make_interval(days => course.access_duration_days) > now())
     UNION ALL
     SELECT CASE source_type WHEN 'order' THEN 'purchase' WHEN 'coupon' THEN 'coupon' ELSE 'manual' END,
            CASE WHEN source_type = 'order' THEN (SELECT id FROM orders WHERE orders.school_id = $1 AND orders.id = source_id) END,
            NULL::uuid, ends_at, 2
       FROM entitlement
      WHERE school_id = $1 AND person_id = $2 AND product_type = 'course' AND product_id = $3 AND revoked_at IS NULL
        AND starts_at <= now() AND (ends_at IS NULL OR ends_at > now()) AND NOT (source_type = 'order' AND source_id IS NOT DISTINCT FROM $4::uuid)
     UNION ALL
     SELECT 'plan', NULL::uuid, subscription.id, NULL::timestamptz, 3
       FROM subscription
       JOIN membership_plan ON membership_plan.school_id = subscription.school_id AND membership_plan.id = subscription.plan_id
      WHERE subscription.school_id = $1 AND subscription.person_id = $2 AND subscription.id IS DISTINCT FROM $5::uuid
        AND ${grantsAccessSql} AND ${coursePlanSql('$3::uuid')}
      ORDER BY place, expires_at DESC NULLS FIRST LIMIT 1`,
    [schoolId, personId, courseId, orderId ?? null, subscriptionId ?? null],
  )
  return rows[0]
}
