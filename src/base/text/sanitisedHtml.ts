import { unescapeHtml } from './escapeHtml.ts'

/** Returns the words of sanitised HTML on one line, cut after `limit` characters at the end of a word. */
export function textOfHtml(html: string, limit: number): string {
  const text = unescapeHtml(html.slice(0, limit * 20).replace(/<[^>]*>?/g, ' '))
    .replace(/\s+/g, ' ')
    .trim()
  return shortened(text, limit)
}

const [paragraph, line] = ['\u2029', '\u2028']

/** Returns the words of sanitised HTML in lines: paragraphs are separated by an empty line, and links are followed by their addresses. */
export const textLinesOfHtml = (html: string): string =>
  unescapeHtml(
    withAddresses(html.replace(/\s+/g, ' '))
      .replace(/<br ?\/?>|<\/(?:li|tr|dt|dd)>/g, line)
      .replace(/<\/?(?:p|h[1-6]|blockquote|pre|figure|table|ul|ol|dl|hr)\b[^<>]*>/g, paragraph)
      .replace(/<li\b[^<>]*>/g, '- ')
      .replace(/<\/t[dh]>/g, ' ')
      .replace(/<[^<>]*>/g, ''),
  )
    .replace(/ {2,}/g, ' ')
    .replace(/ ?[\u2028\u2029][ \u2028\u2029]*/g, (breaks) => (breaks.includes(paragraph) ? '\n\n' : '\n'))
    .trim()

/** Writes the address of each link behind its text, unless they are the same. */
const withAddresses = (html: string): string =>
  html
    .split('</a>')
    .map((piece, index, pieces) => (index === pieces.length - 1 ? piece : withAddress(piece)))
    .join('')

function withAddress(piece: string): string {
  const start = piece.lastIndexOf('<a ')
  const end = piece.indexOf('>', start)
  const [, href] = start < 0 || end < 0 ? [] : (/ href="([^"]*)"/.exec(piece.slice(start, end)) ?? [])
  const text = piece.slice(end + 1)
  return href === undefined || href.startsWith('#') ? piece : `${piece.slice(0, start)}${text === href ? text : `${text} (${href})`}`
}

/** Cuts a text at the end of a word, so that it has at most `limit` characters. */
export function shortened(text: string, limit: number): string {
  if (text.length <= limit) return text
  const cut = text.slice(0, limit)
  const end = cut.lastIndexOf(' ')
  return `${(end > limit / 2 ? cut.slice(0, end) : cut).toWellFormed().trimEnd()}…`
}

/**
 * Lowers all headings by the same number of levels, so that the highest one has at least the level `top` (1 to 6): a rich text then
 * continues the headings of its page.
 */
export function lowerHeadings(html: string, top: number): string {
  const levels = [...html.matchAll(/<h([1-6])(?=[ >])/g)].map(([, level]) => Number(level))
  const steps = Math.max(0, top - Math.min(6, ...levels))
  return html.replace(/<(\/?)h([1-6])(?=[ >])/g, (_all, slash: string, level: string) => `<${slash}h${Math.min(6, Number(level) + steps)}`)
}

/**
 * Shows pictures of other origins as links in sanitised HTML: the pages do not load them, and readers would see a gap. Inside a link, the
 * description of the picture stays.
 */
export const linkForeignPictures = (html: string, issuer: string): string =>
  html
    .split(/(<a [^>]*>[\s\S]*?<\/a>)/)
    .map((piece, index) => piece.replace(/<img\b[^>]*>/g, (picture) => foreignPicture(picture, { issuer, isInLink: index % 2 === 1 })))
    .join('')

function foreignPicture(picture: string, { issuer, isInLink }: { issuer: string; isInLink: boolean }): string {
  const [source = '', description = ''] = ['src', 'alt'].map((name) => new RegExp(` ${name}="([^"]*)"`).exec(picture)?.[1] ?? '')
  const url = URL.parse(unescapeHtml(source), issuer)
  if (!url || !/^https?:$/.test(url.protocol) || url.origin === new URL(issuer).origin) return picture
  const label = description || source
  return isInLink ? label : `<a href="${source}" rel="noopener noreferrer nofollow">${label}</a>`
}
