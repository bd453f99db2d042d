import { htmlOf } from '../domain/richText.ts'
import { courses } from './courses.ts'
import { demoId } from './ids.ts'
import { type DemoLesson, demoSections } from './lessons.ts'

interface Common {
  school_id: string
  id: string
  created_at: Date
  updated_at: Date
}

export function curriculumRows(schoolId: string, common: (kind: string, index: number) => Common, filesOf: (lesson: number) => string[]) {
  const sections = demoSections()
  const courseId = (slug: string): string =>
    demoId(
      schoolId,
      'course',
      courses.findIndex((course) => course.slug === slug),
    )
  const lessons = sections
    .flatMap((section, index) =>
      section.lessons.map((lesson, position) => ({
        lesson,
        position,
        section_id: demoId(schoolId, 'section', index),
        course: section.course,
      })),
    )
    .map((placed, index) => ({ ...placed, common: common('lesson', index) }))

  return {
    sections: () =>
      sections.map(({ course, title, summary }, index) => ({
        ...common('section', index),
        course_id: courseId(course),
        title,
        summary,
        position: sections.slice(0, index).filter((other) => other.course === course).length,
      })),
    lessons: () =>
      lessons.map(({ lesson: { content: _content, quiz, ...lesson }, position, section_id, course, common }, index) => ({
        ...common,
        ...lesson,
        course_id: courseId(course),
        section_id,
        position,
        quiz,
        attachment_file_ids: filesOf(index),
      })),
    texts: () =>
      lessons.map(({ lesson: { content }, common: { id } }) => ({
        school_id: schoolId,
        lesson_id: id,
        content,
        content_format: 'markdown',
        content_html: htmlOf(content, 'markdown'),
      })),
    countsOf(slug: string) {
      const all = lessons.filter(({ course }) => course === slug).map(({ lesson }) => lesson)
      const published = all.filter(({ status }) => status === 'published')
      return {
        sections_count: sections.filter(({ course }) => course === slug).length,
        lessons_count: all.length,
        published_lessons_count: published.length,
        previews_count: previewsIn(all),
        published_previews_count: previewsIn(published),
        duration_minutes: minutesOf(all),
        published_duration_minutes: minutesOf(published),
      }
    },
  }
}

const previewsIn = (lessons: readonly DemoLesson[]): number => lessons.filter(({ is_preview }) => is_preview).length

const minutesOf = (lessons: readonly DemoLesson[]): number =>
  Math.ceil(lessons.reduce((sum, { duration_seconds }) => sum + duration_seconds, 0) / 60)
