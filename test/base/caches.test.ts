import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createCaches } from '../../src/base/process/caches.ts'
import { type CacheKind, cacheTable } from '../../src/base/process/cacheTable.ts'

describe('the caches of a process', () => {
  test('count hits, misses and entries over all instances of a cache', () => {
    const caches = createCaches()
    const [one, other] = [caches.create<string>('skills'), caches.create<string>('skills')]
    one.set('a', 'A')
    other.set('b', 'B')
    expect([one.get('a'), one.get('b'), other.get('b'), other.get('b')]).toEqual(['A', undefined, 'B', 'B'])
    expect(caches.figures()).toEqual([{ cache: 'skills', entries: 2, hits: 3, misses: 1 }])
  })

  test('drop the least recently used entries above their bound', () => {
    const cache = createCaches().create<string>('skills', { max: 2 })
    for (const key of ['a', 'b']) cache.set(key, key)
    cache.get('a')
    cache.set('c', 'c')
    expect(['a', 'b', 'c'].filter((key) => cache.get(key) !== undefined)).toEqual(['a', 'c'])
  })

  test('keep nothing when they are off, except for what is stored nowhere else', () => {
    const caches = createCaches({ areOff: true })
    for (const [name, { bound, isState = false }] of Object.entries<CacheKind>(cacheTable)) {
      const cache = caches.create<string>(name as keyof typeof cacheTable, 'maxSize' in bound ? { sizeCalculation: () => 1 } : {})
      cache.set('a', 'A')
      expect(cache.get('a'), name).toBe(isState ? 'A' : undefined)
    }
  })

  test('are created by the files that the table names', () => {
    const root = resolve(import.meta.dirname, '../..')
    const elsewhere = Object.entries<CacheKind>(cacheTable).flatMap(([name, { owner }]) => {
      const text = readFileSync(resolve(root, owner), 'utf8')
      return /aches\.create/.test(text) && text.includes(`'${name}'`) ? [] : [`${name}: ${owner}`]
    })
    expect(elsewhere).toEqual([])
  })
})
