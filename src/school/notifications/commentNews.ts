import { accountCoursePath, accountEventPath, accountLessonPath } from '../../base/accountPaths.ts'
import type { PersonViewer } from '../../base/caller.ts'
import { toPublicId } from '../../base/ids.ts'
import { quotedName, quotedText, type TranslatedFacts } from '../../database/outbox/sendMessage.ts'
import { isAmong, isOffered } from '../../database/statements/expressions.ts'
import { findPerson } from '../../identity/accounts/findPerson.ts'
import { isInTaughtCourse, isOnOpenSubject } from '../comments/commentAccess.ts'
import { hasCurrentStatus } from '../learning/enrollmentExpressions.ts'
import { rowPath } from '../pages/rowPath.ts'
import { type FindNews, type NewsBatch, type NewsContext, newsFor, type Readers } from './news.ts'

/** An e-mail quotes at most so many characters of a comment. */
const maxQuoted = 300

/** Replies to a comment, for its author. */
export const replyNews: FindNews = async (context, batch) => {
  const parent = await context.writer
    .selectFrom('comment')
    .select(['person_id', 'subject_type', 'subject_id'])
    .where('id', '=', batch.groupId)
    .where('status', '=', 'published')
    .executeTakeFirst()
  if (!parent || parent.person_id === null) return undefined
  const subject = await findSubject(context, parent)
  return subject && (await commentNewsFor(context, batch, { personId: parent.person_id, email: 'comment_replied', subject }))
}

/** Comments on a post, for its author. */
export const postCommentNews: FindNews = async (context, batch) => {
  const subject = await findSubject(context, { subject_type: 'post', subject_id: batch.groupId })
  const author = await context.writer
    .selectFrom('post')
    .innerJoin('staff', 'staff.lecturer_id', 'post.author_lecturer_id')
    .select('staff.person_id')
    .where('post.id', '=', batch.groupId)
    .where('staff.status', '=', 'active')
    .executeTakeFirst()
  if (!subject || !author) return undefined
  return await commentNewsFor(context, batch, { personId: author.person_id, email: 'post_commented', subject })
}

interface Subject {
  title: string
  link: string
}

interface Addressed {
  personId: string
  email: 'comment_replied' | 'post_commented'
  subject: Subject
}

/** Returns the e-mail about the comments of others that the person may read. */
async function commentNewsFor(context: NewsContext, { subjectIds }: NewsBatch, { personId, email, subject }: Addressed) {
  const { writer } = context
  const me = await viewerOf(context, personId)
  if (!me) return undefined
  const comments = await writer
    .selectFrom('comment')
    .innerJoin('person as author', 'author.id', 'comment.person_id')
    .select((row) => [row.fn.coalesce('author.display_name', 'author.name').as('author'), 'comment.body'])
    .where((row) => isAmong(row.ref('comment.id'), subjectIds))
    .where('comment.status', '=', 'published')
    .where('comment.person_id', '<>', personId)
    .where('author.member_status', 'not in', ['blocked', 'erased'])
    .where(isOffered(writer.schoolId, 'community'))
    .where((row) =>
      me.role === 'owner' || me.role === 'admin' ? row.lit(true) : row.or([isOnOpenSubject(row, me), isInTaughtCourse(row, me)]),
    )
    .orderBy('comment.created_at', 'desc')
    .orderBy('comment.id', 'desc')
    .execute()
  const [latest] = comments
  if (!latest) return undefined
  const values = {
    ...subject,
    count: String(comments.length),
    author: quotedName(latest.author),
    comment: quotedText(latest.body ?? '', maxQuoted),
  }
  return newsFor(context, email, values, (person) => person('person.id', '=', personId))
}

/** Returns the person as a caller; undefined if they have no account, or it ended. */
async function viewerOf({ writer }: NewsContext, personId: string): Promise<PersonViewer | undefined> {
  const row = await writer.selectFrom('person').select('account_id').where('id', '=', personId).executeTakeFirst()
  const person = row?.account_id ? await findPerson(writer, row.account_id) : undefined
  return person && { ...person, kind: 'person', schoolId: writer.schoolId, scopes: new Set(), clientId: '', grantId: '' }
}

/** Returns the title and the page of the lesson, event or post; undefined if it has no page. */
async function findSubject(
  { writer, school, hasPages }: NewsContext,
  { subject_type: type, subject_id: id }: { subject_type: string; subject_id: string },
): Promise<Subject | undefined> {
  if (type === 'lesson') {
    const lesson = await writer
      .selectFrom('lesson')
      .innerJoin('course', 'course.id', 'lesson.course_id')
      .select(['lesson.title', 'course.slug'])
      .where('lesson.id', '=', id)
      .executeTakeFirst()
    return lesson && { title: lesson.title, link: school.issuer + accountLessonPath(lesson.slug, toPublicId('les', id)) }
  }
  const table = type === 'event' ? 'event' : 'post'
  if (table === 'post' && !hasPages) return undefined
  const row = await writer.selectFrom(table).select(['title', 'slug']).where('id', '=', id).executeTakeFirst()
  const path = table === 'event' ? accountEventPath : (slug: string) => rowPath('posts', slug)
  return row && { title: row.title, link: school.issuer + path(row.slug) }
}

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
