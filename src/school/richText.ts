import sanitizeHtml from 'sanitize-html'
import { fieldError, Problem } from '../base/problem.ts'
import { escapeHtml, unescapeHtml } from '../base/text/escapeHtml.ts'
import { markupExcess, markupLimits } from '../base/text/markupLimits.ts'
import type { RichText } from '../engine/externalServices.ts'
import { renderComment, renderMarkdown } from './markdown.ts'
import { allowed, frameOf, withHeadingIds } from './sanitiser.ts'

export type TextFormat = 'markdown' | 'html'

/**
 * Renders a text as sanitised HTML that is safe in any page: it contains only the elements and attributes listed below.
 * @param field the field of the text, for the error
 * @throws Problem validation_failed above the limits of markup
 */
export function htmlOf(text: string, format: TextFormat | 'comment', field = 'text'): string {
  const excess = markupExcess(text)
  if (excess !== undefined) throw invalidMarkup(field, excess)
  const html =
    format === 'comment'
      ? sanitizeFully(renderComment(text), withoutIds, field)
      : withHeadingIds(sanitizeFully(sourceOf(text, format), allowed, field))
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

const sourceOf = (text: string, format: TextFormat): string => (format === 'html' ? text : renderMarkdown(text))

/** A page has many comments: an id in one could take the place of one in the text above. */
const withoutIds = { ...allowed, allowedAttributes: { ...allowed.allowedAttributes, '*': ['lang', 'dir'] } }

const maxPasses = 5

/**
 * Sanitises repeatedly until the HTML no longer changes, so that a browser parses it exactly as the sanitiser did, also for markup such
 * as a link inside a link. Markup that still changes after the last pass is shown as text.
 */
function sanitizeFully(html: string, rules: sanitizeHtml.IOptions, field: string): string {
  let before = html
  for (let pass = 0; pass < maxPasses; pass++) {
    const after = sanitize(before, rules, field)
    if (after === before) return after
    before = after
  }
  return sanitize(before, { ...rules, allowedTags: [] }, field)
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

/**
 * Returns the words of a text without markup, separated by spaces.
 * @throws Problem validation_failed above the limits of markup
 */
export const plainText = (text: string, format: TextFormat, field = 'text'): string =>
  sanitize(
    sourceOf(text, format).replace(/<\/?(p|br|h\d|li|td|th|tr|blockquote|pre|div)\b/gi, ' $&'),
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

/** Attributes that are written again. */
const replaced: Readonly<Record<string, RegExp>> = { a: /^(rel|target)$/, img: /^(loading|decoding)$/, iframe: /^(?!on|style$|srcdoc$)/ }

/**
 * Returns what sanitising removes from a text: elements with their address, such as `iframe https://player.example/1`, addresses, such as
 * `a javascript:x`, and attributes, such as `p style`. Pictures that are not of `origin` are among them: pages show a link. Each is named once,
 * at most twenty.
 * @throws Problem validation_failed above the limits of markup
 */
export function removedMarkup({ text, format, field, origin }: RichText): string[] {
  const removed = new Set<string>()
  const note = (part: string): void => {
    if (removed.size < maxRemoved) removed.add(part.slice(0, maxRemovedLength).toWellFormed())
  }
  const tags = new Set(allowed.allowedTags || [])
  // Texts repeat their attributes.
  const known = new Map<string, boolean>()
  const isAttributeKept = (tag: string, name: string, value: string): boolean => {
    const key = JSON.stringify([tag, name, value])
    const isKept = known.get(key) ?? keepsAttribute(tag, name, value)
    known.set(key, isKept)
    return isKept
  }
  sanitize(sourceOf(text, format), allowed, field, (tag, attributes) => {
    if (removed.size >= maxRemoved) return
    const address = attributes.src ?? attributes.href ?? attributes.data
    const isTask = tag === 'input' && attributes.type === 'checkbox'
    const isKept = isTask || (tags.has(tag) && (tag !== 'iframe' || frameOf(attributes).src !== undefined))
    if (!isKept) return note(address === undefined ? tag : `${tag} ${address}`)
    if (isTask) return
    for (const [name, value] of Object.entries(attributes)) {
      // The classes and styles of rendered Markdown are not of the author.
      if ((format === 'markdown' && /^(class|style)$/.test(name)) || replaced[tag]?.test(name) || isAttributeKept(tag, name, value))
        continue
      note(`${tag} ${/^(href|src)$/.test(name) ? value : name}`)
    }
    if (tag === 'img' && origin !== undefined && isForeign(address ?? '', origin)) note(`img ${address}`)
  })
  return [...removed]
}

const isForeign = (address: string, origin: string): boolean => {
  const url = URL.parse(address, origin)
  return url !== null && /^https?:$/.test(url.protocol) && url.origin !== new URL(origin).origin
}

function keepsAttribute(tag: string, name: string, value: string): boolean {
  if (name === 'style') return /^t[dh]$/.test(tag) && /^\s*text-align\s*:\s*(left|right|center)\s*;?\s*$/i.test(value)
  if (name === 'name' && tag === 'a') return true
  const whole = sanitizeHtml(`<${tag} ${name}="${escapeHtml(value)}"></${tag}>`, { ...allowed, exclusiveFilter: () => false })
  return whole.includes(` ${name}="`) || whole.includes(` ${name}>`) || whole.includes(` ${name} `)
}
