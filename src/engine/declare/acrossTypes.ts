import type { Caller } from '../../base/caller.ts'
import type { ProblemCode } from '../../base/problem.ts'
import { Problem } from '../../base/problem.ts'
import type { Described } from './operations.ts'
import type { Resource } from './resource.ts'

/** A resource among the types of an operation, with the scope that allows reading it. */
export interface ReadType {
  resource: Resource
  scope: string
}

/** An operation that lists facts about rows of several types. It belongs to no resource: each type needs a scope. */
export interface AcrossTypes extends Described {
  tag: { name: string; description: string }
  description: string
  listed: string
  errors: readonly ProblemCode[]
  types: ReadonlyMap<string, ReadType>
}

/**
 * Checks that the caller has the scope of each of these types.
 * @throws Problem access_denied if the caller's role cannot have one of the scopes
 * @throws Problem insufficient_scope with the scopes of all these types
 */
export function requireTypes({ types }: AcrossTypes, names: readonly string[], caller: Caller & { kind: 'person' }): void {
  const scopes = names.map((name) => types.get(name)?.scope ?? '')
  if (scopes.some((scope) => caller.withheldScopes?.has(scope))) throw new Problem('access_denied')
  if (!scopes.every((scope) => caller.scopes.has(scope))) {
    throw new Problem('insufficient_scope', {
      description: 'Each type needs the read scope of its resource.',
      requiredScopes: [...new Set(scopes)],
    })
  }
}
