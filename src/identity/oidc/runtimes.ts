import { setTimeout } from 'node:timers/promises'
import type { Middleware } from 'koa'
import mount from 'koa-mount'
import type { Provider } from 'oidc-provider'
import { type Caches, createCaches } from '../../base/process/caches.ts'
import type { School } from '../../base/school.ts'

export interface SchoolRuntime {
  provider: Provider
  /** Runs the engine's own routes. */
  dispatch: Middleware
  /** JSON responses of the engine, by path: few, and kept as text, which takes a third of the memory of objects. */
  engineTexts: Map<string, string>
  /** True if a client may read what a token says at introspection. */
  mayIntrospect(clientId: string, token: { clientId?: string | undefined; aud?: unknown }): boolean
}

export interface RuntimeArguments {
  caches?: Caches
  /** Number of cached engines; each takes about 65 kB. */
  most?: number
  /** Age of an engine at which its keys are compared with those in the database. */
  checkEverySeconds: number
  build(school: School): Promise<Pick<SchoolRuntime, 'provider' | 'mayIntrospect'> & { revision: string }>
  /** Returns the revision that `build` would have now. */
  revision(school: School): Promise<string>
}

export interface Runtimes {
  get(school: School): Promise<SchoolRuntime>
  /** Drops all engines: the next request builds a new one. Sessions and tokens are not affected. */
  clear(): void
}

interface Entry {
  runtime: SchoolRuntime
  revision: string
  checkedAt: number
}

/** From this age on, a request waits for the check of the keys. A younger engine is checked in the background. */
const longUnusedSeconds = 60
const timeoutMs = 250

/** Caches one engine per school, which is built on first use and replaced when the keys change. */
export function createRuntimes({ caches = createCaches(), most, checkEverySeconds, build, revision }: RuntimeArguments): Runtimes {
  const entries = caches.create<Promise<Entry>>('engines', most === undefined ? {} : { max: most })

  const make = async (school: School): Promise<Entry> => {
    const { provider, revision, mayIntrospect } = await build(school)
    return {
      runtime: { provider, dispatch: mount('/', provider), engineTexts: new Map(), mayIntrospect },
      revision,
      checkedAt: performance.now(),
    }
  }
  const start = (school: School): Promise<Entry> => {
    const entry = make(school)
    entries.set(school.id, entry)
    entry.catch(() => {
      if (entries.peek(school.id) === entry) entries.delete(school.id)
    })
    return entry
  }

  /**
   * Rebuilds the engine if its keys have changed. The old engine is used until the new one is ready, and also if the keys cannot be read.
   */
  const refresh = async (school: School, entry: Entry): Promise<void> => {
    if ((await revision(school)) === entry.revision) return
    const next = make(school)
    await next
    entries.set(school.id, next)
  }

  return {
    async get(school) {
      const entry = await (entries.get(school.id) ?? start(school))
      const age = performance.now() - entry.checkedAt
      if (age > checkEverySeconds * 1000) {
        entry.checkedAt = performance.now()
        const refreshed = refresh(school, entry).catch(() => undefined)
        // An engine that was not used for long may have missed more than one rotation, so the request waits, for a limited time.
        if (age > longUnusedSeconds * 1000) {
          await Promise.race([refreshed, setTimeout(timeoutMs)])
          return (await (entries.get(school.id) ?? start(school))).runtime
        }
      }
      return entry.runtime
    },
    clear: () => entries.clear(),
  }
}
