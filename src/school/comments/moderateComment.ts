import { sql } from 'kysely'
import { Problem } from '../../base/problem.ts'
import type { SchoolWriter, Stored } from '../../database/connection/database.ts'
import { countedBy } from '../../database/statements/expressions.ts'
import type { ChangeAction } from '../../database/tables/changeActions.ts'
import { recordChange, recordChanges } from '../../database/tables/changeLog.ts'
import { announce } from '../notifications/announce.ts'
import type { InSchool } from '../schoolHandles.ts'

/** The decisions of a moderator, with the status and the action of the change feed that each leads to. */
const decisions = {
  approve: { status: 'published', action: 'approved', from: ['pending', 'hidden'] },
  hide: { status: 'hidden', action: 'hidden', from: ['published', 'pending'] },
  spam: { status: 'hidden', action: 'spam', from: ['published', 'pending', 'hidden'] },
  delete: { status: 'deleted', action: 'deleted', from: ['published', 'pending', 'hidden'] },
  /** The rules of the school hold a text that its author has changed. */
  hold: { status: 'pending', action: 'updated', from: ['published'] },
} as const satisfies Record<string, { status: string; action: ChangeAction; from: readonly string[] }>

export type Decision = keyof typeof decisions

export interface Moderation extends InSchool {
  id: string
  decision: Decision
  by: string | null
  reason: string | null
  /** When the text that the moderator has read was last changed. Undefined if any text is meant. */
  seen?: { edit: string | null }
}

export const spamReason = 'Spam'

const parentReason = 'The comment that it replies to was hidden.'

/**
 * Carries out the decision of a moderator. The published comments of the subject and the published replies of a comment are counted. A
 * comment that is hidden takes its published replies with it, and brings them back when it is approved. A deleted comment loses its text, and remains as a placeholder while it has
 * replies. A decision that changes nothing has no effect. Call it in a transaction.
 * @throws Problem not_found, invalid_state; precondition_failed if the author has changed the text since
 */
export async function moderateComment(writer: SchoolWriter, moderation: Moderation): Promise<{ id: string; status: string }> {
  const { id, decision, by, now } = moderation
  const comment = await lockComment(writer, moderation)
  const { status, action, from } = decisions[decision]
  if (moderation.seen && moderation.seen.edit !== (comment.edited_at?.toISOString() ?? null)) throw new Problem('precondition_failed')
  const reason = decision === 'spam' ? spamReason : moderation.reason
  const isSpam = comment.moderation?.reason === spamReason
  if (comment.status === status && (decision !== 'spam' || isSpam)) return { id, status }
  if (!from.some((one) => one === comment.status)) {
    throw new Problem('invalid_state', { description: `A comment that is ${comment.status} cannot become ${status}.` })
  }
  if (decision === 'approve') await requireShownParent(writer, comment.parent_id)
  const version = comment.version + 1
  await writer
    .updateTable('comment')
    .set({
      status,
      version,
      updated_at: now,
      moderation: JSON.stringify({ by, at: now.toISOString(), reason }),
      ...(decision === 'delete' && { body: null, body_html: null }),
    })
    .where('id', '=', id)
    .execute()
  await recordChange(writer, { type: 'comment', resource_id: id, action, version })
  const replies =
    status === 'hidden' ? -(await hideReplies(writer, moderation)) : decision === 'approve' ? await showReplies(writer, moderation) : 0
  const more = Number(status === 'published') - Number(comment.status === 'published')
  await countPublished(writer, { ...comment, by: more + replies })
  if (comment.parent_id !== null && more !== 0) await countReplies(writer, moderation, { id: comment.parent_id, by: more })
  if (decision === 'approve') {
    const subject = { type: comment.subject_type, id: comment.subject_id }
    await announceComment(writer, { schoolId: writer.schoolId, now, id, parentId: comment.parent_id, subject })
  }
  return { id, status }
}

interface ModeratedComment extends Stored<'comment', 'status' | 'version' | 'edited_at' | 'subject_type' | 'subject_id' | 'parent_id'> {
  moderation: { reason?: string | null } | null
}

