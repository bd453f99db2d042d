import { newId } from '../../lib/ids.ts'
import { audienceOf } from '../../policy/caller.ts'
import { setFileReferences } from '../../store/fileReferences.ts'
import type { WriteContext } from '../courses/courseWriting.ts'

/** Copies a post as a draft, with its text and its plans. Returns the id of the copy. */
export async function duplicatePost(
  { writer, school, caller, now }: WriteContext,
  post: { id: string; title: string },
  freeSlug: (title: string, id: string) => Promise<string>,
): Promise<string> {
  const original = await writer.selectFrom('post').selectAll().where('id', '=', post.id).executeTakeFirstOrThrow()
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
      // The external id must be unique.
      external_id: null,
      scheduled_for: null,
      published_at: null,
      archived_at: null,
      version: 1,
      created_at: now,
      updated_at: now,
    })
    .execute()
  await writer
    .insertInto('post_body')
    .columns(['school_id', 'post_id', 'content', 'content_format', 'content_html'])
    .expression((insert) =>
      insert
        .selectFrom('post_body')
        .select((body) => ['school_id', body.cast<string>(body.val(id), 'uuid').as('post_id'), 'content', 'content_format', 'content_html'])
        .where('post_id', '=', post.id),
    )
    .execute()
  await writer
    .insertInto('post_plan')
    .columns(['school_id', 'post_id', 'plan_id'])
    .expression((insert) =>
      insert
        .selectFrom('post_plan')
        .select((plan) => ['school_id', plan.cast<string>(plan.val(id), 'uuid').as('post_id'), 'plan_id'])
        .where('post_id', '=', post.id),
    )
    .execute()
  if (original.cover_image_file_id) {
    const references = [{ field: 'cover_image', fileId: original.cover_image_file_id }]
    await setFileReferences(writer, { schoolId: school.id, type: 'post', id }, { fields: ['cover_image'], references })
  }
  return id
}
