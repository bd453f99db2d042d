import type { SchoolWriter } from '../../database/connection/database.ts'
import { recordChanges } from '../../database/tables/changeLog.ts'
import { lockEvents } from '../events/orderedSeats.ts'
import { upcomingEventsOf, withdrawPerson } from '../events/withdrawPerson.ts'
import { lockCourses, updateEnrollmentCounters } from '../learning/enrollmentCounters.ts'
import { cancelOrder } from '../orders/orderTransitions.ts'
import { orderStatus } from '../orders/shopExpressions.ts'

interface PersonKey {
  personId: string
}

/**
 * Locks what a person holds that others may wait for: unpaid orders, events and courses. Call it before the person is locked: other changes
 * lock in this order.
 */
export async function lockPlaces(writer: SchoolWriter, { personId }: PersonKey): Promise<void> {
  await unpaidOrdersOf(writer, { personId })
  await lockEvents(writer, await upcomingEventsOf(writer, { personId }))
  const enrollments = await writer
    .selectFrom('enrollment')
    .select('course_id')
    .where('person_id', '=', personId)
    .where('status', 'in', endedStatuses)
    .execute()
  await lockCourses(
    writer,
    enrollments.map(({ course_id }) => course_id),
  )
}

/**
 * Frees what a person who leaves for good holds: cancels their unpaid orders with the reserved coupons and seats, their seats and waitlist
 * places at events to come, and their enrolments that are not completed. Paid orders and completed courses stay.
 */
export async function releasePlaces(writer: SchoolWriter, { personId, now }: PersonKey & { now: Date }): Promise<void> {
  const orders = await unpaidOrdersOf(writer, { personId })
  for (const { id: orderId } of orders) await cancelOrder(writer, { schoolId: writer.schoolId, now, orderId })
  await withdrawPerson(writer, { personId })
  await endOpenEnrollments(writer, { personId, now })
}

const endedStatuses = ['active', 'suspended'] as const

const unpaidOrdersOf = async (writer: SchoolWriter, { personId }: PersonKey) =>
  await writer
    .selectFrom('orders')
    .select('id')
    .where('person_id', '=', personId)
    .where(orderStatus, 'in', ['pending', 'failed'])
    .orderBy('id')
    .forUpdate()
    .execute()

async function endOpenEnrollments(writer: SchoolWriter, { personId, now }: PersonKey & { now: Date }): Promise<void> {
  const open = await writer
    .selectFrom('enrollment')
    .select(['id', 'course_id', 'status', 'completed_at'])
    .where('person_id', '=', personId)
    .where('status', 'in', endedStatuses)
    .orderBy('id')
    .forUpdate()
    .execute()
  const rows = await writer
    .updateTable('enrollment')
    .set((enrollment) => ({
      ...{ status: 'canceled', status_before: null, status_reason: null, canceled_at: now, updated_at: now },
      version: enrollment('version', '+', 1),
    }))
    .where('person_id', '=', personId)
    .where('status', 'in', endedStatuses)
    .returning(['id', 'version'])
    .execute()
  await recordChanges(writer, { type: 'enrollment', action: 'canceled' }, rows)
  await updateEnrollmentCounters(
    writer,
    open.map((row) => ({ courseId: row.course_id, personId, before: row, after: { ...row, status: 'canceled' } })),
  )
}
