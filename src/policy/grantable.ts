import { type Role, roles } from './caller.ts'

/** Which scopes a person of each role may lend to a client. */
export type RoleScopes = Readonly<Record<Role, readonly string[]>>

/** The scopes that a person of this role may lend. What the role cannot use is struck out on the consent page and never granted. */
export function grantableScopes(role: Role, roleScopes: RoleScopes): ReadonlySet<string> {
  return new Set(roleScopes[role])
}

const rank = { learner: 0, lecturer: 1, admin: 2, owner: 3 } as const satisfies Record<Role, number>

/**
 * What each role can use, from the lowest role that each scope names. The default that an operator's table narrows:
 * widening it grants scopes that the API then refuses to that role.
 */
export function usableScopes(catalogue: readonly { name: string; from: Role }[]): RoleScopes {
  const usable = (role: Role): string[] => catalogue.filter(({ from }) => rank[role] >= rank[from]).map(({ name }) => name)
  return Object.fromEntries(roles.map((role) => [role, usable(role)])) as Record<Role, string[]>
}
