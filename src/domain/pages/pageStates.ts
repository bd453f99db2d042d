import { Problem } from '../../lib/problem.ts'
import { draftColumns, draftOf, hasUnpublishedChanges, liveOf, type PageColumns } from './pageContent.ts'
import { addRevision, type CourseContext, findRevision } from './pageRevisions.ts'
import { keepPageFiles, saysTheSame } from './pageWriting.ts'

export interface Page extends PageColumns {
  id: string
  kind: string
  status: string
  published_at: Date | null
}

/** Lets visitors see the draft as it is now. What they see already stays as it is. */
export async function publishPage(context: CourseContext, page: Page) {
  if (page.status === 'published' && !hasUnpublishedChanges(page)) return { isUnchanged: true }
  const draft = draftOf(page)
  const live = JSON.stringify(draft)
  await keepPageFiles(context, { ...page, live: draft })
  return { columns: { status: 'published', live, title: draft.title, published_at: page.published_at ?? context.now } }
}

/** Takes the page back from visitors. The draft stays; the home page stays published. */
export async function withdrawPage(context: CourseContext, page: Page) {
  if (await isHome(context, page)) {
    throw new Problem('invalid_state', {
      description:
        'The home page stays published. Make another page the home page first: kind of the page, home_page_id of the appearance.',
    })
  }
  await keepPageFiles(context, { ...page, live: null })
  return { live: null, title: page.draft_title }
}

/** Goes back to what visitors see. */
export async function discardDraft(context: CourseContext, page: Page) {
  const live = liveOf(page)
  if (live === null)
    throw new Problem('invalid_state', { description: 'The page is not published: there is nothing to go back to but its revisions.' })
  if (saysTheSame(draftOf(page), live)) return { isUnchanged: true }
  await addRevision(context, page.id, { event: 'discarded', content: live })
  await keepPageFiles(context, { ...page, ...asRow(live) })
  return { columns: draftColumns(live) }
}

/** Makes the draft what it was in a revision. What visitors see does not change. */
export async function restoreRevision(context: CourseContext & { parameters: ReadonlyMap<string, unknown> }, page: Page) {
  const number = context.parameters.get('n') as number
  const content = await findRevision(context.writer, context.school.id, { id: page.id, number })
  if (!content) throw new Problem('not_found', { description: 'The page has no such revision. The last fifty are kept.' })
  if (saysTheSame(draftOf(page), content)) return { isUnchanged: true }
  await addRevision(context, page.id, { event: 'restored', content })
  await keepPageFiles(context, { ...page, ...asRow(content) })
  return { columns: { ...draftColumns(content), ...(page.live === null && { title: content.title }) } }
}

/** @throws Problem resource_in_use for the home page, and for a page that the navigation leads to */
export async function requireUnused(context: CourseContext, page: Page): Promise<undefined> {
  if (await isHome(context, page)) {
    throw new Problem('resource_in_use', { description: 'This is the home page. Make another page the home page first.' })
  }
  const row = await context.writer.selectFrom('appearance').select('links').where('school_id', '=', context.school.id).executeTakeFirst()
  if (JSON.stringify(row?.links ?? {}).includes(page.id)) {
    throw new Problem('resource_in_use', { description: 'The navigation leads to this page. Take it out of the appearance first.' })
  }
}

async function isHome({ writer, school }: CourseContext, { id, kind }: Page): Promise<boolean> {
  if (kind === 'home') return true
  const row = await writer.selectFrom('appearance').select('home_page_id').where('school_id', '=', school.id).executeTakeFirst()
  return row?.home_page_id === id
}

const asRow = (content: ReturnType<typeof draftOf>) => ({
  draft_title: content.title,
  draft_blocks: content.blocks,
  draft_seo: content.seo,
  draft_show_in_navigation: content.show_in_navigation,
})
