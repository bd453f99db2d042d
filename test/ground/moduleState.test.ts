import { expect, test } from 'vitest'
import { checkPlanted } from './planted.ts'

const check = (text: string): { code: number | null; output: string } => checkPlanted({ 'src/lib/a.ts': text }, ['scripts/moduleState.ts'])

test('constants, and what a function makes for itself, are not module state', () => {
  const { code, output } = check(
    "const names = ['a']\nconst byName = new Map([['a', 1]])\nnames.push('b')\n" +
      'export function make(byName: Map<string, number>) {\n  const names: string[] = []\n  names.push(String(byName.set("a", 2)))\n  return { names }\n}\n' +
      'export const read = () => [names.length, byName.get("a")]\n',
  )
  expect(output).toContain('1 modules without state')
  expect(code).toBe(0)
})

test.each([
  ['a variable that can be assigned', 'let count = 0\nexport const next = () => ++count\n', 'a.ts:1  count can be assigned'],
  [
    'a map that a function fills',
    'const seen = new Map()\nexport const note = (key: string) => seen.set(key, 1)\n',
    'a.ts:2  seen is changed',
  ],
  [
    'a set that a method empties',
    'const seen = new Set()\nexport const a = {\n  end() {\n    seen.clear()\n  },\n}\n',
    'a.ts:4  seen is changed',
  ],
  [
    'an array that grows',
    'const rows: string[] = []\nexport function add(row: string) {\n  rows.push(row)\n}\n',
    'a.ts:3  rows is changed',
  ],
  ['a member that is assigned', 'const last = { at: 0 }\nexport const note = () => {\n  last.at = 1\n}\n', 'a.ts:3  last is changed'],
  ['a member that is counted', 'const last = { at: 0 }\nexport const note = () => last.at++\n', 'a.ts:2  last is changed'],
  [
    'a key that is deleted',
    'const last: Record<string, 1> = {}\nexport const end = (key: string) => delete last[key]\n',
    'a.ts:2  last is',
  ],
])('%s is found', (_what, text, finding) => {
  const { code, output } = check(text)
  expect(output).toContain(finding)
  expect(code).toBe(1)
})

test('a check that read no module fails', () => {
  expect(checkPlanted({ 'src/readme.txt': '' }, ['scripts/moduleState.ts'])).toMatchObject({ code: 1 })
})
