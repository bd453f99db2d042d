import type { SchoolWriter, Stored } from '../../database/connection/database.ts'
import { countedBy } from '../../database/statements/expressions.ts'
import { type CountedEnrollment, statusesWithPlace } from './enrollmentStatus.ts'

/** The change of one enrolment that the counters follow. A new enrolment has no state before. */
export interface StatusChange {
  courseId: string
  personId: string
  before: CountedEnrollment | undefined
  after: CountedEnrollment
}

interface PersonDelta {
  all: number
  active: number
  completed: number
}

/**
 * Updates the enrolment counters of courses and people, in the transaction that changes the enrolments. Neither gets a new version.
 * Courses are updated before people, and both in the order of their ids, so that concurrent transactions cannot deadlock.
 */
export async function updateEnrollmentCounters(writer: SchoolWriter, changes: readonly StatusChange[]): Promise<void> {
  const courses = new Map<string, number>()
  const people = new Map<string, PersonDelta>()
  for (const { courseId, personId, before, after } of changes) {
    courses.set(courseId, (courses.get(courseId) ?? 0) + hasPlace(after) - hasPlace(before))
    const person = people.get(personId) ?? { all: 0, active: 0, completed: 0 }
    people.set(personId, {
      all: person.all + (before ? 0 : 1),
      active: person.active + isActive(after) - isActive(before),
      completed: person.completed + isCompleted(after) - isCompleted(before),
    })
  }
  for (const [id, places] of inOrder(courses)) {
    if (places === 0) continue
    await writer
      .updateTable('course')
      .set((course) => ({ enrollments_count: countedBy(course.ref('enrollments_count'), places) }))
      .where('id', '=', id)
      .execute()
  }
  for (const [id, { all, active, completed }] of inOrder(people)) {
    if (all === 0 && active === 0 && completed === 0) continue
    await writer
      .updateTable('person')
      .set((person) => ({
        enrollments_count: countedBy(person.ref('enrollments_count'), all),
        active_enrollments_count: countedBy(person.ref('active_enrollments_count'), active),
        completed_courses_count: countedBy(person.ref('completed_courses_count'), completed),
      }))
      .where('id', '=', id)
      .execute()
  }
}

const hasPlace = (row: CountedEnrollment | undefined): number => (row && statusesWithPlace.includes(row.status) ? 1 : 0)
const isActive = (row: CountedEnrollment | undefined): number => (row?.status === 'active' ? 1 : 0)
const isCompleted = (row: CountedEnrollment | undefined): number => (row?.completed_at ? 1 : 0)

const inOrder = <Value>(deltas: ReadonlyMap<string, Value>): [string, Value][] =>
  [...deltas].toSorted(([first], [second]) => (first < second ? -1 : 1))

export type LockedCourse = Stored<'course', 'id' | 'status' | 'capacity' | 'enrollments_count' | 'access_duration_days'>

/**
 * Locks courses against other transactions that open or end enrolments, until the transaction ends. They are locked before their
 * enrolments, in the order of their ids. Writes that only refer to a course, such as progress, do not wait.
 */
export async function lockCourses(writer: SchoolWriter, ids: readonly string[]): Promise<LockedCourse[]> {
  return await writer
    .selectFrom('course')
    .select(['id', 'status', 'capacity', 'enrollments_count', 'access_duration_days'])
    .where((course) => course('id', '=', course.fn.any(course.val(ids))))
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
}
