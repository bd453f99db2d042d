import { recordChanges } from '../../store/changeLog.ts'
import type { Database } from '../../store/database.ts'
import { updateEnrollmentCounters } from './enrollmentCounters.ts'
import { lockCourses } from './lockCourses.ts'

const perCourse = 500

interface Expired {
  id: string
  version: number
  person_id: string
  before: string
  completed_at: Date | null
}

/**
 * Notes that enrolments have ended whose time is over. They are closed by the clock before that: what changes here are numbers and
 * filters. One transaction for a course.
 * @returns how many were noted
 */
export async function expireEnrollments(database: Pick<Database, 'sql' | 'transaction'>, mostCourses = 200): Promise<number> {
  const due = await database.sql.query<{ school_id: string; course_id: string }>(
    `SELECT DISTINCT school_id, course_id FROM enrollment WHERE status IN ('active', 'completed') AND expires_at <= now() LIMIT $1`,
    [mostCourses],
  )
  let noted = 0
  for (const { school_id: schoolId, course_id: courseId } of due) {
    noted += await database.transaction(async (_writer, sql) => {
      await lockCourses(sql, schoolId, [courseId])
      const rows = await sql.query<Expired>(
        `WITH due AS (SELECT school_id, id, status FROM enrollment
           WHERE school_id = $1 AND course_id = $2 AND status IN ('active', 'completed') AND expires_at <= now()
           ORDER BY id LIMIT $3 FOR UPDATE SKIP LOCKED)
         UPDATE enrollment SET status = 'expired', expired_at = expires_at, version = version + 1, updated_at = now()
           FROM due WHERE enrollment.school_id = due.school_id AND enrollment.id = due.id
         RETURNING enrollment.id, enrollment.version, enrollment.person_id, due.status AS before, enrollment.completed_at`,
        [schoolId, courseId, perCourse],
      )
      await recordChanges(sql, { school_id: schoolId, type: 'enrollment', action: 'expired' }, rows)
      await updateEnrollmentCounters(
        sql,
        schoolId,
        rows.map(({ person_id, before, completed_at }) => ({
          courseId,
          personId: person_id,
          before: { status: before, completed_at },
          after: { status: 'expired', completed_at },
        })),
      )
      return rows.length
    })
  }
  return noted
}
