import { type Fact, nameOfFact, schoolFact } from './fact.ts'
import { type FactMarkers, versionSeconds } from './factMarkers.ts'
import type { FactVersion } from './factVersions.ts'

/** Markers in the memory of the process, for a database that only this process can open. */
export interface MemoryMarkers extends FactMarkers {
  versionOf(fact: Fact): FactVersion
}

interface Marker {
  changes: number
  version: number
  forgottenAt: number
}

export function memoryMarkers(): MemoryMarkers {
  const markers = new Map<string, Marker>()
  let latest = 0

  const forgetOld = (now: number): void => {
    // In the order of their last change.
    for (const [name, { changes, forgottenAt }] of markers) {
      if (changes > 0 || forgottenAt > now) return
      markers.delete(name)
    }
  }
  const mark = (fact: Fact, difference: 1 | -1): void => {
    const now = performance.now()
    forgetOld(now)
    const name = nameOfFact(fact)
    const changes = (markers.get(name)?.changes ?? 0) + difference
    latest += 1
    markers.delete(name)
    markers.set(name, { changes, version: latest, forgottenAt: now + versionSeconds * 1000 })
  }
  const stateOf = (fact: Fact): string | undefined => {
    const marker = markers.get(nameOfFact(fact))
    return marker && marker.changes > 0 ? undefined : String(marker?.version ?? 0)
  }

  return {
    async begin(facts) {
      for (const fact of facts) mark(fact, 1)
      return {
        async end() {
          for (const fact of facts) mark(fact, -1)
        },
      }
    },
    versionOf(fact) {
      const [school, version] = [stateOf(schoolFact(fact.schoolId)), stateOf(fact)]
      return school === undefined || version === undefined ? undefined : `${school} ${version}`
    },
  }
}
