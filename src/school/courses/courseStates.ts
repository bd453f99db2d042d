import { fieldError, type ProblemDetail } from '../../base/problem.ts'
import type { Stored } from '../../database/connection/database.ts'
import { recordChanges } from '../../database/tables/changeLog.ts'
import { recordCurriculum } from '../curriculum/countTree.ts'
import { removeLessons } from '../curriculum/sectionWriting.ts'
import { requireUnreferenced } from '../products/requireUnreferenced.ts'
import type { WriteContext } from './courseWriting.ts'

type Course = Stored<'course', 'id' | 'status' | 'access' | 'price_amount' | 'published_lessons_count' | 'tree_version' | 'published_at'>

export type NotPublishable = (details: ProblemDetail[]) => Error

/** Publishes a course. The time of its first publication stays. */
export function publishCourse(notPublishable: NotPublishable) {
  return async (context: WriteContext, course: Course) => {
    const missing: ProblemDetail[] = []
    if (!(await hasLecturers(context, course)))
      missing.push(fieldError('lecturers', 'required', 'must contain a lecturer who is not archived'))
    if (course.published_lessons_count === 0)
      missing.push(fieldError('lessons_count', 'required', 'must count at least one published lesson. Publish a lesson first.'))
    if (course.access === 'paid' && course.price_amount === null) {
      missing.push(fieldError('price', 'required', 'is required for a paid course'))
    }
    if (missing.length > 0) throw notPublishable(missing)
    return { published_at: course.published_at ?? context.now, archived_at: null }
  }
}

/** Makes a course a draft again, if it has no enrolled students. */
export function unpublishCourse(requireUnused: (context: WriteContext, course: Course) => Promise<void>) {
  return async (context: WriteContext, course: Course) => {
    await requireUnused(context, course)
    return {}
  }
}

/**
 * Deletes the parts of a course: lessons, sections and the assignments of lecturers.
 * @throws Problem resource_in_use if enrolments, orders, grants, coupons or plans refer to it
 */
export async function removeCourseParts({ writer }: WriteContext, course: Course): Promise<undefined> {
  await requireUnreferenced({ writer }, { type: 'course', id: course.id })
  const lessons = await writer.selectFrom('lesson').select('id').where('course_id', '=', course.id).execute()
  await removeLessons(
    { writer },
    lessons.map(({ id }) => id),
  )
  const sections = await writer.deleteFrom('section').where('course_id', '=', course.id).returning(['id', 'version']).execute()
  await recordChanges(writer, { type: 'section', action: 'deleted' }, sections)
  await recordCurriculum(writer, { courseId: course.id }, 'deleted', course.tree_version)
  await writer.deleteFrom('course_lecturer').where('course_id', '=', course.id).execute()
}

async function hasLecturers({ writer }: WriteContext, course: Course): Promise<boolean> {
  const row = await writer
    .selectFrom('course_lecturer')
    .innerJoin('lecturer', 'lecturer.id', 'course_lecturer.lecturer_id')
    .select('lecturer.id')
    .where('course_lecturer.course_id', '=', course.id)
    .where('lecturer.status', '!=', 'archived')
    .executeTakeFirst()
  return row !== undefined
}
