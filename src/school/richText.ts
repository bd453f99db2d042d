import markdownIt from 'markdown-it'
import sanitizeHtml from 'sanitize-html'
import { fieldError, Problem } from '../base/problem.ts'
import { escapeHtml, unescapeHtml } from '../base/text/escapeHtml.ts'
import { markupExcess, markupLimits } from '../base/text/markupLimits.ts'
import { playerOf } from '../base/text/players.ts'

export type TextFormat = 'markdown' | 'html'

// Tags inside Markdown are shown as text. The format html allows tags.
const options = { html: false, linkify: false, typographer: false }
const markdown = markdownIt(options)
/** People who write a comment expect the line breaks that they type. */
const commentMarkdown = markdownIt({ ...options, breaks: true })

/**
 * Renders a text as sanitised HTML that is safe in any page: it contains only the elements and attributes listed below.
 * @param field the field of the text, for the error
 * @throws Problem validation_failed above the limits of markup
 */
export function htmlOf(text: string, format: TextFormat | 'comment', field = 'text'): string {
  const excess = markupExcess(text)
  if (excess !== undefined) throw invalidMarkup(field, excess)
  const html = sanitizeFully(format === 'html' ? text : (format === 'comment' ? commentMarkdown : markdown).render(text), field)
  if (html.length > markupLimits.htmlLength) {
    throw invalidMarkup(
      field,
      `must render to at most ${markupLimits.htmlLength} characters of HTML; it renders to ${html.length}. Split the text.`,
    )
  }
  return html
}

/** Renders a stored text. A text that exceeds the markup limits, because it is older than they are, is shown as plain text. */
export function storedHtmlOf(text: string, format: TextFormat): string {
  try {
    return htmlOf(text, format)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return `<p>${escapeHtml(text)}</p>`
  }
}

function invalidMarkup(field: string, rule: string): Problem {
  const error = fieldError(field, 'max', rule)
  return new Problem('validation_failed', { description: error.message, details: [error] })
}

const maxPasses = 5

/**
 * Sanitises repeatedly until the HTML no longer changes, so that a browser parses it exactly as the sanitiser did, also for markup such
 * as a link inside a link. Markup that still changes after the last pass is shown as text.
 */
function sanitizeFully(html: string, field: string): string {
  let before = html
  for (let pass = 0; pass < maxPasses; pass++) {
    const after = sanitize(before, allowed, field)
    if (after === before) return after
    before = after
  }
  return sanitize(before, { ...allowed, allowedTags: [] }, field)
}

