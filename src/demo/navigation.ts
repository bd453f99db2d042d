import type { Navigation, NavigationItem, NavigationTarget } from '../domain/school/navigation.ts'

/** The ways through the demo's site, with the ids of its pages. */
export function demoNavigation(pageId: (slug: string) => string): Navigation {
  const item = (label: string, target: Partial<NavigationTarget> & Pick<NavigationTarget, 'type'>, children: NavigationItem[] = []) => ({
    label,
    target: { page_id: null, url: null, ...target },
    children,
  })
  const page = (label: string, slug: string): NavigationItem => item(label, { type: 'page', page_id: pageId(slug) })
  return {
    header: [
      item('Courses', { type: 'course_list' }),
      item('Events', { type: 'event_list' }),
      item('Notes', { type: 'post_list' }),
      item('Workshop', { type: 'page', page_id: pageId('about') }, [page('Questions', 'questions'), page('Prices', 'prices')]),
    ],
    footer: [page('Terms', 'legal/terms'), page('Privacy', 'legal/privacy'), page('Imprint', 'legal/imprint')],
  }
}
