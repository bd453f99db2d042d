import { newIdAt } from '../../base/ids.ts'
import { fieldProblem, Problem } from '../../base/problem.ts'
import { comparisonForm } from '../../base/text/comparisonForm.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'
import { areCommentsOn, isOffered } from '../../database/statements/expressions.ts'
import { recordChange } from '../../database/tables/changeLog.ts'
import { htmlOf } from '../richText.ts'
import type { InSchool } from '../schoolHandles.ts'
import { findOrCreatePerson } from '../students/findOrCreatePerson.ts'
import type { CommentSubject } from './commentAccess.ts'
import { announceComment, spamReason } from './moderateComment.ts'

export interface NewComment extends InSchool {
  subject: CommentSubject
  /** A signed-in person, or an e-mail address from another system. */
  author: { personId: string } | { email: string; name?: string | undefined }
  body: string
  parentId?: string | undefined
  /** Only moderators see a pending comment. The rules of the school can hold a published one. */
  status: 'published' | 'pending'
  /** True if the sender classified it as spam: it is stored hidden. */
  spam?: boolean | undefined
  /** When it was written and approved, if that was on another site: nobody is notified. Default: now. */
  writtenAt?: Date | undefined
}

export const maxCommentLength = 5000

/**
 * Adds a comment and counts it. An author whose address was reported becomes a member of the school. Call it in a transaction.
 * @throws Problem invalid_state if the school or the subject takes no comments
 * @throws Problem validation_failed, invalid_reference, access_denied for a blocked author
 */
export async function addComment(writer: SchoolWriter, comment: NewComment): Promise<{ id: string; status: string }> {
  const { now, subject, body, parentId, writtenAt } = comment
  const { courseId, rules } = await lockSubject(writer, comment)
  if (parentId !== undefined) await requireParent(writer, comment, parentId)
  const bodyHtml = htmlOf(body, 'comment', 'body')
  const personId = await authorOf(writer, comment)
  const authorRole = await requireAuthor(writer, personId)
  const applied: CommentRules = writtenAt ? { ...rules, comment_moderation: 'none' } : rules
  const held = await heldBy(writer, applied, { personId, authorRole, body, html: bodyHtml })
  const status = comment.spam ? 'hidden' : held === undefined ? comment.status : 'pending'
  const reason = comment.spam ? spamReason : held
  const created_at = writtenAt ?? now
  const id = newIdAt(created_at)
  await writer
    .insertInto('comment')
    .values({
      school_id: writer.schoolId,
      id,
      created_at,
      updated_at: now,
      subject_type: subject.type,
      subject_id: subject.id,
      course_id: courseId,
      person_id: personId,
      author_role: authorRole,
      parent_id: parentId ?? null,
      body,
      body_html: bodyHtml,
      status,
      moderation: reason === undefined ? null : JSON.stringify({ by: null, at: now.toISOString(), reason }),
    })
    .execute()
  if (status === 'published') {
    await countComment(writer, comment)
    if (!writtenAt) await announceComment(writer, { schoolId: writer.schoolId, now, id, parentId: parentId ?? null, subject })
  }
  await writer
    .updateTable('person')
    .set((person) => ({ comments_count: person('comments_count', '+', 1) }))
    .where('id', '=', personId)
    .execute()
  await recordChange(writer, { type: 'comment', resource_id: id, action: 'created', version: 1 })
  return { id, status }
}

/** Finds the author. An author known only by e-mail address becomes a member; a signed-in person does not: commenting must not open members' posts. */
async function authorOf(writer: SchoolWriter, { now, author }: NewComment): Promise<string> {
  if ('personId' in author) return author.personId
  return (await findOrCreatePerson(writer, { ...author, facet: 'member', now })).personId
}

interface WrittenText {
  personId: string
  authorRole: string
  body: string
  html: string
}

/** Returns why the text of a member has to wait for a moderator; undefined if it can be published. */
export async function heldBy(
  writer: SchoolWriter,
  rules: CommentRules,
  { personId, authorRole, body, html }: WrittenText,
): Promise<string | undefined> {
  if (authorRole !== 'member') return undefined
  return holdReason(rules, { body, html, isFirst: await isFirst(writer, personId) })
}

/**
 * Locks the subject, so that its comments are counted in turn, and returns the course of a lesson.
 * @throws Problem invalid_state, invalid_reference
 */
export async function lockSubject(
  writer: SchoolWriter,
  { subject: { type, id } }: Pick<NewComment, 'subject'>,
): Promise<{ courseId: string | null; rules: CommentRules }> {
  const isOpen = await writer
    .selectFrom('school')
    .select((row) => row.ref('settings').$castTo<CommentRules>().as('rules'))
    .where('id', '=', writer.schoolId)
    .where(areCommentsOn(writer.schoolId))
    .where(isOffered(writer.schoolId, 'community'))
    .executeTakeFirst()
  if (!isOpen) throw new Problem('invalid_state', { description: 'The school does not take comments. Its settings can allow them.' })
  const row = await findSubject(writer, { type, id })
  if (!row) throw fieldProblem('invalid_reference', 'subject', 'invalid_reference', 'must be a post, a lesson or an event of the school')
  if (row.status !== 'published' || !row.comments_enabled)
    throw new Problem('invalid_state', { description: `This ${type} does not take comments: it must be published and allow them.` })
  return { courseId: row.course_id, rules: isOpen.rules }
}

