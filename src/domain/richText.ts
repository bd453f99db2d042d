import markdownIt from 'markdown-it'
import sanitizeHtml from 'sanitize-html'
import { markupExcess, markupLimits } from '../lib/markupLimits.ts'
import { Problem } from '../lib/problem.ts'

/** How a text is written. */
export type TextFormat = 'markdown' | 'html'

// Tags that stand in the text of a Markdown document are text: who wants tags writes HTML.
const markdown = markdownIt({ html: false, linkify: false, typographer: false })

/**
 * Renders a text as HTML that is safe to put into any page: it contains nothing but the elements and attributes listed below.
 * @param field where the text was sent, for the error
 * @throws Problem validation_failed above the limits of markup
 */
export function htmlOf(text: string, format: TextFormat, field = 'text'): string {
  const excess = markupExcess(text)
  if (excess !== undefined) throw refusal(field, excess)
  const html = atRest(format === 'markdown' ? markdown.render(text) : text, field)
  if (html.length > markupLimits.htmlLength) {
    throw refusal(field, `must render to at most ${markupLimits.htmlLength} characters of HTML, renders to ${html.length}. Split the text.`)
  }
  return html
}

/** Renders a text that is stored already: one that is older than the limits of markup is shown as it was written. */
export function storedHtmlOf(text: string, format: TextFormat): string {
  try {
    return htmlOf(text, format)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return `<p>${text.replace(/[&<>"]/g, (character) => entities[character] as string)}</p>`
  }
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

function refusal(field: string, rule: string): Problem {
  const message = `${field}: ${rule}`
  return new Problem('validation_failed', { description: message, details: [{ field, code: 'max', message }] })
}

const mostPasses = 5

/**
 * Sanitizes until nothing changes: markup that a browser would read differently, such as a link inside a link, is then written as
 * it is read. Markup that still changes after the last pass is shown as text.
 */
function atRest(html: string, field: string): string {
  let before = html
  for (let pass = 0; pass < mostPasses; pass++) {
    const after = sanitize(before, allowed, field)
    if (after === before) return after
    before = after
  }
  return sanitize(before, { ...allowed, allowedTags: [] }, field)
}

/** The parser looks through all open elements at each closing tag: without a limit of depth its time is quadratic. */
function sanitize(html: string, options: sanitizeHtml.IOptions, field: string): string {
  let depth = 0
  return sanitizeHtml(html, {
    ...options,
    onOpenTag() {
      depth += 1
      if (depth > markupLimits.depth)
        throw refusal(field, `must nest elements at most ${markupLimits.depth} levels deep. Close elements earlier.`)
    },
    onCloseTag() {
      depth -= 1
    },
  })
}

const hasCredentials = (address: string): boolean => {
  const url = URL.parse(address, 'https://relative.invalid')
  return url !== null && (url.username !== '' || url.password !== '')
}

/** The same of a text that may be absent. */
export const htmlOrNull = (text: string | null, format: TextFormat, field = 'text'): string | null =>
  text === null ? null : htmlOf(text, format, field)

/** The column beside a text that was sent as `name` and `<name>_format`, with its HTML. */
export const htmlColumn = <Name extends string>(name: Name, sent: Readonly<Record<string, unknown>>) =>
  ({
    [`${name}_html`]: htmlOrNull((sent[name] ?? null) as string | null, (sent[`${name}_format`] ?? 'markdown') as TextFormat, name),
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
    a: (tagName, { href = '', ...attribs }) => ({
      tagName,
      attribs: { ...(href !== '' && !hasCredentials(href) && { href }), ...attribs, rel: 'noopener noreferrer nofollow' },
    }),
    img: (tagName, attribs) => ({ tagName, attribs: { ...attribs, loading: 'lazy' } }),
  },
}

/**
 * The words of a text, with a space between them and without markup.
 * @throws Problem validation_failed above the limits of markup
 */
export const plainText = (text: string, format: TextFormat, field = 'text'): string =>
  sanitize(
    (format === 'markdown' ? markdown.render(text) : text).replace(/<\/?(p|br|h\d|li|td|th|tr|blockquote|pre|div)\b/gi, ' $&'),
    {
      allowedTags: [],
      allowedAttributes: {},
      // Text again, and not HTML: what shows it escapes it.
      textFilter: (inner) => inner.replace(/&(lt|gt|quot|amp);/g, (_all, name: string) => characters[name] as string),
    },
    field,
  )
    .replace(/\s+/g, ' ')
    .trim()

const characters: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', amp: '&' }
