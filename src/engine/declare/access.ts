import { audienceOf, type Caller, type Role } from '../../base/caller.ts'
import { Problem } from '../../base/problem.ts'
import type { Operation } from './operations.ts'

/**
 * Checks that the caller may call the operation. Depends only on the token.
 * @throws Problem access_denied (without a challenge) for a caller without a token, or with a role that no scope would help
 * @throws Problem insufficient_scope with every scope that the call needs
 */
export function requireScope({ method, scope, anonymous, roles, resource }: Operation, caller: Caller): void {
  if (caller.kind === 'anonymous') {
    if (anonymous !== 'none') return
    throw notPublic({ resource, scope })
  }
  if (caller.withheldScopes?.has(scope)) throw caller.isReadOnly && method !== 'GET' ? readOnly() : notForRole(resource, caller.role)
  if (!caller.scopes.has(scope)) {
    // Lists every scope that the call needs, not only the missing ones: MCP clients request exactly the listed scopes.
    const publicView = anonymous === 'none' ? '' : ' Without a token it returns the public view.'
    throw new Problem('insufficient_scope', {
      description: `This operation needs the scope ${scope}.${publicView}`,
      requiredScopes: [scope],
    })
  }
  if (!roles.includes(audienceOf(caller))) throw notForRole(resource, caller.role)
}

const notForRole = ({ area }: Operation['resource'], role: Role): Problem =>
  new Problem('access_denied', { description: `${area.title}: not available to the role ${role}. Another scope would not help.` })

const readOnly = (): Problem =>
  new Problem('access_denied', {
    description: 'The school lets its staff give apps that register themselves permissions to read only. Another scope would not help.',
  })

export const notPublic = ({ resource, scope }: Pick<Operation, 'resource' | 'scope'>): Problem =>
  new Problem('access_denied', {
    description: `${resource.area.title}: not public. Sign in and present a token with ${scope}.`,
    details: [{ code: 'scope_needed', message: `A token needs the scope ${scope}.`, meta: { required_scope: scope } }],
  })
