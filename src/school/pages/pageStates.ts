import { Problem } from '../../base/problem.ts'
import type { Stored } from '../../database/connection/database.ts'
import { draftColumns, draftOf, hasUnpublishedChanges, liveOf, type PageColumns } from './pageContent.ts'
import { addRevision, findRevision, type PageContext } from './pageRevisions.ts'
import { isSameContent } from './pageWriting.ts'

export type Page = PageColumns & Stored<'page', 'id' | 'kind' | 'status' | 'published_at'>

/** Publishes the draft of a page. Returns the columns to write, undefined if the draft is published already. */
export async function publishPage(context: PageContext, page: Page) {
  if (page.status === 'published' && !hasUnpublishedChanges(page)) return undefined
  const draft = draftOf(page)
  const live = JSON.stringify(draft)
  return { live, title: draft.title, published_at: page.published_at ?? context.now }
}

/** Hides a page from visitors and keeps its draft. The home page cannot be hidden. */
export async function withdrawPage(context: PageContext, page: Page) {
  if (await isHome(context, page)) {
    throw new Problem('invalid_state', {
      description:
        'The home page must stay published. Make another page the home page first: with its kind, or with home_page_id of the appearance.',
    })
  }
  return { live: null, title: page.draft_title }
}

export async function discardDraft(context: PageContext, page: Page) {
  const live = liveOf(page)
  if (live === null || isSameContent(draftOf(page), live)) return { isUnchanged: true }
  await addRevision(context, page.id, { event: 'discarded', content: live })
  return { columns: draftColumns(live) }
}

/** Replaces the draft with a revision. The published copy does not change. */
export async function restoreRevision(context: PageContext & { parameters: ReadonlyMap<string, unknown> }, page: Page) {
  const number = Number(context.parameters.get('n'))
  const content = await findRevision(context.writer, { id: page.id, number })
  if (!content)
    throw new Problem('not_found', { description: 'The page has no revision with this number. Only the last fifty are stored.' })
  if (isSameContent(draftOf(page), content)) return { isUnchanged: true }
  await addRevision(context, page.id, { event: 'restored', content })
  return { columns: { ...draftColumns(content), ...(page.live === null && { title: content.title }) } }
}

/** @throws Problem resource_in_use for the home page, and for a page in the navigation */
export async function requireUnused(context: PageContext, page: Page): Promise<undefined> {
  if (await isHome(context, page)) {
    throw new Problem('resource_in_use', { description: 'This is the home page. Make another page the home page first.' })
  }
  const row = await context.writer.selectFrom('appearance').select('links').executeTakeFirst()
  if (JSON.stringify(row?.links ?? {}).includes(page.id)) {
    throw new Problem('resource_in_use', { description: 'The navigation links to this page. Remove the link from the appearance first.' })
  }
}

async function isHome({ writer }: PageContext, { id, kind }: Page): Promise<boolean> {
  if (kind === 'home') return true
  const row = await writer.selectFrom('appearance').select('home_page_id').executeTakeFirst()
  return row?.home_page_id === id
}
