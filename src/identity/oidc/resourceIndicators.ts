import { type Configuration, errors } from 'oidc-provider'
import type { School } from '../../base/school.ts'

export interface BindableResource {
  identifier: string
  scopes: readonly string[]
}

/**
 * Configures resource indicators. `resource` is accepted in the authorization request, the token request or both; refreshes keep the
 * binding. At the token endpoint the engine accepts only what the authorization request named. So an authorization without `resource` gets
 * all resources, to choose from later, and counts as bound only if it named exactly one. This needs at least two identifiers: the engine
 * turns a list of one into a plain value, which would count as named.
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
    defaultResource({ oidc: { params } }, _client, oneOf) {
      // The engine would bind the token to none of them.
      if (oneOf && Array.isArray(params?.resource))
        throw new errors.InvalidTarget('resource names several resources. Send one resource for each token request.')
      return (oneOf ? undefined : all) as string[]
    },
    useGrantedResource: (_ctx, source) => typeof source.resource === 'string',
  }
}

/** Refresh tokens depend on the client's grant types and keep the one resource that the token request named. */
export const issueRefreshToken: NonNullable<Configuration['issueRefreshToken']> = async (ctx, client, source) => {
  const resource = ctx.oidc.params?.resource
  if (typeof resource === 'string') source.resource = resource
  return client.grantTypeAllowed('refresh_token')
}

/**
 * Returns the canonical spelling of a resource indicator: lower-case scheme and host, no default port, no slash after a bare origin. A text
 * that is not a URI stays unchanged and is rejected as unknown.
 */
export function canonicalResource(text: string): string {
  const url = URL.parse(text)
  if (!url || url.hash || text.includes('#')) return text
  return url.href.replace(/\/$/, '')
}

/** Returns the identifiers of the resources at this origin that have metadata (RFC 9728 section 4). */
export const ownResources = ({ issuer }: Pick<School, 'issuer'>): string[] => [issuer, `${issuer}/mcp`]
