import { hash } from 'node:crypto'
import type { PersonViewer } from '../../base/caller.ts'
import { Problem } from '../../base/problem.ts'
import type { SchoolWriter, Stored } from '../../database/connection/database.ts'
import { recordChange } from '../../database/tables/changeLog.ts'
import { findStoredResponse, idempotencyId, storeResponse, waitForKey } from '../../database/tables/idempotency.ts'
import { htmlOf } from '../richText.ts'
import { addComment, heldBy, lockSubject, requireAuthor } from './addComment.ts'
import type { CommentSubject, SubjectType } from './commentAccess.ts'
import { mayCommentOn } from './mayComment.ts'
import { moderateComment } from './moderateComment.ts'

/** The person who writes, and the time. */
export interface Writing {
  me: PersonViewer
  now: Date
}

type WrittenComment = Stored<'comment', 'id' | 'status'>

/**
 * Adds a comment by a signed-in person. Repeating the call with the same key and text has no effect. Call it in a transaction.
 * @throws Problem not_found for a subject that the person may not comment on, idempotency_key_reused, and the problems of `addComment`
 */
export async function writeComment(
  writer: SchoolWriter,
  { me, now }: Writing,
  { key, subject, body, parentId }: { key: string; subject: CommentSubject; body: string; parentId: string | undefined },
): Promise<WrittenComment & { isNew: boolean }> {
  const { accountId, personId } = me
  const id = idempotencyId(['comment', accountId, key])
  const fingerprint = hash('sha256', JSON.stringify([subject, parentId ?? null, body]), 'base64url')
  await waitForKey(writer, writer.schoolId, id)
  const stored = await findStoredResponse(writer, writer.schoolId, id)
  if (stored) {
    if (stored.fingerprint !== fingerprint) throw new Problem('idempotency_key_reused')
    return { ...JSON.parse(stored.body), isNew: false }
  }
  if (personId === null || !(await mayCommentOn(writer, me, subject))) throw notYours()
  const written = await addComment(writer, {
    schoolId: writer.schoolId,
    now,
    subject,
    author: { personId },
    body,
    parentId,
    status: 'published',
  })
  await storeResponse(writer, writer.schoolId, id, { fingerprint, status: 201, headers: {}, body: JSON.stringify(written) })
  return { ...written, isNew: true }
}

/**
 * Changes the text of a person's own comment. The rules of the school can hold the new text. Call it in a transaction.
 * @throws Problem not_found for a comment that is not theirs, hidden or deleted, and the problems of `addComment`
 */
export async function changeComment(
  writer: SchoolWriter,
  { me, now }: Writing,
  { id, body }: { id: string; body: string },
): Promise<WrittenComment> {
  const { subject } = await ownComment(writer, me, id)
  if (!(await mayCommentOn(writer, me, subject))) throw notYours()
  const { rules } = await lockSubject(writer, { subject })
  const html = htmlOf(body, 'comment', 'body')
  const { personId, status, version, ...before } = await ownComment(writer, me, id)
  const authorRole = await requireAuthor(writer, personId)
  if (before.body === body) return { id, status }
  await writer
    .updateTable('comment')
    .set({ body, body_html: html, edited_at: now, updated_at: now, version: version + 1 })
    .where('id', '=', id)
    .execute()
  await recordChange(writer, { type: 'comment', resource_id: id, action: 'updated', version: version + 1 })
  const reason = status === 'published' ? await heldBy(writer, rules, { personId, authorRole, body, html }) : undefined
  return reason === undefined
    ? { id, status }
    : await moderateComment(writer, { schoolId: writer.schoolId, now, id, decision: 'hold', by: null, reason })
}

/**
 * Deletes a person's own comment. It remains as a placeholder while it has replies. Call it in a transaction.
 * @throws Problem not_found for a comment that is not theirs, hidden or deleted
 */
export async function deleteComment(writer: SchoolWriter, { me, now }: Writing, id: string): Promise<void> {
  await ownComment(writer, me, id)
  await moderateComment(writer, { schoolId: me.schoolId, now, id, decision: 'delete', by: null, reason: 'Deleted by the author.' })
}

/** Reads a comment of the person that they see: hidden ones stay as the moderator left them. */
async function ownComment(writer: SchoolWriter, { personId }: PersonViewer, id: string) {
  const row =
    personId === null
      ? undefined
      : await writer
          .selectFrom('comment')
          .select(['subject_type', 'subject_id', 'status', 'version', 'body'])
          .where('id', '=', id)
          .where('person_id', '=', personId)
          .where('status', 'in', ['published', 'pending'])
          .$narrowType<{ subject_type: SubjectType }>()
          .executeTakeFirst()
  if (!row || personId === null) throw notYours()
  const { subject_type: type, subject_id, ...rest } = row
  return { ...rest, personId, subject: { type, id: subject_id } }
}

const notYours = (): Problem => new Problem('not_found', { description: 'There is no such comment, or you cannot change it.' })
