import { isDeepStrictEqual } from 'node:util'
import type { Selectable } from 'kysely'
import type { SchoolWriter } from '../../database/connection/database.ts'
import { type Builder, type Condition, isAmong } from '../../database/statements/expressions.ts'
import { recordChange } from '../../database/tables/changeLog.ts'
import type { DB } from '../../gen/kysely/tables.ts'
import { includesCourse } from '../memberships/accessExpressions.ts'
import { type EndedSource, findActiveEntitlement } from './activeEntitlement.ts'
import { lockCourses, type StatusChange, updateEnrollmentCounters } from './enrollmentCounters.ts'

/** The columns that say what opens an enrolment, and whether it is open. The end of a plan changes them. */
const accessColumns = [
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
const planEnd = (by: string, row: Access, values: Partial<Access>): string =>
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

/**
 * Ends the enrolments that an order or a subscription opened, once it no longer grants access: after a refund or at the end of a plan.
 * An enrolment that another source opens as well stays, under that source. What the end of a plan changed is stored for
 * `restoreEnrollments`. With `courseIds`, only enrolments in these courses end. Runs in the caller's transaction.
 * @returns the numbers of enrolments that were ended and that stay
 */
export async function endEnrollments(
  writer: SchoolWriter,
  { schoolId, now, courseIds: only, ...ended }: { schoolId: string; now: Date; courseIds?: readonly string[] } & EndedSource,
): Promise<{ ended: number; kept: number }> {
  const opened = writer
    .selectFrom('enrollment')
    .where('enrollment.status', '<>', 'canceled')
    .where((enrollment) => isOpenedBy(enrollment, ended))
    .$if(only !== undefined, (query) => query.where((enrollment) => isAmong(enrollment.ref('enrollment.course_id'), only ?? [])))
  const courses = await opened.select('enrollment.course_id').distinct().execute()
  const courseIds = courses.map(({ course_id }) => course_id)
  await lockCourses(writer, courseIds)
  const rows = await opened
    .select(['enrollment.id', 'enrollment.version', 'enrollment.course_id', 'enrollment.person_id'])
    .select('enrollment.completed_at')
    .select(accessColumns)
    .where((enrollment) => enrollment('enrollment.course_id', '=', enrollment.fn.any(enrollment.val(courseIds))))
    .orderBy('enrollment.id')
    .forUpdate()
    .execute()
  const changes: StatusChange[] = []
  for (const row of rows) {
    const other = await findActiveEntitlement(writer, { personId: row.person_id, courseId: row.course_id }, ended)
    if (other?.source === row.source && other.order_id === row.order_id && other.subscription_id === row.subscription_id) continue
    const values = other
      ? { source: other.source, order_id: other.order_id, subscription_id: other.subscription_id, expires_at: other.expires_at }
      : { status: 'canceled', status_before: null, status_reason: null, canceled_at: now }
    const plan_end = ended.subscriptionId === undefined ? null : planEnd(ended.subscriptionId, row, values)
    await writer
      .updateTable('enrollment')
      .set((enrollment) => ({ ...values, plan_end, version: enrollment('version', '+', 1), updated_at: now }))
      .where('id', '=', row.id)
      .execute()
    const change = { school_id: schoolId, type: 'enrollment', resource_id: row.id, version: row.version + 1 }
    await recordChange(writer, { ...change, action: other ? 'updated' : 'canceled' })
    if (!other) changes.push({ courseId: row.course_id, personId: row.person_id, before: row, after: { ...row, status: 'canceled' } })
  }
  await updateEnrollmentCounters(writer, changes)
  return { ended: changes.length, kept: rows.length - changes.length }
}

/**
 * Matches enrolments that the order opened, or that a plan opened to the person of the subscription; never those that the school or the
 * person opened in another way.
 */
function isOpenedBy(enrollment: Builder<'enrollment'>, { orderId, subscriptionId }: EndedSource): Condition {
  if (orderId === undefined) {
    return enrollment.and([
      enrollment('enrollment.source', '=', 'plan'),
      enrollment.or([
        enrollment('enrollment.subscription_id', '=', subscriptionId),
        enrollment('enrollment.person_id', '=', (row) =>
          row.selectFrom('subscription').select('subscription.person_id').where('subscription.id', '=', subscriptionId),
        ),
      ]),
    ])
  }
  return enrollment.and([
    enrollment('enrollment.source', 'in', ['purchase', 'coupon']),
    enrollment.or([
      enrollment('enrollment.order_id', '=', orderId),
      enrollment.exists(
        enrollment
          .selectFrom('orders')
          .innerJoin('order_item as item', 'item.order_id', 'orders.id')
          .where('orders.id', '=', orderId)
          .whereRef('orders.person_id', '=', 'enrollment.person_id')
          .where('item.product_type', '=', 'course')
          .whereRef('item.product_id', '=', 'enrollment.course_id'),
      ),
    ]),
  ])
}
