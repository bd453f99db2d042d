import type { Expression } from 'kysely'
import { jsonBuildObject } from 'kysely/helpers/postgres'
import { audienceOf, type Caller } from '../../base/caller.ts'
import { uuidOf } from '../../base/ids.ts'
import type { Builder } from '../../database/statements/expressions.ts'

/** The target of a navigation item. The id of a page is stored as a UUID and sent as a public id. */
export interface NavigationTarget {
  type: 'page' | 'course_list' | 'event_list' | 'post_list' | 'plan_list' | 'url'
  page_id: string | null
  url: string | null
}

export interface NavigationItem {
  label: string
  target: NavigationTarget
  children?: NavigationItem[]
}

export interface Navigation {
  header: NavigationItem[]
  footer: NavigationItem[]
}

/** Lists the items of both levels with their paths in the field `navigation`. */
export const navigationItems = ({ header, footer }: Navigation): { item: NavigationItem; path: string }[] =>
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
