import { isDeepStrictEqual } from 'node:util'
import type { Expression } from 'kysely'
import { jsonBuildObject } from 'kysely/helpers/postgres'
import { audienceOf, type Caller } from '../../base/caller.ts'
import { fromPublicId, uuidOf } from '../../base/ids.ts'
import { fieldError, type ProblemDetail } from '../../base/problem.ts'
import { contrastRatio, leastContrast } from '../../base/text/contrast.ts'
import type { Palette, Theme } from '../../base/text/palettes.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'
import type { Builder } from '../../database/statements/expressions.ts'
import { cssErrors } from './customCss.ts'
import { themeDefaults } from './themes.ts'

interface AppearanceContext {
  writer: SchoolWriter
  school: { id: string; issuer: string }
}

interface Fields {
  colors?: Palette
  navigation?: Navigation | undefined
  home_page_id?: string | null
  announcement?: { starts_at: string | null; ends_at: string | null } | null
  custom_css?: string | null
}

interface Before {
  links?: unknown
  home_page_id?: string | null
  custom_css?: string | null
}

/** Checks the appearance of a school. Pages that it named before may be drafts again. */
export async function checkAppearance(values: Fields, context: AppearanceContext, before: Before = {}): Promise<ProblemDetail[]> {
  const { colors, navigation, home_page_id = null, announcement, custom_css = null } = values
  return [
    ...(colors ? checkContrast(colors) : []),
    ...(announcement ? checkTimes(announcement) : []),
    ...(custom_css !== null && custom_css !== before.custom_css ? checkCss(custom_css, context.school.issuer) : []),
    ...(navigation ? navigationItems(navigation).flatMap(({ item, path }) => checkTarget(item.target, path)) : []),
    ...(await checkPages(context, { navigation, home_page_id }, before)),
  ]
}

/** Returns the columns that reset the appearance to the unchanged theme; undefined if nothing would change. */
export async function resetTheme(row: {
  theme: string
  mode: string
  colors: unknown
  fonts: unknown
  corner_radius: string
  custom_css: string | null
}) {
  const { mode, colors, fonts, corner_radius } = themeDefaults(row.theme as Theme)
  const isReset = isDeepStrictEqual({ ...row, mode, colors, fonts, corner_radius, custom_css: null }, row)
  if (isReset) return undefined
  return { mode, colors: JSON.stringify(colors), fonts: JSON.stringify(fonts), corner_radius, custom_css: null }
}

function checkContrast({ text, background }: Palette): ProblemDetail[] {
  const ratio = contrastRatio(text, background)
  if (ratio >= leastContrast) return []
  // Truncated, not rounded: 4.496 must not appear as 4.5.
  const shown = Math.floor(ratio * 100) / 100
  const message = `must have a contrast of at least ${leastContrast} to colors.background; it is ${shown}. Choose a darker or lighter colour`
  return [{ ...fieldError('colors.text', 'low_contrast', message), meta: { contrast: shown, least: leastContrast } }]
}

function checkTimes({ starts_at, ends_at }: { starts_at: string | null; ends_at: string | null }): ProblemDetail[] {
  if (starts_at === null || ends_at === null || starts_at < ends_at) return []
  return [fieldError('announcement.ends_at', 'min', 'must be later than starts_at')]
}

const checkCss = (css: string, issuer: string): ProblemDetail[] =>
  cssErrors(css, issuer).map((error) => fieldError('custom_css', 'not_allowed', error))

/** Checks the members of a target: type page requires page_id, type url requires url, and other types allow neither. */
function checkTarget({ type, page_id, url }: NavigationTarget, path: string): ProblemDetail[] {
  const rule = (field: 'page_id' | 'url', value: string | null, owner: string): ProblemDetail[] => {
    if (type === owner && value === null)
      return [fieldError(`${path}.target.${field}`, 'required', `is required for a target of type ${owner}`)]
    if (type !== owner && value !== null)
      return [fieldError(`${path}.target.${field}`, 'not_allowed', `is allowed only for a target of type ${owner}`)]
    return []
  }
  return [...rule('page_id', page_id, 'page'), ...rule('url', url, 'url')]
}

