import { aliased, columns } from '../columns.ts'
import type { Sql } from '../sql.ts'

const progress = aliased('lesson_progress')
const lessons = aliased('analytics_lesson')
const retention = aliased('analytics_retention')
const activity = aliased('person_activity_day', 'activity')
const taught = aliased('course_lecturer')

/** Computes how far learners get, lesson by lesson: all of them, from the beginning. */
export async function recomputeLessons(sql: Sql, schoolId: string): Promise<void> {
  await sql.query(`DELETE FROM ${lessons} WHERE ${lessons.school_id} = $1`, [schoolId])
  const written = columns('analytics_lesson', ['school_id', 'course_id', 'lesson_id', 'opened', 'completed', 'median_seconds'])
  const key = `${progress.school_id}, ${progress.course_id}, ${progress.lesson_id}`
  await sql.query(
    `INSERT INTO ${lessons} (${written})
     SELECT ${key}, count(*), count(${progress.completed_at}),
            percentile_disc(0.5) WITHIN GROUP (ORDER BY greatest(0, extract(epoch FROM ${progress.completed_at} - ${progress.created_at})))
              FILTER (WHERE ${progress.completed_at} IS NOT NULL)
       FROM ${progress} WHERE ${progress.school_id} = $1 GROUP BY ${key}`,
    [schoolId],
  )
}

/**
 * Computes how many learners of each month of first activity came in each month since: of the school, and of all courses of each lecturer
 * together.
 */
export async function recomputeRetention(sql: Sql, schoolId: string): Promise<void> {
  await sql.query(`DELETE FROM ${retention} WHERE ${retention.school_id} = $1`, [schoolId])
  const written = columns('analytics_retention', ['school_id', 'subject_type', 'subject_id', 'cohort', 'month', 'learners'])
  await sql.query(
    `INSERT INTO ${retention} (${written})
     SELECT $1::uuid, type, id, cohort, month, count(*)
       FROM (SELECT type, id, month, min(month) OVER (PARTITION BY type, id, learner) AS cohort
               FROM (SELECT 'school' AS type, ${activity.school_id} AS id, ${activity.person_id} AS learner, date_trunc('month', ${activity.day})::date AS month
                       FROM ${activity} WHERE ${activity.school_id} = $1::uuid GROUP BY 2, 3, 4
                      UNION ALL
                     SELECT 'lecturer', ${taught.lecturer_id}, ${activity.person_id}, date_trunc('month', ${activity.day})::date
                       FROM ${activity}
                       JOIN ${taught} ON ${taught.school_id} = ${activity.school_id} AND ${taught.course_id} = ${activity.course_id}
                      WHERE ${activity.school_id} = $1::uuid GROUP BY 2, 3, 4) AS months) AS cohorts
      GROUP BY type, id, cohort, month`,
    [schoolId],
  )
}
