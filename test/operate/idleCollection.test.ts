import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { collectWhenIdle, garbageCollector } from '../../src/operate/serve/idleCollection.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

const megabytes = 2 ** 20

test('garbage is collected once after the start, and again only when the process is idle after its heap has grown, at most every ten minutes', () => {
  const state = { share: 0.5, heapSize: 150 * megabytes, collections: 0 }
  collectWhenIdle({
    share: () => state.share,
    heapSize: () => state.heapSize,
    collect() {
      state.collections += 1
      state.heapSize = 90 * megabytes
    },
  })
  const later = (changes: Partial<typeof state>, minutes = 1): number => {
    Object.assign(state, changes)
    vi.advanceTimersByTime(minutes * 60_000)
    return state.collections
  }
  expect(later({})).toBe(0)
  expect(later({ share: 0.01 })).toBe(1)
  expect(later({ heapSize: 200 * megabytes })).toBe(1)
  expect(later({ heapSize: 100 * megabytes }, 10)).toBe(1)
  expect(later({ heapSize: 200 * megabytes, share: 0.9 })).toBe(1)
  expect(later({ share: 0.02 })).toBe(2)
})

test('the collector collects, and does not stay within reach of other modules', async () => {
  vi.useRealTimers()
  const collect = garbageCollector()
  const reference = new WeakRef({ large: new Array(1000) })
  // A reference that was created in this turn of the event loop keeps its object.
  await setImmediate()
  collect()
  expect(reference.deref()).toBe(undefined)
  expect('gc' in globalThis).toBe(false)
})
