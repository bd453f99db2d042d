import { createCaches } from '../../base/process/caches.ts'
import type { FactVersion } from './fact.ts'

/** A value that follows from the content of a school, such as its name. */
export interface KeptContent<Value> {
  /** Returns the value. `version` is the content's, read for this request; without one, the value is loaded. */
  read(schoolId: string, version: Promise<FactVersion> | undefined): Promise<Value>
  clear(): void
}

const keptMilliseconds = 1000

/** Keeps a value in memory while the content of its school has the version that was read before it was loaded, for at most a second. */
export function keepContent<Value>(load: (schoolId: string) => Promise<Value>, caches = createCaches()): KeptContent<Value> {
  const kept = caches.create<{ version: string; until: number; value: Value }>('school_names')
  return {
    async read(schoolId, reading) {
      const at = performance.now()
      const version = await reading
      const found = kept.get(schoolId)
      if (found && found.version === version && found.until > at) return found.value
      const value = await load(schoolId)
      if (version !== undefined) kept.set(schoolId, { version, until: at + keptMilliseconds, value })
      return value
    },
    clear: () => kept.clear(),
  }
}
