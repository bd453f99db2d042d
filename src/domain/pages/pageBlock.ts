import { newId } from '../../lib/ids.ts'
import { htmlOf, type TextFormat } from '../richText.ts'

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
export type Block = { [Type in keyof PropsByType]: { id?: string | undefined; type: Type; props: PropsByType[Type] } }[keyof PropsByType]

/** Prepares blocks for storage: gives each an id and sanitises the content of `html` blocks. */
export const storedBlocks = (blocks: readonly Block[]): Block[] =>
  blocks.map((block, index) => {
    const id = block.id ?? `b${newId().replaceAll('-', '').slice(8)}`
    return block.type === 'html'
      ? { ...block, id, props: { html: htmlOf(block.props.html, 'html', `blocks.${index}.props.html`) } }
      : { ...block, id }
  })

/** Lists every picture of a page with its path in the field `blocks`. */
export const picturesIn = (blocks: readonly Block[]): { file_id: string; path: string }[] =>
  blocks.flatMap((block, index) => {
    const path = `blocks.${index}.props`
    if (block.type === 'hero') return block.props.image ? [{ file_id: block.props.image.file_id, path: `${path}.image` }] : []
    if (block.type === 'image') return [{ file_id: block.props.file_id, path }]
    if (block.type === 'gallery') return block.props.images.map(({ file_id }, at) => ({ file_id, path: `${path}.images.${at}` }))
    return []
  })

/** Lists every text of a page that is rendered from Markdown or HTML. */
export const markupIn = (blocks: readonly Block[]): string[] =>
  blocks.flatMap((block) => {
    if (block.type === 'text') return [block.props.content]
    if (block.type === 'html') return [block.props.html]
    return block.type === 'faq' ? block.props.items.map(({ answer }) => answer) : []
  })
