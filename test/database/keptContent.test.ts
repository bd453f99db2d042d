import { describe, expect, test, vi } from 'vitest'
import { keepContent } from '../../src/database/facts/keptContent.ts'

describe('a value of the content that is kept', () => {
  function counting() {
    let loads = 0
    return keepContent(
      async (schoolId) => {
        loads += 1
        return `${schoolId} ${loads}`
      },
      { name: 'school_names' },
    )
  }

  test('is loaded again after each change of the content, and used while there is none', async () => {
    const kept = counting()
    for (const [version, expected] of [
      ['a', 'one 1'],
      ['a', 'one 1'],
      ['b', 'one 2'],
      ['b', 'one 2'],
      // Unknown: nothing is used or kept.
      [undefined, 'one 3'],
      ['b', 'one 2'],
    ] as const) {
      expect(await kept.read('one', Promise.resolve(version)), String(version)).toBe(expected)
    }
    expect(await kept.read('one', undefined)).toBe('one 4')
  })

  test('belongs to one school, is forgotten on demand and after a second', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    try {
      const kept = counting()
      const read = (schoolId: string): Promise<string> => kept.read(schoolId, Promise.resolve('a'))
      expect([await read('one'), await read('two'), await read('one')]).toEqual(['one 1', 'two 2', 'one 1'])
      kept.clear()
      expect(await read('one')).toBe('one 3')
      vi.advanceTimersByTime(999)
      expect(await read('one')).toBe('one 3')
      vi.advanceTimersByTime(1)
      expect(await read('one')).toBe('one 4')
    } finally {
      vi.useRealTimers()
    }
  })
})
