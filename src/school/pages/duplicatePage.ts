import { newId } from '../../base/ids.ts'
import { copyRows } from '../../database/statements/copyRows.ts'
import { draftOf, type PageColumns } from './pageContent.ts'
import { addRevision, type PageContext } from './pageRevisions.ts'

/** Copies the draft of a page as a new page. Returns the id of the copy. A school has one home page, so its copy is a custom page. */
export async function duplicatePage(
  context: PageContext,
  page: PageColumns & { id: string; kind: string },
  freeSlug: (title: string, id: string) => Promise<string>,
): Promise<string> {
  const { writer, now } = context
  const id = newId()
  const title = `${page.draft_title.slice(0, 153)} (copy)`
  const own = { id, title, draft_title: title, slug: await freeSlug(title, id), created_at: now, updated_at: now }
  const kind = page.kind === 'home' ? 'custom' : page.kind
  await copyRows(writer, 'page', [{ original: { id: page.id }, own: { ...own, kind } }])
  await addRevision(context, id, { event: 'created', content: { ...draftOf(page), title } })
  return id
}
