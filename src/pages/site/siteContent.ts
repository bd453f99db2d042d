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

const noPage = () => pageProblem('no_such_page', 'not_found', 'There is no such page.')

/**
 * Reads and builds the page at an address.
 * @throws Problem not_found, also for what exists and visitors may not see
 */
export async function siteContent(
  source: SiteSource,
  { address, cursor, context }: { address: SiteAddress | undefined; cursor: string | undefined; context: SiteContext },
): Promise<SiteContent> {
  if (!address) throw noPage()
  const { kind, slug } = address
  const { list, one, page } = siteTypes[kind]
  const resource = siteResources[kind]
  try {
    if (slug !== undefined) return rowContent(kind, page(await source.one(resource, slug, one), context), context)
    return listContent(kind, {
      cursor,
      context,
      found: await source.list(resource, { ...list, limit: String(listRows), ...(cursor !== undefined && { cursor }) }),
    })
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
  { found: { rows, next, previous }, cursor, context }: { found: SiteRows; cursor: string | undefined; context: SiteContext },
): SiteContent {
  const { texts, schoolName, issuer } = context
  const values = { school: schoolName }
  const name = texts.text(listTexts[kind].name)
  const at = (place: string): string => `${sitePath(kind)}?${new URLSearchParams({ cursor: place })}`
  const path = cursor === undefined ? sitePath(kind) : at(cursor)
  const items = rows.map((row) => siteTypes[kind].item(row, context))
  const breadcrumbs = [{ href: '/', label: schoolName }]
  return {
    ...noParts,
    path,
    title: name,
    description: texts.text(listTexts[kind].description, values),
    // Search engines find every row in the sitemap. The place of a later page ends when rows are added.
    isIndexed: cursor === undefined,
    heading: name,
    notices: items.length === 0 ? [texts.text('site.empty')] : [],
    sections: items.length === 0 ? [] : [{ heading: undefined, items }],
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
      breadcrumbNode([...breadcrumbs, { href: sitePath(kind), label: name }], issuer),
    ],
  }
}

const breadcrumbNode = (links: readonly { href: string; label: string }[], issuer: string) => ({
  '@type': 'BreadcrumbList',
  itemListElement: links.map(({ href, label }, index) => ({ '@type': 'ListItem', position: index + 1, name: label, item: issuer + href })),
})
