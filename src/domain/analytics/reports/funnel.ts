import { Problem } from '../../../lib/problem.ts'
import { percent } from '../figures.ts'
import { isOwn, ownership } from '../ownCourses.ts'
import type { Asked } from '../report.ts'

interface LessonRow {
  lesson_id: string
  title: string
  opened: number
  completed: number
  median_seconds: number | null
}

/**
 * How far the learners of a course get, lesson by lesson in its order.
 * @throws Problem not_found where there is no such course, or it is another lecturer's
 */
export async function funnel({ sql, schoolId, lecturer }: Pick<Asked, 'sql' | 'schoolId' | 'lecturer'>, courseId: string) {
  const [course] = await sql.query<{ id: string; title: string }>(
    `SELECT id, title FROM course WHERE school_id = $1::uuid AND id = $2::uuid AND ${isOwn('id', 3)}`,
    [schoolId, courseId, ...ownership(lecturer)],
  )
  if (!course) throw new Problem('not_found', { description: 'There is no such course.' })
  const rows = await sql.query<LessonRow>(
    `SELECT lesson.id AS lesson_id, lesson.title, coalesce(opened, 0) AS opened, coalesce(completed, 0) AS completed, median_seconds
       FROM lesson
       JOIN section ON section.school_id = lesson.school_id AND section.id = lesson.section_id
       LEFT JOIN analytics_lesson AS found
         ON found.school_id = lesson.school_id AND found.course_id = lesson.course_id AND found.lesson_id = lesson.id
      WHERE lesson.school_id = $1 AND lesson.course_id = $2 AND lesson.status = 'published'
      ORDER BY section.position, lesson.position, lesson.id`,
    [schoolId, courseId],
  )
  const lessons = rows.map((row, index) => {
    const before = rows[index - 1]?.opened ?? 0
    return { ...row, drop_off_percent: before > row.opened ? percent(before - row.opened, before) : 0 }
  })
  return { course, lessons }
}
