import { accountCoursePath, accountEventPath, accountLessonPath, accountPaths } from '../../../base/accountPaths.ts'
import { viewerOnPage } from '../../../base/caller.ts'
import { uuidOf } from '../../../base/ids.ts'
import { Problem } from '../../../base/problem.ts'
import { byteText } from '../../../base/text/readerFormats.ts'
import { withQuery } from '../../../base/text/withQuery.ts'
import { sitePath } from '../../../engine/sitePaths.ts'
import type { Lesson, Responses } from '../../../school/apiRows.ts'
import { type Commenting, commentingOn } from '../../../school/comments/mayComment.ts'
import { type CommentParts, commentSection, shownComments } from '../../comments/commentSection.ts'
import { knownPerson } from '../../knownRows.ts'
import { plainText } from '../../plainText.ts'
import type { Texts } from '../../texts.ts'
import type { AccountSection } from '../accountPage.ts'
import type { OwnPage, OwnPageContext, OwnRequest } from '../ownPage.ts'
import { type OwnCourse, readCourse } from './courseParts.ts'
import { ownIds } from './ownLists.ts'
import { answersIn, type OwnAttempt, quizSections } from './quizSections.ts'

interface Shown {
  own: OwnCourse
  lesson: Lesson
  /** The attempts of the person at the quiz, the newest first. */
  attempts: readonly OwnAttempt[]
  /** Undefined for a locked lesson. */
  comments: Pick<CommentParts, 'rows' | 'commenting'> | undefined
}

/** The page on which a person reads a lesson, answers its quiz, and marks it as done. */
export const lessonPage: OwnPage<Shown> = {
  path: `${accountPaths.courses}/:course/lessons/:lesson`,
  notices: { previous: 'lesson.done_previous', reopened: 'lesson.done_reopened', passed: 'quiz.done_passed', failed: 'quiz.done_failed' },
  async read(request) {
    const [own, lesson] = await Promise.all([readCourse(request), readLesson(request)])
    if (lesson.course_id !== own.course.id) throw new Problem('not_found')
    const [attempts, comments] = await Promise.all([
      lesson.quiz && own.enrollment ? readAttempts(request, lesson.id) : [],
      lesson.locked ? undefined : readComments(request, lesson.id),
    ])
    return { own, lesson, attempts, comments }
  },
  build(context, shown) {
    const { own, lesson } = shown
    const { texts } = context
    const { slug, language } = own.course
    const at = own.lessons.findIndex(({ id }) => id === lesson.id)
    const link = (relation: 'prev' | 'next', label: string) => {
      const neighbour = at < 0 ? undefined : own.lessons[relation === 'prev' ? at - 1 : at + 1]
      return neighbour ? [{ relation, href: accountLessonPath(slug, neighbour.id), label }] : []
    }
    return {
      title: { text: plainText(lesson.title, 160) },
      textLanguage: language,
      back: { href: accountCoursePath(slug), label: plainText(own.course.title, 160) },
      introduction: at < 0 ? [] : texts.parts('lesson.place', { number: at + 1, count: own.lessons.length }),
      sections: lesson.locked
        ? [lockedSection(context, shown)]
        : [
            ...contentSections(texts, lesson),
            ...quizSections(context, shown),
            ...doneSection(context, shown),
            ...commentsOf(context, shown),
          ],
      neighbours: [...link('prev', texts.text('lesson.previous')), ...link('next', texts.text('lesson.next'))],
    }
  },
  forms: {
    progress: {
      operation: 'putLessonProgress',
      parameters: async (request) => ({ id: (await readCourse(request)).enrollment?.id ?? '', lesson_id: request.params.lesson }),
      body: (form) => ({ completed: form.get('completed') === 'true' }),
      done: ({ body }, request) => afterProgress(body, request),
      problems: { lesson_locked: 'lesson.error_locked', invalid_state: 'lesson.error_quiz' },
    },
    quiz: {
      operation: 'createQuizAttempt',
      parameters: ({ params }) => ({ id: params.lesson }),
      body: (form) => ({ answers: answersIn(form) }),
      done: ({ body }, { path }) => withQuery(path, { attempt: body.id, done: body.passed ? 'passed' : 'failed' }),
      problems: { attempts_exhausted: 'quiz.no_attempts', lesson_locked: 'lesson.error_locked', validation_failed: 'quiz.changed' },
    },
  },
}

const readLesson = async ({ perform, params }: OwnRequest): Promise<Lesson> => (await perform('getLesson', { id: params.lesson })).body

async function readAttempts(request: OwnRequest, lessonId: string): Promise<readonly OwnAttempt[]> {
  const { student_id: studentId } = await ownIds(request)
  if (studentId === null) return []
  return await request.every('listQuizAttempts', { lesson_id: lessonId, student_id: studentId, expand: 'explanations' })
}

