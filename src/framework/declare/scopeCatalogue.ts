import { type Area, type LowestRole, type ScopeVerb, scopeName } from './area.ts'

/** A scope as every page and document knows it. */
export interface ScopeEntry {
  name: string
  area: string
  /** Title of the area, as a heading of the consent page. */
  areaTitle: string
  verb: ScopeVerb | 'identity'
  /** What a person reads before saying yes. */
  sentence: string
  from: LowestRole
}

const verbs = ['read', 'write'] as const

/** The scopes of these areas, in their order, reading before writing. An area that is named by several resources counts once. */
export function scopesOf(areas: Iterable<Area>): ScopeEntry[] {
  const byName = new Map<string, Area>()
  for (const area of areas) {
    const known = byName.get(area.name)
    if (known && known !== area) throw new Error(`the area ${area.name} is declared twice: hand the first declaration's area to the second`)
    byName.set(area.name, area)
  }
  return [...byName.values()].flatMap((area) =>
    verbs.flatMap((verb) => {
      const text = area.scopes[verb]
      return text ? [{ name: scopeName(area, verb), area: area.name, areaTitle: area.title, verb, ...text }] : []
    }),
  )
}
