import type sanitizeHtml from 'sanitize-html'
import { unescapeHtml } from '../base/text/escapeHtml.ts'
import { playerOf } from '../base/text/players.ts'
import { checkBox } from './markdown.ts'

const hasCredentials = (address: string): boolean => {
  const url = URL.parse(address, 'https://relative.invalid')
  return url !== null && (url.username !== '' || url.password !== '')
}

/**
 * Returns the attributes of a frame that shows a player: the address of a video becomes that of its player, which is isolated and sets no
 * cookies if the service offers that. Empty for every other frame, which is removed.
 */
export function frameOf({ src = '', title, width, height }: sanitizeHtml.Attributes): sanitizeHtml.Attributes {
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

// Ids begin with this, so that they cannot shadow variables of a page's scripts, or ids of the page.
const prefix = 'text-'
const idForm = /^[\p{L}\p{N}\p{M}_.:-]{1,100}$/u

const prefixed = (id: string): string => (id.startsWith(prefix) ? id : `${prefix}${id}`)

/** Returns the link to a part of the same text with the id that this part has. */
const anchored = (href: string): string => (/^#./.test(href) ? `#${prefixed(href.slice(1))}` : href)

const languageForm = /^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,6}$/

/** Returns the attributes that each element can have, without those of another form. */
function common({ id, lang, dir, ...attribs }: sanitizeHtml.Attributes): sanitizeHtml.Attributes {
  return {
    ...(id !== undefined && idForm.test(id) && { id: prefixed(id) }),
    ...(lang !== undefined && languageForm.test(lang) && { lang }),
    ...(dir !== undefined && /^(ltr|rtl|auto)$/i.test(dir) && { dir }),
    ...attribs,
  }
}

/** Returns a cell with the alignment of its style, which is not allowed, as an attribute. */
function aligned(tagName: string, { align, style = '', ...attribs }: sanitizeHtml.Attributes): sanitizeHtml.Tag {
  const side = /(?:^|;)\s*text-align\s*:\s*(\w+)/i.exec(style)?.[1] ?? align
  return { tagName, attribs: { ...attribs, ...(/^(left|right|center)$/i.test(side ?? '') && { align: String(side).toLowerCase() }) } }
}

/** A picture without encryption can only be a file of a school that is tried on this computer: other sites are not loaded without it. */
const isLoadable = (src: string): boolean =>
  !/^\s*http:/i.test(src) || /^http:\/\/[^/?#@\\]+\/files\/fil_[0-9a-z]{26}\/[^/?#\\]+$/.test(src)

/** The elements and attributes that a text may contain. */
export const allowed: sanitizeHtml.IOptions = {
  allowedTags: [
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'p', 'br', 'hr', 'blockquote', 'pre', 'ul', 'ol', 'li', 'dl', 'dt', 'dd', 'div', 'section'],
    ...['a', 'abbr', 'b', 'bdi', 'bdo', 'cite', 'code', 'del', 'em', 'i', 'ins', 'kbd', 'mark', 'q', 's', 'small', 'span', 'strong'],
    ...['sub', 'sup', 'u', 'ruby', 'rt', 'rp', 'details', 'summary'],
    ...['img', 'iframe', 'figure', 'figcaption', 'table', 'caption', 'thead', 'tbody', 'tfoot', 'tr', 'th', 'td'],
  ],
  // Excludes name, which could shadow variables of a page's scripts, and style and class.
  allowedAttributes: {
    '*': ['id', 'lang', 'dir'],
    a: ['href', 'title', 'rel'],
    abbr: ['title'],
    details: ['open'],
    iframe: ['src', 'title', 'width', 'height', 'loading', 'allow', 'sandbox', 'referrerpolicy'],
    img: ['src', 'alt', 'title', 'width', 'height', 'loading'],
    ol: ['start'],
    td: ['colspan', 'rowspan', 'align'],
    th: ['colspan', 'rowspan', 'scope', 'align'],
  },
  allowedSchemes: ['https', 'http', 'mailto', 'tel', 'sms'],
  allowedSchemesByTag: { img: ['https', 'http'], iframe: ['https'] },
  allowProtocolRelative: false,
  disallowedTagsMode: 'discard',
  // Limits the depth of elements in the result.
  nestingLimit: 40,
  exclusiveFilter: ({ tag, attribs }) => (tag === 'img' || tag === 'iframe') && !attribs.src,
  transformTags: {
    a: (tagName, { href: sent = '', name, ...attribs }) => {
      const href = sent.trim()
      return {
        tagName,
        attribs: {
          ...(href !== '' && !hasCredentials(href) && { href: anchored(href) }),
          ...(name !== undefined && { id: name }),
          ...attribs,
          rel: 'noopener noreferrer nofollow',
        },
      }
    },
    iframe: (tagName, attribs) => ({ tagName, attribs: frameOf(attribs) }),
    img: (tagName, { src = '', ...attribs }) => ({ tagName, attribs: { ...(isLoadable(src) && { src }), ...attribs, loading: 'lazy' } }),
    input: (tagName, { type, checked }) =>
      type === 'checkbox' ? { tagName: 'span', attribs: {}, text: checkBox(checked !== undefined) } : { tagName, attribs: {} },
    td: aligned,
    th: aligned,
    '*': (tagName, attribs) => ({ tagName, attribs: common(attribs) }),
  },
}

/** Gives each heading of sanitised HTML without an id one that follows from its words: `#a-heading` leads to "A heading". */
export function withHeadingIds(html: string): string {
  const taken = new Set([...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id))
  return html.replace(/<h([1-6])((?: [^<>]*)?)>([\s\S]*?)(?=<\/h\1>)/g, (all, level: string, attributes: string, content: string) => {
    const words = slugOf(content)
    if (words === '' || attributes.includes(' id="')) return all
    const ids = [words, ...Array.from({ length: 99 }, (_, index) => `${words}-${index + 1}`)].map((one) => prefix + one)
    const id = ids.find((one) => !taken.has(one))
    if (id === undefined) return all
    taken.add(id)
    return `<h${level} id="${id}"${attributes}>${content}`
  })
}

/** As GitHub writes it, so that links to headings move in with their texts. */
const slugOf = (html: string): string =>
  unescapeHtml(html.replace(/<[^<>]*>/g, ''))
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}\s_-]/gu, '')
    .trim()
    .replace(/\s/gu, '-')
    .slice(0, 80)
    .toWellFormed()
