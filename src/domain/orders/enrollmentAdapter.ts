import { newId } from '../../lib/ids.ts'
import type { Sql } from '../../store/sql.ts'

interface Enrolling {
  schoolId: string
  now: Date
  personId: string
  courseId: string
  source: string
  orderId: string
  couponId?: string | undefined
}

/** Enrols a person in a course that they have bought. */
export async function enroll(sql: Sql, { schoolId, now, personId, courseId, source, orderId, couponId }: Enrolling): Promise<void> {
  await sql.query(
    `INSERT INTO enrollment (school_id, id, created_at, updated_at, person_id, course_id, source, order_id, coupon_id, starts_at)
     VALUES ($1, $2, $3, $3, $4, $5, $6, $7, $8, $3)
     ON CONFLICT (school_id, course_id, person_id) DO UPDATE SET status = 'active', canceled_at = NULL, version = enrollment.version + 1,
       updated_at = excluded.updated_at
     WHERE enrollment.status IN ('canceled', 'expired')`,
    [schoolId, newId(), now, personId, courseId, source, orderId, couponId ?? null],
  )
}

/** Ends the enrolments that an order has opened. */
export async function endEnrollmentsOf(
  sql: Sql,
  { schoolId, now, orderId }: { schoolId: string; now: Date; orderId: string },
): Promise<void> {
  await sql.query(
    `UPDATE enrollment SET status = 'canceled', canceled_at = $3, version = version + 1, updated_at = $3
      WHERE school_id = $1 AND order_id = $2 AND status = 'active'`,
    [schoolId, orderId, now],
  )
}
