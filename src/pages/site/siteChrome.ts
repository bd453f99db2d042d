import { isLinkable } from '../../lib/webUrl.ts'
import type { SiteLink } from '../../policy/sitePage.ts'
import { formPath, type SiteKind, sitePath, siteResources } from '../../resources/sitePaths.ts'
import { appearanceRow, formItemRow, pageItemRow, type SiteMenuItem, type SiteTarget, schoolRow } from '../../resources/siteRows.ts'
import { isHidden, type SiteSource, wholeList } from './siteSource.ts'
import { siteTypes } from './siteTypes.ts'

type OwnPage = ReturnType<typeof pageItemRow.parse>

/** The content that all public pages of a school share, without the texts of the service. */
export interface SiteChrome {
  school: ReturnType<typeof schoolRow.parse>
  appearance: ReturnType<typeof appearanceRow.parse>
  /** The lists that have rows, in the order of menus. */
  kinds: readonly SiteKind[]
  ownPages: readonly OwnPage[]
  /** The first forms that accept submissions. */
  forms: readonly ReturnType<typeof formItemRow.parse>[]
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
export async function readChrome(source: SiteSource): Promise<SiteChrome> {
  const [school, appearance, own, forms, lists] = await Promise.all([
    source.single('school'),
    source.single('appearance'),
    visible(() => wholeList(source, siteResources.pages, siteTypes.pages.list)),
    source.list('forms', { limit: String(maxForms), sort: 'title' }),
    Promise.all(listOrder.map(async (kind) => ((await visible(() => firstOf(source, kind))).length > 0 ? [kind] : []))),
  ])
  return {
    school: schoolRow.parse(school),
    appearance: appearanceRow.parse(appearance),
    kinds: lists.flat(),
    ownPages: own.map((row) => pageItemRow.parse(row)),
    forms: forms.rows.map((row) => formItemRow.parse(row)),
  }
}

const firstOf = async (source: SiteSource, kind: SiteKind): Promise<readonly unknown[]> =>
  (await source.list(siteResources[kind], { ...siteTypes[kind].list, limit: '1' })).rows

/** Returns rows; none if visitors cannot read the list. */
async function visible(read: () => Promise<readonly unknown[]>): Promise<readonly unknown[]> {
  try {
    return await read()
  } catch (error) {
    if (isHidden(error)) return []
    throw error
  }
}

const kindOfTarget: Readonly<Record<string, SiteKind>> = {
  course_list: 'courses',
  event_list: 'events',
  post_list: 'posts',
  plan_list: 'plans',
}

/** Returns the menu that the school made. Entries without a target that a visitor can open are left out. */
export const ownMenu = (items: readonly SiteMenuItem[], chrome: SiteChrome): MenuEntry[] =>
  items.flatMap(({ label, target, children }) => {
    const href = hrefOf(target, chrome)
    const links = children.flatMap((child) => {
      const inner = hrefOf(child.target, chrome)
      return inner === undefined ? [] : [{ href: inner, label: child.label }]
    })
    return href === undefined && links.length === 0 ? [] : [{ label, href, children: links }]
  })

function hrefOf({ type, page_id: pageId, url }: SiteTarget, { kinds, ownPages }: SiteChrome): string | undefined {
  if (type === 'url') return url !== null && isLinkable(url) ? url : undefined
  // A page that is absent from lists is found by its id, which leads to its slug.
  if (type === 'page') return pageId === null ? undefined : sitePath('pages', ownPages.find(({ id }) => id === pageId)?.slug ?? pageId)
  const kind = kindOfTarget[type]
  return kind && kinds.includes(kind) ? sitePath(kind) : undefined
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
