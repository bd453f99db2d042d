import type { Updateable } from 'kysely'
import { newIdAt } from '../../base/ids.ts'
import { fieldProblem, Problem } from '../../base/problem.ts'
import type { SchoolWriter, Stored } from '../../database/connection/database.ts'
import { changedPerson, recordChange, recordPersonChanges } from '../../database/tables/changeLog.ts'
import type { DB } from '../../gen/kysely/tables.ts'
import { type LockedCourse, lockCourses, updateEnrollmentCounters } from './enrollmentCounters.ts'
import { type CountedEnrollment, type EnrollmentSource, statusAt, statusesWithPlace } from './enrollmentStatus.ts'
import { saveFallbackAccess } from './fallbackAccess.ts'

export interface EnrollmentInput {
  now: Date
  personId: string
  courseId: string
  source: EnrollmentSource
  orderId?: string | undefined
  subscriptionId?: string | undefined
  couponId?: string | undefined
  /** Default: now. */
  startsAt?: Date | undefined
  /** Null: without end. Default: the access duration of the course; under a plan, without end, because the plan decides. */
  expiresAt?: Date | null | undefined
  /** When it was made and completed in another system. A new enrolment alone gets these times. Default: now, and not completed. */
  enrolledAt?: Date | undefined
  completedAt?: Date | undefined
  /** Requires a free place in the course. Default: none, because an order or a plan has promised the place. */
  requiresPlaceFor?: PlaceTaker | undefined
}

export interface EnrollmentResult {
  enrollmentId: string
  /** `unchanged`: the enrolment is open already, or the school has suspended it. */
  outcome: 'created' | 'reactivated' | 'unchanged'
  version: number
}

/**
 * Opens a course to a person and records the change. There is one enrolment for each person and course: one that has ended is opened
 * again and keeps its progress, and one that is open is never shortened. Runs in the caller's transaction.
 * @throws Problem invalid_reference if the school has no such course, invalid_state if the course is full
 */
export async function enroll(writer: SchoolWriter, input: EnrollmentInput): Promise<EnrollmentResult> {
  const { enrollmentId, outcome, version, isExtended } = await placeEnrollment(writer, input)
  if (outcome !== 'unchanged' || isExtended) {
    const action = outcome === 'unchanged' ? 'updated' : outcome
    await recordChange(writer, { type: 'enrollment', resource_id: enrollmentId, action, version })
  }
  return { enrollmentId, outcome, version }
}

type StoredEnrollment = CountedEnrollment &
  Stored<'enrollment', 'id' | 'version' | 'source' | 'expires_at' | 'order_id' | 'subscription_id' | 'coupon_id'>

/** Does the same as `enroll`, for callers that record the change themselves. */
export async function placeEnrollment(writer: SchoolWriter, input: EnrollmentInput): Promise<EnrollmentResult & { isExtended: boolean }> {
  const { now, personId, courseId, source } = input
  const [course] = await lockCourses(writer, [courseId])
  if (!course) {
    throw fieldProblem('invalid_reference', 'course_id', 'invalid_reference', 'the school has no course with this id')
  }
  const startsAt = input.startsAt ?? input.enrolledAt ?? now
  const days = source === 'plan' ? null : course.access_duration_days
  const expiresAt =
    input.expiresAt !== undefined ? input.expiresAt : days === null ? null : new Date(startsAt.getTime() + days * 86_400_000)
  const existing: StoredEnrollment | undefined = await writer
    .selectFrom('enrollment')
    .select(['id', 'version', 'status', 'source', 'completed_at', 'expires_at', 'order_id', 'subscription_id', 'coupon_id'])
    .where('course_id', '=', courseId)
    .where('person_id', '=', personId)
    .forUpdate()
    .executeTakeFirst()
  const isOpen = existing !== undefined && statusesWithPlace.includes(statusAt(existing, now))
  if (isOpen) return await extendEnrollment(writer, { input, existing, expiresAt })

  const holdsPlace = existing !== undefined && statusesWithPlace.includes(existing.status)
  if (input.requiresPlaceFor && !holdsPlace) requirePlace(course, input.requiresPlaceFor)
  // A completed enrolment stays completed: its progress is kept, and a completion is never revoked.
  const completed_at = (existing ? existing.completed_at : input.completedAt) ?? null
  const after: CountedEnrollment = {
    status: completed_at ? 'completed' : 'active',
    completed_at,
  }
  const createdAt = input.enrolledAt ?? now
  const enrollmentId = existing?.id ?? newIdAt(createdAt)
  const version = (existing?.version ?? 0) + 1
  const values = {
    ...after,
    source,
    starts_at: startsAt,
    expires_at: expiresAt,
    version,
    updated_at: now,
    order_id: input.orderId ?? null,
    subscription_id: input.subscriptionId ?? null,
    coupon_id: input.couponId ?? null,
  } satisfies Updateable<DB['enrollment']>
  if (existing) {
    await writer
      .updateTable('enrollment')
      .set({ ...values, status_before: null, status_reason: null, canceled_at: null, expired_at: null })
      .where('id', '=', enrollmentId)
      .execute()
  } else {
    const key = { school_id: writer.schoolId, id: enrollmentId, person_id: personId, course_id: courseId } satisfies Updateable<
      DB['enrollment']
    >
    await writer
      .insertInto('enrollment')
      .values({ ...key, ...values, created_at: createdAt })
      .execute()
  }
  await becomeStudent(writer, { personId, now })
  await updateEnrollmentCounters(writer, [{ courseId, personId, before: existing, after }])
  return { enrollmentId, outcome: existing ? 'reactivated' : 'created', version, isExtended: false }
}

