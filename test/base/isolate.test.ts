import { expect, test } from 'vitest'
import { isolate } from '../../src/base/process/isolate.ts'

test('a text with letters that are written from the right is isolated, any other stays as it is', () => {
  for (const text of ['مدرسة', 'Kiln مدرسة', 'אור', '\u{1e900}', 'ﷺ']) expect(isolate(text)).toBe(`\u2068${text}\u2069`)
  for (const text of ['', 'Kiln', 'Küche', '学校', 'Школа', 'नमस्ते', '12.00 €']) expect(isolate(text)).toBe(text)
})
