import type { Sql } from '../../store/sql.ts'
import { type CountedEnrollment, statusesWithPlace } from './enrollmentStatus.ts'

/** One enrolment that changed: how it stood before and stands now. None before: it is new. */
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
 * Counts into course and person what changed, in the transaction that changes it. Nothing of it is a new version of either. Courses come
 * before persons, and both in the order of their ids, so that two who count never wait for each other.
 */
export async function updateEnrollmentCounters(sql: Sql, schoolId: string, moves: readonly StatusChange[]): Promise<void> {
  const courses = new Map<string, number>()
  const people = new Map<string, PersonDelta>()
  for (const { courseId, personId, before, after } of moves) {
    courses.set(courseId, (courses.get(courseId) ?? 0) + isSeated(after) - isSeated(before))
    const person = people.get(personId) ?? { all: 0, active: 0, completed: 0 }
    people.set(personId, {
      all: person.all + (before ? 0 : 1),
      active: person.active + isActive(after) - isActive(before),
      completed: person.completed + isCompleted(after) - isCompleted(before),
    })
  }
  for (const [id, seats] of inOrder(courses)) {
    if (seats === 0) continue
    await sql.query('UPDATE course SET enrollments_count = enrollments_count + $3 WHERE school_id = $1 AND id = $2', [schoolId, id, seats])
  }
  for (const [id, { all, active, completed }] of inOrder(people)) {
    if (all === 0 && active === 0 && completed === 0) continue
    await sql.query(
      `UPDATE person
          SET enrollments_count = enrollments_count + $3, active_enrollments_count = active_enrollments_count + $4,
              completed_courses_count = completed_courses_count + $5
        WHERE school_id = $1 AND id = $2`,
      [schoolId, id, all, active, completed],
    )
  }
}

const isSeated = (row: CountedEnrollment | undefined): number => (row && statusesWithPlace.includes(row.status) ? 1 : 0)
const isActive = (row: CountedEnrollment | undefined): number => (row?.status === 'active' ? 1 : 0)
const isCompleted = (row: CountedEnrollment | undefined): number => (row?.completed_at ? 1 : 0)

const inOrder = <Value>(deltas: ReadonlyMap<string, Value>): [string, Value][] =>
  [...deltas].toSorted(([first], [second]) => (first < second ? -1 : 1))
