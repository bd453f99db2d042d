import { type Caches, createCaches } from '../../base/process/caches.ts'
import type { FactVersion } from './fact.ts'

/** A value that follows from the content of a school, such as its name. */
export interface KeptContent<Value> {
  /** Returns the value. `version` is the content's, read for this request; without one, the value is loaded. */
  read(schoolId: string, version: Promise<FactVersion> | undefined): Promise<Value>
  clear(): void
}

interface KeepOptions {
  caches?: Caches
  name: 'school_names' | 'school_brandings'
  /** How long a value is used without a change of the content: what depends on the time is out of date for so long. */
  keptMilliseconds?: number
}

/** Keeps a value in memory while the content of its school has the version that was read before it was loaded, by default for at most a second. */
export function keepContent<Value>(
  load: (schoolId: string) => Promise<Value>,
  { caches = createCaches(), name, keptMilliseconds = 1000 }: KeepOptions,
): KeptContent<Value> {
  const kept = caches.create<{ version: string; until: number; value: Value }>(name)
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
