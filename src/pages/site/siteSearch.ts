import { Problem } from '../../base/problem.ts'
import type { SiteContent, SiteSection } from '../../base/sitePage.ts'
import { type SiteKind, sitePath } from '../../engine/sitePaths.ts'
import type { ApiReader } from '../../school/apiRows.ts'
import type { SiteChrome } from './siteChrome.ts'
import { listTexts, noParts } from './siteContent.ts'
import type { SiteContext } from './siteType.ts'
import { siteTypes } from './siteTypes.ts'

export const searchPath = '/search'

interface Reading {
  source: ApiReader
  chrome: SiteChrome
  context: SiteContext
}

/** Reads the first rows of a list, as a section with a link to all of them. */
export async function firstRows(
  { source, context }: Reading,
  kind: SiteKind,
  parameters: Readonly<Record<string, string>>,
): Promise<SiteSection[]> {
  const { filters, published, items: read } = siteTypes[kind]
  const { texts, viewer } = context
  const { rows: items, next } = await read(source, { ...(viewer && published), ...filters, ...parameters }, context)
  if (items.length === 0) return []
  const query = parameters.q === undefined ? '' : `?${new URLSearchParams({ q: parameters.q })}`
  const all = { href: sitePath(kind) + query, label: texts.text('site.all_of', { list: texts.text(listTexts[kind].name) }) }
  return [{ heading: texts.text(listTexts[kind].name), items, links: next === null ? [] : [all] }]
}

/** Builds the page with what the lists of the school contain about some words. */
export async function searchContent(reading: Reading, words: string): Promise<SiteContent> {
  const { chrome, context } = reading
  const { texts, schoolName } = context
  const found =
    words === '' ? [] : await Promise.all(chrome.kinds.map((kind) => within(firstRows(reading, kind, { q: words, limit: '6' }))))
  const sections = found.flat()
  return {
    ...noParts,
    path: words === '' ? searchPath : `${searchPath}?${new URLSearchParams({ q: words })}`,
    title: texts.text('site.search'),
    description: texts.text('site.search'),
    isIndexed: false,
    heading: texts.text('site.search'),
    notices: words !== '' && sections.length === 0 ? [texts.text('site.nothing_found')] : [],
    search: { action: searchPath, words, choices: [] },
    sections,
    breadcrumbs: [{ href: '/', label: schoolName }],
    data: [],
  }
}

/** Returns nothing for words that a list cannot look for, such as a single letter. */
const within = (section: Promise<SiteSection[]>): Promise<SiteSection[]> =>
  section.catch((error: unknown) => {
    if (error instanceof Problem && error.status < 429) return []
    throw error
  })

/** Builds the page for an address at which the school has nothing. */
export function missingContent(path: string, { chrome, context: { texts, schoolName } }: Pick<Reading, 'chrome' | 'context'>): SiteContent {
  const heading = texts.text('error.no_such_page.heading')
  const popular = chrome.kinds.slice(0, 3).map((kind) => ({ href: sitePath(kind), label: texts.text(listTexts[kind].name) }))
  return {
    ...noParts,
    path,
    title: heading,
    description: heading,
    isIndexed: false,
    heading,
    lead: texts.text('error.no_such_page.explanation'),
    search: { action: searchPath, words: '', choices: [] },
    sections: [{ heading: texts.text('site.popular'), links: [{ href: '/', label: schoolName }, ...popular] }],
    breadcrumbs: [],
    data: [],
  }
}
