import { accountCoursePath, accountLessonPath } from '../../base/accountPaths.ts'
import { toPublicId } from '../../base/ids.ts'
import type { TranslatedFacts } from '../../database/outbox/sendMessage.ts'
import { isAmong, isOffered } from '../../database/statements/expressions.ts'
import { hasCurrentStatus } from '../learning/enrollmentExpressions.ts'
import { type FindNews, newsFor, type Readers } from './news.ts'

/** An e-mail names at most so many lessons. */
const maxLessons = 10

/** The lessons of a course that were published together, for its students. */
export const lessonNews: FindNews = async (context, { subjectIds, groupId: courseId }) => {
  const { writer, school } = context
  const lessons = await writer
    .selectFrom('lesson')
    .innerJoin('section', 'section.id', 'lesson.section_id')
    .innerJoin('course', 'course.id', 'lesson.course_id')
    .select(['course.slug', 'course.title as course', 'lesson.title'])
    .where((lesson) => isAmong(lesson.ref('lesson.id'), subjectIds))
    .where('lesson.status', '=', 'published')
    .where('course.id', '=', courseId)
    .where('course.status', '=', 'published')
    .where(isOffered(school.id, 'courses'))
    .orderBy('section.position')
    .orderBy('lesson.position')
    .execute()
  const [first] = lessons
  if (!first) return undefined
  const values = {
    course: first.course,
    lessons: factsOf(lessons.map(({ title }) => title)),
    link: school.issuer + accountCoursePath(first.slug),
  }
  return newsFor(context, 'lessons_published', values, (person) => isEnrolled(person, courseId))
}

/** A quiz that was graded again, for the students whose result changed. */
export const quizNews: FindNews = async (context, { groupId: lessonId, occurredAt }) => {
  const { writer, school } = context
  const lesson = await writer
    .selectFrom('lesson')
    .innerJoin('course', 'course.id', 'lesson.course_id')
    .select(['course.id as course_id', 'course.slug', 'lesson.title'])
    .where('lesson.id', '=', lessonId)
    .where('lesson.status', '=', 'published')
    .where('course.status', 'in', ['published', 'archived'])
    .where(isOffered(school.id, 'courses'))
    .executeTakeFirst()
  if (!lesson) return undefined
  const values = { lesson: lesson.title, link: school.issuer + accountLessonPath(lesson.slug, toPublicId('les', lessonId)) }
  const isChanged = (person: Readers) =>
    person.exists(
      person
        .selectFrom('quiz_attempt')
        .select('quiz_attempt.id')
        .whereRef('quiz_attempt.person_id', '=', 'person.id')
        .where('quiz_attempt.lesson_id', '=', lessonId)
        .where('quiz_attempt.regraded_at', '=', occurredAt),
    )
  return newsFor(context, 'result_changed', values, (person) => person.and([isChanged(person), isEnrolled(person, lesson.course_id)]))
}

const isEnrolled = (person: Readers, courseId: string) =>
  person.exists(
    person
      .selectFrom('enrollment')
      .select('enrollment.id')
      .whereRef('enrollment.person_id', '=', 'person.id')
      .where('enrollment.course_id', '=', courseId)
      .where(hasCurrentStatus(['active', 'completed']))
      .where('person.student_status', '=', 'active'),
  )

const words = {
  en: { lesson: 'Lesson', more: 'More' },
  de: { lesson: 'Lektion', more: 'Weitere' },
}

function factsOf(titles: readonly string[]): TranslatedFacts {
  const factsIn = ({ lesson, more }: (typeof words)['en']) => [
    ...titles.slice(0, maxLessons).map((value) => ({ label: lesson, value })),
    ...(titles.length > maxLessons ? [{ label: more, value: String(titles.length - maxLessons) }] : []),
  ]
  return { en: factsIn(words.en), de: factsIn(words.de) }
}
