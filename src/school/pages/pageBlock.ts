import { newId } from '../../base/ids.ts'
import type { MarkupRenderer, RichText } from '../../engine/externalServices.ts'
import type { TextFormat } from '../richText.ts'

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
