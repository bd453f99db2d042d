/** The kinds of a school's public pages. Each is the first segment of the paths of its pages. */
export const siteKinds = ['courses', 'events', 'lecturers', 'posts', 'plans', 'pages'] as const

export type SiteKind = (typeof siteKinds)[number]

/** The resource whose rows the pages of a kind show. */
export const siteResources: Readonly<Record<SiteKind, string>> = {
  courses: 'courses',
  events: 'events',
  lecturers: 'lecturers',
  posts: 'posts',
  plans: 'membership_plans',
  pages: 'pages',
}

/** Path of the feed of the school's posts. */
export const feedPath = '/posts/feed.xml'

/** Returns the path of a list, or of the page of one row. */
export const sitePath = (kind: SiteKind, slug?: string): string =>
  slug === undefined ? `/${kind}` : `/${kind}/${slug.split('/').map(encodeURIComponent).join('/')}`

/** The list or the row that a path of the public pages names. A row is named by its slug or id. */
export interface SiteAddress {
  kind: SiteKind
  slug: string | undefined
  /** True if the path requests the Markdown version: it ends with `.md`. */
  isMarkdown: boolean
}

const anyPath = new RegExp(`^/(?:${siteKinds.join('|')})(?:[/.]|$)`)
const pagePath = new RegExp(`^/(${siteKinds.join('|')})(?:/([a-z0-9_-]{1,160}(?:/[a-z0-9-]{1,160}){0,2}))?(\\.md)?$`)

/** Returns true for the paths that are reserved for the public pages. */
export const isSitePath = (path: string): boolean => anyPath.test(path)

/** Returns what a path names; undefined if no page can have it. */
export function siteAddress(path: string): SiteAddress | undefined {
  const [, first, slug, suffix] = pagePath.exec(path) ?? []
  const kind = siteKinds.find((one) => one === first)
  return kind && { kind, slug, isMarkdown: suffix !== undefined }
}
