import { accountPaths } from '../../base/accountPaths.ts'
import type { Role } from '../../base/caller.ts'
import { endpoints } from '../../identity/oidc/endpoints.ts'
import type { TextKey, Texts } from '../texts.ts'

/** A page of the account and its place in the navigation. */
interface AccountSection {
  path: string
  label: TextKey
  /** Other pages of the same place. */
  others?: readonly string[]
  /** Default: shown to everybody. */
  isShown?(role: Role): boolean
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
  { path: accountPaths.school, label: 'school.title', isShown: (role) => role === 'owner' || role === 'admin' },
]

const isWithin = (path: string, { path: own, others = [] }: AccountSection): boolean =>
  path === own || [...others, ...(own === accountPaths.home ? [] : [own])].some((one) => path === one || path.startsWith(`${one}/`))

/** The navigation of the account pages. */
export interface AccountNavigation {
  label: string
  items: { href: string; label: string; isCurrent: boolean }[]
  signOut: { href: string; label: string }
}

/** Returns the navigation for a person, with the current page marked. */
export const accountNavigation = (
  texts: Texts,
  { path, role, waiting }: { path: string; role: Role; waiting: Readonly<Record<string, number>> },
): AccountNavigation => ({
  label: texts.text('account.navigation'),
  items: accountSections
    .filter(({ isShown }) => isShown?.(role) ?? true)
    .map((section) => ({ href: section.path, label: labelOf(texts, section, waiting), isCurrent: isWithin(path, section) })),
  signOut: { href: endpoints.end_session.path, label: texts.text('apps.sign_out') },
})

/** Returns the label of a link, with the number of things that wait there for the person. */
function labelOf(texts: Texts, { path, label }: AccountSection, waiting: Readonly<Record<string, number>>): string {
  const count = waiting[path] ?? 0
  return count > 0 ? texts.text('waiting.number', { label: texts.text(label), count }) : texts.text(label)
}
