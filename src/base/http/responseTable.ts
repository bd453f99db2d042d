import { type Caches, createCaches } from '../process/caches.ts'

/** A complete response to GET and HEAD, without the headers that differ between requests. */
export interface StoredResponse {
  /** Names and values in turn, as Node's `writeHead` takes them; without Content-Type and Content-Length. */
  headers: readonly string[]
  /** Content-Type and Content-Length in the same form: a 304 response has neither. */
  contentHeaders: readonly string[]
  etag: string
  operation: string
  body: Buffer
  /** The body as text if it is short and plain ASCII: Node sends it together with the headers, in one write. */
  ascii?: string | undefined
}

export interface StoringOptions {
  freshMilliseconds: number
  /** The value of `moment` before the data of the response were read. */
  builtSince: number
}

/**
 * Responses that are complete before a request for them arrives. They are the same for every caller of a school. The table holds copies:
 * every response can be built again, so any of them may be dropped at any time.
 */
export interface ResponseTable {
  get(schoolId: string, path: string): StoredResponse | undefined
  /** Stores a response, unless the school's responses have been dropped since it was built. */
  put(schoolId: string, path: string, response: StoredResponse, options: StoringOptions): void
  clear(schoolId?: string): void
  clearedAt(schoolId: string): number
  /** Returns the current moment: a count of the calls of `clear`. */
  moment(): number
}

interface Entry extends StoredResponse {
  builtSince: number
  freshUntil: number
}

/** Memory of an entry in addition to its body. */
const overheadBytes = 1500

export function createResponseTable({ caches = createCaches(), maxBytes }: { caches?: Caches; maxBytes?: number }): ResponseTable {
  const entries = caches.create<Entry>('responses', {
    ...(maxBytes !== undefined && { maxSize: maxBytes }),
    sizeCalculation: ({ body }) => body.length + overheadBytes,
  })
  const clearedAt = new Map<string, number>()
  let [moment, allClearedAt] = [0, 0]
  const lastCleared = (schoolId: string): number => clearedAt.get(schoolId) ?? allClearedAt
  const isCurrent = (schoolId: string, builtSince: number): boolean => builtSince >= lastCleared(schoolId)
  return {
    get(schoolId, path) {
      const entry = entries.get(schoolId + path)
      return entry && entry.freshUntil > performance.now() && isCurrent(schoolId, entry.builtSince) ? entry : undefined
    },
    put(schoolId, path, response, { freshMilliseconds, builtSince }) {
      if (freshMilliseconds <= 0 || !isCurrent(schoolId, builtSince)) return
      entries.set(schoolId + path, { ...response, builtSince, freshUntil: performance.now() + freshMilliseconds })
    },
    clear(schoolId) {
      moment += 1
      if (schoolId !== undefined) {
        clearedAt.set(schoolId, moment)
        return
      }
      allClearedAt = moment
      clearedAt.clear()
      entries.clear()
    },
    clearedAt: lastCleared,
    moment: () => moment,
  }
}