/**
 * Extends an open enrolment if the new source lasts longer. The source that lasts longest becomes its source, and the first one if both
 * last equally long; the other is stored, so that it applies when that one ends.
 */
async function extendEnrollment(
  writer: SchoolWriter,
  { input, existing, expiresAt }: { input: EnrollmentInput; existing: StoredEnrollment; expiresAt: Date | null },
): Promise<EnrollmentResult & { isExtended: boolean }> {
  const { now, personId, courseId } = input
  const isLonger = existing.expires_at !== null && (expiresAt === null || expiresAt > existing.expires_at)
  const sent = { source: input.source, expires_at: expiresAt } satisfies Updateable<DB['enrollment']>
  const stored = { source: existing.source, expires_at: existing.expires_at } satisfies Updateable<DB['enrollment']>
  const [longer, shorter] = isLonger ? [sent, stored] : [stored, sent]
  const ids = {
    order_id: isLonger ? (input.orderId ?? existing.order_id) : (existing.order_id ?? input.orderId ?? null),
    subscription_id: isLonger
      ? (input.subscriptionId ?? existing.subscription_id)
      : (existing.subscription_id ?? input.subscriptionId ?? null),
    coupon_id: isLonger ? (input.couponId ?? existing.coupon_id) : (existing.coupon_id ?? input.couponId ?? null),
  } satisfies Updateable<DB['enrollment']>
  if (isGranted(shorter.source) && (isLonger || !isGranted(longer.source)) && (shorter.expires_at === null || shorter.expires_at > now)) {
    await saveFallbackAccess(writer, { personId, courseId, now }, shorter.expires_at)
  }
  const isExtended =
    isLonger ||
    ids.order_id !== existing.order_id ||
    ids.subscription_id !== existing.subscription_id ||
    ids.coupon_id !== existing.coupon_id
  const version = existing.version + (isExtended ? 1 : 0)
  if (isExtended) {
    await writer
      .updateTable('enrollment')
      .set({ ...longer, ...ids, version, updated_at: now })
      .where('id', '=', existing.id)
      .execute()
  }
  return { enrollmentId: existing.id, outcome: 'unchanged', version, isExtended }
}

/** True for a source that neither an order nor a plan proves. */
const isGranted = (source: string): boolean => ['self', 'manual', 'import'].includes(source)

async function becomeStudent(writer: SchoolWriter, { personId, now }: Pick<EnrollmentInput, 'personId' | 'now'>): Promise<void> {
  const changed = await writer
    .updateTable('person')
    .set((person) => ({ is_student: true, version: person('version', '+', 1), updated_at: now }))
    .where('id', '=', personId)
    .where('is_student', '=', false)
    .returning(changedPerson)
    .execute()
  await recordPersonChanges(writer, changed, { student: 'created' })
}

/** The one who takes a place: a person for themselves, or staff and lecturers for somebody. Only staff can override the check. */
type PlaceTaker = 'person' | 'staff'

/**
 * Checks that a locked course has a place for one more person.
 * @throws Problem invalid_state for a course that is full or, if staff enrol, archived or a draft
 */
export function requirePlace({ status, capacity, enrollments_count }: LockedCourse, taker: PlaceTaker, fix = override): void {
  if (taker === 'staff' && status !== 'published') {
    const code = status === 'draft' ? 'course_draft' : 'course_archived'
    throw noPlace(code, status === 'draft' ? 'The course is a draft.' : 'The course is archived and no longer open for enrolment.', { fix })
  }
  if (capacity === null || enrollments_count < capacity) return
  throw noPlace('course_full', 'The course is full.', { ...(taker === 'staff' && { fix }), meta: { capacity } })
}

const override = 'Send override: true to enrol anyway.'

const noPlace = (code: string, message: string, { fix, meta }: { fix?: string; meta?: Record<string, unknown> }): Problem =>
  new Problem('invalid_state', {
    description: fix === undefined ? message : `${message} ${fix}`,
    details: [{ field: 'course_id', code, message, ...(meta && { meta }) }],
  })