interface Subject {
  status: string
  comments_enabled: boolean
  course_id: string | null
}

async function findSubject(writer: SchoolWriter, { type, id }: CommentSubject): Promise<Subject | undefined> {
  if (type === 'lesson') {
    return await writer.selectFrom('lesson').select(['status', 'comments_enabled', 'course_id']).where('id', '=', id).executeTakeFirst()
  }
  if (type === 'post') {
    const post = writer.selectFrom('post').select(['status', 'comments_enabled']).where('id', '=', id)
    const row = await post.forUpdate().executeTakeFirst()
    return row && { ...row, course_id: null }
  }
  const event = writer.selectFrom('event').select('status').where('id', '=', id)
  const row = await event.forUpdate().executeTakeFirst()
  return row && { ...row, comments_enabled: true, course_id: null }
}

/** Replies have one level: a reply to a reply belongs to the same comment. */
async function requireParent(writer: SchoolWriter, { subject }: NewComment, parentId: string): Promise<void> {
  const parent = await writer
    .selectFrom('comment')
    .select('id')
    .where('id', '=', parentId)
    .where('subject_type', '=', subject.type)
    .where('subject_id', '=', subject.id)
    .where('parent_id', 'is', null)
    .where('status', '=', 'published')
    .forUpdate()
    .executeTakeFirst()
  if (!parent)
    throw fieldProblem(
      'invalid_reference',
      'parent_id',
      'invalid_reference',
      'must be a published comment on the same subject that is not a reply',
    )
}

async function isFirst(writer: SchoolWriter, personId: string): Promise<boolean> {
  const published = await writer
    .selectFrom('comment')
    .select('id')
    .where('person_id', '=', personId)
    .where('status', '=', 'published')
    .limit(1)
    .executeTakeFirst()
  return published === undefined
}

/** @throws Problem access_denied for a blocked author */
export async function requireAuthor(writer: SchoolWriter, personId: string): Promise<'member' | 'lecturer' | 'staff'> {
  const person = await writer
    .selectFrom('person')
    .leftJoin('staff', (join) => join.onRef('staff.person_id', '=', 'person.id').on('staff.status', '=', 'active'))
    .select(['person.member_status', 'staff.role'])
    .where('person.id', '=', personId)
    .executeTakeFirstOrThrow()
  if (person.member_status === 'blocked') throw new Problem('access_denied', { description: 'The school has blocked the author.' })
  return person.role === null ? 'member' : person.role === 'lecturer' ? 'lecturer' : 'staff'
}

/** Counts a published comment at its subject and at the comment that it replies to. */
async function countComment(writer: SchoolWriter, { now, subject, parentId }: NewComment): Promise<void> {
  if (subject.type !== 'lesson') {
    await writer
      .updateTable(subject.type)
      .set((row) => ({ comments_count: row('comments_count', '+', 1) }))
      .where('id', '=', subject.id)
      .execute()
  }
  if (parentId === undefined) return
  const parent = await writer
    .updateTable('comment')
    .set((row) => ({ replies_count: row('replies_count', '+', 1), version: row('version', '+', 1), updated_at: now }))
    .where('id', '=', parentId)
    .returning('version')
    .executeTakeFirstOrThrow()
  await recordChange(writer, { type: 'comment', resource_id: parentId, action: 'replied', version: parent.version })
}

interface CommentRules {
  comment_moderation?: 'none' | 'first' | 'all'
  comment_max_links?: number | null
  comment_blocked_words?: readonly string[]
}

interface CheckedComment {
  body: string
  html: string
  isFirst: boolean
}

/** Why a comment waits for a moderator, as it is stored. */
export const holdReasons = {
  all: 'Held: every comment is checked.',
  first: 'Held: the first comment of the person.',
  links: 'Held: too many links.',
  words: 'Held: it contains a blocked word.',
} as const

/** Returns why a comment has to wait for a moderator; undefined if it can be published. Pure. */
export function holdReason(rules: CommentRules, { body, html, isFirst }: CheckedComment): string | undefined {
  const { comment_moderation: moderation = 'none', comment_max_links: links = null, comment_blocked_words: words = [] } = rules
  if (moderation === 'all') return holdReasons.all
  if (moderation === 'first' && isFirst) return holdReasons.first
  if (links !== null && linksIn(body, html) > links) return holdReasons.links
  const text = wordsOf(body)
  return words.some((word) => hasWords(text, wordsOf(word))) ? holdReasons.words : undefined
}

/** Counts links, also those that the HTML does not contain because they are only written as text. */
const linksIn = (body: string, html: string): number =>
  Math.max(html.match(/<a\s/gi)?.length ?? 0, body.match(/https?:\/\/|\bwww\./gi)?.length ?? 0)

/** Returns the words of a text in one form, between spaces, so that other signs between them do not matter. */
const wordsOf = (text: string): string => ` ${(comparisonForm(text).match(/[\p{L}\p{N}\p{M}]+/gu) ?? []).join(' ')} `

const hasWords = (text: string, words: string): boolean => words.trim() !== '' && text.includes(words)
