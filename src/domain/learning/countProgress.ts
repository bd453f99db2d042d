import { recordChanges } from '../../store/changeLog.ts'
import type { Sql } from '../../store/sql.ts'
import { updateEnrollmentCounters } from './enrollmentCounters.ts'

/** What an enrolment has of its course. */
export interface ProgressCounts {
  completed_lessons_count: number
  progress_percent: number
  /** Published lessons of the course. */
  lessons_count: number
  /** As much is done as the course asks for. */
  is_enough: boolean
}

// Of the published lessons, rounded down: nothing is complete before it is.
const done = `(SELECT count(*)::int FROM lesson_progress progress
   JOIN lesson ON lesson.school_id = progress.school_id AND lesson.id = progress.lesson_id AND lesson.status = 'published'
  WHERE progress.school_id = enrollment.school_id AND progress.enrollment_id = enrollment.id AND progress.status = 'completed')`
const percent = (count: string): string =>
  `CASE WHEN course.published_lessons_count = 0 THEN 0 ELSE least(100, ${count} * 100 / course.published_lessons_count) END`

/** Counts anew what an enrolment has done. No version counts it. */
export async function countProgress(
  sql: Sql,
  { schoolId, enrollmentId }: { schoolId: string; enrollmentId: string },
): Promise<ProgressCounts> {
  const [row] = await sql.query<ProgressCounts>(
    `UPDATE enrollment SET completed_lessons_count = counted.count, progress_percent = ${percent('counted.count')}
       FROM (SELECT ${done} AS count FROM enrollment WHERE school_id = $1 AND id = $2) counted, course
      WHERE enrollment.school_id = $1 AND enrollment.id = $2 AND course.school_id = $1 AND course.id = enrollment.course_id
      RETURNING enrollment.completed_lessons_count, enrollment.progress_percent, course.published_lessons_count AS lessons_count,
                course.published_lessons_count > 0 AND enrollment.progress_percent >= course.completion_threshold_percent AS is_enough`,
    [schoolId, enrollmentId],
  )
  return row as ProgressCounts
}

/**
 * Counts anew what everybody has done in a course, after its lessons have changed; who has done enough by now has completed it. The
 * course is locked.
 * @returns how many enrolments have other numbers than before
 */
export async function recountCourse(
  sql: Sql,
  { schoolId, courseId, now }: { schoolId: string; courseId: string; now: Date },
): Promise<number> {
  const changed = await sql.query(
    `UPDATE enrollment SET completed_lessons_count = counted.count, progress_percent = ${percent('counted.count')}
       FROM (SELECT id, ${done} AS count FROM enrollment WHERE school_id = $1 AND course_id = $2) counted, course
      WHERE enrollment.school_id = $1 AND enrollment.id = counted.id AND course.school_id = $1 AND course.id = $2
        AND (enrollment.completed_lessons_count, enrollment.progress_percent) IS DISTINCT FROM (counted.count, ${percent('counted.count')})
      RETURNING enrollment.id`,
    [schoolId, courseId],
  )
  const completed = await sql.query<{ id: string; version: number; person_id: string }>(
    `UPDATE enrollment SET status = 'completed', completed_at = coalesce(enrollment.completed_at, $3), version = enrollment.version + 1, updated_at = $3
       FROM course
      WHERE enrollment.school_id = $1 AND enrollment.course_id = $2 AND enrollment.status = 'active' AND course.school_id = $1 AND course.id = $2
        AND course.published_lessons_count > 0 AND enrollment.progress_percent >= course.completion_threshold_percent
        AND enrollment.completed_at IS NULL AND (enrollment.expires_at IS NULL OR enrollment.expires_at > $3)
      RETURNING enrollment.id, enrollment.version, enrollment.person_id`,
    [schoolId, courseId, now],
  )
  await recordChanges(sql, { school_id: schoolId, type: 'enrollment', action: 'completed' }, completed)
  await updateEnrollmentCounters(
    sql,
    schoolId,
    completed.map(({ person_id }) => ({
      courseId,
      personId: person_id,
      before: { status: 'active', completed_at: null },
      after: { status: 'completed', completed_at: now },
    })),
  )
  return changed.length
}

/** How many enrolments have begun one of these lessons. */
export async function countStartedEnrollments(sql: Sql, schoolId: string, lessonIds: readonly string[]): Promise<number> {
  if (lessonIds.length === 0) return 0
  const [row] = await sql.query<{ count: number }>(
    'SELECT count(DISTINCT enrollment_id)::int AS count FROM lesson_progress WHERE school_id = $1 AND lesson_id = ANY ($2::uuid[])',
    [schoolId, [...lessonIds]],
  )
  return row?.count ?? 0
}
