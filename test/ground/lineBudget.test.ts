import { expect, test } from 'vitest'
import budget from '../../scripts/lineBudget.json' with { type: 'json' }
import { checkPlanted } from './planted.ts'

const check = (more: number): { code: number | null; output: string } =>
  checkPlanted(
    {
      'src/lib/a.ts': `// More than 250 lines: it is all of src.\n${'\n'.repeat(budget.src + more - 1)}`,
      'src/gen/tables.ts': 'export {}\n',
      'test/api/a.test.ts': '\n'.repeat(budget['test, verification, bench, scripts'] - 1),
      'scripts/a.mjs': '\n'.repeat(1 + more),
      'test/queries/a.sql': '\n'.repeat(budget['test/queries'] + more),
    },
    ['scripts/sourceLimits.ts'],
  )

test('more lines than the budget allows are refused, for each part', () => {
  expect(check(0)).toMatchObject({ code: 0, output: expect.not.stringContaining('--lower') })
  expect(check(-1)).toMatchObject({ code: 0, output: expect.stringMatching(/^note: src has .* --lower/m) })
  const { code, output } = check(2)
  expect(output.trim().split('\n')).toEqual([
    expect.stringMatching(/^src: \d+ lines are 2 more than scripts\/lineBudget\.json allows/),
    expect.stringMatching(/^test, verification, bench, scripts: \d+ lines are 2 more/),
    expect.stringMatching(/^test\/queries: \d+ lines are 2 more/),
    expect.stringContaining('says why in its body'),
  ])
  expect(code).toBe(1)
})

const most = 250

test(`a file in src with more than ${most} lines is reported, unless its first lines give the reason`, () => {
  const lines = (head: string, count: number): string => head + 'export {}\n'.repeat(count)
  const reason = '// More than 250 lines: the table lists every error code.\n'
  const { code, output } = checkPlanted(
    {
      'src/store/fits.ts': lines('', most),
      'src/store/long.ts': lines('', most + 1),
      'src/store/commented.ts': lines('/** Reads a row. */\n', most),
      'src/store/table.ts': lines(reason, most),
      'src/store/late.ts': `${lines('', 5)}${lines(reason, most)}`,
      'src/gen/tables.ts': lines('', most + 1),
    },
    ['scripts/sourceLimits.ts'],
  )
  const reported = output.trim().split('\n')
  expect(reported.map((line) => line.split(' ')[0])).toEqual(['src/store/commented.ts', 'src/store/late.ts', 'src/store/long.ts'])
  for (const line of reported) expect(line).toContain('divide it, or give the reason')
  expect(code).toBe(1)
})

const checkCasts = (casts: number): { code: number | null; output: string } => {
  const text = Array.from({ length: casts }, (_, index) => `export const a${index} = value as string\n`).join('')
  return checkPlanted({ 'src/lib/a.ts': `const words = ['a'] as const\n${text}` }, ['scripts/sourceLimits.ts'])
}

test('type assertions in src do not become more; `as const` is not one', () => {
  const [, most = ''] = /0 of (\d+) type assertions/.exec(checkCasts(0).output) ?? []
  expect(Number(most)).toBeGreaterThan(0)
  expect(checkCasts(Number(most)).code).toBe(0)
  expect(checkCasts(Number(most) + 1)).toMatchObject({ code: 1, output: expect.stringContaining('check or narrow the value instead') })
})

const checkState = (text: string): { code: number | null; output: string } =>
  checkPlanted({ 'src/lib/a.ts': text }, ['scripts/moduleState.ts'])

test('constants, and what a function makes for itself, are not module state', () => {
  const { code, output } = checkState(
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
  const { code, output } = checkState(text)
  expect(output).toContain(finding)
  expect(code).toBe(1)
})

test('a check that read no module fails', () => {
  expect(checkPlanted({ 'src/readme.txt': '' }, ['scripts/moduleState.ts'])).toMatchObject({ code: 1 })
})
