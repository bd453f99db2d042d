import fc from 'fast-check'
import { expect, test } from 'vitest'
import { utf8 } from '../../src/base/text/utf8.ts'

test('any text has the same bytes as from Buffer.from, in a separate block of memory', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
      const bytes = utf8(text)
      expect(bytes).toEqual(Buffer.from(text))
      expect(bytes.buffer.byteLength).toBe(bytes.length)
    }),
  )
})

test('a lone surrogate becomes the replacement character', () => {
  expect(utf8('a\ud800b').toString()).toBe('a\ufffdb')
})