async function checkPages(
  { writer }: AppearanceContext,
  { navigation, home_page_id }: Pick<Fields, 'navigation' | 'home_page_id'>,
  before: Before,
): Promise<ProblemDetail[]> {
  const targets = navigation
    ? navigationItems(navigation).map(({ item, path }) => ({ id: item.target.page_id, field: `${path}.target.page_id` }))
    : []
  const known = JSON.stringify(before.links ?? {})
  const named = [...targets, { id: home_page_id ?? null, field: 'home_page_id' }].flatMap(({ id, field }) => {
    const uuid = id === null ? undefined : fromPublicId('pag', id)
    if (uuid === undefined) return []
    return field === 'home_page_id'
      ? uuid === before.home_page_id
        ? []
        : [{ uuid, field }]
      : known.includes(uuid)
        ? []
        : [{ uuid, field }]
  })
  if (named.length === 0) return []
  // Locked until the commit, so that no page is deleted or unpublished before the navigation refers to it.
  const pages = await writer
    .selectFrom('page')
    .select('id')
    .where('id', 'in', [...new Set(named.map(({ uuid }) => uuid))])
    .where('status', '=', 'published')
    .orderBy('id')
    .forShare()
    .execute()
  const published = new Set(pages.map(({ id }) => id))
  return named
    .filter(({ uuid }) => !published.has(uuid))
    .map(({ field }) => fieldError(field, 'invalid_reference', 'must name a published page of this school'))
}

/** The target of a navigation item. The id of a page is stored as a UUID and sent as a public id. */
interface NavigationTarget {
  type: 'page' | 'course_list' | 'event_list' | 'post_list' | 'plan_list' | 'url'
  page_id: string | null
  url: string | null
}

export interface NavigationItem {
  label: string
  target: NavigationTarget
  children?: NavigationItem[]
}

interface Navigation {
  header: NavigationItem[]
  footer: NavigationItem[]
}

/** Lists the items of both levels with their paths in the field `navigation`. */
const navigationItems = ({ header, footer }: Navigation): { item: NavigationItem; path: string }[] =>
  Object.entries({ header, footer }).flatMap(([part, items]) =>
    items.flatMap((item, index) => {
      const path = `navigation.${part}.${index}`
      return [{ item, path }, ...(item.children ?? []).map((child, at) => ({ item: child, path: `${path}.children.${at}` }))]
    }),
  )

/** Converts public ids in a navigation to UUIDs, as the database stores them. */
export function storedNavigation(navigation: Navigation): Navigation {
  const stored = (item: NavigationItem): NavigationItem => ({
    ...item,
    target: { ...item.target, page_id: item.target.page_id === null ? null : uuidOf('pag', item.target.page_id) },
    ...(item.children && { children: item.children.map(stored) }),
  })
  return { header: navigation.header.map(stored), footer: navigation.footer.map(stored) }
}

interface Selected {
  links: Partial<Navigation>
  open: string[] | null
}

/** Selects the stored navigation and the pages in it that the caller can open; `open` is null for staff, who can open all. */
export function selectNavigation(appearance: Builder<'appearance'>, caller: Caller): Expression<unknown> {
  const audience = audienceOf(caller)
  const open =
    audience === 'staff'
      ? appearance.lit(null)
      : appearance
          .selectFrom('page')
          .select((page) => page.fn('jsonb_agg', ['page.id']).as('ids'))
          .where('page.status', '=', 'published')
          .where('page.visibility', '!=', audience === 'anonymous' ? 'members' : '')
          .where((page) => page(page.fn<number>('strpos', [page.cast('appearance.links', 'text'), page.cast('page.id', 'text')]), '>', 0))
  return jsonBuildObject({ links: appearance.ref('appearance.links'), open, limited: appearance.lit(audience !== 'staff') })
}

/** Returns the navigation without items whose pages the caller cannot open. */
export function shownNavigation({ links, open, limited }: Selected & { limited: boolean }): Navigation {
  const isOpen = ({ target }: NavigationItem): boolean => !limited || target.page_id === null || (open ?? []).includes(target.page_id)
  const shown = (items: NavigationItem[] = []): NavigationItem[] =>
    items.filter(isOpen).map((item) => (item.children ? { ...item, children: shown(item.children) } : item))
  return { header: shown(links.header), footer: shown(links.footer) }
}
