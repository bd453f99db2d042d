import { z } from 'zod'
import { noRepeats, scopeName } from './rules.ts'

export interface RoleScopes {
  owner: readonly string[]
  admin: readonly string[]
  lecturer: readonly string[]
  learner: readonly string[]
}

/**
 * Returns the schema of `roles.yaml`: scopes that a person of each role can grant to a client. A missing role can grant every scope that it
 * can use.
 */
export function rolesSchema(known: readonly string[]) {
  const list = (people: string) =>
    z
      .array(scopeName(known))
      .superRefine(...noRepeats())
      .optional()
      .meta({ description: `${people} Default: every scope that the role can use.`, examples: [['courses:read', 'account:read']] })
  return z.strictObject({
    owner: list('The owner of the school.'),
    admin: list('Staff who run the school.'),
    lecturer: list('Staff who teach.'),
    learner: list('All other people.'),
  })
}

export type RolesFile = z.output<ReturnType<typeof rolesSchema>>
export type RolesConfig = RoleScopes

/** Scopes that identify a person: every role can grant them (OpenID Connect Core section 5.4). */
const identity = ['openid', 'profile', 'email']

export function resolveRoles(file: RolesFile, known: readonly string[], usable: RoleScopes): RolesConfig {
  const of = (role: keyof RoleScopes): string[] => {
    const named = new Set([...identity, ...(file[role] ?? usable[role])])
    return known.filter((name) => named.has(name))
  }
  return { owner: of('owner'), admin: of('admin'), lecturer: of('lecturer'), learner: of('learner') }
}
