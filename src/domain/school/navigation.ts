import type { Expression, ExpressionBuilder } from 'kysely'
import type { DB } from '../../gen/kysely/tables.ts'
import { fromPublicId } from '../../lib/ids.ts'
import { audienceOf, type Caller } from '../../policy/caller.ts'

/** Where an item of the navigation leads. Pages are named by id: stored as UUID, sent as public id. */
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

/** Every item at both depths, with its path in the field. */
export const navigationItems = ({ header, footer }: Navigation): { item: NavigationItem; path: string }[] =>
  Object.entries({ header, footer }).flatMap(([part, items]) =>
    items.flatMap((item, index) => {
      const path = `navigation.${part}.${index}`
      return [{ item, path }, ...(item.children ?? []).map((child, at) => ({ item: child, path: `${path}.children.${at}` }))]
    }),
  )

/** The navigation with the ids as the database keeps them. */
export function storedNavigation(navigation: Navigation): Navigation {
  const stored = (item: NavigationItem): NavigationItem => ({
    ...item,
    target: { ...item.target, page_id: item.target.page_id === null ? null : (fromPublicId('pag', item.target.page_id) as string) },
    ...(item.children && { children: item.children.map(stored) }),
  })
  return { header: navigation.header.map(stored), footer: navigation.footer.map(stored) }
}

interface Selected {
  links: Partial<Navigation>
  open: string[] | null
}

/** The stored navigation, and which of its pages the caller can open; null where that does not matter. */
export function selectNavigation(appearance: ExpressionBuilder<DB, 'appearance'>, caller: Caller): Expression<unknown> {
  const audience = audienceOf(caller)
  const open =
    audience === 'staff'
      ? appearance.lit(null)
      : appearance
          .selectFrom('page')
          .select((page) => page.fn('jsonb_agg', ['page.id']).as('ids'))
          .whereRef('page.school_id', '=', 'appearance.school_id')
          .where('page.status', '=', 'published')
          .where('page.visibility', '!=', audience === 'anonymous' ? 'members' : '')
          .where((page) => page(page.fn('strpos', [page.cast('appearance.links', 'text'), page.cast('page.id', 'text')]), '>', 0 as never))
  return appearance.fn('jsonb_build_object', [
    appearance.cast(appearance.val('links'), 'text'),
    appearance.ref('appearance.links'),
    appearance.cast(appearance.val('open'), 'text'),
    open as never,
    appearance.cast(appearance.val('limited'), 'text'),
    appearance.lit(audience !== 'staff'),
  ])
}

/** The navigation as the caller can follow it: an item whose page is not open to them is not there. */
export function shownNavigation({ links, open, limited }: Selected & { limited: boolean }): Navigation {
  const isOpen = ({ target }: NavigationItem): boolean => !limited || target.page_id === null || (open ?? []).includes(target.page_id)
  const shown = (items: NavigationItem[] = []): NavigationItem[] =>
    items.filter(isOpen).map((item) => (item.children ? { ...item, children: shown(item.children) } : item))
  return { header: shown(links.header), footer: shown(links.footer) }
}
