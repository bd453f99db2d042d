import type { AllowedScopes } from '../identity/accounts/allowedScopes.ts'
import type { ConsentScope } from './consentScope.ts'
import type { Interaction } from './interaction.ts'

export interface RequestedScopes {
  known: ConsentScope[]
  /** Requested scopes that do not exist; they are always recorded as rejected. */
  unknown: string[]
  /** Resource indicators that the grant must cover, each with the requested scopes that exist there. */
  resources: ReadonlyMap<string, readonly string[]>
}

/**
 * Reads the stored request. Includes every scope and resource that the engine reports as missing: the engine would ask again for any that
 * the grant leaves open.
 */
export function requestedScopes(
  { prompt, params }: Pick<Interaction, 'prompt' | 'params'>,
  catalogue: readonly ConsentScope[],
): RequestedScopes {
  const missing = prompt.details as { missingOIDCScope?: string[]; missingResourceScopes?: Record<string, string[]> }
  const perResource = missing.missingResourceScopes ?? {}
  const engines = [...(missing.missingOIDCScope ?? []), ...Object.values(perResource).flat()]
  const asked = new Set([...(typeof params.scope === 'string' ? params.scope.split(' ') : []), ...engines])
  const known = catalogue.filter(({ name }) => asked.has(name))
  const names = new Set(known.map(({ name }) => name))
  return {
    known,
    unknown: [...new Set(engines)].filter((name) => !names.has(name)),
    resources: new Map(Object.entries(perResource)),
  }
}

/**
 * Returns the names of the scopes that the person allowed this client before, for the same resources: a scope that was allowed for one
 * resource is asked again for another (RFC 8707).
 */
export function allowedAgain({ known, resources }: RequestedScopes, before: AllowedScopes): ReadonlySet<string> {
  const isCovered = (name: string): boolean => {
    const reach = [...resources].filter(([, names]) => names.includes(name))
    return before.names.has(name) && reach.every(([resource]) => before.byResource.get(resource)?.has(name))
  }
  return new Set(known.map(({ name }) => name).filter(isCovered))
}

/** Granted and rejected scopes; together all requested scopes. */
export interface Decision {
  granted: string[]
  refused: string[]
}

/**
 * The scope that is allowed with everything else, and shown as a fact: sign-in clients reject a response without an ID token (OpenID
 * Connect Core section 3.1.3.3).
 */
export const includedScope = 'openid'

/**
 * Grants a scope if it was requested, the person's role has it, and the person ticked it or it is included. Other ticked names are ignored.
 */
export function decide(requested: RequestedScopes, grantable: ReadonlySet<string>, ticked: ReadonlySet<string>): Decision {
  const names = requested.known.map(({ name }) => name)
  const isGranted = (name: string): boolean => grantable.has(name) && (name === includedScope || ticked.has(name))
  return { granted: names.filter(isGranted), refused: [...names.filter((name) => !isGranted(name)), ...requested.unknown] }
}
