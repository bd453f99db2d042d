import { accountCoursePath, accountPaths } from '../../base/accountPaths.ts'
import { audienceOf } from '../../base/caller.ts'
import { fromPublicId, toPublicId } from '../../base/ids.ts'
import { fieldError, Problem, type ProblemDetail } from '../../base/problem.ts'
import type { School } from '../../base/school.ts'
import type { SchoolReader } from '../../database/connection/database.ts'
import { isOffered } from '../../database/statements/expressions.ts'
import type { ChangeAction } from '../../database/tables/changeActions.ts'
import { recordChange } from '../../database/tables/changeLog.ts'
import type { ExternalServices } from '../../engine/externalServices.ts'
import { pageUrl } from '../../identity/accounts/createMailedLink.ts'
import type { CallerContext } from '../changeContext.ts'
import { checkoutRequired } from '../checkoutRequired.ts'
import { isEnrolled, isOpenToMembers, isTaughtBy, isUnlisted } from '../courses/visibleCourses.ts'
import { pastTimeErrors } from '../pastTimes.ts'
import { findActiveEntitlement, findOpenEnrollment, requireOpenEnrollment } from './activeEntitlement.ts'
import { type EnrollmentInput, placeEnrollment } from './enroll.ts'
import { findStudent, type StudentReference } from './findStudent.ts'
import { issueCertificates } from './issuedCertificates.ts'

export type EnrollmentContext = CallerContext

/** The body of a request to enrol somebody. */
export interface EnrollmentRequest extends StudentReference {
  course_id: string
  starts_at?: string | undefined
  expires_at?: string | null | undefined
  completed_at?: string | null | undefined
  enrolled_at?: string | undefined
  certificate_issued_at?: string | undefined
  notify?: boolean | undefined
  /** Enrols in a course that is full, archived or a draft. Only for callers who manage the enrolments of the course. */
  override?: boolean | undefined
  external_id?: string | null | undefined
  metadata?: object | undefined
}

/**
 * Enrols somebody at the request of a caller. Staff can enrol anybody in any course, lecturers anybody in their courses, and students
 * themselves in courses that are free to them. An enrolment by the school is free of charge.
 * @throws Problem validation_failed, checkout_required, invalid_state, access_denied
 */
export async function enrollOnRequest(
  context: EnrollmentContext,
  request: EnrollmentRequest,
  {
    createMissing = false,
    isAnother = () => true,
  }: { createMissing?: boolean; isAnother?(personId: string, courseId: string): boolean } = {},
): Promise<{ id: string; action: ChangeAction | undefined }> {
  const { writer, now } = context
  const course = await findCourse(context, request.course_id)
  const isFor = course?.is_taught ? 'others' : 'oneself'
  const fieldErrors: ProblemDetail[] = []
  if (!course) fieldErrors.push(fieldError('course_id', 'invalid_reference', 'the school has no course with this id'))
  const personId = await findStudent(context, request, { isFor: course ? isFor : 'anybody', createMissing, fieldErrors })
  if (isFor === 'oneself' && course) {
    for (const field of ['starts_at', 'expires_at', 'notify', 'override'] as const) {
      if (request[field]) fieldErrors.push(fieldError(field, 'not_allowed', 'only staff and lecturers of the course can send this'))
    }
  }
  const startsAt = request.starts_at === undefined ? undefined : new Date(request.starts_at)
  const expiresAt = request.expires_at === undefined || request.expires_at === null ? request.expires_at : new Date(request.expires_at)
  fieldErrors.push(...historyErrors(request, context))
  const enrolledAt = timeIn(request.enrolled_at)
  const completedAt = timeIn(request.completed_at)
  fieldErrors.push(...enrollmentTimeErrors({ startsAt: startsAt ?? now, expiresAt: expiresAt ?? null }, now))
  if (fieldErrors.length > 0 || !course || personId === undefined) {
    throw new Problem('validation_failed', { description: 'The enrolment is not valid. See details.', details: fieldErrors })
  }
  if (!isAnother(personId, course.id))
    throw new Problem('invalid_state', { description: 'The request contains this enrolment twice. Remove one of them.' })
  const key = { schoolId: writer.schoolId, now, personId, courseId: course.id }
  if (isFor === 'oneself') {
    const id = await findOpenEnrollment(writer, key)
    // An enrolment that is open stays open, even if the course no longer takes new students.
    if (id !== undefined) return { id, action: undefined }
  }
  const input: Pick<EnrollmentInput, 'source'> & Partial<EnrollmentInput> =
    isFor === 'others'
      ? {
          source: isHistory(request) ? 'import' : 'manual',
          startsAt,
          expiresAt,
          enrolledAt,
          completedAt,
          ...(!request.override && { requiresPlaceFor: 'staff' }),
        }
      : { ...(await findOwnSource(context, course)), requiresPlaceFor: 'person' }
  if (isFor === 'oneself') await requireOpenEnrollment(writer, key)
  const { enrollmentId: id, outcome, isExtended } = await placeEnrollment(writer, { ...key, ...input })
  if (isHistory(request) && outcome !== 'created') await requireSameHistory(writer, id, { enrolledAt, completedAt })
  if (completedAt && outcome === 'created')
    await issueCertificates(context, [{ id, version: 1 }], timeIn(request.certificate_issued_at) ?? completedAt)
  await writeRequestFields(context, id, request)
  if (request.notify && outcome !== 'unchanged') await sendEnrollmentMail(context, { personId, courseId: course.id })
  return { id, action: outcome !== 'unchanged' ? outcome : isExtended ? 'updated' : undefined }
}

