import { Problem } from '../../../base/problem.ts'
import { percent } from '../figures.ts'
import { isOwn, type ReportRequest } from '../report.ts'

/**
 * Returns how far the learners of a course get, lesson by lesson in its order.
 * @throws Problem not_found if the course does not exist, or if it is another lecturer's
 */
export async function funnel(request: Pick<ReportRequest, 'database' | 'lecturer'>, courseId: string) {
  const { database } = request
  const course = await database
    .selectFrom('course')
    .select(['id', 'title'])
    .where('id', '=', courseId)
    .where(isOwn(request, 'course.id'))
    .executeTakeFirst()
  if (!course) throw new Problem('not_found', { description: 'There is no such course.' })
  const rows = await database
    .selectFrom('lesson')
    .innerJoin('section', 'section.id', 'lesson.section_id')
    .leftJoin('analytics_lesson', (join) =>
      join.onRef('analytics_lesson.course_id', '=', 'lesson.course_id').onRef('analytics_lesson.lesson_id', '=', 'lesson.id'),
    )
    .select(({ fn, lit }) => [
      'lesson.id as lesson_id',
      'lesson.title',
      fn.coalesce('analytics_lesson.opened', lit(0)).as('opened'),
      fn.coalesce('analytics_lesson.completed', lit(0)).as('completed'),
      'analytics_lesson.median_seconds',
    ])
    .where('lesson.course_id', '=', courseId)
    .where('lesson.status', '=', 'published')
    .orderBy('section.position')
    .orderBy('lesson.position')
    .orderBy('lesson.id')
    .execute()
  const lessons = rows.map((row, index) => {
    const before = rows[index - 1]?.opened ?? 0
    return { ...row, drop_off_percent: before > row.opened ? percent(before - row.opened, before) : 0 }
  })
  return { course, lessons }
}
