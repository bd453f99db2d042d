import type { Role } from '../../base/caller.ts'
import { type AppTerms, withinTerms } from './schoolAppRules.ts'

export type RoleScopes = Readonly<Record<Role, readonly string[]>>

/** Returns the scopes that a person of this role can grant to an app on these terms; without terms, to one that the school set up. */
export type Grantable = (role: Role, terms: Pick<AppTerms, 'access'> | undefined) => ReadonlySet<string>

/**
 * Other scopes are struck through on the consent page and never granted. The lists of the configuration are kept as sets, because every request
 * with a token asks for one.
 */
export function grantableScopes(roleScopes: () => RoleScopes, isWrite: (scope: string) => boolean): Grantable {
  const sets = new WeakMap<readonly string[], ReadonlySet<string>>()
  return (role, terms) => {
    const scopes = withinTerms(roleScopes()[role], { role, terms, isWrite })
    const set = sets.get(scopes) ?? new Set(scopes)
    sets.set(scopes, set)
    return set
  }
}

const rank = { learner: 0, lecturer: 1, admin: 2, owner: 3 } as const satisfies Record<Role, number>

/**
 * Derives the scopes of each role from the lowest role of each scope. An operator's table should only narrow this default: the API rejects
 * calls of additional scopes.
 */
export function usableScopes(catalogue: readonly { name: string; from: Role }[]): RoleScopes {
  const usable = (role: Role): string[] => catalogue.filter(({ from }) => rank[role] >= rank[from]).map(({ name }) => name)
  return { learner: usable('learner'), lecturer: usable('lecturer'), admin: usable('admin'), owner: usable('owner') }
}
