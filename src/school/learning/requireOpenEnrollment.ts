import { Problem } from '../../base/problem.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'
import { statusAt, statusesWithPlace } from './enrollmentStatus.ts'
import { lockCourses } from './lockCourses.ts'

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

interface EnrollmentWindow {
  status: string
  enrollment_open: boolean
  enrollment_starts_at: Date | null
  enrollment_ends_at: Date | null
}

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
