import { type Expression, type RawBuilder, sql } from 'kysely'
import { Problem } from '../../base/problem.ts'
import type { SchoolReader, SchoolWriter, Stored } from '../../database/connection/database.ts'
import { now } from '../../database/statements/expressions.ts'
import { grantsAccess, includesCourse } from '../memberships/accessExpressions.ts'
import { lockCourses } from './enrollmentCounters.ts'
import { type EnrollmentSource, statusAt, statusesWithPlace } from './enrollmentStatus.ts'

/** The order or subscription that no longer gives access, regardless of its stored status. */
export type EndedSource = { orderId: string; subscriptionId?: undefined } | { subscriptionId: string; orderId?: undefined }

/** An order, a grant or a plan that opens a course to a person. */
export interface ActiveEntitlement {
  source: EnrollmentSource
  order_id: string | null
  subscription_id: string | null
  /** The end of the access; null if it is not known in advance. */
  expires_at: Date | null
}

/**
 * Finds what opens the course to the person apart from the ended source: a purchase before a grant, a grant before a plan, and among
 * these the one that lasts longest. Returns undefined if nothing does.
 */
export async function findActiveEntitlement(
  reader: SchoolReader,
  { personId, courseId }: { personId: string; courseId: string },
  { orderId, subscriptionId }: Partial<EndedSource> = {},
): Promise<ActiveEntitlement | undefined> {
  const noId = sql<string | null>`NULL::uuid`
  const purchases = reader
    .selectFrom('orders')
    .innerJoin('order_item as item', 'item.order_id', 'orders.id')
    .innerJoin('course', 'course.id', 'item.product_id')
    .select(({ ref, lit }) => [
      sql.lit<EnrollmentSource>('purchase').as('source'),
      ref('orders.id').$castTo<string | null>().as('order_id'),
      noId.as('subscription_id'),
      endOfPurchase(ref('orders.paid_at'), ref('orders.placed_at'), ref('course.access_duration_days')).as('expires_at'),
      lit(1).$castTo<number>().as('priority'),
    ])
    .where('orders.person_id', '=', personId)
    .where('item.product_type', '=', 'course')
    .where('item.product_id', '=', courseId)
    .where('orders.status', 'in', ['paid', 'partially_refunded'])
    .where('orders.id', 'is distinct from', orderId ?? null)
    .where('item.refunded_at', 'is', null)
    .where((row) => row.or([row('item.refunded_amount', '<', row.ref('item.total_amount')), row('item.total_amount', '=', 0)]))
    .where((row) =>
      row.or([
        row('course.access_duration_days', 'is', null),
        row(endOfPurchase(row.ref('orders.paid_at'), row.ref('orders.placed_at'), row.ref('course.access_duration_days')), '>', now),
      ]),
    )
  const grants = reader
    .selectFrom('entitlement')
    .select((row) => [
      row
        .case('source_type')
        .when('order')
        .then(sql.lit<EnrollmentSource>('purchase'))
        .when('coupon')
        .then(sql.lit<EnrollmentSource>('coupon'))
        .else(sql.lit<EnrollmentSource>('manual'))
        .end()
        .as('source'),
      row
        .case()
        .when('source_type', '=', 'order')
        .then(row.selectFrom('orders').select('orders.id').whereRef('orders.id', '=', 'entitlement.source_id'))
        .end()
        .as('order_id'),
      noId.as('subscription_id'),
      'ends_at as expires_at',
      row.lit(2).$castTo<number>().as('priority'),
    ])
    .where('person_id', '=', personId)
    .where('product_type', '=', 'course')
    .where('product_id', '=', courseId)
    .where('revoked_at', 'is', null)
    .where('starts_at', '<=', now)
    .where((row) => row.or([row('ends_at', 'is', null), row('ends_at', '>', now)]))
    .where((row) => row.not(row.and([row('source_type', '=', 'order'), row('source_id', 'is not distinct from', orderId ?? null)])))
  const plans = reader
    .selectFrom('subscription')
    .innerJoin('membership_plan', 'membership_plan.id', 'subscription.plan_id')
    .select(({ ref, lit }) => [
      sql.lit<EnrollmentSource>('plan').as('source'),
      noId.as('order_id'),
      ref('subscription.id').$castTo<string | null>().as('subscription_id'),
      sql<Date | null>`NULL::timestamptz`.as('expires_at'),
      lit(3).$castTo<number>().as('priority'),
    ])
    .where('subscription.person_id', '=', personId)
    .where('subscription.id', 'is distinct from', subscriptionId ?? null)
    .where(grantsAccess)
    .where((plan) => includesCourse(plan, courseId))
  return await purchases
    .unionAll(grants)
    .unionAll(plans)
    .orderBy('priority')
    .orderBy('expires_at', (order) => order.desc().nullsFirst())
    .limit(1)
    .executeTakeFirst()
}

/** Returns the time at which a purchase expires; null if the course does not limit it. */
const endOfPurchase = (
  paidAt: Expression<unknown>,
  placedAt: Expression<unknown>,
  days: Expression<number | null>,
): RawBuilder<Date | null> => sql<Date | null>`coalesce(${paidAt}, ${placedAt}) + make_interval(days => ${days})`

interface Key {
  personId: string
  courseId: string
  now: Date
}

/** Returns the id of the person's enrolment if it is open or suspended by the school. Locks the course until the transaction ends. */
export async function findOpenEnrollment(writer: SchoolWriter, { personId, courseId, now }: Key): Promise<string | undefined> {
  await lockCourses(writer, [courseId])
  const row = await writer
    .selectFrom('enrollment')
    .select(['id', 'status', 'expires_at'])
    .where('course_id', '=', courseId)
    .where('person_id', '=', personId)
    .forUpdate()
    .executeTakeFirst()
  return row && statusesWithPlace.includes(statusAt(row, now)) ? row.id : undefined
}

type EnrollmentWindow = Stored<'course', 'status' | 'enrollment_open' | 'enrollment_starts_at' | 'enrollment_ends_at'>

/**
 * Checks that people can enrol themselves in the course now.
 * @throws Problem invalid_state with the reason
 */
export async function requireOpenEnrollment(writer: SchoolWriter, { courseId, now }: Key): Promise<void> {
  const course = await writer
    .selectFrom('course')
    .select(['status', 'enrollment_open', 'enrollment_starts_at', 'enrollment_ends_at'])
    .where('id', '=', courseId)
    .executeTakeFirst()
  const reason = course && reasonForClosed(course, now)
  if (!reason) return
  const [code, message, at] = reason
  throw new Problem('invalid_state', {
    description: message,
    details: [{ field: 'course_id', code, message, ...(at && { meta: { at: at.toISOString() } }) }],
  })
}

function reasonForClosed(course: EnrollmentWindow, now: Date): [code: string, message: string, at?: Date] | undefined {
  const { status, enrollment_open, enrollment_starts_at: starts, enrollment_ends_at: ends } = course
  if (status !== 'published') return ['course_archived', 'The course is archived and no longer open for enrolment.']
  if (!enrollment_open) return ['enrollment_closed', 'Enrolment in the course is closed.']
  if (starts && starts > now) return ['enrollment_not_started', 'Enrolment in the course has not started yet.', starts]
  return ends && ends <= now ? ['enrollment_ended', 'Enrolment in the course has ended.', ends] : undefined
}
