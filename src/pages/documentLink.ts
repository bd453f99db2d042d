import type { TextKey, Texts } from './texts.ts'

export interface PageLink {
  href: string
  label: string
  language?: string
}

/** Returns the link to a document for developers or programs, all of which are in English. On other pages, the label says so. */
export function documentLink(texts: Texts, href: string, key: TextKey): PageLink {
  const label = texts.text(key)
  return texts.language === 'en' ? { href, label } : { href, label: texts.text('home.in_english', { document: label }), language: 'en' }
}
