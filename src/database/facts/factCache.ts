import { createCaches } from '../../base/process/caches.ts'
import type { FactVersion } from './fact.ts'
import { keptSeconds } from './factGuard.ts'

/** When the versions of a request were read. */
export interface Reading {
  at: number
  generation: number
}

/** Facts that this process keeps. Each is used only while its version is the current one, and for a short time in any case. */
export interface FactCache {
  /** Begins a reading: call it before the versions are read. */
  begin(): Reading
  get<Value extends object>(name: string, version: FactVersion, reading: Reading): Value | undefined
  /** Keeps a value that was read from the database after its version. */
  keep(name: string, version: FactVersion, reading: Reading, value: object | undefined): void
  /** Forgets everything, also what is being read now. */
  clear(): void
}

interface Entry {
  version: string
  until: number
  value: object
}

export function createFactCache(caches = createCaches()): FactCache {
  const entries = caches.create<Entry>('facts')
  let generation = 0
  return {
    begin: () => ({ at: performance.now(), generation }),
    get<Value extends object>(name: string, version: FactVersion, { at }: Reading) {
      const entry = version === undefined ? undefined : entries.get(name)
      // The caller names a kind of facts by its own name only, so the value has its type.
      return entry && entry.version === version && entry.until > at ? (entry.value as Value) : undefined
    },
    keep(name, version, reading, value) {
      if (version === undefined || value === undefined || reading.generation !== generation) return
      entries.set(name, { version, until: reading.at + keptSeconds * 1000, value })
    },
    clear() {
      generation += 1
      entries.clear()
    },
  }
}
