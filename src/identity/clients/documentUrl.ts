import { isIP } from 'node:net'

/** Longest client id that is a URL, in characters. */
const maxLength = 2048

/** Returns true for a client id that the client means as the URL of a client ID metadata document. */
export const looksLikeDocumentUrl = (clientId: string): boolean => /^https:/i.test(clientId)

/**
 * Returns the error of the URL of a client ID metadata document, or undefined if it is valid (draft-ietf-oauth-client-id-metadata-document
 * section 3). Client ids are compared as strings, so only the normal form is valid.
 */
export function documentUrlError(clientId: string): string | undefined {
  if (clientId.length > maxLength) return `must have at most ${maxLength} characters`
  if (!/^https:\/\/[^/?#]+\/[\x21-\x7e]*$/.test(clientId)) return 'must be an https:// URL with a path'
  if (/[#\\<>"`{}|^]/.test(clientId)) return 'must not have a fragment or characters that must be percent-encoded'
  if (clientId.includes('?')) return 'must not have a query'
  const url = URL.parse(clientId)
  if (url?.username !== '' || url.password !== '' || /^[^/]*@/.test(clientId.slice('https://'.length)))
    return 'must be a valid URL without a user name'
  if (isIP(url.hostname) !== 0 || !url.hostname.includes('.') || url.hostname.endsWith('.')) return 'must have a complete host name'
  if (url.href !== clientId) return `must be in normal form, such as ${url.href.slice(0, 200)}`
  return undefined
}
