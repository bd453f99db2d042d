import { escapeHtml } from '../../../base/text/escapeHtml.ts'
import { playerOf } from '../../../base/text/players.ts'

type Attachments = ReadonlyMap<string, { url: string; alt: string }>

interface Converted {
  html: string
  /** The shortcodes and blocks that were left out, by their names. */
  lost: string[]
}

const attribute = (text: string, name: string): string | undefined => {
  const [, double, single, bare] = new RegExp(`(?:^|\\s)${name}=(?:"([^"]*)"|'([^']*)'|([^\\s"'\\]]+))`).exec(text) ?? []
  return double ?? single ?? bare
}

/**
 * Converts the text of a post as WordPress stores it: block comments are removed, shortcodes replaced or removed, and a text of the classic
 * editor gets its paragraphs. The result is not sanitised.
 */
export function wordpressHtml(stored: string, attachments: Attachments): Converted {
  const lost = new Set<string>()
  const isBlocks = /<!-- wp:/.test(stored)
  const blocks = stored
    .replaceAll('\r\n', '\n')
    .replace(/<!-- wp:([a-z][\w/-]{0,60})(?: \{[^\n]{0,20000}?\})? \/-->/g, (_all, name: string) => {
      lost.add(`the block ${name}`)
      return ''
    })
    .replace(/<!--(?:(?!-->)[\s\S]){0,20000}-->/g, '')
    .replace(
      /<figure[^>]{0,1000}wp-block-embed[^>]{0,1000}>\s*(?:<div[^>]{0,500}>)?\s*(https?:\/\/[^\s<]{1,2000})\s*(?:<\/div>)?/g,
      (_all, address: string) => `<figure>${embedded(address)}`,
    )
  const html = withShortcodes(blocks, attachments, lost)
  return { html: isBlocks ? html : withParagraphs(html), lost: [...lost] }
}

/** Returns the player of a video, or a link. */
export const embedded = (address: string): string => {
  const safe = escapeHtml(address)
  return 'rule' in playerOf(address.replaceAll('&amp;', '&')) ? `<a href="${safe}">${safe}</a>` : `<iframe src="${safe}"></iframe>`
}

const picture = (url: string, alt = ''): string => `<img src="${escapeHtml(url)}" alt="${escapeHtml(alt)}">`

/** Shortcodes: those of WordPress, and what looks like one of a plugin because it has attributes, a closing tag, or an underscore. */
function withShortcodes(html: string, attachments: Attachments, lost: Set<string>): string {
  return html
    .replace(/\[\[([^\]\n]{1,200})\]\]/g, '&#91;$1&#93;')
    .replace(/\[(?:wp_)?caption\b([^\]]{0,1000})\]([\s\S]{0,20000}?)\[\/(?:wp_)?caption\]/g, (_all, given: string, inner: string) => {
      const [, shown = inner, words = ''] = /^([\s\S]*?<img\b[^>]{0,4000}>(?:\s*<\/a>)?)([\s\S]*)$/.exec(inner) ?? []
      const text = attribute(given, 'caption') ?? words.trim()
      return `\n\n<figure>${shown.trim()}${text === '' ? '' : `<figcaption>${text}</figcaption>`}</figure>\n\n`
    })
    .replace(/\[gallery\b([^\]]{0,2000})\]/g, (_all, given: string) => {
      const pictures = (attribute(given, 'ids') ?? '').split(',').flatMap((id) => attachments.get(id.trim()) ?? [])
      if (pictures.length === 0) lost.add('the shortcode gallery without ids')
      return `\n\n<figure>${pictures.map(({ url, alt }) => picture(url, alt)).join('')}</figure>\n\n`
    })
    .replace(/\[embed\b[^\]]{0,500}\]\s*([^\s[\]]{1,2000})\s*\[\/embed\]/g, (_all, address: string) => `\n\n${embedded(address)}\n\n`)
    .replace(/\[(audio|video)\b([^\]]{0,2000})\](?:\s*\[\/\1\])?/g, (_all, name: string, given: string) => {
      const address = ['src', 'mp4', 'mp3', 'm4a', 'webm', 'ogg'].map((one) => attribute(given, one)).find((one) => one !== undefined)
      if (address === undefined) lost.add(`the shortcode ${name} without an address`)
      return address === undefined ? '' : `\n\n${embedded(address)}\n\n`
    })
    .replace(/\[(\/?)([a-z][\w-]{1,40})((?:\s[^\]]{0,2000})?)\]/gi, (all, slash: string, name: string, given: string, at: number) => {
      const isShortcode = slash !== '' || given.includes('=') || name.includes('_') || hasEnd(html, name, at)
      if (!isShortcode) return all
      lost.add(`the shortcode ${name}`)
      return ''
    })
}

const hasEnd = (html: string, name: string, at: number): boolean => html.indexOf(`[/${name}]`, at) >= 0

const block =
  /^<\/?(?:address|article|aside|blockquote|dd|details|div|dl|dt|figcaption|figure|footer|form|h[1-6]|header|hr|iframe|li|nav|ol|p|pre|section|summary|table|tbody|td|tfoot|th|thead|tr|ul|video)\b/i

/** Adds the paragraphs and line breaks that WordPress adds when it shows a text of the classic editor. */
function withParagraphs(html: string): string {
  return html
    .split(/(<pre\b[\s\S]*?<\/pre>)/i)
    .map((part) => (/^<pre\b/i.test(part) ? part : paragraphs(part)))
    .join('')
}

const paragraphs = (text: string): string =>
  text
    .split(/\n[ \t]*\n+/)
    .map((piece) => piece.trim())
    .filter((piece) => piece !== '')
    .map((piece) => {
      const address = /^https?:\/\/\S{1,2000}$/.exec(piece)
      if (address) return embedded(piece)
      return block.test(piece) ? piece : `<p>${piece.replaceAll('\n', '<br>\n')}</p>`
    })
    .join('\n')