/** Does the same for one of many enrolments, and records the change. */
export async function enrollAndRecord(
  ...[context, request, options]: Parameters<typeof enrollOnRequest>
): ReturnType<typeof enrollOnRequest> {
  const enrolled = await enrollOnRequest(context, request, options)
  const { id, action } = enrolled
  if (action === undefined) return enrolled
  const { writer } = context
  const row = await writer.selectFrom('enrollment').select('version').where('id', '=', id).executeTakeFirst()
  await recordChange(writer, { type: 'enrollment', resource_id: id, action, version: row?.version ?? 1 })
  return enrolled
}

const timeIn = (sent: string | null | undefined): Date | undefined => (sent ? new Date(sent) : undefined)

const historyFields = ['enrolled_at', 'completed_at', 'certificate_issued_at'] as const

const isHistory = (request: EnrollmentRequest): boolean => historyFields.some((field) => request[field])

/** Checks the times of an enrolment of another system: in the past, in their order, and from staff. */
function historyErrors(request: EnrollmentRequest, { caller, now }: EnrollmentContext): ProblemDetail[] {
  const { enrolled_at, completed_at, certificate_issued_at } = request
  if (isHistory(request) && audienceOf(caller) !== 'staff')
    return historyFields.flatMap((field) => (request[field] ? [fieldError(field, 'not_allowed', 'can be sent by staff only')] : []))
  const after = (field: (typeof historyFields)[number]) => {
    const time = timeIn(request[field])
    return time && { field, time }
  }
  return [
    ...pastTimeErrors('enrolled_at', enrolled_at, now),
    ...pastTimeErrors('completed_at', completed_at, now, after('enrolled_at')),
    ...pastTimeErrors('certificate_issued_at', certificate_issued_at, now, after('completed_at')),
    ...(certificate_issued_at && !completed_at ? [fieldError('completed_at', 'required', 'is required with certificate_issued_at')] : []),
  ]
}

/** @throws Problem invalid_state if the enrolment has other times: those of an enrolment that exists stay */
async function requireSameHistory(
  writer: SchoolReader,
  id: string,
  { enrolledAt, completedAt }: { enrolledAt: Date | undefined; completedAt: Date | undefined },
): Promise<void> {
  const there = await writer.selectFrom('enrollment').select(['created_at', 'completed_at']).where('id', '=', id).executeTakeFirst()
  const isSame = (sent: Date | undefined, stored: Date | null | undefined) => !sent || sent.getTime() === stored?.getTime()
  if (isSame(enrolledAt, there?.created_at) && isSame(completedAt, there?.completed_at)) return
  throw new Problem('invalid_state', {
    description:
      'The student has this enrolment already, and its times stay. Leave out enrolled_at, completed_at and certificate_issued_at.',
  })
}

