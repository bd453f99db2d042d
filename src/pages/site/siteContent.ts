import type { SiteContent, SiteItem, SiteSearch } from '../../base/sitePage.ts'
import type { PageOfRows } from '../../base/text/pageOfRows.ts'
import { type SiteAddress, type SiteKind, sitePath } from '../../engine/sitePaths.ts'
import type { ApiReader } from '../../school/apiRows.ts'
import { pageProblem } from '../pageProblem.ts'
import type { TextKey } from '../texts.ts'
import { readCourse } from './courseOffer.ts'
import { lessonPage } from './lessonPage.ts'
import { commentSections } from './siteComments.ts'
import { isHidden } from './siteSource.ts'
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
export interface ListPosition {
  cursor: string | undefined
  /** True for the second list of a kind that has one. */
  isPast: boolean
  /** The words, filters and sort order that the request names, by parameter of the API. */
  query: Readonly<Record<string, string>>
}

/** The kinds of rows that people can comment on, as the API names them. */
const commentedTypes: Partial<Record<SiteKind, 'post' | 'event'>> = { posts: 'post', events: 'event' }

export const noPage = () => pageProblem('no_such_page', 'not_found', 'There is no such page.')

/**
 * Reads and builds the page at an address.
 * @throws Problem not_found, also for what exists and visitors may not see
 */
export async function siteContent(
  source: ApiReader,
  { address, context, ...asked }: { address: SiteAddress | undefined; context: SiteContext } & ListPosition,
): Promise<SiteContent> {
  if (!address) throw noPage()
  const { kind, slug, lessonId } = address
  const { filters, published, past, items, body: read } = siteTypes[kind]
  const { cursor, query } = asked
  try {
    if (lessonId !== undefined) return await lessonContent(source, { course: slug ?? '', lessonId, cursor, context })
    if (slug !== undefined) {
      const { id, ...body } = await read(source, slug, context)
      const type = commentedTypes[kind]
      const subject = type && { type, id, page: sitePath(kind, body.slug), cursor }
      const comments = subject ? await commentSections(source, subject, context) : []
      return rowContent(kind, { ...body, sections: [...(body.sections ?? []), ...comments] }, context)
    }
    const isPast = asked.isPast && past !== undefined
    const parameters = {
      ...(context.viewer && published),
      ...(isPast ? past.filters : filters),
      ...query,
      limit: String(listRows),
      ...(cursor !== undefined && { cursor }),
    }
    return listContent(kind, { cursor, isPast, query, context, found: await items(source, parameters, context) })
  } catch (error) {
    throw isHidden(error) ? noPage() : error
  }
}

export const noParts = {
  lead: undefined,
  notices: [],
  picture: undefined,
  shareImage: undefined,
  facts: [],
  prices: [],
  actions: [],
  sections: [],
  pagination: [],
  publishedAt: undefined,
}

async function lessonContent(
  source: ApiReader,
  { course, lessonId, cursor, context }: { course: string; lessonId: string; cursor: string | undefined; context: SiteContext },
): Promise<SiteContent> {
  const [row, lesson] = await Promise.all([readCourse(source, course), source.get('getLesson', { id: lessonId })])
  const page = lessonPage(row, lesson, context)
  if (!page) throw noPage()
  const comments = await commentSections(source, { type: 'lesson', id: lessonId, page: page.path, cursor }, context)
  return { ...noParts, ...page, sections: [...(page.sections ?? []), ...comments].filter(hasContent) }
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

const hasContent = ({
  html,
  player,
  items = [],
  outline = [],
  list = [],
  links = [],
  comments = [],
  commentForm,
}: SiteContent['sections'][number]): boolean =>
  (html !== undefined && html !== '') ||
  player !== undefined ||
  commentForm !== undefined ||
  items.length + outline.length + list.length + links.length + comments.length > 0

function listContent(
  kind: SiteKind,
  {
    found: { rows: items, next, previous },
    cursor,
    isPast,
    query,
    context,
  }: { found: PageOfRows<SiteItem>; context: SiteContext } & ListPosition,
): SiteContent {
  const { texts, schoolName, issuer } = context
  const values = { school: schoolName }
  const { past } = siteTypes[kind]
  const shown = (isPast && past) || listTexts[kind]
  const name = texts.text(shown.name)
  const at = (place?: string): string => listPath(kind, { isPast, query, cursor: place })
  const path = at(cursor)
  const isNarrowed = Object.keys(query).length > 0
  const isWhole = next === null && previous === null
  const home = { href: '/', label: schoolName }
  const breadcrumbs = isPast ? [home, { href: sitePath(kind), label: texts.text(listTexts[kind].name) }] : [home]
  const pastLink = past && !isPast ? [{ href: listPath(kind, { isPast: true }), label: texts.text(past.name) }] : []
  return {
    ...noParts,
    path,
    title: name,
    description: texts.text(shown.description, values),
    // Search engines find every row in the sitemap, also past ones. The place of a later page ends when rows are added.
    isIndexed: cursor === undefined && !isPast && !isNarrowed,
    heading: name,
    notices: isNarrowed
      ? isWhole
        ? [texts.counted('site.found', items.length)]
        : []
      : items.length === 0
        ? [texts.text('site.empty')]
        : [],
    search: siteTypes[kind].choices && (items.length > 0 || isNarrowed) ? searchOf(kind, query, texts) : undefined,
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

/** Returns the form that narrows a list. */
const searchOf = (kind: SiteKind, query: ListPosition['query'], texts: SiteContext['texts']): SiteSearch => ({
  action: sitePath(kind),
  words: query.q ?? '',
  choices: Object.entries(siteTypes[kind].choices ?? {}).map(([name, { label, options }]) => ({
    name,
    label: texts.text(label),
    options: Object.entries(options).map(([value, text]) => ({
      ...{ value, label: texts.text(text) },
      isChosen: value === (query[name] ?? ''),
    })),
  })),
})

/** Returns the words, filters and sort order of a list that a query names; unknown values are left out. */
export function narrowedBy(kind: SiteKind, asked: Readonly<Record<string, unknown>>): ListPosition['query'] {
  const words = typeof asked.q === 'string' ? asked.q.trim().slice(0, 100) : ''
  const chosen = Object.entries(siteTypes[kind].choices ?? {}).flatMap(([name, { options }]) => {
    const value = asked[name]
    return typeof value === 'string' && value !== '' && Object.hasOwn(options, value) ? [[name, value]] : []
  })
  return { ...Object.fromEntries(chosen), ...(words !== '' && { q: words }) }
}

/** Returns the path of a list, or of one of its pages. */
export function listPath(kind: SiteKind, { cursor, isPast, query: narrowed }: Partial<ListPosition>): string {
  const query = new URLSearchParams({ ...narrowed, ...(isPast && { past: '1' }), ...(cursor !== undefined && { cursor }) }).toString()
  return query === '' ? sitePath(kind) : `${sitePath(kind)}?${query}`
}

const breadcrumbNode = (links: readonly { href: string; label: string }[], issuer: string) => ({
  '@type': 'BreadcrumbList',
  itemListElement: links.map(({ href, label }, index) => ({ '@type': 'ListItem', position: index + 1, name: label, item: issuer + href })),
})
