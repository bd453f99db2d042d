import { type Area, type LowestRole, type ScopeVerb, scopeName } from './area.ts'
import { type Reader, type SentencesByRole, sentenceFor } from './permissionSentences.ts'

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
