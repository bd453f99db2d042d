import { type ClaimsParameter, type Configuration, errors, type KoaContextWithOIDC } from 'oidc-provider'
import { plainAscii } from '../../base/problem.ts'
import { duplicateMember } from '../../base/text/parseJson.ts'
import { newClientId, newClientSecret, newTemporaryClientId } from './clientOptions.ts'
import { type BindableResource, resourceIndicators } from './resourceIndicators.ts'

export interface FeatureArguments {
  registration: boolean
  resources: readonly BindableResource[]
  /** Client ids of resource servers, which may introspect tokens that are bound to them: client id → identifiers. */
  introspectionClients: ReadonlyMap<string, ReadonlySet<string>>
  logout: Pick<NonNullable<NonNullable<Configuration['features']>['rpInitiatedLogout']>, 'logoutSource' | 'postLogoutSuccessSource'>
}

/** True if a client may read what a token says: it is its own, or bound to a resource server of it. */
export const mayIntrospect = (
  introspectionClients: FeatureArguments['introspectionClients'],
  clientId: string,
  token: { clientId?: string | undefined; aud?: unknown },
): boolean =>
  token.clientId === clientId || (typeof token.aud === 'string' && (introspectionClients.get(clientId)?.has(token.aud) ?? false))

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
        allowedPolicy: async (_ctx, { clientId }, token) => mayIntrospect(introspectionClients, clientId, token),
      },
      revocation: { enabled: true, allowedPolicy: async (_ctx, client, token) => token.clientId === client.clientId },
      rpInitiatedLogout: { enabled: true, ...logout },
    },
  }
}

/** The claims of the ID token that a request can name. All other claims follow from scopes, which the person allows. */
const supported = ['acr', 'auth_time', 'sub'] as const

/**
 * Reduces the parameter `claims` to the supported members, before the engine stores the request. Other members are ignored
 * (OpenID Connect Core section 5.5). `acr` takes precedence over `acr_values`.
 */
function takeClaims({ oidc }: KoaContextWithOIDC, { id_token: idToken = {} }: ClaimsParameter): void {
  // The engine has parsed the parameter before.
  const twice = typeof oidc.params?.claims === 'string' ? duplicateMember(oidc.params.claims) : undefined
  if (twice !== undefined)
    throw new errors.InvalidRequest(`claims must not have the member ${plainAscii(twice.slice(0, 100))} twice in one object`)
  const requested = supported.flatMap((name): [string, object | null][] => {
    const member: unknown = Object.hasOwn(idToken, name) ? idToken[name] : undefined
    if (member === undefined) return []
    if (!isMember(member)) throw new errors.InvalidRequest(`claims.id_token.${name} must be null or an object`)
    return [[name, name === 'acr' ? acrOf(member) : member]]
  })
  const claims = requested.length > 0 ? JSON.stringify({ id_token: Object.fromEntries(requested) }) : undefined
  const acr = requested.find(([name]) => name === 'acr')?.[1]
  Object.assign(oidc.params ?? {}, { claims, ...(acr && { acr_values: undefined }) })
}

const isMember = (member: unknown): member is Record<string, unknown> | null =>
  member === null || (typeof member === 'object' && !Array.isArray(member))

/** Returns the member with `values` alone, in place of `value` and `values` (OpenID Connect Core section 5.5.1). */
function acrOf(member: Record<string, unknown> | null): object | null {
  if (member === null) return null
  const { essential, value, values = value === undefined ? undefined : [value] } = member
  if (values !== undefined && !(Array.isArray(values) && values.every((one) => typeof one === 'string'))) {
    throw new errors.InvalidRequest('claims.id_token.acr must have value, a text, or values, a list of texts')
  }
  // An empty list names no context that a sign-in could reach.
  const named = values === undefined || values.length === 0 ? undefined : values
  return { essential: essential === true && named !== undefined, ...(named && { values: named }) }
}
