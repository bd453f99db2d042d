/** Parameters that a response of the authorization server adds to a redirect URI (RFC 6749 section 4.1.2, RFC 9207). */
const reserved: ReadonlySet<string> = new Set(['code', 'state', 'iss', 'error', 'error_description', 'error_uri'])

/** Returns the rule that the escapes or the query of a redirect URI break and the fix; undefined if both are valid. */
export function redirectTextError(uri: string): string | undefined {
  try {
    // Each escape must have two hexadecimal digits, and together they must be valid UTF-8.
    decodeURIComponent(uri)
  } catch {
    return 'has a broken percent escape: write % as %25'
  }
  const query = uri.split('#', 1)[0]?.split('?').slice(1).join('?') ?? ''
  const name = [...new URLSearchParams(query).keys()].find((key) => reserved.has(key))
  return name === undefined ? undefined : `has ${name} in its query, which the response adds itself`
}
