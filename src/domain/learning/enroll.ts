import { newId } from '../../lib/ids.ts'
import { Problem } from '../../lib/problem.ts'
import { recordChange } from '../../store/changeLog.ts'
import { type ChangedPerson, changedPersonColumns, recordPersonChanges } from '../../store/personChanges.ts'
import type { Sql } from '../../store/sql.ts'
import { updateEnrollmentCounters } from './enrollmentCounters.ts'
import { type CountedEnrollment, type EnrollmentSource, statusAt, statusesWithPlace } from './enrollmentStatus.ts'
import { saveFallbackAccess } from './fallbackAccess.ts'
import { lockCourses } from './lockCourses.ts'
import { type PlaceTaker, requirePlace } from './requirePlace.ts'

/** Whom, in what, and what opens it. */
export interface EnrollmentInput {
  schoolId: string
  now: Date
  personId: string
  courseId: string
  source: EnrollmentSource
  orderId?: string | undefined
  subscriptionId?: string | undefined
  couponId?: string | undefined
  /** Without it: now. */
  startsAt?: Date | undefined
  /** Null for ever. Without it: as long as the course is open to who enrols; under a plan as long as the plan lasts. */
  expiresAt?: Date | null | undefined
  /** Refuses a course that does not take one more. Without it: the person has been promised a place, by an order or a plan. */
  requiresPlaceFor?: PlaceTaker | undefined
}

export interface EnrollmentResult {
  enrollmentId: string
  /** `unchanged`: it was open already, or the school has suspended it. */
  outcome: 'made' | 'reactivated' | 'unchanged'
  version: number
}

/**
 * Opens a course to a person. There is one enrolment for a person and a course for ever: one that ended is opened again and keeps its
 * progress, and one that is open is never shortened. Part of the caller's transaction, and noted in the change feed.
 * @throws Problem invalid_reference where the school has no such course, invalid_state where it has no place left
 */
export async function enroll(sql: Sql, enrolling: EnrollmentInput): Promise<EnrollmentResult> {
  const enrolled = await placeEnrollment(sql, enrolling)
  const { enrollmentId, outcome, version } = enrolled
  if (outcome !== 'unchanged' || enrolled.isExtended) {
    const action = outcome === 'made' ? 'created' : outcome === 'reactivated' ? 'reactivated' : 'updated'
    await recordChange(sql, { school_id: enrolling.schoolId, type: 'enrollment', resource_id: enrollmentId, action, version })
  }
  return { enrollmentId, outcome, version }
}

interface Existing extends CountedEnrollment {
  id: string
  version: number
  source: string
  expires_at: Date | null
  order_id: string | null
  subscription_id: string | null
  coupon_id: string | null
}

/** The same for who notes the change themselves. */
export async function placeEnrollment(sql: Sql, enrolling: EnrollmentInput): Promise<EnrollmentResult & { isExtended: boolean }> {
  const { schoolId, now, personId, courseId, source } = enrolling
  const [course] = await lockCourses(sql, schoolId, [courseId])
  if (!course) {
    throw new Problem('invalid_reference', {
      details: [{ field: 'course_id', code: 'invalid_reference', message: 'course_id: there is no such course' }],
    })
  }
  const startsAt = enrolling.startsAt ?? now
  const days = source === 'plan' ? null : course.access_duration_days
  const expiresAt =
    enrolling.expiresAt !== undefined ? enrolling.expiresAt : days === null ? null : new Date(startsAt.getTime() + days * 86_400_000)
  const [existing] = await sql.query<Existing>(
    `SELECT id, version, status, source, completed_at, expires_at, order_id, subscription_id, coupon_id
       FROM enrollment WHERE school_id = $1 AND course_id = $2 AND person_id = $3 FOR UPDATE`,
    [schoolId, courseId, personId],
  )
  const provenance = [enrolling.orderId ?? null, enrolling.subscriptionId ?? null, enrolling.couponId ?? null]
  const isOpen = existing !== undefined && statusesWithPlace.includes(statusAt(existing, now))
  if (isOpen) return await extend(sql, { enrolling, existing, expiresAt })

  const holdsPlace = existing !== undefined && statusesWithPlace.includes(existing.status)
  if (enrolling.requiresPlaceFor && !holdsPlace) requirePlace(course, enrolling.requiresPlaceFor)
  // What was completed stays so: progress is kept, and nothing revokes a completion.
  const after: CountedEnrollment = { status: existing?.completed_at ? 'completed' : 'active', completed_at: existing?.completed_at ?? null }
  const enrollmentId = existing?.id ?? newId()
  const version = (existing?.version ?? 0) + 1
  await sql.query(
    existing
      ? `UPDATE enrollment
            SET status = $3, status_before = NULL, source = $4, order_id = $5, subscription_id = $6, coupon_id = $7, starts_at = $8,
                expires_at = $9, canceled_at = NULL, expired_at = NULL, version = $10, updated_at = $11
          WHERE school_id = $1 AND id = $2`
      : `INSERT INTO enrollment (school_id, id, status, source, order_id, subscription_id, coupon_id, starts_at, expires_at, version,
                                 created_at, updated_at, person_id, course_id)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11, $12, $13)`,
    [
      ...[schoolId, enrollmentId, after.status, source, ...provenance, startsAt, expiresAt, version, now],
      ...(existing ? [] : [personId, courseId]),
    ],
  )
  await becomeStudent(sql, { schoolId, personId, now })
  await updateEnrollmentCounters(sql, schoolId, [{ courseId, personId, before: existing, after }])
  return { enrollmentId, outcome: existing ? 'reactivated' : 'made', version, isExtended: false }
}

