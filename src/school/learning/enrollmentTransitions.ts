import type { Stored } from '../../database/connection/database.ts'
import type { ChangeContext } from '../changeContext.ts'
import { requirePlace } from './enroll.ts'
import { lockCourses, updateEnrollmentCounters } from './enrollmentCounters.ts'
import type { CountedEnrollment, EnrollmentStatus } from './enrollmentStatus.ts'
import { revokeFallbackAccess } from './fallbackAccess.ts'
import { issueCertificates } from './issuedCertificates.ts'

/** The actions on an enrolment: the states in which each is possible, and those that it leads to, the usual one first. */
export const transitions = {
  suspend: { from: ['active', 'completed'], to: ['suspended'] },
  resume: { from: ['suspended'], to: ['active', 'completed'] },
  cancel: { from: ['active', 'expired', 'suspended'], to: ['canceled'] },
  complete: { from: ['active'], to: ['completed'] },
} as const satisfies Record<string, { from: readonly EnrollmentStatus[]; to: readonly EnrollmentStatus[] }>

export type Transition = keyof typeof transitions

export type EnrollmentRow = CountedEnrollment &
  Stored<'enrollment', 'id' | 'version' | 'person_id' | 'course_id' | 'expires_at' | 'status_before'>

/** Updates the counters for a transition and returns the columns to write. The caller has checked that the state allows it. */
export async function applyTransition({ writer, school, now }: ChangeContext, row: EnrollmentRow, transition: Transition) {
  const columns = columnsAfter(row, transition, now)
  const { person_id: personId, course_id: courseId } = row
  if (transition === 'cancel') await revokeFallbackAccess(writer, { personId, courseId, now })
  await updateEnrollmentCounters(writer, [{ courseId, personId, before: row, after: { ...row, ...columns } }])
  if (transition === 'complete') await issueCertificates({ writer, school, now }, [{ id: row.id, version: row.version + 1 }])
  return columns
}

function columnsAfter(row: EnrollmentRow, transition: Transition, now: Date) {
  switch (transition) {
    case 'suspend':
      return { status: 'suspended', status_before: row.status }
    case 'resume':
      return { status: row.completed_at ? 'completed' : 'active', status_before: null }
    case 'cancel':
      return { status: 'canceled', status_before: null, canceled_at: now }
    case 'complete':
      return { status: 'completed', completed_at: row.completed_at ?? now }
  }
}

/**
 * Returns the columns that follow from a new end: an expired enrolment whose end is in the future is open again and takes a place again.
 * Locks the course.
 * @throws Problem invalid_state if the course has no place or is not published
 */
export async function reopen({ writer, now }: ChangeContext, row: EnrollmentRow, expiresAt: Date | null) {
  const isOpen = expiresAt === null || expiresAt > now
  if (row.status !== 'expired' || !isOpen) return {}
  const [course] = await lockCourses(writer, [row.course_id])
  if (course) requirePlace(course, 'staff', 'Create the enrolment again with override: true to open it anyway.')
  const columns = { status: row.completed_at ? 'completed' : 'active', expired_at: null }
  await updateEnrollmentCounters(writer, [{ courseId: row.course_id, personId: row.person_id, before: row, after: { ...row, ...columns } }])
  return columns
}

/** Deletes the lesson progress and quiz attempts of an enrolment. Its certificates stay. Returns the columns to write, undefined if there is no progress. */
export async function resetProgress(
  { writer }: ChangeContext,
  row: EnrollmentRow & { progress_percent: number; last_lesson_id: string | null },
) {
  const lessons = await writer.deleteFrom('lesson_progress').where('enrollment_id', '=', row.id).returning('id').execute()
  const attempts = await writer.deleteFrom('quiz_attempt').where('enrollment_id', '=', row.id).returning('id').execute()
  if (lessons.length === 0 && attempts.length === 0 && !row.completed_at && row.progress_percent === 0) return undefined
  const columns = {
    status: row.status === 'completed' ? 'active' : row.status,
    completed_at: null,
    progress_percent: 0,
    completed_lessons_count: 0,
    last_lesson_id: null,
  }
  await updateEnrollmentCounters(writer, [
    { courseId: row.course_id, personId: row.person_id, before: row, after: { status: columns.status, completed_at: null } },
  ])
  return columns
}
