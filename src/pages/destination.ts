import { privateUseScheme } from '../base/net/privateUseUri.ts'

export interface Destination {
  /** Source for `form-action`; undefined if the address is neither http nor https nor of an app. */
  source: string | undefined
  /** `app`: an address with a private-use scheme, which an app on the device has claimed (RFC 8252 section 7.1). */
  kind: 'this computer' | 'host' | 'app' | 'unknown'
  /** The host, or the scheme of an app with its colon. */
  host: string
  port: string
}

/** Reads the redirect URI of a stored authorization request. Never throws. */
export function destinationOf(redirectUri: unknown): Destination {
  const url = typeof redirectUri === 'string' ? URL.parse(redirectUri) : null
  if (!url) return { source: undefined, kind: 'unknown', host: '', port: '' }
  if (!/^https?:$/.test(url.protocol)) {
    const scheme = privateUseScheme(redirectUri)
    return scheme === undefined
      ? { source: undefined, kind: 'unknown', host: '', port: '' }
      : { source: `${scheme}:`, kind: 'app', host: `${scheme}:`, port: '' }
  }
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  const isLoopback = /^(127\.0\.0\.1|localhost|\[::1\])$/.test(url.hostname)
  return { source: sourceOf(url), kind: isLoopback ? 'this computer' : 'host', host: url.host, port }
}

// The text goes into a header: only what cannot end a directive. A host may lawfully hold `;` (URL Standard, host parsing).
function sourceOf(url: URL): string | undefined {
  // Content Security Policy Level 3 has no spelling for IPv6 hosts: the scheme alone must do.
  if (url.hostname.startsWith('[')) return url.protocol
  return /^https?:\/\/[a-z0-9._-]+(:\d{1,5})?$/.test(url.origin) ? url.origin : undefined
}
