import type { Configuration } from 'oidc-provider'
import { fromPublicId, isTemporaryId, newId, newTemporaryId, toPublicId } from '../../base/ids.ts'
import { randomToken } from '../../base/keyring.ts'

/** The client authentication methods that clients can register themselves (RFC 7591 section 2). */
export const authMethods = ['none', 'client_secret_post'] as const

/**
 * Methods of integrations. The metadata leave `private_key_jwt` out: a client that registers itself would choose it and be refused
 * (decision 38).
 */
const integrationMethods = [...authMethods, 'private_key_jwt'] as const

export type ClientAuthMethod = (typeof integrationMethods)[number]

/** Defaults of client metadata (RFC 7591 section 2): a public native application that uses refresh tokens. */
export function clients(): Pick<
  Configuration,
  'clientAuthMethods' | 'clientDefaults' | 'responseTypes' | 'allowOmittingSingleRegisteredRedirectUri' | 'clientBasedCORS'
> {
  return {
    clientAuthMethods: [...integrationMethods],
    clientDefaults: {
      application_type: 'native',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    responseTypes: ['code'],
    allowOmittingSingleRegisteredRedirectUri: false,
    // Tokens are sent in headers, never in cookies, so every origin may send requests. The service's CORS rule decides which responses it
    // may read.
    clientBasedCORS: () => true,
  }
}

export const newClientId = (): string => toPublicId(clientPrefix, newId())
export const newTemporaryClientId = (): string => toPublicId(clientPrefix, newTemporaryId())
/** True for clients that `schoolgate doctor` registered. */
export const isTemporaryClient = (clientId: string): boolean => isTemporaryId(fromPublicId(clientPrefix, clientId))
const clientPrefix = 'cli'
export const newClientSecret = (): string => randomToken(256)