async function lockComment(writer: SchoolWriter, { id }: Moderation): Promise<ModeratedComment> {
  const comments = writer.selectFrom('comment').where('id', '=', id)
  const subject = await comments.select(['subject_type', 'subject_id', 'parent_id']).executeTakeFirst()
  if (!subject) throw new Problem('not_found', { description: 'The school has no comment with this id.' })
  if (subject.subject_type === 'post' || subject.subject_type === 'event') {
    const table = subject.subject_type
    await writer.selectFrom(table).select('id').where('id', '=', subject.subject_id).forUpdate().executeTakeFirst()
  }
  const ids = [id, ...(subject.parent_id === null ? [] : [subject.parent_id])]
  await writer.selectFrom('comment').select('id').where('id', 'in', ids).orderBy('id').forUpdate().execute()
  return await comments
    .select(['status', 'version', 'edited_at', 'subject_type', 'subject_id', 'parent_id'])
    .select((row) => row.ref('moderation').$castTo<{ reason?: string | null } | null>().as('moderation'))
    .executeTakeFirstOrThrow()
}

async function requireShownParent(writer: SchoolWriter, parentId: string | null): Promise<void> {
  if (parentId === null) return
  const parent = await writer.selectFrom('comment').select('status').where('id', '=', parentId).executeTakeFirst()
  if (parent?.status === 'published' || parent?.status === 'deleted') return
  throw new Problem('invalid_state', { description: 'The comment that it replies to is not published. Approve that one first.' })
}

async function hideReplies(writer: SchoolWriter, { id, by, now }: Moderation): Promise<number> {
  const hidden = await writer
    .updateTable('comment')
    .set((row) => ({
      status: 'hidden',
      updated_at: now,
      version: row('version', '+', 1),
      moderation: sql<string>`${JSON.stringify({ by, at: now.toISOString(), reason: parentReason })}::jsonb
        || jsonb_build_object('before', ${row.ref('moderation')})`,
    }))
    .where('parent_id', '=', id)
    .where('status', '=', 'published')
    .returning(['id', 'version'])
    .execute()
  await recordChanges(writer, { type: 'comment', action: 'hidden' }, hidden)
  if (hidden.length > 0) await writer.updateTable('comment').set({ replies_count: 0 }).where('id', '=', id).execute()
  return hidden.length
}

/** Publishes the replies that were hidden with the comment, under their decisions of before; those hidden for another reason stay. */
async function showReplies(writer: SchoolWriter, { id, now }: Moderation): Promise<number> {
  const shown = await writer
    .updateTable('comment')
    .set((row) => ({
      status: 'published',
      updated_at: now,
      version: row('version', '+', 1),
      moderation: sql<string | null>`nullif(${row.ref('moderation')} -> 'before', 'null')`,
    }))
    .where('parent_id', '=', id)
    .where('status', '=', 'hidden')
    .where(({ ref }) => sql<boolean>`(${ref('moderation')} -> 'before' IS NOT NULL OR ${ref('moderation')} ->> 'reason' = ${parentReason})`)
    .returning(['id', 'version'])
    .execute()
  await recordChanges(writer, { type: 'comment', action: 'approved' }, shown)
  if (shown.length > 0) {
    await writer
      .updateTable('comment')
      .set((row) => ({ replies_count: row('replies_count', '+', shown.length) }))
      .where('id', '=', id)
      .execute()
  }
  return shown.length
}

async function countPublished(
  writer: SchoolWriter,
  { subject_type: type, subject_id: id, by }: Pick<ModeratedComment, 'subject_type' | 'subject_id'> & { by: number },
): Promise<void> {
  if (by === 0 || (type !== 'post' && type !== 'event')) return
  await writer
    .updateTable(type)
    .set((row) => ({ comments_count: countedBy(row.ref('comments_count'), by) }))
    .where('id', '=', id)
    .execute()
}

async function countReplies(writer: SchoolWriter, { now }: InSchool, { id, by }: { id: string; by: number }): Promise<void> {
  const parent = await writer
    .updateTable('comment')
    .set((row) => ({ replies_count: countedBy(row.ref('replies_count'), by), version: row('version', '+', 1), updated_at: now }))
    .where('id', '=', id)
    .returning('version')
    .executeTakeFirstOrThrow()
  const action = by > 0 ? 'replied' : 'updated'
  await recordChange(writer, { type: 'comment', resource_id: id, action, version: parent.version })
}

interface Published extends InSchool {
  id: string
  parentId: string | null
  subject: { type: string; id: string }
}

/** Records a published comment, for the author of the comment that it replies to, or of the post that it is on. */
export async function announceComment(writer: SchoolWriter, { now, id, parentId, subject }: Published): Promise<void> {
  const news = { schoolId: writer.schoolId, subjectIds: [id], at: now }
  if (parentId !== null) await announce(writer, { ...news, kind: 'reply', groupId: parentId })
  else if (subject.type === 'post') await announce(writer, { ...news, kind: 'comment', groupId: subject.id })
}
