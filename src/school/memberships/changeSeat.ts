import { Problem } from '../../base/problem.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'
import { endEnrollments } from '../learning/endEnrollments.ts'
import type { InSchool } from '../schoolHandles.ts'
import { includesProduct } from './hasPlan.ts'
import { releaseSeat, requireNotSubscribed, takeSeat } from './planSeats.ts'
import { findTerms, type PriceTerms } from './priceTerms.ts'
import type { SubscriptionRow } from './subscriptionRow.ts'

/**
 * Moves a subscription's seat to the plan of other terms. Both plans are locked.
 * @throws Problem invalid_state, already_subscribed
 */
export async function changeSeat(writer: SchoolWriter, row: SubscriptionRow, terms: PriceTerms): Promise<void> {
  if (!terms.active || terms.plan_status !== 'active')
    throw new Problem('invalid_state', { description: 'This price is no longer available.' })
  if (terms.plan_id === row.plan_id) return
  await requireNotSubscribed(writer, { planId: terms.plan_id, personId: row.person_id })
  await takeSeat(writer, { planId: terms.plan_id })
  await releaseSeat(writer, { planId: row.plan_id })
}

/** Moves the seat to the pending terms and returns them. Returns undefined if there are none, or they are no longer available. */
export async function applyPendingTerms(writer: SchoolWriter, row: SubscriptionRow): Promise<PriceTerms | undefined> {
  const terms = row.pending_price_id === null ? undefined : await findTerms(writer, row.pending_price_id)
  if (!terms) return undefined
  try {
    await changeSeat(writer, row, terms)
    return terms
  } catch (error) {
    if (error instanceof Problem) return undefined
    throw error
  }
}

/** Ends the enrolments that the former plan granted and the new one does not. The new plan is already written. */
export async function replaceEnrollments(writer: SchoolWriter, { now }: InSchool, row: SubscriptionRow): Promise<void> {
  const courses = await writer
    .selectFrom('enrollment')
    .innerJoin('membership_plan', (join) => join.on('membership_plan.id', '=', row.plan_id))
    .select('enrollment.course_id')
    .where('enrollment.person_id', '=', row.person_id)
    .where('enrollment.source', '=', 'plan')
    .where('enrollment.status', '<>', 'canceled')
    .where((enrollment) => enrollment.not(includesProduct(enrollment, 'course', enrollment.ref('enrollment.course_id'))))
    .execute()
  if (courses.length === 0) return
  await endEnrollments(writer, {
    schoolId: writer.schoolId,
    now,
    subscriptionId: row.id,
    courseIds: courses.map(({ course_id }) => course_id),
  })
}
