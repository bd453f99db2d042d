import markdownIt from 'markdown-it'
import sanitizeHtml from 'sanitize-html'

/** How a text is written. */
export type TextFormat = 'markdown' | 'html'

// Tags that stand in the text of a Markdown document are text: who wants tags writes HTML.
const markdown = markdownIt({ html: false, linkify: false, typographer: false })

/**
 * The HTML of a text, safe to put into any page: what is not on the list below is not in it, whoever wrote it and in whichever
 * format. The answer is what is stored beside the text.
 */
export function htmlOf(text: string, format: TextFormat): string {
  return atRest(format === 'markdown' ? markdown.render(text) : text)
}

const mostPasses = 5

/**
 * Cleans until cleaning changes nothing more: what a browser would read otherwise than it was written, such as a link inside a link,
 * is then written as it is read. What does not come to rest is shown as text.
 */
function atRest(html: string): string {
  let before = html
  for (let pass = 0; pass < mostPasses; pass++) {
    const after = sanitizeHtml(before, allowed)
    if (after === before) return after
    before = after
  }
  return sanitizeHtml(before, { ...allowed, allowedTags: [] })
}

/** The same of a text that may be absent. */
export const htmlOrNull = (text: string | null, format: TextFormat): string | null => (text === null ? null : htmlOf(text, format))

/** The column beside a text that was sent as `name` and `<name>_format`, with its HTML. */
export const htmlColumn = <Name extends string>(name: Name, sent: Readonly<Record<string, unknown>>) =>
  ({
    [`${name}_html`]: htmlOrNull((sent[name] ?? null) as string | null, (sent[`${name}_format`] ?? 'markdown') as TextFormat),
  }) as { [Column in `${Name}_html`]: string | null }

const allowed: sanitizeHtml.IOptions = {
  allowedTags: [
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'p', 'br', 'hr', 'blockquote', 'pre', 'ul', 'ol', 'li', 'dl', 'dt', 'dd'],
    ...['a', 'abbr', 'b', 'cite', 'code', 'del', 'em', 'i', 'ins', 'kbd', 'mark', 'q', 's', 'small', 'strong', 'sub', 'sup', 'u'],
    ...['img', 'figure', 'figcaption', 'table', 'caption', 'thead', 'tbody', 'tfoot', 'tr', 'th', 'td'],
  ],
  // Neither id nor name: they would shadow what scripts of a page look up. Neither style nor class.
  allowedAttributes: {
    a: ['href', 'title', 'rel'],
    abbr: ['title'],
    img: ['src', 'alt', 'title', 'width', 'height', 'loading'],
    ol: ['start'],
    td: ['colspan', 'rowspan'],
    th: ['colspan', 'rowspan', 'scope'],
  },
  allowedSchemes: ['https', 'http', 'mailto'],
  allowedSchemesByTag: { img: ['https'] },
  allowProtocolRelative: false,
  disallowedTagsMode: 'discard',
  // A page that is nested deeper is no text.
  nestingLimit: 40,
  exclusiveFilter: ({ tag, attribs }) => tag === 'img' && !attribs.src,
  transformTags: {
    a: (tagName, attribs) => ({ tagName, attribs: { ...attribs, rel: 'noopener noreferrer nofollow' } }),
    img: (tagName, attribs) => ({ tagName, attribs: { ...attribs, loading: 'lazy' } }),
  },
}

/** What of a text is read: words with a space between them, no marks. */
export const plainText = (text: string, format: TextFormat): string =>
  sanitizeHtml((format === 'markdown' ? markdown.render(text) : text).replace(/<\/?(p|br|h\d|li|td|th|tr|blockquote|pre|div)\b/gi, ' $&'), {
    allowedTags: [],
    allowedAttributes: {},
    // Text again, and not HTML: whoever shows it escapes it.
    textFilter: (inner) => inner.replace(/&(lt|gt|quot|amp);/g, (_all, name: string) => characters[name] as string),
  })
    .replace(/\s+/g, ' ')
    .trim()

const characters: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', amp: '&' }
