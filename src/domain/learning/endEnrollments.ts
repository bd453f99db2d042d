import { recordChange } from '../../store/changeLog.ts'
import type { Sql } from '../../store/sql.ts'
import { type EndedSource, findActiveEntitlement } from './activeEntitlement.ts'
import { type StatusChange, updateEnrollmentCounters } from './enrollmentCounters.ts'
import type { CountedEnrollment } from './enrollmentStatus.ts'
import { lockCourses } from './lockCourses.ts'

interface Ended extends CountedEnrollment {
  id: string
  version: number
  course_id: string
  person_id: string
}

/** What an order opened, and what a plan opened to the person of a subscription; never what the school or the person opened otherwise. */
const openedBy = {
  order: `source IN ('purchase', 'coupon') AND (order_id = $2 OR EXISTS (
            SELECT 1 FROM orders JOIN order_item item ON item.school_id = orders.school_id AND item.order_id = orders.id
             WHERE orders.school_id = $1 AND orders.id = $2 AND orders.person_id = enrollment.person_id
               AND item.product_type = 'course' AND item.product_id = enrollment.course_id))`,
  subscription: `source = 'plan' AND (subscription_id = $2 OR person_id = (
            SELECT person_id FROM subscription WHERE subscription.school_id = $1 AND subscription.id = $2))`,
}

/**
 * Ends what an order or a subscription opened, once that opens nothing any more: a refund, the end of a plan. What another source opens
 * stays, under that source. Part of the caller's transaction.
 * @returns how many were ended, and how many stay
 */
export async function endEnrollments(
  sql: Sql,
  { schoolId, now, ...ending }: { schoolId: string; now: Date } & EndedSource,
): Promise<{ ended: number; kept: number }> {
  const id = ending.orderId ?? ending.subscriptionId
  const which = `school_id = $1 AND status <> 'canceled' AND ${openedBy[ending.orderId === undefined ? 'subscription' : 'order']}`
  const courses = await sql.query<{ course_id: string }>(`SELECT DISTINCT course_id FROM enrollment WHERE ${which}`, [schoolId, id])
  const courseIds = courses.map(({ course_id }) => course_id)
  await lockCourses(sql, schoolId, courseIds)
  const rows = await sql.query<Ended>(
    `SELECT id, version, course_id, person_id, status, completed_at FROM enrollment
      WHERE ${which} AND course_id = ANY ($3::uuid[]) ORDER BY id FOR UPDATE`,
    [schoolId, id, courseIds],
  )
  const moves: StatusChange[] = []
  for (const row of rows) {
    const key = { schoolId, personId: row.person_id, courseId: row.course_id }
    const other = await findActiveEntitlement(sql, key, ending)
    const change = { school_id: schoolId, type: 'enrollment', resource_id: row.id, version: row.version + 1 }
    if (other) {
      await sql.query(
        `UPDATE enrollment SET source = $3, order_id = $4, subscription_id = $5, expires_at = $6, version = version + 1, updated_at = $7
          WHERE school_id = $1 AND id = $2`,
        [schoolId, row.id, other.source, other.order_id, other.subscription_id, other.expires_at, now],
      )
      await recordChange(sql, { ...change, action: 'updated' })
      continue
    }
    await sql.query(
      `UPDATE enrollment SET status = 'canceled', status_before = NULL, canceled_at = $3, version = version + 1, updated_at = $3
        WHERE school_id = $1 AND id = $2`,
      [schoolId, row.id, now],
    )
    await recordChange(sql, { ...change, action: 'canceled' })
    moves.push({ courseId: row.course_id, personId: row.person_id, before: row, after: { ...row, status: 'canceled' } })
  }
  await updateEnrollmentCounters(sql, schoolId, moves)
  return { ended: moves.length, kept: rows.length - moves.length }
}
