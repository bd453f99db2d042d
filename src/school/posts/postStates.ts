import { fieldProblem, Problem } from '../../base/problem.ts'
import type { SchoolWriter, Stored } from '../../database/connection/database.ts'
import { now as databaseNow } from '../../database/statements/expressions.ts'
import { recordChanges } from '../../database/tables/changeLog.ts'
import type { WriteContext } from '../courses/courseWriting.ts'
import { announce } from '../notifications/announce.ts'

type Post = Stored<'post', 'id' | 'status' | 'scheduled_for' | 'published_at'>

const yearMs = 366 * 86_400_000

/**
 * Publishes a post now or at a future time. A scheduled post gets its `published_at` immediately, because lists are sorted by it.
 * @throws Problem invalid_state, validation_failed
 */
export async function publishPost(context: WriteContext, post: Post, { scheduled_for }: { scheduled_for?: string | null }) {
  const { now } = context
  const time = scheduled_for === undefined || scheduled_for === null ? undefined : new Date(scheduled_for)
  if (time && (time <= now || time.getTime() - now.getTime() > yearMs)) {
    throw fieldProblem(
      'validation_failed',
      'scheduled_for',
      time <= now ? 'min' : 'max',
      'must be in the future and at most one year from now',
    )
  }
  const isDone = time ? post.status === 'scheduled' && post.scheduled_for?.getTime() === time.getTime() : post.status === 'published'
  if (isDone) return undefined
  if (post.status === 'published') {
    throw new Problem('invalid_state', {
      description: 'A published post cannot be scheduled. Unpublish it first.',
      details: [
        {
          field: 'status',
          code: 'invalid_state',
          message: 'The post is published.',
          meta: { status: post.status, allowed: ['draft', 'scheduled'] },
        },
      ],
    })
  }
  await announce(context.writer, { kind: 'post', subjectIds: [post.id], at: time ?? now })
  return time
    ? { status: 'scheduled', scheduled_for: time, published_at: time, archived_at: null }
    : { status: 'published', scheduled_for: null, published_at: now, archived_at: null }
}

/** Marks a scheduled post that is due as published, so that a change sees its current status. */
export async function publishIfDue(writer: SchoolWriter, { id }: { id: string }): Promise<void> {
  await writer
    .updateTable('post')
    .set((post) => ({ status: 'published', published_at: post.ref('scheduled_for'), scheduled_for: null }))
    .where('id', '=', id)
    .where('status', '=', 'scheduled')
    .where('scheduled_for', '<=', databaseNow)
    .execute()
}

export async function removePostParts({ writer }: WriteContext, { id }: Post): Promise<undefined> {
  const comments = await writer
    .deleteFrom('comment')
    .where('subject_type', '=', 'post')
    .where('subject_id', '=', id)
    .returning(['id', 'version'])
    .execute()
  await recordChanges(writer, { type: 'comment', action: 'deleted' }, comments)
}
