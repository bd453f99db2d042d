import { anyHost } from '../../config/clientMetadataDocuments.ts'
import type { OAuthConfig } from '../../config/oauth.ts'
import type { DocumentRules } from '../../identity/clients/clientDocument.ts'
import type { RegistrationRules } from '../../identity/clients/registrationError.ts'

export function registrationRules(
  { registration }: OAuthConfig,
  { docsUrl, issuer }: { docsUrl: string; issuer: string },
): RegistrationRules | undefined {
  if (!registration.enabled) return undefined
  return { loopbackHosts: registration.loopback_hosts, maxRedirectUris: registration.max_redirect_uris, docsUrl, issuer }
}

export function documentRules({
  client_metadata_documents: { trusted_hosts: hosts },
  registration,
  private_use_schemes: privateUseSchemes,
}: OAuthConfig): DocumentRules | undefined {
  if (hosts.length === 0) return undefined
  return {
    trustedHosts: hosts.includes(anyHost) ? 'any' : hosts,
    loopbackHosts: registration.loopback_hosts,
    maxRedirectUris: registration.max_redirect_uris,
    privateUseSchemes,
  }
}

/** Returns the longest lifetime of state in Redis that depends on a grant or a client. */
export const longestTokenSeconds = ({ lifetimes }: OAuthConfig): number =>
  Math.max(lifetimes.access_token_seconds, lifetimes.authorization_code_seconds, lifetimes.handed_over_code_seconds)
