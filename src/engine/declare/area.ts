import type { Role } from '../../base/caller.ts'
import { type Reader, readers, type SentencesByRole } from './permissionSentences.ts'

export type ScopeVerb = 'read' | 'write'

/** The lowest role that can use a scope. Higher roles can use it too; `admin` means the school's staff. */
export type LowestRole = Exclude<Role, 'owner'>

/**
 * The sentences of the consent page about a scope. A plain string applies to every role. A scope can be used by the lowest role that has a
 * sentence, and by all higher roles. `othersData` lists the roles to whom the scope shows personal data of other people.
 */
export type ScopeText = string | (SentencesByRole & { othersData?: readonly Reader[] })

export interface AreaScope {
  sentences: SentencesByRole
  from: LowestRole
  othersData: readonly Reader[]
}

/** A part of the school to which a person can give a client access: a scope for reading, one for writing, or both. */
export interface Area<Verb extends ScopeVerb = never> {
  name: string
  title: string
  scopes: Readonly<Partial<Record<ScopeVerb, AreaScope>> & Record<Verb, AreaScope>>
}

/** Defines an area: `membership_plans` with its sentences becomes "Membership plans". */
export function defineArea<Verb extends ScopeVerb>(name: string, texts: Readonly<Record<Verb, ScopeText>>): Area<Verb> {
  const scopes = Object.fromEntries(Object.entries<ScopeText>(texts).map(([verb, text]) => [verb, scopeOf(text)])) as Area<Verb>['scopes']
  const words = name.replaceAll('_', ' ')
  return { name, title: words.charAt(0).toUpperCase() + words.slice(1), scopes }
}

function scopeOf(text: ScopeText): AreaScope {
  const { othersData = [], ...sentences } = typeof text === 'string' ? { learner: text } : text
  const lowest = readers.find((reader) => sentences[reader] !== undefined) ?? 'staff'
  return { sentences, from: lowest === 'staff' ? 'admin' : lowest, othersData }
}

/** Returns the name of a scope, such as `courses:read`. No other code builds scope names. */
export const scopeName = (area: Area, verb: ScopeVerb): string => `${area.name}:${verb}`
