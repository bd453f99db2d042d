import { LRUCache } from 'lru-cache'
import { keysOf } from '../text/keysOf.ts'
import { type CacheKind, type CacheName, cacheTable } from './cacheTable.ts'

export interface Caches {
  /** Creates an instance of a cache of the table, by default with the bound of the table. */
  create<Value extends object | string | true>(name: CacheName, options?: CacheOptions<Value>): LRUCache<string, Value>
  /** Returns the figures of every cache that has been created, over all of its instances. */
  figures(): CacheFigures[]
}

type CacheOptions<Value extends object | string | true> = Pick<
  LRUCache.OptionsBase<string, Value, unknown>,
  'max' | 'maxSize' | 'ttl' | 'sizeCalculation' | 'dispose'
>

type Counted = Readonly<Record<'size' | 'hits' | 'misses', number>>

export interface CacheFigures {
  cache: CacheName
  entries: number
  hits: number
  misses: number
}

/** Counts what it finds. If it is off, it keeps nothing. */
class CountingCache<Value extends object | string | true> extends LRUCache<string, Value> {
  hits = 0
  misses = 0
  isOff = false

  override get(key: string, options?: LRUCache.GetOptions<string, Value, unknown>): Value | undefined {
    const found = super.get(key, options)
    if (found === undefined) this.misses += 1
    else this.hits += 1
    return found
  }

  override set(...entry: Parameters<LRUCache<string, Value>['set']>): this {
    return this.isOff ? this : super.set(...entry)
  }
}

/** Creates the caches of a process. `areOff` turns off all of them that hold what is also stored elsewhere. */
export function createCaches({ areOff = false }: { areOff?: boolean } = {}): Caches {
  const created = new Map<CacheName, Counted[]>()
  return {
    create<Value extends object | string | true>(name: CacheName, options: CacheOptions<Value> = {}) {
      const { bound, isState = false }: CacheKind = cacheTable[name]
      const { max, ...others } = { ...bound, ...options }
      // With `max` a cache occupies its arrays from the start. One whose entries have the size 1 grows with them.
      const cache = new CountingCache<Value>(
        max === undefined ? { ...bound, ...options } : { ...others, maxSize: max, sizeCalculation: () => 1 },
      )
      cache.isOff = areOff && !isState
      created.set(name, [...(created.get(name) ?? []), cache])
      return cache
    },
    figures: () =>
      keysOf(cacheTable).flatMap((cache) => {
        const instances = created.get(cache)
        if (!instances) return []
        const sum = (count: (one: Counted) => number): number => instances.reduce((total, one) => total + count(one), 0)
        return { cache, entries: sum(({ size }) => size), hits: sum(({ hits }) => hits), misses: sum(({ misses }) => misses) }
      }),
  }
}
