import { audienceOf } from '../../base/caller.ts'
import { newId } from '../../base/ids.ts'
import { copyRows } from '../../database/statements/copyRows.ts'
import type { WriteContext } from '../courses/courseWriting.ts'

/** Copies a post as a draft, with its text and its plans. Returns the id of the copy. */
export async function duplicatePost(
  { writer, caller, now }: WriteContext,
  post: { id: string; title: string },
  freeSlug: (title: string, id: string) => Promise<string>,
): Promise<string> {
  const id = newId()
  const title = `${post.title.slice(0, 193)} (copy)`
  const own = {
    ...{ id, title, slug: await freeSlug(title, id), created_at: now, updated_at: now },
    ...(audienceOf(caller) === 'lecturer' && { author_lecturer_id: caller.lecturerId }),
  }
  await copyRows(writer, 'post', [{ original: { id: post.id }, own }])
  const ofPost = { original: { post_id: post.id }, own: { post_id: id } }
  await copyRows(writer, 'post_body', [ofPost])
  await copyRows(writer, 'post_plan', [ofPost])
  return id
}
