import type { Sql } from '../../store/sql.ts'

/** What of a course decides about enrolments. */
export interface LockedCourse {
  id: string
  status: string
  capacity: number | null
  enrollments_count: number
  access_duration_days: number | null
}

/**
 * Keeps courses from everybody else who enrols or ends enrolments, until the transaction ends. They are locked before their enrolments,
 * in the order of their ids. Who only refers to them, as progress does, does not wait.
 */
export async function lockCourses(sql: Sql, schoolId: string, ids: readonly string[]): Promise<LockedCourse[]> {
  return await sql.query<LockedCourse>(
    `SELECT id, status, capacity, enrollments_count, access_duration_days FROM course
      WHERE school_id = $1 AND id = ANY ($2::uuid[]) ORDER BY id FOR NO KEY UPDATE`,
    [schoolId, [...ids]],
  )
}
