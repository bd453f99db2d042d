import type { Expression } from 'kysely'
import { jsonBuildObject } from 'kysely/helpers/postgres'
import type { PersonCaller, PersonViewer, Viewer, Visitor } from '../../base/caller.ts'
import { fromPublicId } from '../../base/ids.ts'
import { areCommentsOn, type Builder, type Condition, isOffered } from '../../database/statements/expressions.ts'
import { isTaughtBy } from '../courses/visibleCourses.ts'
import { mayReadBody } from '../curriculum/tree.ts'
import { hasSeat, isAnnounced, isInvited } from '../events/eventAccess.ts'
import { isPublished, isReadableByAll, mayReadPost } from '../posts/postAccess.ts'

type Comments = Builder<'comment'>
type Posts = Builder<'post'>
type Events = Builder<'event'>
type Lessons = Builder<'lesson'>

export const subjects = { post: 'pst', lesson: 'les', event: 'evt' } as const
export type SubjectType = keyof typeof subjects

export interface CommentSubject {
  type: SubjectType
  id: string
}

/** Selects comments that readers see: published ones, and the placeholders of deleted ones that have replies. */
const isShown = (comment: Comments): Condition =>
  comment.or([
    comment('comment.status', '=', 'published'),
    comment.and([comment('comment.status', '=', 'deleted'), comment('comment.replies_count', '>', 0)]),
  ])

const shownOn = (comment: Comments, { schoolId }: Viewer, conditions: Condition[]): Condition =>
  comment.and([isShown(comment), areCommentsOn(schoolId), comment.or(conditions)])

export const isOnPublicSubject = (comment: Comments, visitor: Visitor): Condition =>
  shownOn(comment, visitor, [
    onPost(comment, visitor, isReadableByAll),
    onEvent(comment, visitor, (event) => event('event.access', '=', 'public')),
  ])

export const isOpenPost = (post: Posts, me: PersonViewer): Condition =>
  post.or([isReadableByAll(post), post.and([isPublished(post), mayReadPost(post, me)])])

export const isOpenEvent = (event: Events, me: PersonViewer): Condition =>
  event.or([event('event.access', '=', 'public'), isInvited(event, me), hasSeat(event, me)])

export const isOnOpenSubject = (comment: Comments, me: PersonViewer): Condition =>
  shownOn(comment, me, [
    onPost(comment, me, (post) => isOpenPost(post, me)),
    onEvent(comment, me, (event) => isOpenEvent(event, me)),
    onLesson(comment, me, (lesson) => mayReadBody(lesson, me)),
  ])

export const isInTaughtCourse = (comment: Comments, me: PersonCaller): Condition =>
  comment.exists(
    comment
      .selectFrom('course')
      .whereRef('course.id', '=', 'comment.course_id')
      .where((course) => isTaughtBy(course, me)),
  )

export const isOnSubject = (comment: Comments, ids: readonly string[]): Condition =>
  comment.or(
    Object.entries(subjects).flatMap(([type, prefix]) =>
      ids.flatMap((text) => {
        const id = fromPublicId(prefix, text)
        return id === undefined ? [] : [comment.and([comment('comment.subject_type', '=', type), comment('comment.subject_id', '=', id)])]
      }),
    ),
  )

/** Selects replies to one of these comments; `none` selects comments that are not replies. */
export const isReplyTo = (comment: Comments, parents: readonly string[]): Condition =>
  comment.or(
    parents.map((parent) => {
      const id = fromPublicId('cmt', parent)
      return id === undefined ? comment('comment.parent_id', 'is', null) : comment('comment.parent_id', '=', id)
    }),
  )

// With an offset, the database looks up the subject of each comment. Otherwise it reads all subjects of the school for one page of comments.
function onPost(comment: Comments, { schoolId }: Viewer, which: (post: Posts) => Condition): Condition {
  return comment.and([
    comment('comment.subject_type', '=', 'post'),
    comment.exists(
      comment
        .selectFrom('post')
        .whereRef('post.id', '=', 'comment.subject_id')
        .where('post.comments_enabled', '=', true)
        .where(isOffered(schoolId, 'blog'))
        .where((post) => which(post))
        .offset(0),
    ),
  ])
}

function onEvent(comment: Comments, { schoolId }: Viewer, which: (event: Events) => Condition): Condition {
  return comment.and([
    comment('comment.subject_type', '=', 'event'),
    comment.exists(
      comment
        .selectFrom('event')
        .whereRef('event.id', '=', 'comment.subject_id')
        .where(isOffered(schoolId, 'events'))
        .where((event) => isAnnounced(event))
        .where((event) => which(event))
        .offset(0),
    ),
  ])
}

function onLesson(comment: Comments, { schoolId }: Viewer, which: (lesson: Lessons) => Condition): Condition {
  return comment.and([
    comment('comment.subject_type', '=', 'lesson'),
    comment.exists(
      comment
        .selectFrom('lesson')
        .whereRef('lesson.id', '=', 'comment.subject_id')
        .where('lesson.comments_enabled', '=', true)
        .where('lesson.status', '=', 'published')
        .where(isOffered(schoolId, 'courses'))
        .where((lesson) => which(lesson))
        .offset(0),
    ),
  ])
}

export const subjectOf = (comment: Comments): Expression<unknown> => {
  const postTitle = comment.selectFrom('post').select('post.title').whereRef('post.id', '=', 'comment.subject_id')
  const eventTitle = comment.selectFrom('event').select('event.title').whereRef('event.id', '=', 'comment.subject_id')
  const lessonTitle = comment.selectFrom('lesson').select('lesson.title').whereRef('lesson.id', '=', 'comment.subject_id')
  const title = comment
    .case()
    .when(comment('comment.subject_type', '=', 'post'))
    .then(postTitle)
    .when(comment('comment.subject_type', '=', 'event'))
    .then(eventTitle)
    .else(lessonTitle)
    .end()
  return jsonBuildObject({ type: comment.ref('comment.subject_type'), id: comment.ref('comment.subject_id'), title })
}
