import { setTimeout } from 'node:timers/promises'
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
  /** JSON that the engine made, by path. */
  engineBodies: Map<string, Readonly<Record<string, unknown>>>
  /** Documents ready to be served, by their text. */
  documents: Map<string, StoredDocument>
}

export interface RuntimeArguments {
  /** How many schools are kept at once; about 65 kB each. */
  most: number
  /** How old an engine may be before its keys are compared with those in the database. */
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

/** From this age on, a request waits a moment for the check of the keys. A younger engine is checked in the background. */
const longUnusedSeconds = 60
const patienceMs = 250

/** The engines, one a school, built when first needed and swapped when the keys change. */
export function createRuntimes({ most, checkEverySeconds, build, revision }: RuntimeArguments): Runtimes {
  const entries = new LRUCache<string, Promise<Entry>>({ max: most })

  const make = async (school: School): Promise<Entry> => {
    const { provider, revision } = await build(school)
    return {
      runtime: { provider, dispatch: mount('/', provider), engineBodies: new Map(), documents: new Map() },
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

  /** Builds the engine anew when its keys have changed. It is used until the new one is ready, also when the keys cannot be read. */
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
        // An engine that nobody used for a while may be behind by more than one rotation: it is worth a moment, and no more.
        if (age > longUnusedSeconds * 1000) {
          await Promise.race([refreshed, setTimeout(patienceMs)])
          return (await (entries.get(school.id) ?? start(school))).runtime
        }
      }
      return entry.runtime
    },
    clear: () => entries.clear(),
  }
}
