import { Problem } from '../../lib/problem.ts'
import { coursePlanSql } from '../../store/accessExpressions.ts'
import type { Writer } from '../../store/database.ts'
import { kyselyOf } from '../../store/rawSql.ts'
import type { Sql } from '../../store/sql.ts'
import { endEnrollments } from '../learning/endEnrollments.ts'
import { enroll } from '../learning/enroll.ts'
import { freeSeat, requireNoOther, takeSeat } from './planSeats.ts'
import type { InSchool, SubscriptionRow } from './subscriptionRow.ts'
import { type Terms, termsOf } from './terms.ts'

/**
 * Moves the seat of a subscription to the plan of other terms. Both plans are locked.
 * @throws Problem invalid_state, already_subscribed
 */
export async function moveSeat(sql: Sql, row: SubscriptionRow, terms: Terms): Promise<void> {
  if (!terms.active || terms.plan_status !== 'active')
    throw new Problem('invalid_state', { description: 'This price cannot be chosen any more.' })
  if (terms.plan_id === row.plan_id) return
  await requireNoOther(sql, { schoolId: row.school_id, planId: terms.plan_id, personId: row.person_id })
  await takeSeat(sql, { schoolId: row.school_id, planId: terms.plan_id })
  await freeSeat(sql, { schoolId: row.school_id, planId: row.plan_id })
}

/** The terms that were asked for and begin now; undefined where there are none, or they are not to be had any more. */
export async function pendingTerms(sql: Sql, row: SubscriptionRow): Promise<Terms | undefined> {
  const terms = row.pending_price_id === null ? undefined : await termsOf(sql, row.school_id, row.pending_price_id)
  if (!terms) return undefined
  try {
    await moveSeat(sql, row, terms)
    return terms
  } catch (error) {
    if (error instanceof Problem) return undefined
    throw error
  }
}

/** What the former plan opened ends, but for what the new one opens as well. The row is written by now. */
export async function followPlan(sql: Sql, { schoolId, now }: InSchool, row: SubscriptionRow): Promise<void> {
  const courses = await sql.query<{ course_id: string; is_kept: boolean }>(
    `SELECT course_id, ${coursePlanSql('enrollment.course_id')} AS is_kept
       FROM enrollment JOIN membership_plan ON membership_plan.school_id = enrollment.school_id AND membership_plan.id = $3
      WHERE enrollment.school_id = $1 AND enrollment.person_id = $2 AND enrollment.source = 'plan' AND enrollment.status IN ('active', 'completed')`,
    [schoolId, row.person_id, row.plan_id],
  )
  if (courses.every(({ is_kept }) => is_kept)) return
  await endEnrollments(kyselyOf(sql) as Writer, { schoolId, now, subscriptionId: row.id })
  for (const { course_id: courseId } of courses.filter(({ is_kept }) => is_kept)) {
    await enroll(kyselyOf(sql) as Writer, { schoolId, now, personId: row.person_id, courseId, source: 'plan', subscriptionId: row.id })
  }
}
