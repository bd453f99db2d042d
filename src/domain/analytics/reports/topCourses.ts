import { numberIn, percent } from '../figures.ts'
import { isOwn, ownership } from '../ownCourses.ts'
import { compared, type Range } from '../period.ts'
import type { Asked } from '../report.ts'

export const courseMetrics = ['revenue', 'enrollments', 'completions', 'active_students'] as const
export type CourseMetric = (typeof courseMetrics)[number]

/** What each course had in days $2 to $3. */
const metrics = {
  revenue: `SELECT product_id AS course_id, sum(gross - discounts - refunds) AS value FROM analytics_daily_product
             WHERE school_id = $1::uuid AND product_type = 'course' AND day BETWEEN $2::date AND $3::date GROUP BY product_id`,
  enrollments: `SELECT course_id, sum(enrolled) AS value FROM analytics_daily_course
                 WHERE school_id = $1::uuid AND day BETWEEN $2::date AND $3::date GROUP BY course_id`,
  completions: `SELECT course_id, sum(completed) AS value FROM analytics_daily_course
                 WHERE school_id = $1::uuid AND day BETWEEN $2::date AND $3::date GROUP BY course_id`,
  active_students: `SELECT subject_id AS course_id, monthly_active AS value FROM analytics_daily_active
                     WHERE school_id = $1::uuid AND subject_type = 'course' AND day = least($3::date, $6::date) AND day >= $2::date`,
} as const satisfies Record<CourseMetric, string>

/** The courses that had most of something, and how that compares with as many days before. */
export async function topCourses(asked: Asked, range: Range, { metric, limit }: { metric: CourseMetric; limit: number }) {
  const now = await valuesIn(asked, range, metric)
  const before = new Map(
    (await valuesIn(asked, compared(range, 'previous_period'), metric)).map((row) => [row.course_id, numberIn(row, 'value')]),
  )
  const all = now.reduce((sum, row) => sum + numberIn(row, 'value'), 0)
  return now.slice(0, limit).map((row, index) => {
    const value = numberIn(row, 'value')
    const was = before.get(row.course_id) ?? 0
    return {
      rank: index + 1,
      course: { id: row.course_id, title: row.title },
      value,
      share_percent: all > 0 ? percent(value, all) : 0,
      change_percent: was > 0 ? percent(value - was, was) : null,
    }
  })
}

function valuesIn({ sql, schoolId, lecturer, today }: Asked, { from, to }: Range, metric: CourseMetric) {
  return sql.query<{ course_id: string; title: string; value: string }>(
    `SELECT course_id, course.title, value FROM (${metrics[metric]}) AS found
       JOIN course ON course.school_id = $1::uuid AND course.id = course_id
      WHERE value <> 0 AND ${isOwn('course_id', 4)} AND $2::date <= $3::date AND $6::date IS NOT NULL
      ORDER BY value DESC, course_id`,
    [schoolId, from, to, ...ownership(lecturer), today],
  )
}
