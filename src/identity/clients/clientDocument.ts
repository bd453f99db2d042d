import { isIP } from 'node:net'
import { loopbackUriError } from '../../base/net/loopbackUri.ts'
import { privateUseScheme, privateUseUriError } from '../../base/net/privateUseUri.ts'
import { parseJson } from '../../base/text/parseJson.ts'
import { redirectTextError } from '../../base/text/redirectText.ts'
import { presentMembers, type SupportedMetadata, supportedMetadata } from './clientMetadata.ts'

export interface DocumentRules {
  /** Hosts whose documents are accepted; `any` accepts every host at port 443. */
  trustedHosts: 'any' | readonly string[]
  /** Documents that are accepted although their hosts are not trusted. */
  allowedIds?: readonly string[]
  loopbackHosts: readonly string[]
  maxRedirectUris: number
  /** Private-use schemes without a domain name that redirect URIs may have. */
  privateUseSchemes: readonly string[]
}

export interface DocumentMetadata extends SupportedMetadata {
  client_id: string
  application_type: 'native'
  redirect_uris: string[]
  post_logout_redirect_uris?: string[]
  token_endpoint_auth_method: 'none'
}

export type DocumentVerdict = { metadata: DocumentMetadata } | { error: 'invalid_client' | 'invalid_redirect_uri'; description: string }

/** Returns why a client id is not accepted as the URL of a document, or undefined if its document may be requested. */
export function untrustedDocumentReason(
  clientId: string,
  { trustedHosts, allowedIds }: Pick<DocumentRules, 'trustedHosts' | 'allowedIds'>,
): string | undefined {
  const error = documentUrlError(clientId)
  if (error) return `client_id ${error}`
  if (allowedIds?.includes(clientId)) return undefined
  const { host, port } = new URL(clientId)
  if (trustedHosts === 'any') return port === '' ? undefined : 'client_id must not have a port'
  return trustedHosts.includes(host) ? undefined : `This school does not accept documents of ${host}`
}

/**
 * Reads a client ID metadata document (draft-ietf-oauth-client-id-metadata-document section 4). Keeps the redirect URIs that the operator's
 * rules allow, and no member that makes the service load or show something else. Pure.
 */
export function readClientDocument(clientId: string, text: string, rules: DocumentRules): DocumentVerdict {
  const refuse = (problem: string): DocumentVerdict => ({ error: 'invalid_client', description: `The document at ${clientId} ${problem}` })
  const document = parseObject(text)
  if (!document) return refuse('is not a JSON object, or names a member twice')
  if (document.client_id !== clientId) return refuse('must have this address as its client_id')
  if (document.client_secret !== undefined || document.client_secret_expires_at !== undefined)
    return refuse('must not contain a client secret')
  if (!methodsOf(document).includes('none'))
    return refuse('must allow token_endpoint_auth_method none, which is the only one that this school supports for documents')
  const present = presentMembers(document)
  const supported = supportedMetadata(present)
  if ('problem' in supported) return refuse(`is not usable: ${supported.problem}`)
  const { redirect_uris: uris } = present
  if (!isTexts(uris) || uris.length === 0 || uris.length > rules.maxRedirectUris)
    return refuse(`must have 1 to ${rules.maxRedirectUris} redirect_uris`)
  const usableOf = (list: readonly string[]): string[] => [...new Set(list)].filter((uri) => isUsableRedirect(uri, clientId, rules))
  const usable = usableOf(uris)
  if (usable.length === 0) {
    const accepted = rules.loopbackHosts.map((host) => `http://${host}:<port>/<path>`).join(' or ')
    return {
      error: 'invalid_redirect_uri',
      description: `This school accepts none of the redirect_uris of ${clientId}: ${uris.slice(0, 10).join(' ').slice(0, 1000)}. Accepted are ${accepted}, and https:// addresses of trusted hosts`,
    }
  }
  const { post_logout_redirect_uris: after } = present
  const signOutUris = isTexts(after) ? usableOf(after).slice(0, rules.maxRedirectUris) : []
  return {
    metadata: {
      ...supported.metadata,
      client_id: clientId,
      // Only native clients may use another port of a loopback address than the registered one.
      application_type: 'native',
      redirect_uris: usable,
      ...(signOutUris.length > 0 && { post_logout_redirect_uris: signOutUris }),
      token_endpoint_auth_method: 'none',
    },
  }
}

/** Returns true if a redirect URI of a document may be used: on the person's machine, on the host of the document or on a trusted host. */
export function isUsableRedirect(uri: string, clientId: string, rules: DocumentRules): boolean {
  if (uri.startsWith('http:')) return loopbackUriError(uri, rules.loopbackHosts) === undefined
  if (uri.startsWith('https:')) return isUsableCallback(uri, clientId, rules)
  // Any website could name the scheme of a known app, so the operator must trust the website.
  if (rules.trustedHosts === 'any') return false
  const scheme = privateUseScheme(uri)
  return scheme !== undefined && rules.privateUseSchemes.includes(scheme) && privateUseUriError(uri, rules.privateUseSchemes) === undefined
}

function isUsableCallback(uri: string, clientId: string, { trustedHosts }: DocumentRules): boolean {
  const url = URL.parse(uri)
  if (url?.href !== uri || url.username !== '' || url.password !== '' || /[#*]/.test(uri) || redirectTextError(uri)) return false
  if (!url.hostname.includes('.') || /^[\d.]+$/.test(url.hostname)) return false
  return url.origin === new URL(clientId).origin || (trustedHosts !== 'any' && trustedHosts.includes(url.host))
}

/** Returns the authentication methods that a client supports: one, or a list of choices (OpenID Connect RP Metadata Choices). */
function methodsOf({
  token_endpoint_auth_method: method,
  token_endpoint_auth_methods_supported: methods,
}: Record<string, unknown>): unknown[] {
  if (Array.isArray(methods)) return methods
  return [method ?? 'none']
}

const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every((item) => typeof item === 'string')

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value = parseJson(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}

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
