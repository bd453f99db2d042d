import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { defects } from './defects.ts'
import { planted } from './planted.ts'

const root = resolve(import.meta.dirname, '../..')

test.each(defects.map((defect) => [defect.name, defect] as const))('%s can be planted in the current source', (_name, { changes }) => {
  const texts = new Map<string, string>()
  for (const change of changes) {
    const before = texts.get(change.file) ?? readFileSync(resolve(root, change.file), 'utf8')
    const after = planted(before, change)
    expect(after).not.toBe(before)
    texts.set(change.file, after)
  }
  expect(changes.length === 0 || texts.size > 0).toBe(true)
})

test('a text that is absent or occurs twice is an error, so that no defect is planted elsewhere', () => {
  for (const text of ['', 'a b a']) expect(() => planted(text, { file: 'x.ts', from: 'a', to: '' })).toThrow('x.ts contains')
})
