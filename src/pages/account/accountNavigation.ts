import { endpoints } from '../../oidc/endpoints.ts'
import { accountPaths } from '../../policy/accountPaths.ts'
import type { Role } from '../../policy/caller.ts'
import type { TextKey, Texts } from '../texts.ts'

interface Viewer {
  role: Role
  /** True at schools whose people may use a second factor. */
  mayUseSecondFactor: boolean
}

/** A page of the account and its place in the navigation. */
interface AccountSection {
  path: string
  label: TextKey
  /** Default: shown to everybody. */
  isShown?(viewer: Viewer): boolean
}

/** The account pages, in the order of the navigation. */
const accountSections: readonly AccountSection[] = [
  { path: accountPaths.home, label: 'profile.title' },
  { path: accountPaths.login, label: 'login.title' },
  { path: accountPaths.security, label: 'security.title', isShown: ({ mayUseSecondFactor }) => mayUseSecondFactor },
  { path: accountPaths.sessions, label: 'sessions.title' },
  { path: accountPaths.apps, label: 'apps.title' },
  { path: accountPaths.notifications, label: 'notifications.title' },
  { path: accountPaths.data, label: 'data.title' },
  { path: accountPaths.school, label: 'school.title', isShown: ({ role }) => role === 'owner' || role === 'admin' },
]

/** The navigation of the account pages. */
export interface AccountNavigation {
  label: string
  items: { href: string; label: string; isCurrent: boolean }[]
  signOut: { href: string; label: string }
}

/** Returns the navigation for a person, with the current page marked. */
export const accountNavigation = (texts: Texts, { path, ...viewer }: Viewer & { path: string }): AccountNavigation => ({
  label: texts.text('account.navigation'),
  items: accountSections
    .filter(({ isShown }) => isShown?.(viewer) ?? true)
    .map((section) => ({ href: section.path, label: texts.text(section.label), isCurrent: section.path === path })),
  signOut: { href: endpoints.end_session.path, label: texts.text('apps.sign_out') },
})
