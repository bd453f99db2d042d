import type { Configuration } from 'oidc-provider'
import { newId, toPublicId } from '../lib/ids.ts'
import { randomToken } from '../lib/keyring.ts'

/** How clients may authenticate (RFC 7591 section 2), and no other way. */
export const authMethods = ['none', 'client_secret_post'] as const

/** What a client is when it does not say (RFC 7591 section 2): a public native application that refreshes. */
export function clients(): Pick<
  Configuration,
  'clientAuthMethods' | 'clientDefaults' | 'responseTypes' | 'allowOmittingSingleRegisteredRedirectUri' | 'clientBasedCORS'
> {
  return {
    clientAuthMethods: [...authMethods],
    clientDefaults: {
      application_type: 'native',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    responseTypes: ['code'],
    allowOmittingSingleRegisteredRedirectUri: false,
    // Tokens travel in headers, never in cookies: any origin may ask. The service's own CORS rule decides what is answered.
    clientBasedCORS: () => true,
  }
}

export const newClientId = (): string => toPublicId('cli', newId())
export const newClientSecret = (): string => randomToken(256)