/** Sanitises once. The parser searches all open elements at each closing tag: without a depth limit its time is quadratic. */
function sanitize(
  html: string,
  options: sanitizeHtml.IOptions,
  field: string,
  onElement?: (tag: string, attributes: sanitizeHtml.Attributes) => void,
): string {
  let depth = 0
  return sanitizeHtml(html, {
    ...options,
    onOpenTag(tag, attributes) {
      onElement?.(tag, attributes)
      depth += 1
      if (depth > markupLimits.depth)
        throw invalidMarkup(field, `must nest elements at most ${markupLimits.depth} levels deep. Close elements earlier.`)
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

/**
 * Returns the attributes of a frame that shows a player: the address of a video becomes that of its player, which is isolated and sets no
 * cookies if the service offers that. Empty for every other frame, which is removed.
 */
function frameOf({ src = '', title, width, height }: sanitizeHtml.Attributes): sanitizeHtml.Attributes {
  const player = playerOf(src.startsWith('//') ? `https:${src}` : src)
  if ('rule' in player) return {}
  return {
    src: player.address,
    ...(title !== undefined && { title }),
    ...(/^\d{1,4}$/.test(width ?? '') && { width }),
    ...(/^\d{1,4}$/.test(height ?? '') && { height }),
    loading: 'lazy',
    allow: 'fullscreen; encrypted-media; picture-in-picture',
    sandbox: 'allow-scripts allow-same-origin allow-forms allow-popups allow-presentation',
    // YouTube refuses to play without an origin.
    referrerpolicy: 'strict-origin-when-cross-origin',
  }
}

const allowed: sanitizeHtml.IOptions = {
  allowedTags: [
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'p', 'br', 'hr', 'blockquote', 'pre', 'ul', 'ol', 'li', 'dl', 'dt', 'dd'],
    ...['a', 'abbr', 'b', 'cite', 'code', 'del', 'em', 'i', 'ins', 'kbd', 'mark', 'q', 's', 'small', 'strong', 'sub', 'sup', 'u'],
    ...['img', 'iframe', 'figure', 'figcaption', 'table', 'caption', 'thead', 'tbody', 'tfoot', 'tr', 'th', 'td'],
  ],
  // Excludes id and name, which could shadow variables of a page's scripts, and style and class.
  allowedAttributes: {
    a: ['href', 'title', 'rel'],
    abbr: ['title'],
    iframe: ['src', 'title', 'width', 'height', 'loading', 'allow', 'sandbox', 'referrerpolicy'],
    img: ['src', 'alt', 'title', 'width', 'height', 'loading'],
    ol: ['start'],
    td: ['colspan', 'rowspan'],
    th: ['colspan', 'rowspan', 'scope'],
  },
  allowedSchemes: ['https', 'http', 'mailto'],
  allowedSchemesByTag: { img: ['https'], iframe: ['https'] },
  allowProtocolRelative: false,
  disallowedTagsMode: 'discard',
  // Limits the depth of elements in the result.
  nestingLimit: 40,
  exclusiveFilter: ({ tag, attribs }) => (tag === 'img' || tag === 'iframe') && !attribs.src,
  transformTags: {
    a: (tagName, { href = '', ...attribs }) => ({
      tagName,
      attribs: { ...(href !== '' && !hasCredentials(href) && { href }), ...attribs, rel: 'noopener noreferrer nofollow' },
    }),
    iframe: (tagName, attribs) => ({ tagName, attribs: frameOf(attribs) }),
    img: (tagName, attribs) => ({ tagName, attribs: { ...attribs, loading: 'lazy' } }),
  },
}

/**
 * Returns the words of a text without markup, separated by spaces.
 * @throws Problem validation_failed above the limits of markup
 */
export const plainText = (text: string, format: TextFormat, field = 'text'): string =>
  sanitize(
    (format === 'markdown' ? markdown.render(text) : text).replace(/<\/?(p|br|h\d|li|td|th|tr|blockquote|pre|div)\b/gi, ' $&'),
    {
      allowedTags: [],
      allowedAttributes: {},
      // Decodes entities, because the result is text, which is escaped where it is shown.
      textFilter: unescapeHtml,
    },
    field,
  )
    .replace(/\s+/g, ' ')
    .trim()

const [maxRemoved, maxRemovedLength] = [20, 200]

/**
 * Returns what sanitising removes from HTML: elements with their address, such as `iframe https://player.example/1`, and attributes that run or
 * style something, such as `p style`. Each is named once, at most twenty.
 * @throws Problem validation_failed above the limits of markup
 */
export function removedMarkup(html: string, field = 'text'): string[] {
  const removed = new Set<string>()
  const note = (part: string): void => {
    if (removed.size < maxRemoved) removed.add(part.slice(0, maxRemovedLength).toWellFormed())
  }
  const tags = new Set(allowed.allowedTags || [])
  sanitize(html, allowed, field, (tag, attributes) => {
    const address = attributes.src ?? attributes.href ?? attributes.data
    const isKept = tags.has(tag) && (tag !== 'iframe' || frameOf(attributes).src !== undefined)
    if (!isKept) note(address === undefined ? tag : `${tag} ${address}`)
    else for (const name of Object.keys(attributes)) if (/^on|^style$|^srcdoc$/.test(name)) note(`${tag} ${name}`)
  })
  return [...removed]
}
