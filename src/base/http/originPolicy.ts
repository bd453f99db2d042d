import { loopbackHosts } from '../net/loopbackUri.ts'
import type { School } from '../school.ts'
import { isPrivateHost } from './privateHost.ts'

/** Where a page of another origin sends a request. */
export interface OriginTarget {
  path: string
  /** Undefined if no school has the host of the request. */
  school: Pick<School, 'issuer'> | undefined
}

/**
 * Returns for which origin a page may use the path: `*` for every one, the given origin, or undefined if it may not. It is the value of
 * Access-Control-Allow-Origin, and decides whether a guarded path accepts the request.
 */
export type OriginPolicy = (origin: string, target: OriginTarget) => string | undefined

interface OriginRules {
  /** Origins of the configuration; `*` for every one. */
  allowedOrigins: readonly string[]
  /** Path of a server that programs on the user's machine run, too: there, pages of other origins may be attacks (DNS rebinding). */
  guardedPath: string
}

/**
 * Creates the one policy for pages of other origins. `*` opens the guarded path only at a public https issuer, whose responses everybody can
 * read anyway. At a loopback or private host, a page reaches it only if its origin is listed, on the user's machine or that of the school.
 */
export function createOriginPolicy({ allowedOrigins, guardedPath }: OriginRules): OriginPolicy {
  const isListed = new Set(allowedOrigins)
  return (origin, { path, school }) => {
    const isGuarded = path === guardedPath
    if (isListed.has('*') && !(isGuarded && isReachedPrivately(school?.issuer))) return '*'
    if (isListed.has(origin)) return origin
    return isGuarded && (origin === school?.issuer || isLoopbackHost(URL.parse(origin)?.hostname)) ? origin : undefined
  }
}

function isReachedPrivately(issuer: string | undefined): boolean {
  const url = URL.parse(issuer ?? '')
  return url?.protocol !== 'https:' || isPrivateHost(url.host, [])
}

/** True for a name or an address of the user's machine, as a URL contains it. */
export const isLoopbackHost = (hostname: string | undefined): boolean => loopbackHosts.some((host) => host === hostname)
