import { isDeepStrictEqual } from 'node:util'
import type { Selectable } from 'kysely'
import type { SchoolWriter } from '../../database/connection/database.ts'
import { recordChange } from '../../database/tables/changeLog.ts'
import type { DB } from '../../gen/kysely/tables.ts'
import { includesCourse } from '../memberships/accessExpressions.ts'
import { lockCourses, updateEnrollmentCounters } from './enrollmentCounters.ts'

/** The columns that say what opens an enrolment, and whether it is open. The end of a plan changes them. */
export const accessColumns = [
  'enrollment.status',
  'enrollment.status_before',
  'enrollment.status_reason',
  'enrollment.canceled_at',
  'enrollment.source',
  'enrollment.order_id',
  'enrollment.subscription_id',
  'enrollment.expires_at',
] as const

type Access = Pick<Selectable<DB['enrollment']>, typeof accessColumns extends readonly `enrollment.${infer Column}`[] ? Column : never>

interface PlanEnd {
  /** The subscription that no longer gave access. */
  by: string
  before: Access
  after: Access
}

const accessOf = ({
  status,
  status_before,
  status_reason,
  canceled_at,
  source,
  order_id,
  subscription_id,
  expires_at,
}: Access): Access => ({
  ...{ status, status_before, status_reason, canceled_at, source, order_id, subscription_id, expires_at },
})

/** Returns the column `plan_end` for an enrolment that a subscription no longer opens. */
export const planEnd = (by: string, row: Access, values: Partial<Access>): string =>
  JSON.stringify({ by, before: accessOf(row), after: accessOf({ ...row, ...values }) } satisfies PlanEnd)

/**
 * Restores the enrolments of a person that ended with a plan and that a subscription opens again: after a pause, an outstanding payment, a
 * change of plan and back, or with a new subscription. They are as they were, without a check for a free place, which a plan promises. One
 * that was changed since stays as it is. Runs in the caller's transaction.
 */
export async function restoreEnrollments(
  writer: SchoolWriter,
  { now, subscriptionId }: { now: Date; subscriptionId: string },
  personId: string,
): Promise<void> {
  const ended = writer
    .selectFrom('enrollment')
    .innerJoin('subscription', (join) => join.on('subscription.id', '=', subscriptionId))
    .innerJoin('membership_plan', 'membership_plan.id', 'subscription.plan_id')
    .where('enrollment.person_id', '=', personId)
    .where('enrollment.plan_end', 'is not', null)
    .where((plan) => includesCourse(plan, plan.ref('enrollment.course_id')))
  const courses = await ended.select('enrollment.course_id').execute()
  if (courses.length === 0) return
  await lockCourses(
    writer,
    courses.map(({ course_id }) => course_id),
  )
  const rows = await ended
    .select(['enrollment.id', 'enrollment.version', 'enrollment.course_id', 'enrollment.completed_at'])
    .select(accessColumns)
    .select((row) => row.ref('enrollment.plan_end').$castTo<PlanEnd>().as('plan_end'))
    .orderBy('enrollment.id')
    .forUpdate('enrollment')
    .execute()
  for (const row of rows) {
    const { by, before, after } = row.plan_end
    if (!isDeepStrictEqual(JSON.parse(JSON.stringify(accessOf(row))), after)) continue
    const values = { ...before, subscription_id: by === subscriptionId ? before.subscription_id : subscriptionId }
    const version = row.version + 1
    await writer
      .updateTable('enrollment')
      .set({ ...values, plan_end: null, version, updated_at: now })
      .where('id', '=', row.id)
      .execute()
    const action = row.status === 'canceled' ? 'reactivated' : 'updated'
    await recordChange(writer, { type: 'enrollment', resource_id: row.id, action, version })
    await updateEnrollmentCounters(writer, [{ courseId: row.course_id, personId, before: row, after: { ...row, status: values.status } }])
  }
}
