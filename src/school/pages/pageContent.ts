import { audienceOf, type Caller } from '../../base/caller.ts'
import { type Block, shownBlocks } from './pageBlock.ts'

export interface Seo {
  title: string | null
  description: string | null
  noindex: boolean
}

/** The content of a page: the fields that have a draft, a published copy and revisions. */
export interface PageContent {
  title: string
  blocks: Block[]
  seo: Seo | null
  show_in_navigation: boolean
}

export interface PageColumns {
  draft_title: string
  draft_blocks: unknown
  draft_seo: unknown
  draft_show_in_navigation: boolean
  live: unknown
}

interface RequestContext {
  caller: Caller
  parameters: ReadonlyMap<string, unknown>
}

export const contentColumns = ['draft_title', 'draft_blocks', 'draft_seo', 'draft_show_in_navigation', 'live'] as const

export const draftOf = (page: PageColumns): PageContent => ({
  title: page.draft_title,
  blocks: page.draft_blocks as Block[],
  seo: page.draft_seo as Seo | null,
  show_in_navigation: page.draft_show_in_navigation,
})

export const liveOf = ({ live }: Pick<PageColumns, 'live'>): PageContent | null => live as PageContent | null

export const draftColumns = ({ title, blocks, seo, show_in_navigation }: PageContent) => ({
  draft_title: title,
  draft_blocks: JSON.stringify(blocks),
  draft_seo: seo === null ? null : JSON.stringify(seo),
  draft_show_in_navigation: show_in_navigation,
})

/**
 * Returns the content that the caller sees: staff see the draft unless they request the live version, everybody else sees the published
 * copy. A page without a published copy has empty content, so that its draft is not revealed.
 */
export function shownContent(page: PageColumns, { caller, parameters }: RequestContext): PageContent {
  const isDraft = audienceOf(caller) === 'staff' && parameters.get('version') !== 'live'
  if (isDraft) return draftOf(page)
  return liveOf(page) ?? { title: page.draft_title, blocks: [], seo: null, show_in_navigation: false }
}

export function hasUnpublishedChanges(page: PageColumns): boolean {
  const live = liveOf(page)
  return live === null || contentText(draftOf(page)) !== contentText(live)
}

/** Returns a text that is equal for equal content, independent of the order in which the database stores object members. */
export const contentText = ({ title, blocks, seo, show_in_navigation }: PageContent): string =>
  JSON.stringify(sorted([title, shownBlocks(blocks), seo, show_in_navigation]))

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.entries(value)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, inner]) => [name, sorted(inner)])
}
