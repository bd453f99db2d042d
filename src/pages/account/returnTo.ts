import { accountPaths } from '../../base/accountPaths.ts'
import type { School } from '../../base/school.ts'
import { isSitePath } from '../../engine/sitePaths.ts'
import { interactionPath } from '../../identity/oidc/endpoints.ts'

const interaction = new RegExp(`^${interactionPath}/[A-Za-z0-9_-]{1,128}$`)

const rowPage = new RegExp(
  `^(?:${accountPaths.events}/[a-z0-9_-]{1,96}|${accountPaths.courses}/[a-z0-9_-]{1,96}(?:/continue|/lessons/[a-z0-9_]{1,60})?)$`,
)

const approvalPage = new RegExp(`^${accountPaths.approvals}/apr_[0-9a-z]{26}$`)

const schoolPage = new RegExp(`^${accountPaths.school}(?:/[A-Za-z0-9_-]{1,96}){1,3}$`)

/** Pages, in addition to the public ones, to which a sign-in may lead. */
const targets: ReadonlySet<string> = new Set([
  '/',
  ...[
    accountPaths.home,
    accountPaths.login,
    accountPaths.sessions,
    accountPaths.apps,
    accountPaths.approvals,
    accountPaths.notifications,
    accountPaths.data,
  ],
  ...[accountPaths.events, accountPaths.membership, accountPaths.orders, accountPaths.profile],
  accountPaths.email,
  accountPaths.school,
  accountPaths.security,
  accountPaths.authenticatorApp,
  accountPaths.passkey,
])

const longestTarget = 1000

/** Returns the page for the query of a redirect to the sign-in: without its own query if that is too long to return to. */
export const shortTarget = (page: string): string => (page.length > longestTarget ? page.replace(/\?.*/s, '') : page)

/**
 * Returns the path to which a sign-in leads, or undefined if the value is not one of the allowed pages of this origin. Rejects other
 * origins, paths that browsers read as origins, API paths and the sign-out.
 */
export function returnTo(value: unknown, { issuer }: School): string | undefined {
  if (typeof value !== 'string' || value.length > longestTarget || !/^\/[\x21-\x7e]*$/.test(value) || value.includes('\\')) return undefined
  const url = URL.parse(value, issuer)
  if (url?.origin !== new URL(issuer).origin) return undefined
  if (interaction.test(url.pathname)) return url.pathname
  const isOwn = targets.has(url.pathname) || rowPage.test(url.pathname) || schoolPage.test(url.pathname) || approvalPage.test(url.pathname)
  return isOwn || isSitePath(url.pathname) ? url.pathname + url.search : undefined
}
