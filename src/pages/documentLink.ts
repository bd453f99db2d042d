import type { TextKey, Texts } from './texts.ts'

/** A link of a page. */
export interface PageLink {
  href: string
  label: string
  /** The language of the document, if it differs from that of the page. */
  language?: string
}

/** Returns the link to a document for developers or programs, all of which are in English. On other pages, the label says so. */
export function documentLink(texts: Texts, href: string, key: TextKey): PageLink {
  const label = texts.text(key)
  return texts.language === 'en' ? { href, label } : { href, label: texts.text('home.in_english', { document: label }), language: 'en' }
}
