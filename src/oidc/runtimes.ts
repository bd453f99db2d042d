import type { Middleware } from 'koa'
import mount from 'koa-mount'
import { LRUCache } from 'lru-cache'
import type { Provider } from 'oidc-provider'
import type { StoredDocument } from '../http/document.ts'
import type { School } from '../policy/school.ts'

/** A school's engine and what was made from it. */
export interface SchoolRuntime {
  provider: Provider
  /** Runs the engine's own routes. */
  dispatch: Middleware
  /** Documents that the engine made, by path. */
  documents: Map<string, StoredDocument>
}

export interface RuntimeArguments {
  /** How many schools are kept at once; about 65 kB each. */
  most: number
  /** How long other processes may go on with keys that have been rotated. */
  checkEverySeconds: number
  build(school: School): Promise<{ provider: Provider; revision: string }>
  /** The revision that `build` would answer now. */
  revision(school: School): Promise<string>
}

export interface Runtimes {
  get(school: School): Promise<SchoolRuntime>
  /** Forgets them all: the next request builds anew. Nothing that a person or client holds is lost. */
  clear(): void
}

interface Entry {
  runtime: SchoolRuntime
  revision: string
  checkedAt: number
}

/** The engines, one a school, built when first needed and swapped when the keys change. */
export function createRuntimes({ most, checkEverySeconds, build, revision }: RuntimeArguments): Runtimes {
  const entries = new LRUCache<string, Promise<Entry>>({ max: most })

  const make = async (school: School): Promise<Entry> => {
    const { provider, revision } = await build(school)
    return { runtime: { provider, dispatch: mount('/', provider), documents: new Map() }, revision, checkedAt: performance.now() }
  }
  const start = (school: School): Promise<Entry> => {
    const entry = make(school)
    entries.set(school.id, entry)
    entry.catch(() => {
      if (entries.peek(school.id) === entry) entries.delete(school.id)
    })
    return entry
  }

  return {
    async get(school) {
      const entry = await (entries.get(school.id) ?? start(school))
      if (performance.now() - entry.checkedAt > checkEverySeconds * 1000) {
        entry.checkedAt = performance.now()
        // Where the keys cannot be looked at now, those in use go on.
        const current = await revision(school).catch(() => entry.revision)
        if (current !== entry.revision) return (await start(school)).runtime
      }
      return entry.runtime
    },
    clear: () => entries.clear(),
  }
}
