import { interactionPath } from '../../oidc/endpoints.ts'
import { accountPaths } from '../../policy/accountPaths.ts'
import type { School } from '../../policy/school.ts'

const interaction = new RegExp(`^${interactionPath}/[A-Za-z0-9_-]{1,128}$`)

/** Pages that somebody may be sent to after signing in. */
const targets: ReadonlySet<string> = new Set([accountPaths.apps, accountPaths.email])

/**
 * Where somebody wanted to go, as a path of this origin, or undefined where it is anything but one of the pages meant for it:
 * another origin, a path that browsers read as one, an address of the API, a sign-out.
 */
export function returnTo(value: unknown, { issuer }: School): string | undefined {
  if (typeof value !== 'string' || value.length > 1000 || !/^\/[\x21-\x7e]*$/.test(value) || value.includes('\\')) return undefined
  const url = URL.parse(value, issuer)
  if (url?.origin !== new URL(issuer).origin) return undefined
  if (interaction.test(url.pathname)) return url.pathname
  return targets.has(url.pathname) ? url.pathname + url.search : undefined
}
