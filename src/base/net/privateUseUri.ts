import { redirectTextError } from '../text/redirectText.ts'

/**
 * Schemes that browsers and operating systems handle themselves. A redirect to one of them would run a script, open a file or start another
 * program instead of the app.
 */
const reservedSchemes: ReadonlySet<string> = new Set([
  ...['about', 'android-app', 'blob', 'chrome', 'chrome-extension', 'data', 'edge', 'feed', 'file', 'filesystem', 'ftp', 'ftps', 'geo'],
  ...[
    'git',
    'intent',
    'ios-app',
    'itms',
    'itms-apps',
    'itms-services',
    'jar',
    'javascript',
    'ldap',
    'ldaps',
    'livescript',
    'magnet',
    'mailto',
  ],
  ...['market', 'microsoft-edge', 'mocha', 'moz-extension', 'ms-appinstaller', 'ms-settings', 'news', 'nfs', 'nntp', 'opera', 'resource'],
  ...['rtsp', 'safari-web-extension', 'search-ms', 'sftp', 'shell', 'sip', 'sips', 'sms', 'smsto', 'smb', 'ssh', 'svn', 'tel', 'telnet'],
  ...['urn', 'vbscript', 'view-source', 'webcal', 'ws', 'wss', 'x-apple', 'x-safari-http', 'x-safari-https', 'xmpp'],
])

const schemeForm = /^[a-z][a-z0-9+.-]{0,99}$/

/**
 * Returns why no app may use a scheme for its redirects, or undefined if one may. The first label decides, because `https.example` and
 * `file.example` are read as https and file.
 */
export function schemeError(scheme: string): string | undefined {
  if (!schemeForm.test(scheme)) return 'must be a scheme in lower case, such as com.example.app'
  const [first = ''] = scheme.split(/[.+]/)
  if (/^h[tx]{2}p/.test(first) || reservedSchemes.has(first) || reservedSchemes.has(scheme))
    return `must not be ${scheme}: browsers and operating systems handle this scheme themselves`
  return undefined
}

/** Returns true for a domain name in reverse order, which belongs to one developer (RFC 8252 section 7.1). */
const isReversedDomain = (scheme: string): boolean => /^[a-z]{2,}(\.[a-z0-9-]+)+$/.test(scheme)

/** Returns the scheme of a URI that could be a private-use redirect, or undefined. The URI itself is not checked. */
export function privateUseScheme(uri: unknown): string | undefined {
  const scheme = typeof uri === 'string' ? /^([a-z][a-z0-9+.-]*):/.exec(uri)?.[1] : undefined
  return scheme !== undefined && schemeError(scheme) === undefined ? scheme : undefined
}

/**
 * Returns the error of a redirect URI with a private-use scheme (RFC 8252 section 7.1), or undefined if it is valid. A scheme is a domain
 * name in reverse order, or one of `schemes`, which an operator has allowed: any app can claim a short name.
 */
export function privateUseUriError(uri: string, schemes: readonly string[]): string | undefined {
  const scheme = /^([^:/?#]*):/.exec(uri)?.[1] ?? ''
  const error = schemeError(scheme)
  if (error) return `has a scheme that ${error}`
  if (!isReversedDomain(scheme) && !schemes.includes(scheme))
    return `has the scheme ${scheme}, which is not a domain name in reverse order: add it to private_use_schemes in oauth.yaml if you trust every app that can claim it`
  const rest = uri.slice(scheme.length + 1)
  if (!/^(\/\/[a-z0-9._-]+)?\/(?!\/)[\x21-\x7e]*$/.test(rest) && !/^\/\/[a-z0-9._-]+$/.test(rest))
    return 'must continue with :/ and a path, or with :// and a host'
  if (/[#*\\<>"`{}|^]/.test(rest)) return 'must not contain a fragment, * or characters that must be percent-encoded'
  // A parser rewrites dot segments: the browser would be redirected to another path than the registered one.
  if (URL.parse(uri)?.href !== uri) return 'is not in normal form (dot segments)'
  return redirectTextError(uri)
}
