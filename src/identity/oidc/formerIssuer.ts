import { isObject } from '../../base/text/jsonValue.ts'

/** The member of a stored grant that names the issuer at which it was given. */
export const issuerMember = 'iss'

/**
 * Returns the issuer of a grant that was given at another address of the school; undefined for grants of the current one. Grants of earlier
 * releases name their issuer only in the resources that they allow: the issuer and its MCP endpoint.
 */
export function formerIssuer(payload: Readonly<Record<string, unknown>>, issuer: string): string | undefined {
  const stated = payload[issuerMember]
  const resources = isObject(payload.resources) ? Object.keys(payload.resources) : []
  const given = typeof stated === 'string' ? stated : resources.find((resource) => resources.includes(`${resource}/mcp`))
  return given === issuer ? undefined : given
}
