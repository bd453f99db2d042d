import { anyHost } from '../../config/clientMetadataDocuments.ts'
import type { OAuthConfig } from '../../config/oauth.ts'
import type { OfferedApp } from '../../engine/externalServices.ts'
import { knownApps } from '../../identity/apps/apps.ts'
import { type DocumentRules, untrustedDocumentReason } from '../../identity/clients/clientDocument.ts'
import type { RegistrationRules } from '../../identity/clients/registrationError.ts'

export function registrationRules(
  { registration }: OAuthConfig,
  { docsUrl, issuer }: { docsUrl: string; issuer: string },
): RegistrationRules | undefined {
  if (!registration.enabled) return undefined
  return { loopbackHosts: registration.loopback_hosts, maxRedirectUris: registration.max_redirect_uris, docsUrl, issuer }
}

/** Returns the rules for documents; undefined if none is accepted. `allowedIds` are accepted in addition to those of trusted hosts. */
export function documentRules(
  { client_metadata_documents: { trusted_hosts: hosts }, registration, private_use_schemes: privateUseSchemes }: OAuthConfig,
  allowedIds: readonly string[] = [],
): DocumentRules | undefined {
  if (hosts.length === 0 && allowedIds.length === 0) return undefined
  return {
    trustedHosts: hosts.includes(anyHost) ? 'any' : hosts,
    allowedIds,
    loopbackHosts: registration.loopback_hosts,
    maxRedirectUris: registration.max_redirect_uris,
    privateUseSchemes,
  }
}

/** Returns the apps that owners can allow. */
export function offeredApps(oauth: OAuthConfig): OfferedApp[] {
  const { offered_apps: own } = oauth.client_metadata_documents
  const apps = own ?? knownApps.flatMap(({ id, name, document }) => (document ? [{ id, name, client_id: document.client_id }] : []))
  const trusting = documentRules(oauth)
  return apps.map(({ client_id: clientId, ...app }) => ({
    ...app,
    clientId,
    isTrusted: trusting !== undefined && untrustedDocumentReason(clientId, trusting) === undefined,
  }))
}

/** Returns the longest lifetime of state in Redis that depends on a grant or a client. */
export const longestTokenSeconds = ({ lifetimes }: OAuthConfig): number =>
  Math.max(lifetimes.access_token_seconds, lifetimes.authorization_code_seconds, lifetimes.handed_over_code_seconds)
