import type { Configuration } from 'oidc-provider'
import { newClientId, newClientSecret } from './clients.ts'
import { type BindableResource, resourceIndicators } from './resourceIndicators.ts'

export interface FeatureArguments {
  registration: boolean
  resources: readonly BindableResource[]
  /** Client ids of resource servers, which may introspect tokens that are bound to them: client id → identifiers. */
  introspectionClients: ReadonlyMap<string, ReadonlySet<string>>
  logout: Pick<NonNullable<NonNullable<Configuration['features']>['rpInitiatedLogout']>, 'logoutSource' | 'postLogoutSuccessSource'>
}

/** Which parts of the engine are on. What is off stays out of the metadata. */
export function features({ registration, resources, introspectionClients, logout }: FeatureArguments): Pick<Configuration, 'features'> {
  return {
    features: {
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      claimsParameter: { enabled: false },
      registration: {
        enabled: registration,
        issueRegistrationAccessToken: false,
        idFactory: newClientId,
        secretFactory: newClientSecret,
      },
      resourceIndicators: resourceIndicators(resources),
      // Nobody learns anything of a token that is not theirs (RFC 7662 section 4): the answer is `active: false`.
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
