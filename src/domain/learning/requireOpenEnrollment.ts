import { Problem } from '../../lib/problem.ts'
import type { Sql } from '../../store/sql.ts'
import { statusAt, statusesWithPlace } from './enrollmentStatus.ts'
import { lockCourses } from './lockCourses.ts'

interface Key {
  schoolId: string
  personId: string
  courseId: string
  now: Date
}

/** The enrolment of the person where it is open, or suspended by the school. The course is locked from here on. */
export async function findOpenEnrollment(sql: Sql, { schoolId, personId, courseId, now }: Key): Promise<string | undefined> {
  await lockCourses(sql, schoolId, [courseId])
  const [row] = await sql.query<{ id: string; status: string; expires_at: Date | null }>(
    'SELECT id, status, expires_at FROM enrollment WHERE school_id = $1 AND course_id = $2 AND person_id = $3 FOR UPDATE',
    [schoolId, courseId, personId],
  )
  return row && statusesWithPlace.includes(statusAt(row, now)) ? row.id : undefined
}

interface Window {
  status: string
  enrollment_open: boolean
  enrollment_starts_at: Date | null
  enrollment_ends_at: Date | null
}

/**
 * Whether people can enrol themselves now.
 * @throws Problem invalid_state, which says why not
 */
export async function requireOpenEnrollment(sql: Sql, { schoolId, courseId, now }: Key): Promise<void> {
  const [course] = await sql.query<Window>(
    'SELECT status, enrollment_open, enrollment_starts_at, enrollment_ends_at FROM course WHERE school_id = $1 AND id = $2',
    [schoolId, courseId],
  )
  const refusal = course && refusalOf(course, now)
  if (!refusal) return
  const [code, message, at] = refusal
  throw new Problem('invalid_state', {
    description: message,
    details: [{ field: 'course_id', code, message, ...(at && { meta: { at: at.toISOString() } }) }],
  })
}

function refusalOf(course: Window, now: Date): [code: string, message: string, at?: Date] | undefined {
  const { status, enrollment_open, enrollment_starts_at: starts, enrollment_ends_at: ends } = course
  if (status !== 'published') return ['course_archived', 'The course takes nobody new any more.']
  if (!enrollment_open) return ['enrollment_closed', 'The course takes nobody at the moment.']
  if (starts && starts > now) return ['enrollment_not_started', 'One can enrol in the course later.', starts]
  return ends && ends <= now ? ['enrollment_ended', 'The time to enrol in the course is over.', ends] : undefined
}
