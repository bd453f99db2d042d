import type { SiteContent } from '../../policy/sitePage.ts'
import { type SiteAddress, type SiteKind, sitePath, siteResources } from '../../resources/sitePaths.ts'
import { pageProblem } from '../pageProblem.ts'
import type { TextKey } from '../texts.ts'
import { isHidden, type SiteRows, type SiteSource } from './siteSource.ts'
import type { SiteBody, SiteContext } from './siteType.ts'
import { siteTypes } from './siteTypes.ts'

/** Number of rows on one page of a list. */
const listRows = 24

/** The texts of each list: its name, and a sentence for search engines. */
export const listTexts: Readonly<Record<SiteKind, { name: TextKey; description: TextKey }>> = {
  courses: { name: 'site.courses', description: 'site.courses_description' },
  events: { name: 'site.events', description: 'site.events_description' },
  lecturers: { name: 'site.lecturers', description: 'site.lecturers_description' },
  posts: { name: 'site.posts', description: 'site.posts_description' },
  plans: { name: 'site.plans', description: 'site.plans_description' },
  pages: { name: 'site.pages', description: 'site.pages_description' },
}

/** The part of a list that a request names. */
export interface AskedList {
  cursor: string | undefined
  /** True for the second list of a kind that has one. */
  isPast: boolean
}

const noPage = () => pageProblem('no_such_page', 'not_found', 'There is no such page.')

/**
 * Reads and builds the page at an address.
 * @throws Problem not_found, also for what exists and visitors may not see
 */
export async function siteContent(
  source: SiteSource,
  { address, context, ...asked }: { address: SiteAddress | undefined; context: SiteContext } & AskedList,
): Promise<SiteContent> {
  if (!address) throw noPage()
  const { kind, slug } = address
  const { list, past, one, page } = siteTypes[kind]
  const resource = siteResources[kind]
  try {
    if (slug !== undefined) return rowContent(kind, page(await source.one(resource, slug, one), context), context)
    const { cursor } = asked
    const isPast = asked.isPast && past !== undefined
    const parameters = { ...(isPast ? past.list : list), limit: String(listRows), ...(cursor !== undefined && { cursor }) }
    return listContent(kind, { cursor, isPast, context, found: await source.list(resource, parameters) })
  } catch (error) {
    throw isHidden(error) ? noPage() : error
  }
}

const noParts = {
  lead: undefined,
  notices: [],
  picture: undefined,
  shareImage: undefined,
  facts: [],
  actions: [],
  sections: [],
  pagination: [],
  publishedAt: undefined,
}

function rowContent(kind: SiteKind, { slug, data, ...body }: SiteBody, context: SiteContext): SiteContent {
  const path = sitePath(kind, slug)
  const home = { href: '/', label: context.schoolName }
  // People reach the school's own pages from the menus, not from their list.
  const breadcrumbs = kind === 'pages' ? [home] : [home, { href: sitePath(kind), label: context.texts.text(listTexts[kind].name) }]
  const sections = (body.sections ?? []).filter(hasContent)
  return {
    ...noParts,
    ...body,
    sections,
    path,
    breadcrumbs,
    data: [...data, breadcrumbNode([...breadcrumbs, { href: path, label: body.title }], context.issuer)],
  }
}

const hasContent = ({ html, items = [], outline = [], list = [], links = [] }: SiteContent['sections'][number]): boolean =>
  (html !== undefined && html !== '') || items.length + outline.length + list.length + links.length > 0

function listContent(
  kind: SiteKind,
  { found: { rows, next, previous }, cursor, isPast, context }: { found: SiteRows; context: SiteContext } & AskedList,
): SiteContent {
  const { texts, schoolName, issuer } = context
  const values = { school: schoolName }
  const { item, past } = siteTypes[kind]
  const shown = (isPast && past) || listTexts[kind]
  const name = texts.text(shown.name)
  const at = (place?: string): string => listPath(kind, { isPast, cursor: place })
  const path = at(cursor)
  const items = rows.map((row) => item(row, context))
  const home = { href: '/', label: schoolName }
  const breadcrumbs = isPast ? [home, { href: sitePath(kind), label: texts.text(listTexts[kind].name) }] : [home]
  const pastLink = past && !isPast ? [{ href: listPath(kind, { isPast: true }), label: texts.text(past.name) }] : []
  return {
    ...noParts,
    path,
    title: name,
    description: texts.text(shown.description, values),
    // Search engines find every row in the sitemap, also past ones. The place of a later page ends when rows are added.
    isIndexed: cursor === undefined && !isPast,
    heading: name,
    notices: items.length === 0 ? [texts.text('site.empty')] : [],
    sections: [
      { heading: undefined, items },
      { heading: undefined, links: pastLink },
    ].filter(hasContent),
    pagination: [
      ...(previous === null ? [] : [{ href: at(previous), label: texts.text('site.previous_page'), relation: 'prev' as const }]),
      ...(next === null ? [] : [{ href: at(next), label: texts.text('site.next_page'), relation: 'next' as const }]),
    ],
    breadcrumbs,
    data: [
      {
        '@type': 'ItemList',
        itemListElement: items.map(({ link }, index) => ({
          '@type': 'ListItem',
          position: index + 1,
          url: issuer + link.href,
          name: link.label,
        })),
      },
      breadcrumbNode([...breadcrumbs, { href: at(), label: name }], issuer),
    ],
  }
}

/** Returns the path of a list, or of one of its pages. */
export function listPath(kind: SiteKind, { cursor, isPast }: Partial<AskedList>): string {
  const query = new URLSearchParams({ ...(isPast && { past: '1' }), ...(cursor !== undefined && { cursor }) }).toString()
  return query === '' ? sitePath(kind) : `${sitePath(kind)}?${query}`
}

const breadcrumbNode = (links: readonly { href: string; label: string }[], issuer: string) => ({
  '@type': 'BreadcrumbList',
  itemListElement: links.map(({ href, label }, index) => ({ '@type': 'ListItem', position: index + 1, name: label, item: issuer + href })),
})
