import type { AllowedScopes } from '../domain/accounts/allowedScopes.ts'
import type { ConsentScope } from './consentScope.ts'
import type { Interaction } from './openInteraction.ts'

/** What a client asks for. */
export interface RequestedScopes {
  /** In the order of the catalogue. */
  known: ConsentScope[]
  /** Asked of the engine but in no catalogue: always refused, and the refusal recorded. */
  unknown: string[]
  /** Resource indicators that the grant must answer for, each with the scopes that were asked for and exist there. */
  resources: ReadonlyMap<string, readonly string[]>
}

/** Reads the stored request. Every scope and resource that the engine misses is in the answer: one left open would be asked for ever. */
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
 * Names of scopes that the person allowed this client before, in the reach in which they are asked for now: a scope that was allowed
 * for one resource is a new question for another (RFC 8707).
 */
export function allowedAgain({ known, resources }: RequestedScopes, before: AllowedScopes): ReadonlySet<string> {
  const isCovered = (name: string): boolean => {
    const reach = [...resources].filter(([, names]) => names.includes(name))
    return before.names.has(name) && reach.every(([resource]) => before.byResource.get(resource)?.has(name))
  }
  return new Set(known.map(({ name }) => name).filter(isCovered))
}

/** What is granted and what is refused; together everything that was asked for. */
export interface Decision {
  granted: string[]
  refused: string[]
}

/** A scope is granted where it was asked for, the person's role has it, and the person ticked it. A tick for anything else is nothing. */
export function decide(requested: RequestedScopes, grantable: ReadonlySet<string>, ticked: ReadonlySet<string>): Decision {
  const names = requested.known.map(({ name }) => name)
  const isGranted = (name: string): boolean => grantable.has(name) && ticked.has(name)
  return { granted: names.filter(isGranted), refused: [...names.filter((name) => !isGranted(name)), ...requested.unknown] }
}
