import { Problem } from '../../lib/problem.ts'
import { recordChanges } from '../../store/changeLog.ts'
import type { Writer } from '../../store/database.ts'
import type { Sql } from '../../store/sql.ts'
import type { CourseContext } from '../courses/courseWriting.ts'
import { requirePublisher } from '../lecturers/requirePublisher.ts'

interface Post {
  id: string
  status: string
  scheduled_for: Date | null
  published_at: Date | null
}

const yearMs = 366 * 86_400_000

/**
 * Publishes a post now, or at a time to come. `published_at` says at once when it will be: lists are sorted by it.
 * @throws Problem invalid_state, validation_failed
 */
export async function publishPost(context: CourseContext, post: Post, { at }: { at?: string | null }) {
  const { now } = context
  const time = at === undefined || at === null ? undefined : new Date(at)
  if (time && (time <= now || time.getTime() - now.getTime() > yearMs)) {
    const message = 'at: must be a time to come, a year from now at most'
    throw new Problem('validation_failed', { details: [{ field: 'at', code: time <= now ? 'min' : 'max', message }] })
  }
  await requirePublisher(context)
  const isInEffect = time ? post.status === 'scheduled' && post.scheduled_for?.getTime() === time.getTime() : post.status === 'published'
  if (isInEffect) return undefined
  if (post.status === 'archived' || post.status === 'published') {
    throw new Problem('invalid_state', {
      description:
        post.status === 'archived'
          ? 'A post that is archived takes no publish: restore it first.'
          : 'A post that is published cannot be published later: archive it first.',
      details: [
        {
          field: 'status',
          code: 'invalid_state',
          message: `The post is ${post.status}.`,
          meta: { status: post.status, allowed: ['draft', 'scheduled'] },
        },
      ],
    })
  }
  return time
    ? { status: 'scheduled', scheduled_for: time, published_at: time, archived_at: null }
    : { status: 'published', scheduled_for: null, published_at: now, archived_at: null }
}

/** Takes back what was to come. */
export async function unschedulePost(context: CourseContext) {
  await requirePublisher(context)
  return { scheduled_for: null, published_at: null }
}

/** Takes a post away from its readers; it is pinned no more. */
export async function archivePost(context: CourseContext) {
  await requirePublisher(context)
  return { archived_at: context.now, pinned: false }
}

/** Makes a draft again of what was archived. */
export const restorePost = async () => ({ archived_at: null, published_at: null })

/** Publishes a scheduled post whose time has come, so that a change never sees a status that no longer applies. */
export async function publishIfDue(writer: Writer, { schoolId, id }: { schoolId: string; id: string }): Promise<void> {
  await writer
    .updateTable('post')
    .set((post) => ({ status: 'published', published_at: post.ref('scheduled_for'), scheduled_for: null }))
    .where('school_id', '=', schoolId)
    .where('id', '=', id)
    .where('status', '=', 'scheduled')
    .where((post) => post('scheduled_for', '<=', post.fn<Date>('now', [])))
    .execute()
}

/**
 * Marks scheduled posts whose time has come as published. Readers see them from that time on, so their version stays.
 * Returns how many.
 */
export async function publishDuePosts(sql: Sql, limit: number): Promise<number> {
  const rows = await sql.query<{ school_id: string; id: string; version: number }>(
    `UPDATE post SET status = 'published', published_at = scheduled_for, scheduled_for = NULL, updated_at = now()
       FROM (SELECT school_id, id FROM post WHERE status = 'scheduled' AND scheduled_for <= now()
              ORDER BY scheduled_for LIMIT $1 FOR UPDATE SKIP LOCKED) AS due
      WHERE post.school_id = due.school_id AND post.id = due.id RETURNING post.school_id, post.id, post.version`,
    [limit],
  )
  for (const school_id of new Set(rows.map((row) => row.school_id))) {
    const own = rows.filter((row) => row.school_id === school_id)
    await recordChanges(sql, { school_id, type: 'post', action: 'published' }, own)
  }
  return rows.length
}

/** Removes what was said of a post, and its text. */
export async function removePostParts({ writer, sql, school }: CourseContext, { id }: Post): Promise<undefined> {
  const comments = await writer
    .deleteFrom('comment')
    .where('school_id', '=', school.id)
    .where('subject_type', '=', 'post')
    .where('subject_id', '=', id)
    .returning(['id', 'version'])
    .execute()
  await recordChanges(sql, { school_id: school.id, type: 'comment', action: 'deleted' }, comments)
}
