import type { Database } from '../../../database/connection/database.ts'
import { schoolDatabase } from '../../../database/school/inSchool.ts'
import { now } from '../../../database/statements/expressions.ts'
import { recordChanges } from '../../../database/tables/changeLog.ts'
import { lockCourses, updateEnrollmentCounters } from '../enrollmentCounters.ts'
import { openStatuses } from '../enrollmentStatus.ts'

const perCourse = 500

/**
 * Stores the state `expired` for enrolments whose time is over. Their access has ended at that time already: this changes counters and
 * filters. One transaction for each course.
 * @returns the number of enrolments that were expired
 */
export async function expireEnrollments(database: Database, maxCourses = 200): Promise<number> {
  const due = await database.kysely
    .selectFrom('enrollment')
    .select(['school_id', 'course_id'])
    .distinct()
    .where('status', 'in', openStatuses)
    .where('expires_at', '<=', now)
    .limit(maxCourses)
    .execute()
  let expired = 0
  for (const { school_id: schoolId, course_id: courseId } of due) {
    expired += await schoolDatabase(database, schoolId, 'schedule').transaction(async (writer) => {
      await lockCourses(writer, [courseId])
      const rows = await writer
        .with('due', (query) =>
          query
            .selectFrom('enrollment')
            .select(['school_id', 'id', 'status'])
            .where('school_id', '=', schoolId)
            .where('course_id', '=', courseId)
            .where('status', 'in', openStatuses)
            .where('expires_at', '<=', now)
            .orderBy('id')
            .limit(perCourse)
            .forUpdate()
            .skipLocked(),
        )
        .updateTable('enrollment')
        .from('due')
        .set((enrollment) => ({
          status: 'expired',
          expired_at: enrollment.ref('enrollment.expires_at'),
          version: enrollment('enrollment.version', '+', 1),
          updated_at: now,
        }))
        .whereRef('enrollment.school_id', '=', 'due.school_id')
        .whereRef('enrollment.id', '=', 'due.id')
        .returning(['enrollment.id', 'enrollment.version', 'enrollment.person_id', 'due.status as before', 'enrollment.completed_at'])
        .execute()
      await recordChanges(writer, { type: 'enrollment', action: 'expired' }, rows)
      await updateEnrollmentCounters(
        writer,
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
  return expired
}