export function enrollmentTimeErrors({ startsAt, expiresAt }: { startsAt: Date; expiresAt: Date | null }, now: Date): ProblemDetail[] {
  const tenYearsAgo = new Date(now)
  tenYearsAgo.setUTCFullYear(now.getUTCFullYear() - 10)
  return [
    ...(startsAt < tenYearsAgo ? [fieldError('starts_at', 'min', 'must not be more than ten years ago')] : []),
    ...(expiresAt !== null && expiresAt <= startsAt ? [fieldError('expires_at', 'min', 'must be after starts_at')] : []),
  ]
}

async function writeRequestFields({ writer }: EnrollmentContext, id: string, request: EnrollmentRequest): Promise<void> {
  const { external_id, metadata } = request
  if (external_id === undefined && metadata === undefined) return
  await writer
    .updateTable('enrollment')
    .set((enrollment) => ({
      external_id: enrollment.fn.coalesce(enrollment.val(external_id ?? null), 'external_id'),
      ...(metadata !== undefined && { metadata: JSON.stringify(metadata) }),
    }))
    .where('id', '=', id)
    .execute()
}

interface Course {
  id: string
  access: string
  /** True if the caller manages the enrolments of the course. */
  is_taught: boolean
}

/** Finds the course if the caller can see it. */
async function findCourse({ writer, caller }: EnrollmentContext, publicId: string): Promise<Course | undefined> {
  const isStaff = audienceOf(caller) === 'staff'
  return await writer
    .selectFrom('course')
    .select(['id', 'access'])
    .select((course) => course.cast<boolean>(isStaff ? course.lit(true) : isTaughtBy(course, caller), 'boolean').as('is_taught'))
    .where('id', '=', fromPublicId('crs', publicId) ?? null)
    .where((course) =>
      isStaff
        ? course.lit(true)
        : course.or([
            isTaughtBy(course, caller),
            course.and([
              course.or([isOpenToMembers(course), isUnlisted(course), isEnrolled(course, caller)]),
              isOffered(writer.schoolId, 'courses'),
            ]),
          ]),
    )
    .executeTakeFirst()
}

/** Returns the source under which a caller can enrol themselves: the course is free, or they have access to it already. */
async function findOwnSource(
  { writer, ...context }: EnrollmentContext,
  course: Course,
): Promise<Pick<EnrollmentInput, 'source'> & Partial<EnrollmentInput>> {
  const { caller } = context
  if (course.access === 'free') return { source: 'self' }
  const entitlement =
    caller.personId === null ? undefined : await findActiveEntitlement(writer, { personId: caller.personId, courseId: course.id })
  if (!entitlement) throw checkoutRequired(context, { type: 'course', id: toPublicId('crs', course.id) })
  return {
    source: entitlement.source,
    orderId: entitlement.order_id ?? undefined,
    subscriptionId: entitlement.subscription_id ?? undefined,
    expiresAt: entitlement.expires_at,
  }
}

interface Context {
  writer: SchoolReader
  school: School
  externalServices: ExternalServices
}

/** Sends an e-mail to a person whom the school has enrolled. Without a login the link leads to the course over the sign-up. */
async function sendEnrollmentMail(
  { writer, school, externalServices }: Context,
  { personId, courseId }: { personId: string; courseId: string },
): Promise<void> {
  const person = await writer
    .selectFrom('person')
    .innerJoin('course', 'course.school_id', 'person.school_id')
    .select(['person.email', 'person.locale', 'person.account_id', 'course.title', 'course.slug'])
    .where('person.id', '=', personId)
    .where('course.id', '=', courseId)
    .executeTakeFirst()
  if (!person) return
  const page = accountCoursePath(person.slug)
  const link = person.account_id ? pageUrl(school, page) : pageUrl(school, accountPaths.signUp, { return_to: page })
  await externalServices.send(writer, school, { email: person.email, locales: [person.locale] }, 'enrolled', {
    link,
    course: person.title,
  })
}
