import { z } from 'zod'
import { loopbackHosts, loopbackUriError } from '../base/net/loopbackUri.ts'
import { privateUseUriError } from '../base/net/privateUseUri.ts'
import { redirectTextError } from '../base/text/redirectText.ts'
import { isLoopback } from './address.ts'
import { noRepeats } from './rules.ts'

const title =
  'a complete https:// address, a loopback address such as http://127.0.0.1:8765/callback, or an address with a private-use scheme such as com.example.app:/callback'

// The redirect URI that a client sends is compared with this text byte by byte (RFC 9700 section 2.1).
function fixedCallbackError(text: string): string | undefined {
  const url = URL.parse(text)
  // Libraries send the address of an app without a path as it is configured: with a slash or without.
  const isNormal = url?.href === text || url?.href === `${text}/`
  if (!isNormal || url.username !== '' || url.password !== '' || /[#*]/.test(text))
    return 'must be a complete https:// address in its normal form, without a fragment, a user name or *'
  const error = redirectTextError(text)
  return error && `${error}: remove it`
}

/**
 * Returns the error of an integration's redirect URI, or undefined if it is valid. `schemes` are the private-use schemes that
 * the operator allows although they are not a domain name in reverse order.
 */
export function integrationRedirectError(uri: string, schemes: readonly string[]): string | undefined {
  if (uri.startsWith('https:')) return fixedCallbackError(uri)
  if (uri.startsWith('http:')) {
    const error = loopbackUriError(uri, loopbackHosts)
    return error && `${error}. Use https://, or a loopback address such as http://127.0.0.1:8765/callback`
  }
  if (!/^[a-z][a-z0-9+.-]*:/.test(uri)) return `must be ${title}`
  return privateUseUriError(uri, schemes)
}

// The list of allowed schemes is in another file, so every scheme that could be on it is valid here; `schemeIssues` compares the files.
function isolatedError(uri: string): string | undefined {
  const scheme = /^([a-z][a-z0-9+-]*):/.exec(uri)?.[1]
  return integrationRedirectError(uri, scheme === undefined ? [] : [scheme])
}

const redirectUri = z
  .string()
  .max(2048)
  .superRefine((uri, context) => {
    const expected = isolatedError(uri)
    if (expected) context.addIssue({ code: 'custom', params: { expected } })
  })
  .meta({ title })

const isNative = (uri: string): boolean => !uri.startsWith('https:')

export const redirectUris = z
  .array(redirectUri)
  .min(1)
  .max(20)
  .superRefine(...noRepeats())

/** The lists of an integration that have the rules of redirect URIs. */
const redirectLists = ['redirect_uris', 'post_logout_redirect_uris'] as const

type RedirectLists = Partial<Record<(typeof redirectLists)[number], readonly string[] | undefined>>

interface UriIssue {
  path: [list: (typeof redirectLists)[number], index: number]
  expected: string
}

/** Returns the errors of the addresses of an integration. `error` returns that of one address. */
export function uriIssues(given: RedirectLists, error: (uri: string) => string | undefined): UriIssue[] {
  return redirectLists.flatMap((list) =>
    (given[list] ?? []).flatMap((uri, index): UriIssue[] => {
      const expected = error(uri)
      return expected === undefined ? [] : [{ path: [list, index], expected }]
    }),
  )
}

/** Returns the errors of the addresses that the kind of the client, native or web, excludes. */
export const kindIssues = (given: RedirectLists & { redirect_uris: readonly string[] }): UriIssue[] =>
  given.redirect_uris.some(isNative)
    ? uriIssues(given, (uri) =>
        !isNative(uri) && isLoopback(uri)
          ? 'must not be an https:// address of a loopback host in an integration with addresses of installed apps: use http://'
          : undefined,
      )
    : uriIssues(given, (uri) => (isNative(uri) ? 'must be an https:// address, as all redirect_uris are' : undefined))
