import { newId } from '../../lib/ids.ts'
import { audienceOf } from '../../policy/caller.ts'
import { setFileReferences } from '../../store/fileReferences.ts'
import type { CourseContext } from '../courses/courseWriting.ts'

/** Copies a post as a draft, with its text and its plans; answers the id of the copy. */
export async function duplicatePost(
  { writer, sql, school, caller, now }: CourseContext,
  post: { id: string; title: string },
  freeSlug: (title: string, id: string) => Promise<string>,
): Promise<string> {
  const original = await writer
    .selectFrom('post')
    .selectAll()
    .where('school_id', '=', school.id)
    .where('id', '=', post.id)
    .executeTakeFirstOrThrow()
  const id = newId()
  const title = `${post.title.slice(0, 193)} (copy)`
  await writer
    .insertInto('post')
    .values({
      ...original,
      id,
      title,
      slug: await freeSlug(title, id),
      seo: JSON.stringify(original.seo),
      metadata: JSON.stringify(original.metadata),
      author_lecturer_id: audienceOf(caller) === 'lecturer' ? caller.lecturerId : original.author_lecturer_id,
      status: 'draft',
      pinned: false,
      comments_count: 0,
      // A key of another system names one row.
      external_id: null,
      scheduled_for: null,
      published_at: null,
      archived_at: null,
      version: 1,
      created_at: now,
      updated_at: now,
    })
    .execute()
  for (const [table, columns] of [
    ['post_body', 'content, content_format, content_html'],
    ['post_plan', 'plan_id'],
  ] as const) {
    await sql.query(
      `INSERT INTO ${table} (school_id, post_id, ${columns}) SELECT school_id, $3, ${columns} FROM ${table} WHERE school_id = $1 AND post_id = $2`,
      [school.id, post.id, id],
    )
  }
  if (original.cover_image_file_id) {
    const references = [{ field: 'cover_image', fileId: original.cover_image_file_id }]
    await setFileReferences(writer, { schoolId: school.id, type: 'post', id }, { fields: ['cover_image'], references })
  }
  return id
}
