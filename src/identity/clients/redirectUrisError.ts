import { loopbackHosts, loopbackUriError } from '../../base/net/loopbackUri.ts'
import { privateUseScheme } from '../../base/net/privateUseUri.ts'
import { appsPath } from '../apps/apps.ts'

/** The rules that decide which redirect URIs a client can register by self-service. */
export interface RedirectRules {
  loopbackHosts: readonly string[]
  maxRedirectUris: number
  /** Where clients with other redirect URIs are registered. */
  docsUrl: string
  /** Address of the school, whose documents and MCP endpoint the errors name. */
  issuer: string
}

/** Number of invalid URIs that an error quotes. The others are counted. */
const maxQuoted = 10

/**
 * Returns the error of a list of redirect URIs, or undefined if all are valid. It names every invalid URI and, for each kind, what to do
 * instead.
 */
export function redirectUrisError(member: string, value: unknown, rules: RedirectRules): string | undefined {
  if (!Array.isArray(value) || value.length === 0)
    return `${member} must be a list with at least one loopback address such as ${example(rules)}`
  if (value.length > rules.maxRedirectUris) return `${member} must contain at most ${rules.maxRedirectUris} addresses`
  const wrong = value.flatMap((uri) => wrongRedirectUri(uri, rules.loopbackHosts) ?? [])
  if (wrong.length === 0) return undefined
  const isMixed = wrong.length < value.length
  return [
    `${member} contains ${wrong.length === 1 ? 'an address' : `${wrong.length} addresses`} that self-service registration does not accept.`,
    `Accepted: ${forms(rules)}, such as ${example(rules)}.`,
    ...[...Map.groupBy(wrong, ({ kind }) => kind)].map(([kind, members]) => `${quoted(members)}: ${solutions[kind](rules, members)}`),
    ...(isMixed ? ['If the app works without these addresses, remove them and register the others.'] : []),
    ...(member === 'redirect_uris' ? [`MCP clients: ${rules.issuer}/mcp needs no sign-in, so connect without one.`] : []),
    `Steps for each app: ${rules.issuer}${appsPath}`,
  ].join(' ')
}

const example = ({ loopbackHosts }: RedirectRules): string => `http://${loopbackHosts[0]}:8765/callback`

const forms = ({ loopbackHosts }: RedirectRules): string => loopbackHosts.map((host) => `http://${host}:<port>/<path>`).join(' or ')

const solutions: Record<WrongRedirectKind, (rules: RedirectRules, members: readonly WrongRedirectUri[]) => string> = {
  'loopback host': (rules, members) =>
    `this school does not accept the loopback host ${hostsOf(members)}. Use ${rules.loopbackHosts[0]} instead, or ask the school to add the host to registration.loopback_hosts (${rules.docsUrl}).`,
  https: ({ docsUrl }) =>
    `an HTTPS callback needs a registered integration. Ask the school for one, with these addresses and the name of the app (${docsUrl}).`,
  http: ({ docsUrl }) =>
    `http:// leads to another computer without encryption, so it cannot be registered. Use a loopback address, or ask the school for a registered integration with an https:// address (${docsUrl}).`,
  'private-use scheme': ({ docsUrl }) =>
    `any app can claim a private-use scheme, so it needs a registered integration. Ask the school for one, with these addresses and the name of the app (${docsUrl}).`,
  'other scheme': () => 'this scheme cannot receive a redirect. Use a loopback address.',
  malformed: (_rules, members) => `${[...new Set(members.map(({ problem }) => problem))].join(', ')}. Correct the address.`,
}

const hostsOf = (members: readonly WrongRedirectUri[]): string =>
  [...new Set(members.map(({ uri }) => URL.parse(String(uri))?.hostname))].join(' and ')

function quoted(members: readonly WrongRedirectUri[]): string {
  const shown = members.slice(0, maxQuoted).map(({ uri }) => quote(uri))
  const more = members.length - shown.length
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join(', ')
}

function quote(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? typeof value)
  return `'${text.slice(0, 200)}'`
}

/** Why a redirect URI cannot be registered by self-service. Each kind has a different solution. */
type WrongRedirectKind = 'loopback host' | 'https' | 'http' | 'private-use scheme' | 'other scheme' | 'malformed'

interface WrongRedirectUri {
  uri: unknown
  kind: WrongRedirectKind
  /** The rule that the URI breaks, without the URI. */
  problem: string
}

/** Returns what is wrong with a redirect URI of a self-registered client, or undefined if it is valid. `hosts` are the accepted ones. */
function wrongRedirectUri(uri: unknown, hosts: readonly string[]): WrongRedirectUri | undefined {
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
