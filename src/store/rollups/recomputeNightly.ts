import type { Sql } from '../sql.ts'

/** How far learners get, lesson by lesson: all of them, from the beginning. */
export async function recomputeLessons(sql: Sql, schoolId: string): Promise<void> {
  await sql.query('DELETE FROM analytics_lesson WHERE school_id = $1', [schoolId])
  await sql.query(
    `INSERT INTO analytics_lesson (school_id, course_id, lesson_id, opened, completed, median_seconds)
     SELECT school_id, course_id, lesson_id, count(*), count(completed_at),
            percentile_disc(0.5) WITHIN GROUP (ORDER BY greatest(0, extract(epoch FROM completed_at - created_at)))
              FILTER (WHERE completed_at IS NOT NULL)
       FROM lesson_progress WHERE school_id = $1 GROUP BY school_id, course_id, lesson_id`,
    [schoolId],
  )
}

/**
 * Learners by the month of their first activity, and in how many of the months since they were there: of the school, and of all courses
 * of each lecturer together.
 */
export async function recomputeRetention(sql: Sql, schoolId: string): Promise<void> {
  await sql.query('DELETE FROM analytics_retention WHERE school_id = $1', [schoolId])
  await sql.query(
    `INSERT INTO analytics_retention (school_id, subject_type, subject_id, cohort, month, learners)
     SELECT $1::uuid, type, id, cohort, month, count(*)
       FROM (SELECT type, id, month, min(month) OVER (PARTITION BY type, id, person_id) AS cohort
               FROM (SELECT 'school' AS type, school_id AS id, person_id, date_trunc('month', day)::date AS month
                       FROM person_activity_day WHERE school_id = $1::uuid GROUP BY 2, 3, 4
                      UNION ALL
                     SELECT 'lecturer', course_lecturer.lecturer_id, person_id, date_trunc('month', day)::date
                       FROM person_activity_day AS activity
                       JOIN course_lecturer ON course_lecturer.school_id = activity.school_id AND course_lecturer.course_id = activity.course_id
                      WHERE activity.school_id = $1::uuid GROUP BY 2, 3, 4) AS months) AS cohorts
      GROUP BY type, id, cohort, month`,
    [schoolId],
  )
}
