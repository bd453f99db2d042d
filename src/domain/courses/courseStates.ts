import type { ProblemDetail } from '../../lib/problem.ts'
import { recordChanges } from '../../store/changeLog.ts'
import { rawSql } from '../../store/rawSql.ts'
import { recordCurriculum } from '../curriculum/countTree.ts'
import { removeLessons } from '../curriculum/sectionWriting.ts'
import { requirePublisher } from '../lecturers/requirePublisher.ts'
import { requireNamedNowhere } from '../products/namedProduct.ts'
import type { CourseContext } from './courseWriting.ts'

interface Course {
  id: string
  status: string
  access: string
  price_amount: number | string | null
  published_lessons_count: number
  tree_version: number
  published_at: Date | null
}

/** What is missing before a course can be published, as the framework tells it. */
export type NotPublishable = (details: ProblemDetail[]) => Error

/** Makes the course findable. The first time is kept. */
export function publishCourse(notPublishable: NotPublishable) {
  return async (context: CourseContext, course: Course) => {
    await requirePublisher(context)
    const missing: ProblemDetail[] = []
    if (!(await hasLecturers(context, course)))
      missing.push({ field: 'lecturers', code: 'required', message: 'lecturers: the course needs a lecturer who is not archived' })
    if (course.published_lessons_count === 0)
      missing.push({ field: 'lessons_count', code: 'required', message: 'lessons_count: no section has a published lesson' })
    if (course.access === 'paid' && course.price_amount === null) {
      missing.push({ field: 'price', code: 'required', message: 'price: a paid course needs one' })
    }
    if (missing.length > 0) throw notPublishable(missing)
    return { published_at: course.published_at ?? context.now, archived_at: null }
  }
}

/** Takes the course out of the catalogue. */
export async function archiveCourse(context: CourseContext) {
  await requirePublisher(context)
  return { archived_at: context.now }
}

/** Turns the course back into a draft, which nobody may be taking. */
export function unpublishCourse(requireUnused: (context: CourseContext, course: Course) => Promise<void>) {
  return async (context: CourseContext, course: Course) => {
    await requirePublisher(context)
    await requireUnused(context, course)
    return {}
  }
}

/**
 * Lets go of what only the course holds.
 * @throws Problem resource_in_use where anything of people or money names it
 */
export async function removeCourseParts({ writer, school }: CourseContext, course: Course): Promise<undefined> {
  await requireNamedNowhere({ sql: rawSql(writer), school }, { type: 'course', id: course.id })
  const lessons = await writer
    .selectFrom('lesson')
    .select('id')
    .where('school_id', '=', school.id)
    .where('course_id', '=', course.id)
    .execute()
  await removeLessons(
    { writer, school },
    lessons.map(({ id }) => id),
  )
  const sections = await writer
    .deleteFrom('section')
    .where('school_id', '=', school.id)
    .where('course_id', '=', course.id)
    .returning(['id', 'version'])
    .execute()
  await recordChanges(writer, { school_id: school.id, type: 'section', action: 'deleted' }, sections)
  await recordCurriculum(writer, { schoolId: school.id, courseId: course.id }, 'deleted', course.tree_version)
  await writer.deleteFrom('course_lecturer').where('school_id', '=', school.id).where('course_id', '=', course.id).execute()
}

async function hasLecturers({ writer, school }: CourseContext, course: Course): Promise<boolean> {
  const row = await writer
    .selectFrom('course_lecturer')
    .innerJoin('lecturer', (join) =>
      join.onRef('lecturer.school_id', '=', 'course_lecturer.school_id').onRef('lecturer.id', '=', 'course_lecturer.lecturer_id'),
    )
    .select('lecturer.id')
    .where('course_lecturer.school_id', '=', school.id)
    .where('course_lecturer.course_id', '=', course.id)
    .where('lecturer.status', '!=', 'archived')
    .executeTakeFirst()
  return row !== undefined
}
