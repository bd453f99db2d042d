import type { CourseOutline } from '../../../school/apiRows.ts'
import type { OwnRequest } from '../ownPage.ts'

/** A course with the enrolment of the person and the lessons that they completed. */
export type OwnCourse = Awaited<ReturnType<typeof readCourse>>

export type OutlineLesson = CourseOutline['sections'][number]['lessons'][number]

/** @throws Problem not_found */
export async function readCourse(request: OwnRequest, slug = request.params.course ?? '') {
  const { perform } = request
  const { body: course } = await perform('getCourse', { id_or_slug: slug })
  const [{ body: curriculum }, enrollments] = await Promise.all([
    perform('getCurriculum', { id_or_slug: course.id }),
    request.every('listStudentEnrollments', { id_or_me: 'me', expand: 'course', course_id: course.id }),
  ])
  const enrollment = enrollments.find(({ status }) => status !== 'canceled')
  const progress = enrollment && (await perform('getProgress', { id: enrollment.id })).body
  const completed = new Set(progress?.lessons.flatMap(({ lesson_id, status }) => (status === 'completed' ? [lesson_id] : [])))
  const { sections } = curriculum
  return { course, sections, enrollment, completed, lessons: sections.flatMap((section) => section.lessons) }
}

/** Returns the lesson with which the person continues: the first open one that is not completed, from the last lesson on. */
export function nextLesson({ lessons, completed, enrollment }: OwnCourse): OutlineLesson | undefined {
  const last = Math.max(
    0,
    lessons.findIndex(({ id }) => id === enrollment?.last_lesson_id),
  )
  return [...lessons.slice(last), ...lessons.slice(0, last)].find(({ id, locked }) => !locked && !completed.has(id))
}
