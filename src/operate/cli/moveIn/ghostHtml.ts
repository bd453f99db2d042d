import { z } from 'zod'
import { escapeHtml } from '../../../base/text/escapeHtml.ts'
import { isNestedDeeper } from './exportValues.ts'
import { embedded } from './wordpressHtml.ts'

interface Texts {
  html?: string | null | undefined
  lexical?: string | null | undefined
  mobiledoc?: string | null | undefined
  markdown?: string | null | undefined
  plaintext?: string | null | undefined
}

/** Returns the text of a post as HTML: as Ghost rendered it or, for a post that it never rendered, from the document of its editor. */
export function ghostHtml({ html, lexical, mobiledoc, markdown, plaintext }: Texts): { html: string; lost: string[] } {
  const lost = new Set<string>()
  const shown = html || fromLexical(lexical, lost) || fromMobiledoc(mobiledoc, lost) || lines(markdown || plaintext || '')
  return { html: withPlayers(shown.replace(/<!--(?:(?!-->)[\s\S]){0,20000}-->/g, '')), lost: [...lost] }
}

const withPlayers = (html: string): string =>
  html.replace(/<iframe\b[^>]{0,2000}?\ssrc="(https?:\/\/[^"\s<>]{1,2000})"[^>]{0,2000}>\s*<\/iframe>/g, (_all, address: string) =>
    embedded(address.replaceAll('&amp;', '&')),
  )

const lines = (text: string): string =>
  text
    .split(/\n\s*\n/)
    .filter((piece) => piece.trim() !== '')
    .map((piece) => `<p>${escapeHtml(piece.trim()).replaceAll('\n', '<br>')}</p>`)
    .join('\n')

const picture = (src: unknown, alt: unknown, caption: unknown): string =>
  `<figure><img src="${escapeHtml(String(src ?? ''))}" alt="${escapeHtml(String(alt ?? ''))}">${caption ? `<figcaption>${String(caption)}</figcaption>` : ''}</figure>`

type Payload = Readonly<Record<string, unknown>>

/** Returns a card, which both editors have with the same members; undefined for an unknown one. */
function card(type: string, payload: Payload): string | undefined {
  const { src, alt, caption, html, url, markdown, code, images, title } = payload
  switch (type) {
    case 'image':
      return picture(src, alt ?? title, caption)
    case 'gallery':
      return (Array.isArray(images) ? images : []).map((one: Payload) => picture(one.src, one.alt, undefined)).join('')
    case 'html':
      return String(html ?? '')
    case 'markdown':
    case 'card-markdown':
      return lines(String(markdown ?? ''))
    case 'code':
    case 'codeblock':
      return `<pre><code>${escapeHtml(String(code ?? ''))}</code></pre>`
    case 'embed':
    case 'bookmark':
      return typeof url === 'string' && /^https?:/.test(url) ? `<p>${embedded(url)}</p>` : ''
    case 'hr':
    case 'horizontalrule':
      return '<hr>'
    case 'callout':
      return `<blockquote>${String(payload.calloutText ?? '')}</blockquote>`
    default:
      return undefined
  }
}

interface LexicalNode {
  type: string
  [member: string]: unknown
}
const node: z.ZodType<LexicalNode> = z.looseObject({ type: z.string() })
const children = z.array(node).catch([])
const formats = [
  [1, 'strong'],
  [2, 'em'],
  [4, 's'],
  [8, 'u'],
  [16, 'code'],
] as const

function fromLexical(json: string | null | undefined, lost: Set<string>): string {
  const document = z.object({ root: z.looseObject({ children }) }).safeParse(parsed(json))
  return document.success ? document.data.root.children.map((one) => lexical(one, lost)).join('\n') : ''
}

function lexical(one: LexicalNode, lost: Set<string>): string {
  const inside = () =>
    children
      .parse(one.children)
      .map((child) => lexical(child, lost))
      .join('')
  const element = (name: string) => `<${name}>${inside()}</${name}>`
  switch (one.type) {
    case 'text':
    case 'extended-text':
      return formats.reduce(
        (html, [bit, name]) => (Number(one.format ?? 0) & bit ? `<${name}>${html}</${name}>` : html),
        escapeHtml(String(one.text ?? '')),
      )
    case 'linebreak':
      return '<br>'
    case 'link':
      return `<a href="${escapeHtml(String(one.url ?? ''))}">${inside()}</a>`
    case 'heading':
    case 'extended-heading':
      return element(/^h[1-6]$/.test(String(one.tag)) ? String(one.tag) : 'h2')
    case 'list':
      return element(one.listType === 'number' ? 'ol' : 'ul')
    case 'listitem':
      return element('li')
    case 'quote':
    case 'extended-quote':
    case 'aside':
      return element('blockquote')
    case 'paragraph':
      return element('p')
    default:
      return card(one.type, one) ?? unknown(one.type, lost)
  }
}

function unknown(type: string, lost: Set<string>): string {
  lost.add(`the card ${type.slice(0, 40)}`)
  return ''
}

const mobile = z.object({
  markups: z.array(z.array(z.unknown())).catch([]),
  cards: z.array(z.tuple([z.string(), z.record(z.string(), z.unknown())])).catch([]),
  sections: z.array(z.array(z.unknown())),
})
const marker = z.tuple([z.number(), z.array(z.number()), z.number(), z.union([z.string(), z.number()])])

function fromMobiledoc(json: string | null | undefined, lost: Set<string>): string {
  const document = mobile.safeParse(parsed(json))
  if (!document.success) return ''
  const { markups, cards, sections } = document.data
  const open: string[] = []
  const runs = (markers: unknown): string =>
    z
      .array(marker)
      .catch([])
      .parse(markers)
      .map(([type, opened, closed, value]) => {
        const begin = opened.map((at) => {
          const [name, attributes] = markups[at] ?? []
          const tag = /^(?:a|b|strong|em|i|s|u|code|sub|sup)$/.test(String(name)) ? String(name) : 'span'
          const href = Array.isArray(attributes) ? String(attributes[attributes.indexOf('href') + 1] ?? '') : ''
          open.push(tag)
          return tag === 'a' ? `<a href="${escapeHtml(href)}">` : `<${tag}>`
        })
        const end = Array.from({ length: Math.min(closed, open.length) }, () => `</${open.pop()}>`)
        return `${begin.join('')}${type === 0 ? escapeHtml(String(value)) : '<br>'}${end.join('')}`
      })
      .join('')
  return sections
    .map(([type, first, second]) => {
      const tag = /^(?:p|h[1-6]|blockquote|ul|ol)$/.test(String(first)) ? String(first) : 'p'
      if (type === 1) return `<${tag}>${runs(second)}</${tag}>`
      if (type === 3) return `<${tag}>${(Array.isArray(second) ? second : []).map((item) => `<li>${runs(item)}</li>`).join('')}</${tag}>`
      if (type !== 10) return ''
      const [name, payload] = cards[Number(first)] ?? ['', {}]
      return card(name, payload) ?? unknown(name, lost)
    })
    .join('\n')
}

/** The deepest document of an editor: its elements are converted recursively. */
const deepest = 200

function parsed(json: string | null | undefined): unknown {
  if (!json || isNestedDeeper(json, deepest)) return undefined
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
