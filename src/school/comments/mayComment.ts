import { type Expression, expressionBuilder, type SqlBool } from 'kysely'
import { audienceOf, type PersonViewer, type Viewer } from '../../base/caller.ts'
import type { SchoolReader } from '../../database/connection/database.ts'
import { areCommentsOn, isOffered } from '../../database/statements/expressions.ts'
import type { DB } from '../../gen/kysely/tables.ts'
import { mayReadBody } from '../curriculum/tree.ts'
import { isForEverybody } from '../events/eventAccess.ts'
import { isReadableByAll } from '../posts/postAccess.ts'
import { type CommentSubject, isOpenEvent, isOpenPost, type SubjectType } from './commentAccess.ts'

/** The state of the comments on a post, an event or a lesson for one viewer. */
export interface Commenting {
  isOpen: boolean
  /** Null for visitors. */
  personId: string | null
  waiting: WaitingComment[]
}

/** A comment of the person that waits for a moderator. */
export interface WaitingComment {
  id: string
  parentId: string | null
  body: string
  html: string
  at: Date
}

/**
 * Returns true if the person may comment on a post, an event or a lesson: they can open it, and it takes comments. For a visitor: true if
 * it takes comments and everybody can open it.
 */
export async function mayCommentOn(database: SchoolReader, viewer: Viewer, { type, id }: CommentSubject): Promise<boolean> {
  return (await openRow[type](database, viewer, id)) !== undefined
}

/** True at a school that takes comments, unless it has blocked the person. */
const mayWrite = (viewer: Viewer): Expression<SqlBool> => {
  const rows = expressionBuilder<DB, never>()
  const person = rows
    .selectFrom('person')
    .select('person.id')
    .where('person.school_id', '=', viewer.schoolId)
    .where('person.id', '=', viewer.kind === 'person' ? viewer.personId : null)
    .where('person.member_status', 'not in', ['blocked', 'erased'])
    .where('person.erased_at', 'is', null)
  const isOpen = rows.and([areCommentsOn(viewer.schoolId), isOffered(viewer.schoolId, 'community')])
  return viewer.kind === 'person' ? rows.and([isOpen, rows.exists(person)]) : isOpen
}

type FindRow = (database: SchoolReader, viewer: Viewer, id: string) => Promise<{ id: string } | undefined>

/** Finds a subject that takes comments and that the viewer can open. */
const openRow: Readonly<Record<SubjectType, FindRow>> = {
  post: (database, viewer, id) =>
    database
      .selectFrom('post')
      .select('post.id')
      .where('post.id', '=', id)
      .where('post.status', '=', 'published')
      .where('post.comments_enabled', '=', true)
      .where(mayWrite(viewer))
      .where(isOffered(database.schoolId, 'blog'))
      .where((post) => (viewer.kind === 'anonymous' ? isReadableByAll(post) : seesAll(viewer) ? post.lit(true) : isOpenPost(post, viewer)))
      .executeTakeFirst(),
  event: (database, viewer, id) =>
    database
      .selectFrom('event')
      .select('event.id')
      .where('event.id', '=', id)
      .where('event.status', '=', 'published')
      .where(mayWrite(viewer))
      .where(isOffered(database.schoolId, 'events'))
      .where((event) =>
        viewer.kind === 'anonymous' ? isForEverybody(event) : seesAll(viewer) ? event.lit(true) : isOpenEvent(event, viewer),
      )
      .executeTakeFirst(),
  lesson: (database, viewer, id) =>
    database
      .selectFrom('lesson')
      .select('lesson.id')
      .where('lesson.id', '=', id)
      .where('lesson.status', '=', 'published')
      .where('lesson.comments_enabled', '=', true)
      .where(mayWrite(viewer))
      .where(isOffered(database.schoolId, 'courses'))
      .where((lesson) => mayReadBody(lesson, viewer))
      .executeTakeFirst(),
}

const seesAll = (viewer: Viewer): boolean => audienceOf(viewer) === 'staff'

/** Returns whether the viewer may comment on a subject, and which of their comments on it wait for a moderator. */
export async function commentingOn(database: SchoolReader, viewer: Viewer, subject: CommentSubject): Promise<Commenting> {
  const [isOpen, waiting] = await Promise.all([
    mayCommentOn(database, viewer, subject),
    viewer.kind === 'person' ? waitingComments(database, viewer, subject) : [],
  ])
  return { isOpen, waiting, personId: viewer.kind === 'person' ? viewer.personId : null }
}

/** Returns the comments of the person on a subject that wait for a moderator, the oldest first. */
async function waitingComments(
  database: SchoolReader,
  { personId }: PersonViewer,
  { type, id }: CommentSubject,
): Promise<WaitingComment[]> {
  if (personId === null) return []
  const rows = await database
    .selectFrom('comment')
    .select(['id', 'parent_id', 'body', 'body_html', 'created_at'])
    .where('subject_type', '=', type)
    .where('subject_id', '=', id)
    .where('person_id', '=', personId)
    .where('status', '=', 'pending')
    .orderBy('id')
    .limit(20)
    .execute()
  return rows.map(({ id: commentId, parent_id: parentId, body, body_html: html, created_at: at }) => ({
    ...{ id: commentId, parentId, body: body ?? '', html: html ?? '', at },
  }))
}
