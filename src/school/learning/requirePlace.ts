import { Problem } from '../../base/problem.ts'
import type { LockedCourse } from './lockCourses.ts'

/** The one who takes a place: a person for themselves, or staff and lecturers for somebody. Only staff can override the check. */
export type PlaceTaker = 'person' | 'staff'

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
