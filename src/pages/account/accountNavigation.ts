import { accountPaths } from '../../base/accountPaths.ts'
import type { Role } from '../../base/caller.ts'
import type { ManagedResource } from '../../engine/output/managedResources.ts'
import { endpoints } from '../../identity/oidc/endpoints.ts'
import type { TextKey, Texts } from '../texts.ts'
import { audienceAs, isStaff, listAddress, noRow } from './school/manage/addresses.ts'

/** A page of the account and its place in the navigation. */
interface AccountSection {
  path: string
  label: TextKey
  /** Other pages of the same place. */
  others?: readonly string[]
}

/** The account pages, in the order of the navigation. */
export const accountSections: readonly AccountSection[] = [
  { path: accountPaths.home, label: 'learning.title', others: [accountPaths.courses] },
  { path: accountPaths.events, label: 'my_events.title' },
  { path: accountPaths.membership, label: 'membership.title' },
  { path: accountPaths.orders, label: 'orders.title' },
  { path: accountPaths.profile, label: 'profile.title' },
  { path: accountPaths.login, label: 'navigation.security', others: [accountPaths.security] },
  { path: accountPaths.sessions, label: 'navigation.devices' },
  { path: accountPaths.apps, label: 'navigation.apps' },
  { path: accountPaths.notifications, label: 'notifications.title' },
  { path: accountPaths.data, label: 'navigation.privacy' },
]

const isWithin = (path: string, { path: own, others = [] }: AccountSection): boolean =>
  path === own || [...others, ...(own === accountPaths.home ? [] : [own])].some((one) => path === one || path.startsWith(`${one}/`))

/** The navigation of the account pages: that of the person, or that of the school. */
export interface AccountNavigation {
  label: string
  /** The two places; empty for a person who has one. */
  places: NavigationLink[]
  groups: { heading: string; items: NavigationLink[] }[]
  signOut: { href: string; label: string }
}

interface NavigationLink {
  href: string
  label: string
  isCurrent: boolean
}

/** The number of things that wait for the person, by the address of the page that shows them. */
type Waiting = Readonly<Record<string, number>>

interface NavigationArguments {
  path: string
  role: Role
  waiting: Waiting
  managed: ReadonlyMap<string, ManagedResource>
}

/** Returns the navigation for a person, with the current page marked. */
export function accountNavigation(texts: Texts, args: NavigationArguments): AccountNavigation {
  const { path, role, waiting } = args
  const isAtSchool = path === accountPaths.school || path.startsWith(`${accountPaths.school}/`)
  const place = (href: string, key: TextKey, isCurrent: boolean) => ({
    href,
    label: labelOf(texts, { path: href, label: key }, waiting),
    isCurrent,
  })
  const own = accountSections.map((section) => ({
    href: section.path,
    label: labelOf(texts, section, waiting),
    isCurrent: isWithin(path, section),
  }))
  return {
    label: texts.text(isAtSchool ? 'school.nav_label' : 'account.navigation'),
    places: isStaff(role)
      ? [place(accountPaths.home, 'account.place_own', !isAtSchool), place(accountPaths.school, 'account.place_school', isAtSchool)]
      : [],
    groups: isAtSchool ? schoolGroups(texts, args) : [{ heading: '', items: own }],
    signOut: { href: endpoints.end_session.path, label: texts.text('apps.sign_out') },
  }
}

/** Returns the label of a link, with the number of things that wait there for the person. */
function labelOf(texts: Texts, { path, label }: { path: string; label: TextKey }, waiting: Waiting): string {
  const count = waiting[path] ?? 0
  return count > 0 ? texts.text('waiting.number', { label: texts.text(label), count }) : texts.text(label)
}

const schoolMenu: readonly { heading?: TextKey; resources?: readonly string[]; pages?: readonly (readonly [string, TextKey])[] }[] = [
  { pages: [[accountPaths.school, 'manage.today']] },
  {
    heading: 'manage.menu_content',
    resources: ['courses', 'events', 'posts', 'pages', 'membership_plans', 'digital_products', 'lecturers', 'files'],
  },
  {
    heading: 'manage.menu_people',
    pages: [[accountPaths.schoolPeople, 'school.people']],
    resources: ['students', 'members', 'enrollments', 'certificates'],
  },
  {
    heading: 'manage.menu_sales',
    pages: [[accountPaths.schoolStatistics, 'school.statistics']],
    resources: ['orders', 'coupons', 'subscriptions'],
  },
  {
    heading: 'manage.menu_talk',
    pages: [
      [accountPaths.schoolComments, 'school.comments'],
      [accountPaths.schoolForms, 'school.forms'],
    ],
  },
  {
    heading: 'manage.menu_apps',
    pages: [
      [accountPaths.schoolApps, 'school.apps'],
      [accountPaths.schoolIntegrations, 'school.integrations'],
      [accountPaths.schoolAllowedApps, 'school.allowed'],
      [accountPaths.schoolRules, 'school.rules'],
    ],
  },
  {
    heading: 'manage.menu_school',
    resources: ['school', 'appearance'],
    pages: [
      [accountPaths.schoolStaff, 'school.staff'],
      [accountPaths.schoolAudit, 'school.audit'],
    ],
  },
]

/** The pages of the school that lecturers have, too. */
const ofEverybody: ReadonlySet<string> = new Set([accountPaths.school])

function schoolGroups(texts: Texts, { path, role, waiting, managed }: NavigationArguments): AccountNavigation['groups'] {
  const audience = audienceAs(role)
  const isHere = (href: string): boolean => path === href || (href !== accountPaths.school && path.startsWith(`${href}/`))
  return schoolMenu
    .map(({ heading, resources = [], pages = [] }) => ({
      heading: heading ? texts.text(heading) : '',
      items: [
        ...pages
          .filter(([href]) => audience === 'staff' || ofEverybody.has(href))
          .map(([href, key]) => ({ href, label: labelOf(texts, { path: href, label: key }, waiting), isCurrent: isHere(href) })),
        ...resources.flatMap((name) => {
          const resource = managed.get(name)
          const isOpen = resource && (resource.list ?? resource.get)?.roles.includes(audience)
          if (!isOpen || !(audience === 'staff' || resource.operations.some(({ roles }) => roles.includes(audience)))) return []
          const list = listAddress(name)
          return [
            {
              href: resource.isSingleton ? `${list}/${noRow}` : list,
              label: texts.resource(resource.title, name),
              isCurrent: isHere(list),
            },
          ]
        }),
      ],
    }))
    .filter(({ items }) => items.length > 0)
}
