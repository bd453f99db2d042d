import { Problem } from '../../lib/problem.ts'
import type { LockedCourse } from './lockCourses.ts'

/** Who takes a place: a person by themselves, or staff and lecturers for somebody. Staff can override what a course does not take. */
export type PlaceTaker = 'person' | 'staff'

/**
 * Checks that a locked course takes one more person.
 * @throws Problem invalid_state for a course that is full or, where staff enrol, archived or a draft
 */
export function requirePlace({ status, capacity, enrollments_count }: LockedCourse, taker: PlaceTaker, wayOut = override): void {
  if (taker === 'staff' && status !== 'published') {
    const code = status === 'draft' ? 'course_draft' : 'course_archived'
    throw refusal(code, status === 'draft' ? 'The course is a draft.' : 'The course is archived: it takes nobody new.', { wayOut })
  }
  if (capacity === null || enrollments_count < capacity) return
  throw refusal('course_full', 'Every place of the course is taken.', { ...(taker === 'staff' && { wayOut }), meta: { capacity } })
}

const override = 'Send override: true to enrol anyway.'

const refusal = (code: string, message: string, { wayOut, meta }: { wayOut?: string; meta?: Record<string, unknown> }): Problem =>
  new Problem('invalid_state', {
    description: wayOut === undefined ? message : `${message} ${wayOut}`,
    details: [{ field: 'course_id', code, message, ...(meta && { meta }) }],
  })
