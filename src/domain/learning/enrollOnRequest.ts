import { fromPublicId, toPublicId } from '../../lib/ids.ts'
import { Problem, type ProblemDetail } from '../../lib/problem.ts'
import { audienceOf, type PersonCaller } from '../../policy/caller.ts'
import type { ExternalServices } from '../../policy/externalServices.ts'
import type { School } from '../../policy/school.ts'
import type { ChangeAction } from '../../store/changeActions.ts'
import { recordChange } from '../../store/changeLog.ts'
import type { Writer } from '../../store/database.ts'
import { isOffered } from '../../store/expressions.ts'
import type { Sql } from '../../store/sql.ts'
import { checkoutRequired } from '../checkoutRequired.ts'
import { isOpenToMembers, isTaughtBy, isUnlisted } from '../courses/courses.ts'
import { isEnrolled } from '../courses/enrolledCourses.ts'
import { findActiveEntitlement } from './activeEntitlement.ts'
import { type EnrollmentInput, placeEnrollment } from './enroll.ts'
import { findStudent, type StudentReference } from './findStudent.ts'
import { findOpenEnrollment, requireOpenEnrollment } from './requireOpenEnrollment.ts'
import { sendEnrollmentMail } from './sendEnrollmentMail.ts'

export interface EnrollmentContext {
  writer: Writer
  sql: Sql
  school: School
  caller: PersonCaller
  now: Date
  externalServices: ExternalServices
  enqueue(name: string, work: () => Promise<void>): void
}

/** Whom to enrol in what, as it is sent. */
export interface EnrollmentRequest extends StudentReference {
  course_id: string
  starts_at?: string | undefined
  expires_at?: string | null | undefined
  notify?: boolean | undefined
  /** Enrols in a course that is full, archived or a draft; for those who decide about its enrolments. */
  override?: boolean | undefined
  external_id?: string | null | undefined
  metadata?: object | undefined
}

/**
 * Enrols as a caller asks: the staff anybody in anything, lecturers anybody in what they teach, and everybody themselves in what is
 * free to them. Who is enrolled by the school is never asked for payment.
 * @throws Problem validation_failed, checkout_required, invalid_state, access_denied
 */
export async function enrollOnRequest(
  context: EnrollmentContext,
  asked: EnrollmentRequest,
  {
    createMissing = false,
    isAnother = () => true,
  }: { createMissing?: boolean; isAnother?(personId: string, courseId: string): boolean } = {},
): Promise<{ id: string; action: ChangeAction | undefined }> {
  const { school, now } = context
  const course = await findCourse(context, asked.course_id)
  const isFor = course?.is_taught ? 'others' : 'oneself'
  const fieldErrors: ProblemDetail[] = []
  if (!course) fieldErrors.push(fault('course_id', 'invalid_reference', 'there is no such course'))
  const personId = await findStudent(context, asked, { isFor: course ? isFor : 'anybody', createMissing, fieldErrors })
  if (isFor === 'oneself' && course) {
    for (const field of ['starts_at', 'expires_at', 'notify', 'override'] as const) {
      if (asked[field]) fieldErrors.push(fault(field, 'not_allowed', 'is for those who teach the course'))
    }
  }
  const startsAt = asked.starts_at === undefined ? undefined : new Date(asked.starts_at)
  const expiresAt = asked.expires_at === undefined || asked.expires_at === null ? asked.expires_at : new Date(asked.expires_at)
  fieldErrors.push(...enrollmentTimeErrors({ startsAt: startsAt ?? now, expiresAt: expiresAt ?? null }, now))
  if (fieldErrors.length > 0 || !course || personId === undefined) {
    throw new Problem('validation_failed', { description: 'The enrolment is not valid. See details.', details: fieldErrors })
  }
  if (!isAnother(personId, course.id))
    throw new Problem('invalid_state', { description: 'The same enrolment stands earlier in the request.' })
  const whom = { schoolId: school.id, now, personId, courseId: course.id }
  if (isFor === 'oneself') {
    const there = await findOpenEnrollment(context.sql, whom)
    // What is open already stays so, whether the course takes anybody else or not.
    if (there !== undefined) return { id: there, action: undefined }
  }
  const how: Pick<EnrollmentInput, 'source'> & Partial<EnrollmentInput> =
    isFor === 'others'
      ? { source: 'manual', startsAt, expiresAt, ...(!asked.override && { requiresPlaceFor: 'staff' }) }
      : { ...(await sourceOfOwn(context, course)), requiresPlaceFor: 'person' }
  if (isFor === 'oneself') await requireOpenEnrollment(context.sql, whom)
  const { enrollmentId: id, outcome, isExtended } = await placeEnrollment(context.sql, { ...whom, ...how })
  if (asked.external_id !== undefined || asked.metadata !== undefined) {
    await context.sql.query(
      'UPDATE enrollment SET external_id = coalesce($3, external_id), metadata = coalesce($4::jsonb, metadata) WHERE school_id = $1 AND id = $2',
      [school.id, id, asked.external_id ?? null, asked.metadata === undefined ? null : JSON.stringify(asked.metadata)],
    )
  }
  if (asked.notify && outcome !== 'unchanged') await sendEnrollmentMail(context, personId)
  const actions = { made: 'created', reactivated: 'reactivated', unchanged: isExtended ? 'updated' : undefined } as const
  const action = actions[outcome]
  return { id, action }
}

