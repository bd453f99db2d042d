import { redirectTextError } from '../text/redirectText.ts'

/** Loopback hosts that an operator may allow; the first is always allowed (RFC 8252 section 7.3). */
export const loopbackHosts = ['127.0.0.1', '[::1]', 'localhost'] as const

/**
 * Returns the error of a loopback redirect URI, or undefined if it is valid. Valid is `http://<loopback
 * host>[:port]/path[?query]`, in exactly this spelling.
 */
export function loopbackUriError(uri: unknown, hosts: readonly string[]): string | undefined {
  if (typeof uri !== 'string') return 'is not a string'
  if (uri.length > 2048) return 'is longer than 2048 characters'
  const host = hosts.find((name) => uri.startsWith(`http://${name}:`) || uri.startsWith(`http://${name}/`))
  if (host === undefined) return `is not of the form http://${hosts[0]}:<port>/<path>`
  const rest = uri.slice(`http://${host}`.length)
  // The raw text is stored and compared later, so the raw text is checked: a parser would repair it first.
  const parts = /^(?::([1-9]\d{0,4}))?(\/[\x21-\x7e]*)$/.exec(rest)
  if (!parts) return `is not of the form http://${host}:<port>/<path>`
  if (parts[1] !== undefined && Number(parts[1]) > 65_535) return 'has a port above 65535'
  const [, , path = ''] = parts
  if (path.includes('#')) return 'has a fragment'
  if (/[\\<>"`{}|^]/.test(path)) return 'has characters that must be percent-encoded'
  const parsed = URL.parse(uri)
  if (!parsed || parsed.username || parsed.password || parsed.hostname !== host) return 'is not a valid URI'
  // A parser rewrites dot segments: the browser would be redirected to another path than the registered one.
  if (parsed.pathname + parsed.search !== path) return 'is not in normal form (dot segments)'
  return redirectTextError(uri)
}
