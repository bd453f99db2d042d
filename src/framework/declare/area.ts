import type { Role } from '../../policy/caller.ts'

export type ScopeVerb = 'read' | 'write'

/** The lowest role that can use a scope. Higher roles can use it too; `admin` means the school's staff. */
export type LowestRole = Exclude<Role, 'owner'>

/** The sentence about a scope on the consent page, and the lowest role that can use it. A plain string applies to every role. */
export type ScopeText = string | { sentence: string; from: LowestRole }

/** A part of the school to which a person can give a client access: a scope for reading, one for writing, or both. */
export interface Area<Verb extends ScopeVerb = never> {
  name: string
  title: string
  scopes: Readonly<
    Partial<Record<ScopeVerb, { sentence: string; from: LowestRole }>> & Record<Verb, { sentence: string; from: LowestRole }>
  >
}

/** Defines an area: `membership_plans` with its sentences becomes "Membership plans". */
export function defineArea<Verb extends ScopeVerb>(name: string, texts: Readonly<Record<Verb, ScopeText>>): Area<Verb> {
  const scopes = Object.fromEntries(
    Object.entries<ScopeText>(texts).map(([verb, text]) => [verb, typeof text === 'string' ? { sentence: text, from: 'learner' } : text]),
  ) as Area<Verb>['scopes']
  const words = name.replaceAll('_', ' ')
  return { name, title: words.charAt(0).toUpperCase() + words.slice(1), scopes }
}

/** Returns the name of a scope, such as `courses:read`. No other code builds scope names. */
export const scopeName = (area: Area, verb: ScopeVerb): string => `${area.name}:${verb}`