/** The same for one of many: the change feed is told here. */
export async function enrollAndRecord(
  ...[context, asked, options]: Parameters<typeof enrollOnRequest>
): ReturnType<typeof enrollOnRequest> {
  const enrolled = await enrollOnRequest(context, asked, options)
  const { id, action } = enrolled
  if (action === undefined) return enrolled
  const { sql, school } = context
  const [row] = await sql.query<{ version: number }>('SELECT version FROM enrollment WHERE school_id = $1 AND id = $2', [school.id, id])
  await recordChange(sql, { school_id: school.id, type: 'enrollment', resource_id: id, action, version: row?.version ?? 1 })
  return enrolled
}

/** What is wrong with the times of an enrolment. */
export function enrollmentTimeErrors({ startsAt, expiresAt }: { startsAt: Date; expiresAt: Date | null }, now: Date): ProblemDetail[] {
  const tenYearsAgo = new Date(now)
  tenYearsAgo.setUTCFullYear(now.getUTCFullYear() - 10)
  return [
    ...(startsAt < tenYearsAgo ? [fault('starts_at', 'min', 'lies more than ten years back')] : []),
    ...(expiresAt !== null && expiresAt <= startsAt ? [fault('expires_at', 'min', 'must lie after starts_at')] : []),
  ]
}

interface Course {
  id: string
  access: string
  /** The caller decides about its enrolments. */
  is_taught: boolean
}

/** The course as far as the caller knows it. */
async function findCourse({ writer, school, caller }: EnrollmentContext, publicId: string): Promise<Course | undefined> {
  const row = await writer
    .selectFrom('course')
    .select(['id', 'access'])
    .select((course) =>
      course.cast<boolean>(audienceOf(caller) === 'staff' ? course.lit(true) : isTaughtBy(course, caller), 'boolean').as('is_taught'),
    )
    .where('school_id', '=', school.id)
    .where('id', '=', fromPublicId('crs', publicId) as string)
    .where((course) =>
      audienceOf(caller) === 'staff'
        ? course.lit(true)
        : course.or([
            isTaughtBy(course, caller),
            course.and([
              course.or([isOpenToMembers(course), isUnlisted(course), isEnrolled(course, caller)]),
              isOffered(school.id, 'courses'),
            ]),
          ]),
    )
    .executeTakeFirst()
  return row as Course | undefined
}

/** What opens a course to who enrols themselves: it is free, or they have it already. */
async function sourceOfOwn(
  context: EnrollmentContext,
  course: Course,
): Promise<Pick<EnrollmentInput, 'source'> & Partial<EnrollmentInput>> {
  const { sql, school, caller } = context
  const key = { schoolId: school.id, personId: caller.personId as string, courseId: course.id }
  if (course.access === 'free') return { source: 'self' }
  const live = await findActiveEntitlement(sql, key)
  if (!live) throw checkoutRequired(context, { type: 'course', id: toPublicId('crs', course.id) })
  return {
    source: live.source,
    orderId: live.order_id ?? undefined,
    subscriptionId: live.subscription_id ?? undefined,
    expiresAt: live.expires_at,
  }
}

const fault = (field: string, code: string, message: string): ProblemDetail => ({ field, code, message: `${field}: ${message}` })
