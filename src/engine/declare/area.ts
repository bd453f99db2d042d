import type { Role } from '../../base/caller.ts'
import { type Reader, readers, type SentencesByRole, sentenceFor } from './permissionSentences.ts'

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

export interface ScopeEntry {
  name: string
  area: string
  /** The title of the area, used as a heading on the consent page. */
  areaTitle: string
  verb: ScopeVerb | 'identity'
  /** The sentence for documents: that of the highest role, which permits the most. */
  sentence: string
  sentences: SentencesByRole
  /** The roles to whom the scope shows personal data of other people. */
  othersData: readonly Reader[]
  from: LowestRole
}

const verbs = ['read', 'write'] as const

/** Returns the scopes of these areas in order, read before write. An area shared by several resources is listed once. */
export function scopesOf(areas: Iterable<Area>): ScopeEntry[] {
  const byName = new Map<string, Area>()
  for (const area of areas) {
    const known = byName.get(area.name)
    if (known && known !== area)
      throw new Error(`the area ${area.name} is declared twice: pass the area of the first declaration to the second`)
    byName.set(area.name, area)
  }
  return [...byName.values()].flatMap((area) =>
    verbs.flatMap((verb) => {
      const scope = area.scopes[verb]
      if (!scope) return []
      const sentence = sentenceFor(scope.sentences, 'staff') ?? ''
      return [{ name: scopeName(area, verb), area: area.name, areaTitle: area.title, verb, sentence, ...scope }]
    }),
  )
}
