import type { SchoolWriter } from '../../database/connection/database.ts'

export interface LockedCourse {
  id: string
  status: string
  capacity: number | null
  enrollments_count: number
  access_duration_days: number | null
}

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
