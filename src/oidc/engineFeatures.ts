import type { Configuration } from 'oidc-provider'
import { takeClaims } from './claimsParameter.ts'
import { newClientId, newClientSecret, newTemporaryClientId } from './clientOptions.ts'
import { type BindableResource, resourceIndicators } from './resourceIndicators.ts'

export interface FeatureArguments {
  registration: boolean
  resources: readonly BindableResource[]
  /** Client ids of resource servers, which may introspect tokens that are bound to them: client id → identifiers. */
  introspectionClients: ReadonlyMap<string, ReadonlySet<string>>
  logout: Pick<NonNullable<NonNullable<Configuration['features']>['rpInitiatedLogout']>, 'logoutSource' | 'postLogoutSuccessSource'>
}

/** The enabled features of the engine. Disabled ones are not in the metadata. */
export function features({ registration, resources, introspectionClients, logout }: FeatureArguments): Pick<Configuration, 'features'> {
  return {
    features: {
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      claimsParameter: { enabled: true, assertClaimsParameter: takeClaims },
      registration: {
        enabled: registration,
        issueRegistrationAccessToken: false,
        idFactory: (ctx) => (ctx.state.isTemporary ? newTemporaryClientId() : newClientId()),
        secretFactory: newClientSecret,
      },
      resourceIndicators: resourceIndicators(resources),
      // A token of another client is reported as `active: false` (RFC 7662 section 4).
      introspection: {
        enabled: true,
        allowedPolicy: async (_ctx, client, token) =>
          token.clientId === client.clientId ||
          ('aud' in token && typeof token.aud === 'string' && (introspectionClients.get(client.clientId)?.has(token.aud) ?? false)),
      },
      revocation: { enabled: true, allowedPolicy: async (_ctx, client, token) => token.clientId === client.clientId },
      rpInitiatedLogout: { enabled: true, ...logout },
    },
  }
}
