import { Problem } from '../../lib/problem.ts'
import { audienceOf, type Caller } from '../../policy/caller.ts'
import type { Operation } from './operations.ts'

/**
 * Whether the caller may ask at all. Depends on nothing that was sent but the token.
 * @throws Problem access_denied (never a challenge) for a caller without a token, or of a role that more scopes would not help
 * @throws Problem insufficient_scope with every scope that the call needs
 */
export function requireScope({ scope, anonymous, roles, resource }: Operation, caller: Caller): void {
  if (caller.kind === 'anonymous') {
    if (anonymous !== 'none') return
    throw notPublic({ resource, scope })
  }
  const refused = new Problem('access_denied', {
    description: `${resource.area.title}: not open to the role ${caller.role}. Another scope would not help.`,
  })
  if (caller.withheldScopes?.has(scope)) throw refused
  if (!caller.scopes.has(scope)) {
    // The whole list that the call needs, not only what is missing: MCP clients ask for exactly what is listed.
    throw new Problem('insufficient_scope', { description: `This operation needs the scope ${scope}.`, requiredScopes: [scope] })
  }
  if (!roles.includes(audienceOf(caller))) throw refused
}

/** What a caller without a token is told where nothing is open to them. */
export const notPublic = ({ resource, scope }: Pick<Operation, 'resource' | 'scope'>): Problem =>
  new Problem('access_denied', {
    description: `${resource.area.title}: not public. Sign in and present a token with ${scope}.`,
    details: [{ code: 'scope_needed', message: `A token needs the scope ${scope}.`, meta: { required_scope: scope } }],
  })
