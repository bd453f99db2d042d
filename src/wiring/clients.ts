import type { OAuthConfig } from '../config/oauth.ts'
import type { ClientOrigin } from '../pages/pagesArguments.ts'
import type { RegistrationRules } from '../policy/registrationError.ts'
import { findClient } from '../store/clients.ts'
import type { Reader } from '../store/database.ts'

/** Returns the origin of a client, which the consent page shows. */
export async function describeClient(database: Reader, schoolId: string, clientId: string): Promise<ClientOrigin | undefined> {
  const client = await findClient(database, schoolId, clientId)
  return client && { registeredVia: client.registered_via === 'self' ? 'self' : 'integration', createdAt: client.created_at }
}

/** Returns the rules of self-service registration, or undefined if it is off. */
export function registrationRules(
  { registration }: OAuthConfig,
  { docsUrl, issuer }: { docsUrl: string; issuer: string },
): RegistrationRules | undefined {
  if (!registration.enabled) return undefined
  return { loopbackHosts: registration.loopback_hosts, maxRedirectUris: registration.max_redirect_uris, docsUrl, issuer }
}

/** Returns the longest lifetime of state in Redis that depends on a grant or a client. */
export const longestTokenSeconds = ({ lifetimes }: OAuthConfig): number =>
  Math.max(lifetimes.access_token_seconds, lifetimes.authorization_code_seconds, lifetimes.handed_over_code_seconds)
