import { normalizedSlug } from '../base/text/slugText.ts'
import { isSlugPath } from './declare/fields.ts'

/** The kinds of a school's public pages. Each is the first segment of the paths of its pages. */
export const siteKinds = ['courses', 'events', 'lecturers', 'posts', 'plans', 'pages'] as const

export type SiteKind = (typeof siteKinds)[number]

export const siteResources: Readonly<Record<SiteKind, string>> = {
  courses: 'courses',
  events: 'events',
  lecturers: 'lecturers',
  posts: 'posts',
  plans: 'membership_plans',
  pages: 'pages',
}

export const feedPath = '/posts/feed.xml'

export const formPath = (slug: string): string => `/forms/${encodeURIComponent(slug)}`

export const sitePath = (kind: SiteKind, slug?: string): string =>
  slug === undefined ? `/${kind}` : `/${kind}/${slug.split('/').map(encodeURIComponent).join('/')}`

/** Returns the path of a lesson that everybody can read. */
export const lessonPath = (course: string, lessonId: string): string => `${sitePath('courses', course)}/lessons/${lessonId}`

/** The list or the row that a path of the public pages names. A row is named by its slug or id. */
export interface SiteAddress {
  kind: SiteKind
  slug: string | undefined
  lessonId?: string | undefined
  /** True if the path requests the Markdown version: it ends with `.md`. */
  isMarkdown: boolean
}

const anyPath = new RegExp(`^/(?:${siteKinds.join('|')})(?:[/.]|$)`)
const pagePath = new RegExp(`^/(${siteKinds.join('|')})(?:/([^./?]+(?:/[^./?]+){0,2}))?(\\.md)?$`)
const lessonOf = /^([^/]+)\/lessons\/(les_[0-9a-z]+)$/
/** Longer than the path of any slug, each of whose characters can take twelve. */
const maxPath = 2000

export const isSitePath = (path: string): boolean => anyPath.test(path)

/** Returns what a path names; undefined if no page can have it. */
export function siteAddress(path: string): SiteAddress | undefined {
  if (path.length > maxPath) return undefined
  const [, first, whole, suffix] = pagePath.exec(path) ?? []
  const [, course, lessonId] = first === 'courses' ? (lessonOf.exec(whole ?? '') ?? []) : []
  const encoded = course ?? whole
  const kind = siteKinds.find((one) => one === first)
  const slug = encoded && keyIn(encoded)
  return kind && slug !== '' ? { kind, slug, lessonId, isMarkdown: suffix !== undefined } : undefined
}

/** Returns the id or slug in a path; empty if no row can have it. */
function keyIn(encoded: string): string {
  try {
    const key = decodeURIComponent(encoded)
    return /^[a-z]+_[0-9a-z]+$/.test(key) || isSlugPath(normalizedSlug(key), 3) ? key : ''
  } catch {
    return ''
  }
}
