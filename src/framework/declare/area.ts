import type { Role } from '../../policy/caller.ts'

export type ScopeVerb = 'read' | 'write'

/** The lowest role that can use a scope. Who stands above can use it as well; `admin` is the school's staff. */
export type LowestRole = Exclude<Role, 'owner'>

/** What the consent page says of a scope, and whom it is of use to. A bare sentence is for everybody. */
export type ScopeText = string | { sentence: string; from: LowestRole }

/** A part of the school that a person can open to a client: one scope for reading, one for writing, or one of them. */
export interface Area<Verb extends ScopeVerb = never> {
  name: string
  title: string
  scopes: Readonly<
    Partial<Record<ScopeVerb, { sentence: string; from: LowestRole }>> & Record<Verb, { sentence: string; from: LowestRole }>
  >
}

/** `membership_plans` with its sentences → the area "Membership plans". */
export function defineArea<Verb extends ScopeVerb>(name: string, texts: Readonly<Record<Verb, ScopeText>>): Area<Verb> {
  const scopes = Object.fromEntries(
    Object.entries<ScopeText>(texts).map(([verb, text]) => [verb, typeof text === 'string' ? { sentence: text, from: 'learner' } : text]),
  ) as Area<Verb>['scopes']
  const words = name.replaceAll('_', ' ')
  return { name, title: words.charAt(0).toUpperCase() + words.slice(1), scopes }
}

/** `courses:read`. The only place that spells a scope of the school. */
export const scopeName = (area: Area, verb: ScopeVerb): string => `${area.name}:${verb}`
