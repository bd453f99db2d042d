import { isLinkable } from '../../base/net/webUrl.ts'
import type { SiteLink } from '../../base/sitePage.ts'
import { formPath, type SiteKind, sitePath } from '../../engine/sitePaths.ts'
import type { ApiReader, Appearance, FormRow, Page, SchoolRow } from '../../school/apiRows.ts'
import { isHidden, wholeList } from './siteSource.ts'
import { siteTypes } from './siteTypes.ts'

type MenuItem = Appearance['navigation']['header'][number]

/** The content that all public pages of a school share, without the texts of the service. */
export interface SiteChrome {
  school: SchoolRow
  appearance: Appearance
  /** The lists that have rows, in the order of menus. */
  kinds: readonly SiteKind[]
  ownPages: readonly Pick<Page, 'id' | 'title' | 'slug' | 'kind' | 'show_in_navigation'>[]
  /** The first forms that accept submissions. */
  forms: readonly FormRow[]
}

/** An entry of a menu; an entry with children has no target. */
export interface MenuEntry {
  label: string
  href: string | undefined
  children: readonly SiteLink[]
}

const maxForms = 5

const listOrder = ['courses', 'events', 'posts', 'lecturers', 'plans'] as const

/** Reads what the pages of a school share, in a fixed number of queries. */
export async function readChrome(source: ApiReader): Promise<SiteChrome> {
  const [school, appearance, ownPages, forms, lists] = await Promise.all([
    source.get('getSchool', {}),
    source.get('getAppearance', {}),
    visible(() => wholeList((position) => source.list('listPages', { ...position, fields: 'id,title,slug,kind,show_in_navigation' })), []),
    source.list('listForms', { limit: String(maxForms), sort: 'title' }),
    Promise.all(listOrder.map(async (kind) => ((await visible(() => siteTypes[kind].hasRows(source), false)) ? [kind] : []))),
  ])
  return { school, appearance, kinds: lists.flat(), ownPages, forms: forms.rows }
}

/** Returns what is read, or the other value if visitors cannot read the list. */
async function visible<Read>(read: () => Promise<Read>, otherwise: Read): Promise<Read> {
  try {
    return await read()
  } catch (error) {
    if (isHidden(error)) return otherwise
    throw error
  }
}

const kindOfTarget = { course_list: 'courses', event_list: 'events', post_list: 'posts', plan_list: 'plans' } as const

/** Returns the menu that the school made. Entries without a target that a visitor can open are left out. */
export const ownMenu = (items: readonly MenuItem[], chrome: SiteChrome): MenuEntry[] =>
  items.flatMap(({ label, target, children }) => {
    const href = hrefOf(target, chrome)
    const links = children.flatMap((child) => {
      const inner = hrefOf(child.target, chrome)
      return inner === undefined ? [] : [{ href: inner, label: child.label }]
    })
    return href === undefined && links.length === 0 ? [] : [{ label, href, children: links }]
  })

function hrefOf({ type, page_id: pageId, url }: MenuItem['target'], { kinds, ownPages }: SiteChrome): string | undefined {
  if (type === 'url') return url !== null && isLinkable(url) ? url : undefined
  // A page that is absent from lists is found by its id, which leads to its slug.
  if (type === 'page') return pageId === null ? undefined : sitePath('pages', ownPages.find(({ id }) => id === pageId)?.slug ?? pageId)
  const kind = kindOfTarget[type]
  return kinds.includes(kind) ? sitePath(kind) : undefined
}

const maxInMenu = 8

export const pagesInMenu = ({ ownPages }: SiteChrome): SiteLink[] =>
  ownPages
    .filter((page) => page.show_in_navigation)
    .slice(0, maxInMenu)
    .map(({ slug, title }) => ({ href: sitePath('pages', slug), label: title }))

export const legalPages = ({ ownPages }: SiteChrome): SiteLink[] =>
  ownPages
    .filter(({ kind }) => kind === 'legal')
    .slice(0, maxInMenu)
    .map(({ slug, title }) => ({ href: sitePath('pages', slug), label: title }))

export const openForms = ({ forms }: SiteChrome): SiteLink[] => forms.map(({ slug, title }) => ({ href: formPath(slug), label: title }))
