import type { Sql } from '../../store/sql.ts'
import { updateEnrollmentCounters } from './enrollmentCounters.ts'
import type { CountedEnrollment, EnrollmentStatus } from './enrollmentStatus.ts'
import { revokeFallbackAccess } from './fallbackAccess.ts'
import { lockCourses } from './lockCourses.ts'
import { requirePlace } from './requirePlace.ts'

/** What can be done with an enrolment: the states that it leads out of, and those in which it is in effect already. */
export const transitions = {
  suspend: { from: ['active', 'completed'], already: ['suspended'] },
  resume: { from: ['suspended'], already: ['active', 'completed'] },
  cancel: { from: ['active', 'expired', 'suspended'], already: ['canceled'] },
  complete: { from: ['active'], already: ['completed'] },
} as const satisfies Record<string, { from: readonly EnrollmentStatus[]; already: readonly EnrollmentStatus[] }>

export type Transition = keyof typeof transitions

export interface EnrollmentRow extends CountedEnrollment {
  id: string
  person_id: string
  course_id: string
  expires_at: Date | null
  status_before: string | null
}

interface Context {
  sql: Sql
  school: { id: string }
  now: Date
}

/** The columns that follow from a transition, once what they count is counted. Whether the state allows it has been asked. */
export async function applyTransition({ sql, school, now }: Context, row: EnrollmentRow, transition: Transition) {
  const columns = columnsAfter(row, transition, now)
  const { person_id: personId, course_id: courseId } = row
  if (transition === 'cancel') await revokeFallbackAccess(sql, { schoolId: school.id, personId, courseId, now })
  await updateEnrollmentCounters(sql, school.id, [{ courseId, personId, before: row, after: { ...row, ...columns } }])
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
 * Returns the columns that follow from other times: an enrolment that had ended is open again where its time is not over, and takes a place
 * again. The course is locked.
 * @throws Problem invalid_state where the course takes nobody now
 */
export async function reopen({ sql, school, now }: Context, row: EnrollmentRow, expiresAt: Date | null) {
  const isOpen = expiresAt === null || expiresAt > now
  if (row.status !== 'expired' || !isOpen) return {}
  const [course] = await lockCourses(sql, school.id, [row.course_id])
  if (course) requirePlace(course, 'staff', 'Create the enrolment again with override: true to open it anyway.')
  const columns = { status: row.completed_at ? 'completed' : 'active', expired_at: null }
  await updateEnrollmentCounters(sql, school.id, [
    { courseId: row.course_id, personId: row.person_id, before: row, after: { ...row, ...columns } },
  ])
  return columns
}

/** Takes back all that was done in the course: lessons, attempts, completion. Undefined where nothing was. */
export async function resetProgress(
  { sql, school }: Context,
  row: EnrollmentRow & { progress_percent: number; last_lesson_id: string | null },
) {
  const lessons = await sql.query('DELETE FROM lesson_progress WHERE school_id = $1 AND enrollment_id = $2 RETURNING id', [
    school.id,
    row.id,
  ])
  const attempts = await sql.query('DELETE FROM quiz_attempt WHERE school_id = $1 AND enrollment_id = $2 RETURNING id', [school.id, row.id])
  if (lessons.length === 0 && attempts.length === 0 && !row.completed_at && row.progress_percent === 0) return undefined
  const columns = {
    status: row.status === 'completed' ? 'active' : row.status,
    completed_at: null,
    progress_percent: 0,
    completed_lessons_count: 0,
    last_lesson_id: null,
  }
  await updateEnrollmentCounters(sql, school.id, [
    { courseId: row.course_id, personId: row.person_id, before: row, after: { status: columns.status, completed_at: null } },
  ])
  return columns
}
