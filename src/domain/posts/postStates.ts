import { fieldError, Problem } from '../../lib/problem.ts'
import { recordChanges } from '../../store/changeLog.ts'
import type { Writer } from '../../store/database.ts'
import { now as databaseNow } from '../../store/expressions.ts'
import type { WriteContext } from '../courses/courseWriting.ts'
import { requirePublisher } from '../lecturers/requirePublisher.ts'

interface Post {
  id: string
  status: string
  scheduled_for: Date | null
  published_at: Date | null
}

const yearMs = 366 * 86_400_000

/**
 * Publishes a post now or at a future time. A scheduled post gets its `published_at` immediately, because lists are sorted by it.
 * @throws Problem invalid_state, validation_failed
 */
export async function publishPost(context: WriteContext, post: Post, { at }: { at?: string | null }) {
  const { now } = context
  const time = at === undefined || at === null ? undefined : new Date(at)
  if (time && (time <= now || time.getTime() - now.getTime() > yearMs)) {
    throw new Problem('validation_failed', {
      details: [fieldError('at', time <= now ? 'min' : 'max', 'must be in the future and at most one year from now')],
    })
  }
  await requirePublisher(context)
  const isDone = time ? post.status === 'scheduled' && post.scheduled_for?.getTime() === time.getTime() : post.status === 'published'
  if (isDone) return undefined
  if (post.status === 'published') {
    throw new Problem('invalid_state', {
      description: 'A published post cannot be scheduled. Archive it first.',
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
  return time
    ? { status: 'scheduled', scheduled_for: time, published_at: time, archived_at: null }
    : { status: 'published', scheduled_for: null, published_at: now, archived_at: null }
}

/** Cancels the scheduled publication of a post. */
export async function unschedulePost(context: WriteContext) {
  await requirePublisher(context)
  return { scheduled_for: null, published_at: null }
}

/** Archives a post: readers no longer see it, and it is no longer pinned. */
export async function archivePost(context: WriteContext) {
  await requirePublisher(context)
  return { archived_at: context.now, pinned: false }
}

/** Makes a draft of an archived post. */
export const restorePost = async () => ({ archived_at: null, published_at: null })

/** Marks a scheduled post that is due as published, so that a change sees its current status. */
export async function publishIfDue(writer: Writer, { schoolId, id }: { schoolId: string; id: string }): Promise<void> {
  await writer
    .updateTable('post')
    .set((post) => ({ status: 'published', published_at: post.ref('scheduled_for'), scheduled_for: null }))
    .where('school_id', '=', schoolId)
    .where('id', '=', id)
    .where('status', '=', 'scheduled')
    .where('scheduled_for', '<=', databaseNow)
    .execute()
}

/**
 * Marks at most `limit` scheduled posts that are due as published. Readers see them already, so their version does not change.
 * Returns the number of posts.
 */
export async function publishDuePosts(writer: Writer, limit: number): Promise<number> {
  const rows = await writer
    .updateTable('post')
    .from((update) =>
      update
        .selectFrom('post')
        .select(['post.school_id', 'post.id'])
        .where('post.status', '=', 'scheduled')
        .where('post.scheduled_for', '<=', databaseNow)
        .orderBy('post.scheduled_for')
        .limit(limit)
        .forUpdate()
        .skipLocked()
        .as('due'),
    )
    .set((post) => ({
      status: 'published',
      published_at: post.ref('post.scheduled_for'),
      scheduled_for: null,
      updated_at: databaseNow,
    }))
    .whereRef('post.school_id', '=', 'due.school_id')
    .whereRef('post.id', '=', 'due.id')
    .returning(['post.school_id', 'post.id', 'post.version'])
    .execute()
  for (const school_id of new Set(rows.map((row) => row.school_id))) {
    const own = rows.filter((row) => row.school_id === school_id)
    await recordChanges(writer, { school_id, type: 'post', action: 'published' }, own)
  }
  return rows.length
}

/** Deletes the comments of a post that is deleted. */
export async function removePostParts({ writer, school }: WriteContext, { id }: Post): Promise<undefined> {
  const comments = await writer
    .deleteFrom('comment')
    .where('school_id', '=', school.id)
    .where('subject_type', '=', 'post')
    .where('subject_id', '=', id)
    .returning(['id', 'version'])
    .execute()
  await recordChanges(writer, { school_id: school.id, type: 'comment', action: 'deleted' }, comments)
}