/** Returns where a person goes after marking a lesson: to the next one, or to the course after the last one. */
async function afterProgress({ lesson, enrollment }: Responses['putLessonProgress'], request: OwnRequest): Promise<string> {
  if (lesson.status !== 'completed') return 'reopened'
  const { course, lessons } = await readCourse(request)
  const next = lessons[lessons.findIndex(({ id }) => id === request.params.lesson) + 1]
  if (enrollment.status === 'completed') return withQuery(accountCoursePath(course.slug), { done: 'completed' })
  return next
    ? withQuery(accountLessonPath(course.slug, next.id), { done: 'previous' })
    : withQuery(accountCoursePath(course.slug), { done: 'open' })
}

function lockedSection({ texts }: OwnPageContext, { own: { course }, lesson: { lock_reason, unlocks_at } }: Shown): AccountSection {
  const isTimed = lock_reason === 'drip' && unlocks_at !== null
  return {
    id: 'locked',
    heading: texts.text('lesson.locked'),
    paragraphs: [
      isTimed
        ? texts.parts('lesson.opens', { time: texts.moment(new Date(unlocks_at)) })
        : texts.parts(
            lock_reason === 'expired' ? 'lesson.ended' : lock_reason === 'drip' ? 'lesson.opens_later' : 'lesson.not_enrolled',
            {},
          ),
    ],
    links: lock_reason === 'drip' ? [] : [{ href: sitePath('courses', course.slug), label: texts.text('course.about') }],
  }
}

/** Shows the video, the text and the files of a lesson. */
function contentSections(
  texts: Texts,
  { kind, title, media, content_html: html, attachments, event_id: eventId = null }: Lesson,
): AccountSection[] {
  const label = plainText(title, 160)
  const { embed_url: player = null, url = null } = media ?? {}
  const isPlayed = kind === 'video' || kind === 'audio'
  const files = [
    ...(url !== null && !isPlayed ? [{ href: url, label: texts.text('lesson.open_file') }] : []),
    ...(attachments ?? []).flatMap(({ filename, byte_size, download_url: href }) =>
      href === null ? [] : [{ href, label: `${plainText(filename, 160)} (${byteText(byte_size, texts.language)})` }],
    ),
    ...(eventId === null ? [] : [{ href: accountEventPath(eventId), label: texts.text('lesson.event') }]),
  ]
  const played =
    player !== null ? ({ kind: 'player', src: player } as const) : url !== null && isPlayed ? ({ kind, src: url } as const) : undefined
  const isEmpty = !html && !played && files.length === 0 && kind !== 'quiz'
  return [
    ...(html || played || isEmpty
      ? [
          {
            id: 'content',
            heading: texts.text(`lesson.kind_${played ? kind : 'text'}`),
            paragraphs: isEmpty ? [texts.parts('lesson.empty', {})] : [],
            html: html ?? undefined,
            media: played && { ...played, label },
          },
        ]
      : []),
    ...(files.length > 0 ? [{ id: 'files', heading: texts.text('lesson.files'), paragraphs: [], links: files }] : []),
  ]
}

/** Shows whether the lesson is done, with the form that changes it. Passing a quiz completes its lesson. */
function doneSection({ texts, form }: OwnPageContext, { own: { enrollment }, lesson }: Shown): AccountSection[] {
  const isOpen = enrollment?.status === 'active' || enrollment?.status === 'completed'
  if (!isOpen || (lesson.quiz && lesson.completed_at === null)) return []
  const isCompleted = lesson.completed_at !== null
  return [
    {
      id: 'done',
      heading: texts.text('lesson.progress'),
      paragraphs: isCompleted ? [texts.parts('lesson.completed_on', { date: texts.date(new Date(lesson.completed_at ?? '')) })] : [],
      forms: lesson.quiz
        ? []
        : [
            form('progress', {
              hidden: { completed: String(!isCompleted) },
              submit: texts.text(isCompleted ? 'lesson.reopen' : 'lesson.complete'),
              ...(!isCompleted && { kind: 'main' }),
            }),
          ],
    },
  ]
}

async function readComments(request: OwnRequest, id: string): Promise<Shown['comments']> {
  const [rows, commenting] = await Promise.all([
    request.list('comments', 'listComments', shownComments({ type: 'lesson', id })),
    commentingOnLesson(request, uuidOf('les', id)),
  ])
  return { rows, commenting }
}

/** Returns what the person can write at a lesson. */
async function commentingOnLesson({ services, school, accountId, reader }: OwnRequest, id: string): Promise<Commenting | undefined> {
  const found = await knownPerson(services, school.id, accountId)
  return found && (await commentingOn(reader, viewerOnPage(found, school.id), { type: 'lesson', id }))
}

/** Shows the comments on the lesson, and the forms to write them. */
function commentsOf({ texts, request }: OwnPageContext, { lesson, comments }: Shown): AccountSection[] {
  if (!comments) return []
  const { issuer } = request.ctx.state.school
  const section = commentSection({ ...comments, subject: lesson.id, page: request.path, issuer, texts })
  if (section.comments.length === 0 && !section.commentForm) return []
  return [
    { id: 'comments', heading: texts.text('site.comments'), paragraphs: [], comments: section.comments, commentForm: section.commentForm },
  ]
}