/**
 * What is open stays so at least as long as another source opens it. The one that opens it longest is its source, the first where both
 * do; the other is found again when that one ends.
 */
async function extend(
  sql: Sql,
  { enrolling, existing, expiresAt }: { enrolling: EnrollmentInput; existing: Existing; expiresAt: Date | null },
): Promise<EnrollmentResult & { isExtended: boolean }> {
  const { schoolId, now, personId, courseId, source } = enrolling
  const isLonger = existing.expires_at !== null && (expiresAt === null || expiresAt > existing.expires_at)
  const [kept, aside] = isLonger
    ? [
        { source, expires_at: expiresAt },
        { source: existing.source, expires_at: existing.expires_at },
      ]
    : [
        { source: existing.source, expires_at: existing.expires_at },
        { source, expires_at: expiresAt },
      ]
  const provenance = [
    isLonger ? (enrolling.orderId ?? existing.order_id) : (existing.order_id ?? enrolling.orderId ?? null),
    isLonger ? (enrolling.subscriptionId ?? existing.subscription_id) : (existing.subscription_id ?? enrolling.subscriptionId ?? null),
    isLonger ? (enrolling.couponId ?? existing.coupon_id) : (existing.coupon_id ?? enrolling.couponId ?? null),
  ]
  if (isGiven(aside.source) && (isLonger || !isGiven(kept.source)) && (aside.expires_at === null || aside.expires_at > now)) {
    await saveFallbackAccess(sql, { schoolId, personId, courseId, now }, aside.expires_at)
  }
  const known = [existing.order_id, existing.subscription_id, existing.coupon_id]
  const isExtended = isLonger || provenance.some((id, index) => id !== known[index])
  const version = existing.version + (isExtended ? 1 : 0)
  if (isExtended) {
    await sql.query(
      `UPDATE enrollment SET source = $3, expires_at = $4, order_id = $5, subscription_id = $6, coupon_id = $7, version = $8, updated_at = $9
        WHERE school_id = $1 AND id = $2`,
      [schoolId, existing.id, kept.source, kept.expires_at, ...provenance, version, now],
    )
  }
  return { enrollmentId: existing.id, outcome: 'unchanged', version, isExtended }
}

/** Neither an order nor a plan says that the person has it. */
const isGiven = (source: string): boolean => ['self', 'manual', 'import'].includes(source)

/** Who takes a course is a student of the school. */
async function becomeStudent(sql: Sql, { schoolId, personId, now }: Pick<EnrollmentInput, 'schoolId' | 'personId' | 'now'>): Promise<void> {
  const changed = await sql.query<ChangedPerson>(
    `UPDATE person SET is_student = true, version = version + 1, updated_at = $3
      WHERE school_id = $1 AND id = $2 AND NOT is_student RETURNING ${changedPersonColumns}`,
    [schoolId, personId, now],
  )
  await recordPersonChanges(sql, schoolId, changed, { student: 'created' })
}
