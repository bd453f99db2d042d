import type { Writer } from '../../../database/connection/database.ts'
import { inSchool } from '../../../database/school/inSchool.ts'
import { now as databaseNow } from '../../../database/statements/expressions.ts'
import { recordChanges } from '../../../database/tables/changeLog.ts'

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
    await recordChanges(inSchool(writer, school_id), { type: 'post', action: 'published' }, own)
  }
  return rows.length
}
