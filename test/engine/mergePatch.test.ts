import fc from 'fast-check'
import { expect, test } from 'vitest'
import { mergePatch } from '../../src/engine/write/parseBody.ts'

test.each([
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [
    ['a', 'b'],
    ['c', 'd'],
    ['c', 'd'],
  ],
  [{ a: 'foo' }, null, null],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: 'b', c: null }, { a: 'b' }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
])('%j patched with %j is %j (RFC 7396 appendix A)', (target, patch, expected) => {
  expect(mergePatch(target, patch)).toEqual(expected)
})

test('a patch is idempotent, adds no null, and changes neither the target nor any prototype', () => {
  fc.assert(
    fc.property(fc.object(), fc.jsonValue(), (target, patch) => {
      const before = JSON.stringify(target)
      const once = mergePatch(target, patch)
      expect(mergePatch(once, patch)).toEqual(once)
      expect(JSON.stringify(target)).toBe(before)
      expect(({} as Record<string, unknown>).polluted).toBeUndefined()
    }),
  )
  const merged = mergePatch({}, JSON.parse('{"__proto__":{"polluted":1}}')) as object
  expect(Object.hasOwn(merged, '__proto__')).toBe(true)
  expect('polluted' in {}).toBe(false)
})
