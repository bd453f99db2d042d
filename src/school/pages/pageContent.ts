import { audienceOf, type Caller } from '../../base/caller.ts'
import { newId } from '../../base/ids.ts'
import type { Stored } from '../../database/connection/database.ts'
import type { MarkupRenderer, RichText } from '../../engine/externalServices.ts'
import type { TextFormat } from '../richText.ts'

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

export type PageColumns = Stored<'page', 'draft_title' | 'draft_blocks' | 'draft_seo' | 'draft_show_in_navigation' | 'live'>

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

export interface Picture {
  file_id: string
  alt: string | null
  caption: string | null
}

interface PropsByType {
  hero: { heading: string; text: string | null; image: Picture | null; action: { label: string; url: string } | null }
  text: { content: string; content_format: TextFormat }
  image: Picture
  gallery: { heading: string | null; images: Picture[] }
  video: { url: string; title: string }
  course_grid: { heading: string | null; course_ids: string[]; category: string | null; limit: number }
  plan_table: { heading: string | null; plan_ids: string[] }
  event_list: { heading: string | null; limit: number }
  post_list: { heading: string | null; tag: string | null; limit: number }
  lecturer_grid: { heading: string | null; lecturer_ids: string[]; limit: number }
  testimonials: { heading: string | null; items: { quote: string; name: string; role: string | null }[] }
  faq: { heading: string | null; items: { question: string; answer: string }[] }
  form: { form_id: string }
  button: { label: string; url: string; style: 'primary' | 'secondary' }
  divider: Record<never, never>
  html: { html: string }
}

/** A part of a page as it is stored: with all defaults, and with sanitised HTML. */
export type Block = {
  [Type in keyof PropsByType]: { id?: string | undefined; type: Type; props: PropsByType[Type]; rendered?: readonly string[] | undefined }
}[keyof PropsByType]

/**
 * Prepares blocks for storage: gives each an id, sanitises the content of `html` blocks, and adds the HTML of the texts, so that reading a
 * page renders none.
 */
export async function storedBlocks(blocks: readonly Block[], render: MarkupRenderer['html']): Promise<Block[]> {
  const texts = blocks.map((block, index) => markupOf(block, `blocks.${index}.props`))
  const rendered = (await render(texts.flat())).values()
  return blocks.map((block, index) => {
    const id = block.id ?? `b${newId().replaceAll('-', '').slice(8)}`
    const own = (texts[index] ?? []).map(() => rendered.next().value ?? '')
    const prepared = block.type === 'html' ? { ...block, props: { html: own[0] ?? '' } } : block
    return { ...prepared, id, ...(own.length > 0 && { rendered: own }) }
  })
}

/** Returns blocks as they are sent to callers: without the HTML of their texts. */
export const shownBlocks = (blocks: readonly Block[]): Block[] => blocks.map(({ rendered: _rendered, ...block }) => block)

export const picturesIn = (blocks: readonly Block[]): { file_id: string; path: string }[] =>
  blocks.flatMap((block, index) => {
    const path = `blocks.${index}.props`
    if (block.type === 'hero') return block.props.image ? [{ file_id: block.props.image.file_id, path: `${path}.image` }] : []
    if (block.type === 'image') return [{ file_id: block.props.file_id, path }]
    if (block.type === 'gallery') return block.props.images.map(({ file_id }, at) => ({ file_id, path: `${path}.images.${at}` }))
    return []
  })

function markupOf(block: Block, path: string): RichText[] {
  if (block.type === 'text') return [{ text: block.props.content, format: block.props.content_format, field: `${path}.content` }]
  if (block.type === 'html') return [{ text: block.props.html, format: 'html', field: `${path}.html` }]
  if (block.type !== 'faq') return []
  return block.props.items.map(({ answer }, at) => ({ text: answer, format: 'markdown', field: `${path}.items.${at}.answer` }))
}

export const markupIn = (blocks: readonly Block[]): string[] => blocks.flatMap((block) => markupOf(block, '').map(({ text }) => text))
