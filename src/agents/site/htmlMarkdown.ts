import { unescapeHtml } from '../../base/text/escapeHtml.ts'
import { link, Markdown, markdown } from '../markdown.ts'

interface Piece {
  text: string
  href: string | undefined
}

const blockTags = new Set(
  'h1 h2 h3 h4 h5 h6 p br hr blockquote pre ul ol li dl dt dd figure figcaption table caption tr section details summary'.split(' '),
)
const tokens = /<(\/?)([a-z][a-z0-9]*)((?:\s+[a-z-]+(?:="[^"]*")?)*)\s*\/?>|([^<]+)|</gi

/**
 * Renders sanitised HTML of a school as the lines of a quote. Headings become bold lines and every text is escaped, so that nothing in it
 * can look like a part of the document around it.
 */
export function quotedHtml(html: string): Markdown | undefined {
  const lines: Markdown[] = []
  let pieces: Piece[] = []
  // Neighbours with the same link are one piece: a text is escaped as a whole.
  const add = (piece: Piece): void => {
    const last = pieces.at(-1)
    if (last && last.href === piece.href) last.text += piece.text
    else pieces.push(piece)
  }
  let [href, prefix, isHeading]: [string | undefined, string, boolean] = [undefined, '', false]
  const flush = (): void => {
    const line = lineOf(pieces)
    if (line !== undefined) lines.push(new Markdown(`${prefix}${isHeading ? `**${line}**` : line}`))
    pieces = []
  }
  for (const [, slash, tag = '', attributes = '', text] of html.matchAll(tokens)) {
    const name = tag.toLowerCase()
    if (text !== undefined) add({ text: unescapeHtml(text), href })
    else if (name === 'a') href = slash ? undefined : attributeOf(attributes, 'href')
    else if (name === 'img') add({ text: ` ${attributeOf(attributes, 'alt') ?? ''} `, href })
    else if (name === 'td' || name === 'th') add({ text: ' ', href: undefined })
    else if (blockTags.has(name)) {
      flush()
      isHeading = !slash && /^h[1-6]$|^summary$/.test(name)
      prefix = !slash && name === 'li' ? '- ' : name === 'p' ? prefix : ''
    }
  }
  flush()
  return lines.length === 0 ? undefined : new Markdown(lines.map(({ text }) => `> ${text}`).join('\n>\n'))
}

function attributeOf(attributes: string, name: string): string | undefined {
  const [, value] = new RegExp(`\\s${name}="([^"]*)"`).exec(attributes) ?? []
  return value === undefined ? undefined : unescapeHtml(value)
}

/** Joins the pieces of a line, with the spaces between them; undefined for an empty line. */
function lineOf(pieces: readonly Piece[]): string | undefined {
  const line = pieces
    .map(({ text, href }) => {
      const words = text.replace(/\s+/g, ' ')
      const inner = words.trim()
      if (inner === '') return words
      const rendered = href === undefined ? markdown`${inner}` : link(inner, href)
      return `${words.startsWith(' ') ? ' ' : ''}${rendered.text}${words.endsWith(' ') ? ' ' : ''}`
    })
    .join('')
    .trim()
  return line === '' ? undefined : line
}
