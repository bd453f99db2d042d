import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { DB } from '../../gen/kysely/tables.ts'
import { fromPublicId } from '../../lib/ids.ts'
import type { PersonCaller } from '../../policy/caller.ts'
import { areCommentsOn, isOffered } from '../../store/expressions.ts'
import { isTaughtBy } from '../courses/courses.ts'
import { mayReadBody } from '../curriculum/entitlement.ts'
import { hasSeat, isAnnounced, isInvited } from '../events/eventAccess.ts'
import { isForAll, isOut, mayReadPost } from '../posts/postAccess.ts'

type Comments = ExpressionBuilder<DB, 'comment'>
type Posts = ExpressionBuilder<DB, 'post'>
type Events = ExpressionBuilder<DB, 'event'>
type Lessons = ExpressionBuilder<DB, 'lesson'>
type Condition = Expression<SqlBool>

/** What can be commented on, and the prefix of its ids. */
export const subjects = { post: 'pst', lesson: 'les', event: 'evt' } as const
export type SubjectType = keyof typeof subjects

/** What readers are shown: what is published, and of what was deleted that it was there, where somebody has replied. */
const isShown = (comment: Comments): Condition =>
  comment.or([
    comment('comment.status', '=', 'published'),
    comment.and([comment('comment.status', '=', 'deleted'), comment('comment.replies_count', '>', 0)]),
  ])

const shownOn = (comment: Comments, conditions: Condition[]): Condition =>
  comment.and([isShown(comment), areCommentsOn(comment.ref('comment.school_id')), comment.or(conditions)])

/** Comments on what everybody reads: public posts and public events. */
export const isOnPublicSubject = (comment: Comments): Condition =>
  shownOn(comment, [onPost(comment, isForAll), onEvent(comment, (event) => event('event.access', '=', 'public'))])

/** The same, and comments on what the person may open. */
export const isOnOpenSubject = (comment: Comments, me: PersonCaller): Condition =>
  shownOn(comment, [
    onPost(comment, (post) => post.or([isForAll(post), post.and([isOut(post), mayReadPost(post, me)])])),
    onEvent(comment, (event) => event.or([event('event.access', '=', 'public'), isInvited(event, me), hasSeat(event, me)])),
    onLesson(comment, (lesson) => mayReadBody(lesson, me)),
  ])

/** Comments in courses that the person teaches. */
export const isInTaughtCourse = (comment: Comments, me: PersonCaller): Condition =>
  comment.exists(
    comment
      .selectFrom('course')
      .select('course.id')
      .whereRef('course.school_id', '=', 'comment.school_id')
      .whereRef('course.id', '=', 'comment.course_id')
      .where((course) => isTaughtBy(course as unknown as ExpressionBuilder<DB, 'course'>, me)),
  )

/** Comments on one of these rows, named by their public ids. */
export const isOnSubject = (comment: Comments, ids: readonly string[]): Condition =>
  comment.or(
    Object.entries(subjects).flatMap(([type, prefix]) =>
      ids.flatMap((text) => {
        const id = fromPublicId(prefix, text)
        return id === undefined ? [] : [comment.and([comment('comment.subject_type', '=', type), comment('comment.subject_id', '=', id)])]
      }),
    ),
  )

/** Replies to one of these comments; `none`: what is no reply. */
export const isReplyTo = (comment: Comments, parents: readonly string[]): Condition =>
  comment.or(
    parents.map((parent) => {
      const id = fromPublicId('cmt', parent)
      return id === undefined ? comment('comment.parent_id', 'is', null) : comment('comment.parent_id', '=', id)
    }),
  )

function onPost(comment: Comments, which: (post: Posts) => Condition): Condition {
  return comment.and([
    comment('comment.subject_type', '=', 'post'),
    comment.exists(
      comment
        .selectFrom('post')
        .select('post.id')
        .whereRef('post.school_id', '=', 'comment.school_id')
        .whereRef('post.id', '=', 'comment.subject_id')
        .where('post.comments_enabled', '=', true)
        .where(isOffered(comment.ref('comment.school_id'), 'blog'))
        .where((post) => which(post as unknown as Posts)),
    ),
  ])
}

function onEvent(comment: Comments, which: (event: Events) => Condition): Condition {
  return comment.and([
    comment('comment.subject_type', '=', 'event'),
    comment.exists(
      comment
        .selectFrom('event')
        .select('event.id')
        .whereRef('event.school_id', '=', 'comment.school_id')
        .whereRef('event.id', '=', 'comment.subject_id')
        .where(isOffered(comment.ref('comment.school_id'), 'events'))
        .where((event) => isAnnounced(event as unknown as Events))
        .where((event) => which(event as unknown as Events)),
    ),
  ])
}

function onLesson(comment: Comments, which: (lesson: Lessons) => Condition): Condition {
  return comment.and([
    comment('comment.subject_type', '=', 'lesson'),
    comment.exists(
      comment
        .selectFrom('lesson')
        .select('lesson.id')
        .whereRef('lesson.school_id', '=', 'comment.school_id')
        .whereRef('lesson.id', '=', 'comment.subject_id')
        .where('lesson.comments_enabled', '=', true)
        .where('lesson.status', '=', 'published')
        .where(isOffered(comment.ref('comment.school_id'), 'courses'))
        .where((lesson) => which(lesson as unknown as Lessons)),
    ),
  ])
}

/** What a comment is on: `{ type, id, title }`. */
export const subjectOf = (comment: Comments): Expression<unknown> => {
  const titleIn = (table: SubjectType) =>
    comment
      .selectFrom(table as 'post')
      .select(`${table as 'post'}.title`)
      .whereRef(`${table as 'post'}.school_id`, '=', 'comment.school_id')
      .whereRef(`${table as 'post'}.id`, '=', 'comment.subject_id')
  const title = comment
    .case()
    .when(comment('comment.subject_type', '=', 'post'))
    .then(titleIn('post'))
    .when(comment('comment.subject_type', '=', 'event'))
    .then(titleIn('event'))
    .else(titleIn('lesson'))
    .end()
  const named = (name: string) => comment.cast<string>(comment.val(name), 'text')
  return comment.fn('json_build_object', [
    named('type'),
    comment.ref('comment.subject_type'),
    named('id'),
    comment.ref('comment.subject_id'),
    named('title'),
    title,
  ])
}
