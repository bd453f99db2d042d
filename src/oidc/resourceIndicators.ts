import { type Configuration, errors } from 'oidc-provider'

/** A resource that tokens can be bound to (RFC 8707). */
export interface BindableResource {
  identifier: string
  scopes: readonly string[]
}

/**
 * Resource indicators. `resource` may stand in the authorization request, the token request or both; the binding survives refreshes.
 *
 * The engine accepts at the token endpoint only what the authorization request named. So an authorization that names nothing
 * is given all resources to choose from later, and is taken as bound only when exactly one was named.
 * That reading needs at least two identifiers: the engine turns a list of one into a plain value, which would count as named.
 */
export function resourceIndicators(
  known: readonly BindableResource[],
): NonNullable<NonNullable<Configuration['features']>['resourceIndicators']> {
  const byIdentifier = new Map(known.map((resource) => [resource.identifier, resource]))
  if (byIdentifier.size < 2) throw new Error('resource indicators need at least two identifiers')
  const all = [...byIdentifier.keys()]
  return {
    enabled: true,
    getResourceServerInfo(_ctx, identifier) {
      const resource = byIdentifier.get(identifier)
      if (!resource) {
        throw new errors.InvalidTarget(`resource is not known here; this server issues tokens for: ${all.join(' ')}`)
      }
      return { scope: resource.scopes.join(' '), audience: identifier, accessTokenFormat: 'opaque' }
    },
    defaultResource: (_ctx, _client, oneOf) => (oneOf ? undefined : all) as string[],
    useGrantedResource: (_ctx, source) => typeof source.resource === 'string',
  }
}

/** Refresh tokens follow the client's grant types, and remember the one resource that the token request named. */
export const issueRefreshToken: NonNullable<Configuration['issueRefreshToken']> = async (ctx, client, source) => {
  const resource = ctx.oidc.params?.resource
  if (typeof resource === 'string') source.resource = resource
  return client.grantTypeAllowed('refresh_token')
}

/**
 * The canonical spelling of a resource indicator: lower-case scheme and host, no default port, no slash after a bare origin.
 * Text that is no URI stays as it is and fails as unknown.
 */
export function canonicalResource(text: string): string {
  const url = URL.parse(text)
  if (!url || url.hash || text.includes('#')) return text
  return url.href.replace(/\/$/, '')
}
