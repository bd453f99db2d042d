import { loopbackHosts, loopbackUriError } from '../lib/loopbackUri.ts'
import { privateUseScheme } from '../lib/privateUseUri.ts'

/** Why a redirect URI cannot be registered by self-service. Each kind has a different solution. */
export type WrongRedirectKind = 'loopback host' | 'https' | 'http' | 'private-use scheme' | 'other scheme' | 'malformed'

/** A redirect URI that cannot be registered by self-service. */
export interface WrongRedirectUri {
  uri: unknown
  kind: WrongRedirectKind
  /** The rule that the URI breaks, without the URI. */
  problem: string
}

/** Returns what is wrong with a redirect URI of a self-registered client, or undefined if it is valid. `hosts` are the accepted ones. */
export function wrongRedirectUri(uri: unknown, hosts: readonly string[]): WrongRedirectUri | undefined {
  const problem = loopbackUriError(uri, hosts)
  return problem === undefined ? undefined : { uri, problem, ...kindOf(uri, hosts) }
}

function kindOf(uri: unknown, hosts: readonly string[]): { kind: WrongRedirectKind; problem?: string } {
  const url = typeof uri === 'string' ? URL.parse(uri) : null
  if (!url) return { kind: 'malformed' }
  const isLoopback = loopbackHosts.some((host) => host === url.hostname) || /^127\.[\d.]+$/.test(url.hostname)
  if (url.protocol === 'https:')
    return isLoopback ? { kind: 'malformed', problem: 'has https:// before a loopback host' } : { kind: 'https' }
  if (url.protocol !== 'http:') return { kind: privateUseScheme(uri) === undefined ? 'other scheme' : 'private-use scheme' }
  if (!isLoopback) return { kind: 'http' }
  if (hosts.some((host) => host === url.hostname)) return { kind: 'malformed' }
  // The text is correct, but for the host; or it has to be corrected with any host.
  const problem = loopbackUriError(uri, loopbackHosts)
  return problem === undefined ? { kind: 'loopback host' } : { kind: 'malformed', problem }
}
