import { audienceOf, type Caller } from '../../policy/caller.ts'
import type { Block } from './pageBlock.ts'

export interface Seo {
  title: string | null
  description: string | null
  noindex: boolean
}

/** What a page says: the part of it that is drafted, published and kept in revisions. */
export interface PageContent {
  title: string
  blocks: Block[]
  seo: Seo | null
  show_in_navigation: boolean
}

/** The columns that hold the draft, and the published copy. */
export interface PageColumns {
  draft_title: string
  draft_blocks: unknown
  draft_seo: unknown
  draft_show_in_navigation: boolean
  live: unknown
}

interface Asking {
  caller: Caller
  parameters: ReadonlyMap<string, unknown>
}

/** The names of those columns. */
export const contentColumns = ['draft_title', 'draft_blocks', 'draft_seo', 'draft_show_in_navigation', 'live'] as const

export const draftOf = (page: PageColumns): PageContent => ({
  title: page.draft_title,
  blocks: page.draft_blocks as Block[],
  seo: page.draft_seo as Seo | null,
  show_in_navigation: page.draft_show_in_navigation,
})

export const liveOf = ({ live }: Pick<PageColumns, 'live'>): PageContent | null => live as PageContent | null

/** The columns of a draft. */
export const draftColumns = ({ title, blocks, seo, show_in_navigation }: PageContent) => ({
  draft_title: title,
  draft_blocks: JSON.stringify(blocks),
  draft_seo: seo === null ? null : JSON.stringify(seo),
  draft_show_in_navigation: show_in_navigation,
})

/**
 * What of a page the caller is shown: the draft for staff who do not ask for what is live, the published copy for everybody else.
 * What is not published has nothing live, so that nothing of its draft is shown in its place.
 */
export function shownContent(page: PageColumns, { caller, parameters }: Asking): PageContent {
  const isDraft = audienceOf(caller) === 'staff' && parameters.get('version') !== 'live'
  if (isDraft) return draftOf(page)
  return liveOf(page) ?? { title: page.draft_title, blocks: [], seo: null, show_in_navigation: false }
}

/** Whether publishing would change what visitors see. */
export function hasUnpublishedChanges(page: PageColumns): boolean {
  const live = liveOf(page)
  return live === null || contentText(draftOf(page)) !== contentText(live)
}

/** The same content is the same text, in whichever order a database keeps the members of an object. */
export const contentText = ({ title, blocks, seo, show_in_navigation }: PageContent): string =>
  JSON.stringify(sorted([title, blocks, seo, show_in_navigation]))

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.entries(value)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, inner]) => [name, sorted(inner)])
}
